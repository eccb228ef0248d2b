package taper.cpu.products;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Matrix products and convolutions in plain Java: blocks are copied to arrays and multiplied by a loop
/// that C2 vectorises, see [Rows].
///
/// A convolution is a matrix product whose right-hand matrix is never stored: its rows, one per channel
/// and filter tap, are gathered from the image when a block is copied.
public final class JavaProducts implements Products {
  private static final int DEPTH = Rows.DEPTH;
  private static final int WIDTH = Rows.WIDTH;

  /// Gathers `n` columns from column `j` on of row `p` of the right-hand matrix into scratch row `row`.
  private interface Right {
    void load(int row, int p, int j, int n);
  }

  /// The left-hand matrix: where it lies, and the distances of its rows and columns in elements.
  private record Left(MemorySegment memory, long offset, long row, long column) {}

  /// Creates the products; they hold no state.
  public JavaProducts() {}

  @Override
  public void matmul(
      Strided c,
      Strided a,
      Strided b,
      Bias where,
      @Nullable Strided bias,
      boolean accumulate,
      boolean relu) {
    int d = c.rank() - 2;
    int m = Math.toIntExact(c.size(d));
    int n = Math.toIntExact(c.size(d + 1));
    int k = Math.toIntExact(a.size(d + 1));
    if (n < 16 && m > n && where == Bias.NONE && !accumulate) {
      // A narrow result would be computed in vectors that are mostly empty: compute its transpose.
      transposed(c, a, b, m, n, k, relu);
      return;
    }
    Batch batch = new Batch(c, a, b);
    int stripes = (n + WIDTH - 1) / WIDTH;
    Tasks.run(
        Math.toIntExact(batch.count * stripes),
        2L * m * Math.min(n, WIDTH) * k,
        task -> {
          int item = task / stripes;
          int from = task % stripes * WIDTH;
          int to = Math.min(n, from + WIDTH);
          long aOffset = batch.a(item);
          long bOffset = batch.b(item);
          long es = c.dtype().byteSize();
          long bRow = b.stride(d) * es;
          long bColumn = b.stride(d + 1) * es;
          long aRow = a.stride(d);
          long aColumn = a.stride(d + 1);
          Rows rows = Rows.ofThread(c.dtype() == DType.FLOAT64);
          product(
              rows,
              new Result(
                  c.memory(), batch.c(item), c.stride(d) * es, where, bias, accumulate, relu),
              m,
              k,
              from,
              to,
              new Left(a.memory(), aOffset, aRow, aColumn),
              (row, p, j, w) ->
                  rows.load(row, 0, b.memory(), bOffset + p * bRow + j * bColumn, bColumn, w));
        });
  }

  private void transposed(Strided c, Strided a, Strided b, int m, int n, int k, boolean relu) {
    int d = c.rank() - 2;
    boolean wide = c.dtype() == DType.FLOAT64;
    long es = c.dtype().byteSize();
    Batch batch = new Batch(c, a, b);
    for (int item = 0; item < batch.count; item++) {
      MemorySegment flipped =
          MemorySegment.ofArray(new double[Math.toIntExact((es * m * n + 7) / 8)]);
      long bOffset = batch.b(item);
      long aOffset = batch.a(item);
      long aRow = a.stride(d) * es;
      long aColumn = a.stride(d + 1) * es;
      long bRow = b.stride(d);
      long bColumn = b.stride(d + 1);
      int stripes = (m + WIDTH - 1) / WIDTH;
      Tasks.run(
          stripes,
          2L * n * Math.min(m, WIDTH) * k,
          task -> {
            Rows rows = Rows.ofThread(wide);
            product(
                rows,
                new Result(flipped, 0, m * es, Bias.NONE, null, false, relu),
                n,
                k,
                task * WIDTH,
                Math.min(m, task * WIDTH + WIDTH),
                new Left(b.memory(), bOffset, bColumn, bRow),
                (row, p, j, w) ->
                    rows.load(row, 0, a.memory(), aOffset + p * aColumn + j * aRow, aRow, w));
          });
      long cOffset = batch.c(item);
      for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
          long to = cOffset + (i * c.stride(d) + j) * es;
          MemorySegment.copy(flipped, ((long) j * m + i) * es, c.memory(), to, es);
        }
      }
    }
  }

  @Override
  public Epilogue convolution(Window window, Strided y, Strided x, Strided weight, Epilogue end) {
    if (!end.isPlain()) {
      convolution(window, y, x, weight, Epilogue.NOTHING);
      return end;
    }
    Strided bias = end.shift();
    Geometry g = Geometry.of(window, x, weight, y);
    long es = y.dtype().byteSize();
    int inGroup = g.inPerGroup();
    int outGroup = g.outPerGroup();
    int k = inGroup * g.taps();
    int pixels = g.outH() * g.outW();
    PaddedImage image = PaddedImage.ofInput(g);
    Tasks.run(
        g.images() * window.groups(),
        2L * outGroup * k * pixels,
        task -> {
          long n = task / window.groups();
          int group = task % window.groups();
          int firstOut = group * outGroup;
          Rows rows = Rows.ofThread(y.dtype() == DType.FLOAT64);
          long first = n * x.stride(0) + (long) group * inGroup * x.stride(1);
          image.load(rows, x.memory(), x.byteOffset() + first * es, inGroup);
          Strided part = bias == null ? null : bias.view(firstOut, new long[0], new long[0]);
          product(
              rows,
              new Result(
                  y.memory(),
                  y.byteOffset() + (n * g.out() + firstOut) * pixels * es,
                  pixels * es,
                  bias == null ? Bias.NONE : Bias.ROWS,
                  part,
                  false,
                  end.relu()),
              outGroup,
              k,
              0,
              pixels,
              new Left(weight.memory(), weight.byteOffset() + (long) firstOut * k * es, k, 1),
              (row, p, j, w) -> image.pixels(rows, row, p / g.taps(), p % g.taps(), j, w));
        });
    return Epilogue.NOTHING;
  }

  @Override
  public void convolutionInputGradient(Window window, Strided dx, Strided dy, Strided weight) {
    Geometry g = Geometry.of(window, dx, weight, dy);
    int es = dx.dtype().byteSize();
    int taps = g.taps();
    int inGroup = g.inPerGroup();
    int outGroup = g.outPerGroup();
    int k = outGroup * taps;
    int pixels = g.inH() * g.inW();
    PaddedImage image = PaddedImage.ofGradient(g);
    MemorySegment turned = turned(g, weight, es);
    Tasks.run(
        g.images() * window.groups(),
        2L * inGroup * k * pixels,
        task -> {
          long n = task / window.groups();
          int group = task % window.groups();
          long outPixels = (long) g.outH() * g.outW();
          Rows rows = Rows.ofThread(dx.dtype() == DType.FLOAT64);
          long first = (n * g.out() + (long) group * outGroup) * outPixels;
          image.load(rows, dy.memory(), dy.byteOffset() + first * es, outGroup);
          product(
              rows,
              new Result(
                  dx.memory(),
                  dx.byteOffset() + (n * g.in() + (long) group * inGroup) * pixels * es,
                  (long) pixels * es,
                  Bias.NONE,
                  null,
                  false,
                  false),
              inGroup,
              k,
              0,
              pixels,
              new Left(turned, (long) group * inGroup * k * es, k, 1),
              (row, p, j, w) -> image.pixels(rows, row, p / taps, p % taps, j, w));
        });
  }

  /// `weight[group][out][in][tap]` as `[group][in][out][tap]`.
  private static MemorySegment turned(Geometry g, Strided weight, int es) {
    int taps = g.taps();
    int inGroup = g.inPerGroup();
    int outGroup = g.outPerGroup();
    MemorySegment turned =
        es == 4
            ? MemorySegment.ofArray(new float[(int) weight.numel()])
            : MemorySegment.ofArray(new double[(int) weight.numel()]);
    long to = 0;
    for (int group = 0; group < g.window().groups(); group++) {
      for (int i = 0; i < inGroup; i++) {
        for (int o = 0; o < outGroup; o++) {
          long from = (((long) group * outGroup + o) * inGroup + i) * taps;
          MemorySegment.copy(
              weight.memory(), weight.byteOffset() + from * es, turned, to, (long) taps * es);
          to += (long) taps * es;
        }
      }
    }
    return turned;
  }

  @Override
  public void convolutionWeightGradient(Window window, Strided dweight, Strided dy, Strided x) {
    Geometry g = Geometry.of(window, x, dweight, dy);
    int es = x.dtype().byteSize();
    int inGroup = g.inPerGroup();
    int outGroup = g.outPerGroup();
    int columns = inGroup * g.taps();
    int pixels = g.outH() * g.outW();
    int stripes = (columns + WIDTH - 1) / WIDTH;
    PaddedImage image = PaddedImage.ofInput(g);
    int[] distances = image.distances(inGroup, g);
    Tasks.run(
        window.groups() * stripes,
        2L * outGroup * Math.min(columns, WIDTH) * pixels * g.images(),
        task -> {
          int group = task / stripes;
          int from = task % stripes * WIDTH;
          int to = Math.min(columns, from + WIDTH);
          long firstOut = (long) group * outGroup;
          Rows rows = Rows.ofThread(x.dtype() == DType.FLOAT64);
          for (long n = 0; n < Math.max(1, g.images()); n++) {
            if (g.images() > 0) {
              long first = (n * g.in() + (long) group * inGroup) * g.inH() * g.inW();
              image.load(rows, x.memory(), x.byteOffset() + first * es, inGroup);
            }
            product(
                rows,
                new Result(
                    dweight.memory(),
                    dweight.byteOffset() + firstOut * columns * es,
                    (long) columns * es,
                    Bias.NONE,
                    null,
                    n > 0,
                    false),
                outGroup,
                g.images() == 0 ? 0 : pixels,
                from,
                to,
                new Left(
                    dy.memory(),
                    dy.byteOffset() + (n * g.out() + firstOut) * pixels * es,
                    pixels,
                    1),
                (row, p, j, w) -> rows.gather(row, image.pixel(p), distances, j, w));
          }
        });
  }

  /// Where the result of [#product] goes and what is added to it.
  ///
  /// @param rowBytes the distance between rows, in bytes
  private record Result(
      MemorySegment memory,
      long offset,
      long rowBytes,
      Bias where,
      @Nullable Strided bias,
      boolean accumulate,
      boolean relu) {}

  /// Columns `from` to `to` of an `m`-row product of depth `k`.
  private static void product(
      Rows rows, Result c, int m, int k, int from, int to, Left left, Right right) {
    for (int j = from; j < to; j += WIDTH) {
      int n = Math.min(WIDTH, to - j);
      for (int p = 0; p < Math.max(k, 1); p += DEPTH) {
        int depth = Math.min(DEPTH, k - p);
        for (int q = 0; q < depth; q++) {
          right.load(q, p + q, j, n);
        }
        int i = 0;
        for (; i + Rows.HEIGHT <= m; i += Rows.HEIGHT) {
          block(rows, c, i, Rows.HEIGHT, j, n, p, depth, k, left);
        }
        for (; i < m; i++) {
          block(rows, c, i, 1, j, n, p, depth, k, left);
        }
      }
    }
  }

  /// Adds terms `p` to `p + depth` of `k` to columns `j` to `j + n` of rows `i` to `i + height`.
  private static void block(
      Rows rows, Result c, int i, int height, int j, int n, int p, int depth, int k, Left left) {
    long es = rows.byteSize();
    boolean last = p + DEPTH >= k;
    for (int r = 0; r < height; r++) {
      int row = Rows.result(r);
      if (p > 0 || c.accumulate) {
        rows.load(row, 0, c.memory, c.offset + (i + r) * c.rowBytes + j * es, es, n);
      } else {
        rows.fill(row, 0, n, 0);
      }
    }
    for (int r = 0; r < height && depth > 0; r++) {
      long offset = left.offset + ((i + r) * left.row + p * left.column) * es;
      rows.coefficients(left.memory, offset, left.column * es, depth, r, height);
    }
    for (int q = 0; q < depth; q += 4) {
      int b1 = q + 1 < depth ? q + 1 : Rows.ZERO;
      int b2 = q + 2 < depth ? q + 2 : Rows.ZERO;
      int b3 = q + 3 < depth ? q + 3 : Rows.ZERO;
      if (height == 1) {
        rows.add1x4(q, b1, b2, b3, n, q);
      } else {
        rows.add4x4(q, b1, b2, b3, n, q * height);
      }
    }
    for (int r = 0; r < height; r++) {
      int row = Rows.result(r);
      if (last && c.where == Bias.ROWS && c.bias != null) {
        long at = c.bias.byteOffset() + (i + r) * es;
        rows.shift(row, n, Rows.read(c.bias.memory(), at, es == 8));
      } else if (last && c.where == Bias.COLUMNS && c.bias != null) {
        rows.load(Rows.ZERO, 0, c.bias.memory(), c.bias.byteOffset() + j * es, es, n);
        rows.add(row, Rows.ZERO, n);
        rows.fill(Rows.ZERO, 0, n, 0);
      }
      rows.store(row, c.memory, c.offset + (i + r) * c.rowBytes + j * es, n, last && c.relu);
    }
  }
}
