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
    void load(Rows rows, int row, int p, int j, int n);
  }

  /// Where element (`i`, `p`) of the left-hand matrix lies, in elements.
  private interface Left {
    long offset(int i, int p);
  }

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
    Parallel.run(
        Math.toIntExact(batch.count) * stripes,
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
          product(
              new Result(
                  c.memory(), batch.c(item), c.stride(d) * es, where, bias, accumulate, relu),
              m,
              k,
              from,
              to,
              a.memory(),
              aOffset,
              (i, p) -> i * aRow + p * aColumn,
              (rows, row, p, j, w) ->
                  rows.load(row, 0, b.memory(), bOffset + p * bRow + j * bColumn, bColumn, w),
              c.dtype() == DType.FLOAT64);
        });
  }

  private void transposed(Strided c, Strided a, Strided b, int m, int n, int k, boolean relu) {
    int d = c.rank() - 2;
    boolean wide = c.dtype() == DType.FLOAT64;
    long es = c.dtype().byteSize();
    Batch batch = new Batch(c, a, b);
    for (int item = 0; item < batch.count; item++) {
      MemorySegment flipped = MemorySegment.ofArray(new double[(m * n * (int) es + 7) / 8]);
      long bOffset = batch.b(item);
      long aOffset = batch.a(item);
      long aRow = a.stride(d) * es;
      long aColumn = a.stride(d + 1) * es;
      long bRow = b.stride(d);
      long bColumn = b.stride(d + 1);
      int stripes = (m + WIDTH - 1) / WIDTH;
      Parallel.run(
          stripes,
          2L * n * Math.min(m, WIDTH) * k,
          task ->
              product(
                  new Result(flipped, 0, m * es, Bias.NONE, null, false, relu),
                  n,
                  k,
                  task * WIDTH,
                  Math.min(m, task * WIDTH + WIDTH),
                  b.memory(),
                  bOffset,
                  (i, p) -> p * bRow + i * bColumn,
                  (rows, row, p, j, w) ->
                      rows.load(row, 0, a.memory(), aOffset + p * aColumn + j * aRow, aRow, w),
                  wide));
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
  public void convolution(
      Window window, Strided y, Strided x, Strided weight, @Nullable Strided bias, boolean relu) {
    Geometry g = Geometry.of(window, x, weight, y);
    long es = y.dtype().byteSize();
    int k = g.inPerGroup() * g.taps();
    int pixels = g.outH() * g.outW();
    Parallel.run(
        g.images() * window.groups(),
        2L * g.outPerGroup() * k * pixels,
        task -> {
          int image = task / window.groups();
          int group = task % window.groups();
          int firstOut = group * g.outPerGroup();
          long plane =
              x.byteOffset()
                  + (image * x.stride(0) + (long) group * g.inPerGroup() * x.stride(1)) * es;
          Strided part = bias == null ? null : bias.view(firstOut, new long[0], new long[0]);
          product(
              new Result(
                  y.memory(),
                  y.byteOffset() + ((long) image * g.out() + firstOut) * pixels * es,
                  pixels * es,
                  bias == null ? Bias.NONE : Bias.ROWS,
                  part,
                  false,
                  relu),
              g.outPerGroup(),
              k,
              0,
              pixels,
              weight.memory(),
              weight.byteOffset() + (long) firstOut * k * es,
              (i, p) -> (long) i * k + p,
              (rows, row, p, j, n) ->
                  gatherPixels(
                      g,
                      rows,
                      row,
                      x.memory(),
                      plane + p / g.taps() * x.stride(1) * es,
                      p % g.taps(),
                      j,
                      n),
              y.dtype() == DType.FLOAT64);
        });
  }

  /// Columns `j` to `j + n`, which are output pixels, of the row of tap `tap`.
  private static void gatherPixels(
      Geometry g, Rows rows, int row, MemorySegment x, long plane, int tap, int j, int n) {
    Window w = g.window();
    long es = rows.byteSize();
    int dy = tap / g.kernelW() * w.dilationH() - w.padH();
    int dx = tap % g.kernelW() * w.dilationW() - w.padW();
    // The output columns whose input column dx + column * stride lies inside the image.
    int first = Math.min(g.outW(), Math.max(0, Math.ceilDiv(-dx, w.strideW())));
    int last = Math.max(first, Math.min(g.outW(), Math.ceilDiv(g.inW() - dx, w.strideW())));
    int at = 0;
    while (at < n) {
      int pixelRow = (j + at) / g.outW();
      int from = (j + at) % g.outW();
      int count = Math.min(n - at, g.outW() - from);
      int inRow = pixelRow * w.strideH() + dy;
      int lo = Math.clamp(first, from, from + count);
      int hi = Math.clamp(last, lo, from + count);
      if (inRow < 0 || inRow >= g.inH()) {
        rows.fill(row, at, count, 0);
      } else {
        rows.fill(row, at, lo - from, 0);
        long offset = plane + ((long) inRow * g.inW() + dx + (long) lo * w.strideW()) * es;
        rows.load(row, at + lo - from, x, offset, w.strideW() * es, hi - lo);
        rows.fill(row, at + hi - from, from + count - hi, 0);
      }
      at += count;
    }
  }

  @Override
  public void convolutionInputGradient(Window window, Strided dx, Strided dy, Strided weight) {
    Geometry g = Geometry.of(window, dx, weight, dy);
    long es = dx.dtype().byteSize();
    int taps = g.taps();
    int k = g.outPerGroup() * taps;
    int pixels = g.inH() * g.inW();
    Parallel.run(
        g.images() * window.groups(),
        2L * g.inPerGroup() * k * pixels,
        task -> {
          int image = task / window.groups();
          int group = task % window.groups();
          int firstOut = group * g.outPerGroup();
          int firstIn = group * g.inPerGroup();
          long planeBytes = (long) g.outH() * g.outW() * es;
          long plane = dy.byteOffset() + ((long) image * g.out() + firstOut) * planeBytes;
          product(
              new Result(
                  dx.memory(),
                  dx.byteOffset() + ((long) image * g.in() + firstIn) * pixels * es,
                  pixels * es,
                  Bias.NONE,
                  null,
                  false,
                  false),
              g.inPerGroup(),
              k,
              0,
              pixels,
              weight.memory(),
              weight.byteOffset() + (long) firstOut * g.inPerGroup() * taps * es,
              (i, p) -> ((long) (p / taps) * g.inPerGroup() + i) * taps + p % taps,
              (rows, row, p, j, n) ->
                  scatteredPixels(
                      g, rows, row, dy.memory(), plane + p / taps * planeBytes, p % taps, j, n),
              dx.dtype() == DType.FLOAT64);
        });
  }

  /// Columns `j` to `j + n`, which are input pixels, of the row of tap `tap`: the output pixel that each
  /// reaches through the tap, or zero.
  private static void scatteredPixels(
      Geometry g, Rows rows, int row, MemorySegment dy, long plane, int tap, int j, int n) {
    Window w = g.window();
    long es = rows.byteSize();
    int up = tap / g.kernelW() * w.dilationH() - w.padH();
    int left = tap % g.kernelW() * w.dilationW() - w.padW();
    rows.fill(row, 0, n, 0);
    int at = 0;
    while (at < n) {
      int inRow = (j + at) / g.inW();
      int from = (j + at) % g.inW();
      int count = Math.min(n - at, g.inW() - from);
      int outRow = Math.floorDiv(inRow - up, w.strideH());
      if (Math.floorMod(inRow - up, w.strideH()) == 0 && outRow >= 0 && outRow < g.outH()) {
        long offset = plane + (long) outRow * g.outW() * es;
        // Output column c feeds input column c * stride + left.
        int first = Math.max(0, Math.ceilDiv(from - left, w.strideW()));
        int last = Math.min(g.outW(), Math.ceilDiv(from + count - left, w.strideW()));
        if (w.strideW() == 1 && last > first) {
          rows.load(row, at + first + left - from, dy, offset + first * es, es, last - first);
        } else {
          for (int c = first; c < last; c++) {
            rows.load(row, at + c * w.strideW() + left - from, dy, offset + c * es, es, 1);
          }
        }
      }
      at += count;
    }
  }

  @Override
  public void convolutionWeightGradient(Window window, Strided dweight, Strided dy, Strided x) {
    Geometry g = Geometry.of(window, x, dweight, dy);
    long es = x.dtype().byteSize();
    boolean wide = x.dtype() == DType.FLOAT64;
    int columns = g.inPerGroup() * g.taps();
    int pixels = g.outH() * g.outW();
    int stripes = (columns + WIDTH - 1) / WIDTH;
    Parallel.run(
        window.groups() * stripes,
        2L * g.outPerGroup() * Math.min(columns, WIDTH) * pixels * g.images(),
        task -> {
          int group = task / stripes;
          int from = task % stripes * WIDTH;
          int to = Math.min(columns, from + WIDTH);
          int firstOut = group * g.outPerGroup();
          for (int image = 0; image < Math.max(1, g.images()); image++) {
            long plane =
                x.byteOffset()
                    + ((long) image * g.in() + (long) group * g.inPerGroup())
                        * g.inH()
                        * g.inW()
                        * es;
            product(
                new Result(
                    dweight.memory(),
                    dweight.byteOffset() + (long) firstOut * columns * es,
                    columns * es,
                    Bias.NONE,
                    null,
                    image > 0,
                    false),
                g.outPerGroup(),
                g.images() == 0 ? 0 : pixels,
                from,
                to,
                dy.memory(),
                dy.byteOffset() + ((long) image * g.out() + firstOut) * pixels * es,
                (i, p) -> (long) i * pixels + p,
                (rows, row, p, j, n) -> gatherTaps(g, rows, row, x.memory(), plane, p, j, n),
                wide);
          }
        });
  }

  /// Columns `j` to `j + n`, which are (channel, tap), of the row of output pixel `pixel`.
  private static void gatherTaps(
      Geometry g, Rows rows, int row, MemorySegment x, long plane, int pixel, int j, int n) {
    Window w = g.window();
    long es = rows.byteSize();
    int top = pixel / g.outW() * w.strideH() - w.padH();
    int left = pixel % g.outW() * w.strideW() - w.padW();
    int at = 0;
    while (at < n) {
      int channel = (j + at) / g.taps();
      int tap = (j + at) % g.taps();
      int kx = tap % g.kernelW();
      int count = Math.min(n - at, g.kernelW() - kx);
      int inRow = top + tap / g.kernelW() * w.dilationH();
      if (inRow < 0 || inRow >= g.inH()) {
        rows.fill(row, at, count, 0);
      } else {
        int lo = Math.clamp(Math.ceilDiv(-left, w.dilationW()), kx, kx + count);
        int hi = Math.clamp(Math.ceilDiv(g.inW() - left, w.dilationW()), lo, kx + count);
        rows.fill(row, at, lo - kx, 0);
        long offset =
            plane
                + (((long) channel * g.inH() + inRow) * g.inW() + left + (long) lo * w.dilationW())
                    * es;
        rows.load(row, at + lo - kx, x, offset, w.dilationW() * es, hi - lo);
        rows.fill(row, at + hi - kx, kx + count - hi, 0);
      }
      at += count;
    }
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
      Result c,
      int m,
      int k,
      int from,
      int to,
      MemorySegment a,
      long aOffset,
      Left left,
      Right right,
      boolean wide) {
    Rows rows = Rows.ofThread(wide);
    long es = rows.byteSize();
    for (int j = from; j < to; j += WIDTH) {
      int n = Math.min(WIDTH, to - j);
      for (int p = 0; p < Math.max(k, 1); p += DEPTH) {
        int depth = Math.min(DEPTH, k - p);
        for (int q = 0; q < depth; q++) {
          right.load(rows, q, p + q, j, n);
        }
        boolean first = p == 0;
        boolean last = p + DEPTH >= k;
        int i = 0;
        for (; i + Rows.HEIGHT <= m; i += Rows.HEIGHT) {
          rows(rows, c, i, Rows.HEIGHT, j, n, p, depth, first, last, a, aOffset, left, es, wide);
        }
        for (; i < m; i++) {
          rows(rows, c, i, 1, j, n, p, depth, first, last, a, aOffset, left, es, wide);
        }
      }
    }
  }

  private static void rows(
      Rows rows,
      Result c,
      int i,
      int height,
      int j,
      int n,
      int p,
      int depth,
      boolean first,
      boolean last,
      MemorySegment a,
      long aOffset,
      Left left,
      long es,
      boolean wide) {
    for (int r = 0; r < height; r++) {
      int row = Rows.result(r);
      if (!first || c.accumulate) {
        rows.load(row, 0, c.memory, c.offset + (i + r) * c.rowBytes + j * es, es, n);
      } else {
        rows.fill(row, 0, n, 0);
      }
    }
    int steps = (depth + 3) & ~3;
    rows.zeroCoefficients((steps - 4) * height < 0 ? 0 : (steps - 4) * height, steps * height);
    for (int r = 0; r < height; r++) {
      for (int q = 0; q < depth; q++) {
        int at = (q & ~3) * height + r * 4 + (q & 3);
        rows.coefficient(at, a, aOffset + left.offset(i + r, p + q) * es);
      }
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
        rows.shift(row, n, Rows.read(c.bias.memory(), at, wide));
      } else if (last && c.where == Bias.COLUMNS && c.bias != null) {
        rows.load(Rows.ZERO, 0, c.bias.memory(), c.bias.byteOffset() + j * es, es, n);
        rows.add(row, Rows.ZERO, n);
        rows.fill(Rows.ZERO, 0, n, 0);
      }
      rows.store(row, c.memory, c.offset + (i + r) * c.rowBytes + j * es, n, last && c.relu);
    }
  }
}
