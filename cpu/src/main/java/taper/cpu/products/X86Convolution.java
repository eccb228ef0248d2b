package taper.cpu.products;

import org.jspecify.annotations.Nullable;
import taper.cpu.products.Products.Bias;
import taper.cpu.products.Scratch.Use;
import taper.tensor.spi.Strided;

/// The three directions of a two-dimensional convolution, as batch-reduce products on padded images.
///
/// *Forward*: an image is copied into padded planes ([FlatPlanes]); vectors run over pixels; the sum runs
/// over channels and filter taps, each of which is a distance into the planes ([BatchReduce] with a table).
/// Nothing is unrolled. *Input gradient*: the same, on the gradient of the output, with the filter
/// transposed; a stride makes several such sums, one for each remainder of the position, each over the taps
/// that meet it. *Weight gradient*: dot products of planes of the output's gradient with planes of the
/// input, shifted by a tap ([DotProducts]).
///
/// The cost of nothing being unrolled is the pixels between rows: (W + pad) / W.
///
/// Images are computed in parallel. The weight gradient is summed over fixed chunks of images and then over
/// the chunks in order, so it does not depend on the number of threads.
final class X86Convolution {
  private static final int MAXIMAL_CHUNKS = 8;

  private final Lanes lanes;
  private final Geometry g;
  private final Window w;
  private final int es;

  X86Convolution(Lanes lanes, Geometry geometry) {
    this.lanes = lanes;
    this.g = geometry;
    this.w = geometry.window();
    this.es = lanes.bytes();
  }

  /// The planes that the forward direction reads, per channel.
  private FlatPlanes inputPlanes() {
    int rows = g.outH() - 1 + (g.kernelH() - 1) * w.dilationH() / w.strideH() + 1;
    int columns = g.outW() - 1 + (g.kernelW() - 1) * w.dilationW() / w.strideW() + 1;
    return FlatPlanes.of(
        g.inH(),
        g.inW(),
        w.strideH(),
        w.strideW(),
        w.padH(),
        w.padW(),
        rows,
        columns,
        lanes.count());
  }

  private boolean pointwise() {
    return g.taps() == 1 && w.padH() == 0 && w.padW() == 0 && w.strideH() == 1 && w.strideW() == 1;
  }

  /// A sum over channels and taps that slides over planes.
  ///
  /// @param rows channels of the result
  /// @param depth terms of the sum
  /// @param panels the address of the packed coefficients, a panel of at most `height` rows after another
  /// @param table the address of the distances of the terms, in bytes
  /// @param pitch the distance of rows in the planes
  /// @param outH rows of the result, `outW` its columns
  private record Sliding(
      int rows, int height, int depth, long panels, long table, int pitch, int outH, int outW) {

    int pixels() {
      return (outH - 1) * pitch + outW;
    }
  }

  /// Where results go: `rowStep` and `step` are distances in elements, 1 apart if the result is dense.
  private record Target(long address, long channel, long rowStep, int step) {}

  void forward(Strided y, Strided x, Strided weight, @Nullable Strided bias, boolean relu) {
    int groups = w.groups();
    int outGroup = g.outPerGroup();
    int inGroup = g.inPerGroup();
    int depth = inGroup * g.taps();
    long pixels = (long) g.outH() * g.outW();
    if (y.numel() == 0) {
      return;
    }
    if (pointwise()) {
      pointwise(y, x, weight, bias, relu);
      return;
    }
    FlatPlanes planes = inputPlanes();
    int height = height(outGroup);
    Scratch caller = Scratch.ofThread();
    long panels = caller.address(Use.PARTS, (long) g.out() * depth * es + 256);
    long table = caller.address(Use.TABLE, depth * 8L);
    int term = 0;
    for (int channel = 0; channel < inGroup; channel++) {
      for (int tap = 0; tap < g.taps(); tap++) {
        long distance =
            (long) channel * planes.phases() * planes.plane()
                + planes.distance(
                    tap / g.kernelW() * w.dilationH(), tap % g.kernelW() * w.dilationW());
        Scratch.put(table + 8L * term++, distance * es);
      }
    }
    long block = caller.address(Use.ARGUMENTS, 4096);
    for (int group = 0; group < groups; group++) {
      int rows;
      for (int o = 0; o < outGroup; o += rows) {
        rows = Math.min(height, outGroup - o);
        long first = (long) (group * outGroup + o) * depth * es;
        MatrixProduct.packLeft(
            block,
            lanes,
            weight.address() + first,
            (long) depth * es,
            es,
            panels + first,
            rows,
            depth);
      }
    }
    long xAddress = x.address();
    long yAddress = y.address();
    long biasAddress = bias == null ? 0 : bias.address();
    long imageBytes = x.stride(0) * es;
    long channelBytes = (long) g.inH() * g.inW() * es;
    Object owner = new Object();
    Parallel.run(
        g.images() * groups,
        2L * outGroup * depth * pixels,
        task -> {
          int image = task / groups;
          int group = task % groups;
          Scratch scratch = Scratch.ofThread();
          long arguments = scratch.address(Use.ARGUMENTS, 4096);
          long copy =
              planes(scratch, Use.PLANES, owner, (long) inGroup * planes.phases() * planes.plane());
          planes.fill(
              arguments,
              lanes,
              xAddress + image * imageBytes + group * inGroup * channelBytes,
              copy,
              inGroup);
          int firstOut = group * outGroup;
          slide(
              new Sliding(
                  outGroup,
                  height,
                  depth,
                  panels + (long) firstOut * depth * es,
                  table,
                  planes.pitch(),
                  g.outH(),
                  g.outW()),
              copy,
              new Target(
                  yAddress + ((long) image * g.out() + firstOut) * pixels * es,
                  pixels,
                  g.outW(),
                  1),
              biasAddress == 0 ? 0 : biasAddress + (long) firstOut * es,
              relu);
        });
  }

  /// The number of rows of a tile for `rows` rows in all: as few tiles as possible, equally high.
  private int height(int rows) {
    int limit = BatchReduce.rows(lanes, 2);
    return Math.ceilDiv(rows, Math.ceilDiv(rows, limit));
  }

  /// Planes of this thread of which everything but what `owner` copies into them is zero.
  private long planes(Scratch scratch, Use use, Object owner, long elements) {
    // Vectors that start at the last pixel of the last plane read on behind it.
    long bytes = elements * es + 8L * lanes.vectorBytes();
    long address = scratch.address(use, bytes);
    if (scratch.claimPlanes(use, owner)) {
      Scratch.clear(address, bytes);
    }
    return address;
  }

  private void slide(Sliding s, long planes, Target target, long bias, boolean relu) {
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int all = Math.ceilDiv(s.pixels(), lanes.count());
    int rows;
    for (int o = 0; o < s.rows; o += rows) {
      rows = Math.min(s.height, s.rows - o);
      int vectors = rows <= 3 ? 4 : 2;
      if (!lanes.masks() && vectors == 4) {
        vectors = 3;
      }
      vectors = Math.min(vectors, all);
      // Rows of the intermediate result are an odd number of cache lines apart.
      int line = (all * lanes.count() + 15) / 16 * 16 + 16;
      long result = scratch.address(Use.RESULT, (long) s.height * line * es);
      Scratch.put(block + BatchReduce.A, s.panels + (long) o * s.depth * es);
      Scratch.put(block + BatchReduce.STEP_B, s.table);
      Scratch.put(block + BatchReduce.DEPTH, s.depth);
      Scratch.put(block + BatchReduce.ROW_C, (long) line * es);
      Scratch.put(block + BatchReduce.BIAS, bias + (long) o * es);
      long tile = (long) vectors * lanes.vectorBytes();
      Scratch.put(block + BatchReduce.TILE_B, tile);
      Scratch.put(block + BatchReduce.TILE_C, tile);
      Bias where = bias == 0 ? Bias.NONE : Bias.ROWS;
      int full = all / vectors;
      int rest = all % vectors;
      Scratch.put(block + BatchReduce.B, planes);
      Scratch.put(block + BatchReduce.C, result);
      Scratch.put(block + BatchReduce.TILES, full);
      kernel(rows, vectors, where, relu).run(block);
      if (rest > 0) {
        Scratch.put(block + BatchReduce.B, planes + full * tile);
        Scratch.put(block + BatchReduce.C, result + full * tile);
        Scratch.put(block + BatchReduce.TILES, 1);
        kernel(rows, rest, where, relu).run(block);
      }
      store(block, s, rows, result, line, target, o);
    }
  }

  private taper.cpu.assembler.Code kernel(int rows, int vectors, Bias where, boolean relu) {
    return BatchReduce.of(
        new BatchReduce.Shape(lanes, rows, vectors, false, true, true, false, where, relu));
  }

  /// Copies the pixels that count out of the intermediate result.
  private void store(
      long block, Sliding s, int rows, long result, int line, Target target, int channel) {
    long to = target.address + channel * target.channel * es;
    if (target.step == 1) {
      PlaneCopy.run(
          block,
          lanes,
          false,
          result,
          (long) s.pitch * es,
          (long) line * es,
          to,
          target.rowStep * es,
          target.channel * es,
          s.outW,
          s.outH,
          rows);
      return;
    }
    for (int r = 0; r < rows; r++) {
      for (int y = 0; y < s.outH; y++) {
        for (int x = 0; x < s.outW; x++) {
          Scratch.copyElement(
              to + (r * target.channel + y * target.rowStep + (long) x * target.step) * es,
              result + ((long) r * line + (long) y * s.pitch + x) * es,
              lanes.wide());
        }
      }
    }
  }

  /// A filter of one tap that moves by one: a matrix product per image.
  private void pointwise(
      Strided y, Strided x, Strided weight, @Nullable Strided bias, boolean relu) {
    int outGroup = g.outPerGroup();
    int inGroup = g.inPerGroup();
    int pixels = g.outH() * g.outW();
    MatrixProduct product =
        new MatrixProduct(
            lanes,
            outGroup,
            pixels,
            inGroup,
            (long) inGroup * es,
            es,
            (long) pixels * es,
            es,
            (long) pixels * es,
            bias == null ? Bias.NONE : Bias.ROWS,
            false,
            relu);
    long imageBytes = x.stride(0) * es;
    long biasAddress = bias == null ? 0 : bias.address();
    long xAddress = x.address();
    long yAddress = y.address();
    long weightAddress = weight.address();
    Parallel.run(
        g.images() * w.groups(),
        2L * outGroup * inGroup * pixels,
        task -> {
          int image = task / w.groups();
          int group = task % w.groups();
          long firstOut = (long) group * outGroup;
          product.run(
              weightAddress + firstOut * inGroup * es,
              xAddress + image * imageBytes + (long) group * inGroup * pixels * es,
              yAddress + ((long) image * g.out() + firstOut) * pixels * es,
              biasAddress + firstOut * es,
              0,
              outGroup,
              0,
              pixels);
        });
  }

  /// The gradient of the input at positions of one remainder.
  ///
  /// @param top first row of the result in the input, `left` its first column
  /// @param sum how it is computed
  private record Part(int top, int left, Sliding sum) {}

  void inputGradient(Strided dx, Strided dy, Strided weight) {
    if (dx.numel() == 0) {
      return;
    }
    int inGroup = g.inPerGroup();
    int outGroup = g.outPerGroup();
    int groups = w.groups();
    // Along each axis, position p of the padded input is reached from output (p - tap * dilation) /
    // stride
    // if that is whole. Write p = a * stride + phase; then the output is a - (tap * dilation -
    // phase) / stride.
    Axis down = new Axis(g.inH(), g.outH(), g.kernelH(), w.strideH(), w.padH(), w.dilationH());
    Axis right = new Axis(g.inW(), g.outW(), g.kernelW(), w.strideW(), w.padW(), w.dilationW());
    FlatPlanes planes =
        FlatPlanes.of(
            g.outH(),
            g.outW(),
            1,
            1,
            down.before(),
            right.before(),
            down.before() + g.outH() + down.after(),
            right.before() + g.outW() + right.after(),
            lanes.count());
    int height = height(inGroup);
    Scratch caller = Scratch.ofThread();
    // A term for every tap belongs to exactly one part, so all parts together need as much as one
    // filter.
    long panels = caller.address(Use.PARTS, weight.numel() * es + 256);
    long table = caller.address(Use.TABLE, (long) outGroup * g.taps() * 8);
    var parts = new java.util.ArrayList<Part>();
    long panel = panels;
    for (int phaseH = 0; phaseH < w.strideH(); phaseH++) {
      for (int phaseW = 0; phaseW < w.strideW(); phaseW++) {
        int rows = down.count(phaseH);
        int columns = right.count(phaseW);
        if (rows == 0 || columns == 0) {
          continue;
        }
        int[] taps = taps(down, right, phaseH, phaseW);
        int depth = outGroup * taps.length;
        for (int o = 0; o < outGroup; o++) {
          for (int t = 0; t < taps.length; t++) {
            int y = down.reads(phaseH, taps[t] / g.kernelW());
            int x = right.reads(phaseW, taps[t] % g.kernelW());
            long distance = (long) o * planes.plane() + (long) y * planes.pitch() + x;
            Scratch.put(table + 8L * (o * taps.length + t), distance * es);
          }
        }
        pack(weight, panel, height, taps);
        parts.add(
            new Part(
                down.first(phaseH),
                right.first(phaseW),
                new Sliding(inGroup, height, depth, panel, table, planes.pitch(), rows, columns)));
        panel += (long) g.in() * depth * es;
        table += 8L * depth;
      }
    }
    long dxAddress = dx.address();
    long dyAddress = dy.address();
    long outPixels = (long) g.outH() * g.outW();
    long inPixels = (long) g.inH() * g.inW();
    Object owner = new Object();
    Parallel.run(
        g.images() * groups,
        2L * outGroup * inGroup * g.taps() * outPixels,
        task -> {
          int image = task / groups;
          int group = task % groups;
          Scratch scratch = Scratch.ofThread();
          long arguments = scratch.address(Use.ARGUMENTS, 4096);
          long copy = planes(scratch, Use.PLANES, owner, (long) outGroup * planes.plane());
          planes.fill(
              arguments,
              lanes,
              dyAddress + ((long) image * g.out() + (long) group * outGroup) * outPixels * es,
              copy,
              outGroup);
          long to = dxAddress + ((long) image * g.in() + (long) group * inGroup) * inPixels * es;
          for (Part part : parts) {
            Sliding s = part.sum;
            long offset = (long) group * inGroup * s.depth * es;
            slide(
                new Sliding(
                    s.rows, s.height, s.depth, s.panels + offset, s.table, s.pitch, s.outH, s.outW),
                copy,
                new Target(
                    to + ((long) part.top * g.inW() + part.left) * es,
                    inPixels,
                    (long) g.inW() * w.strideH(),
                    w.strideW()),
                0,
                false);
          }
        });
  }

  private int[] taps(Axis down, Axis right, int phaseH, int phaseW) {
    return java.util.stream.IntStream.range(0, g.taps())
        .filter(t -> down.meets(phaseH, t / g.kernelW()) && right.meets(phaseW, t % g.kernelW()))
        .toArray();
  }

  /// The filter with input channels as rows, and output channels and `taps` as columns.
  private void pack(Strided weight, long panels, int height, int[] taps) {
    int inGroup = g.inPerGroup();
    int outGroup = g.outPerGroup();
    int all = g.taps();
    int depth = outGroup * taps.length;
    Parallel.run(
        w.groups(),
        10L * weight.numel() / w.groups(),
        group -> {
          for (int i0 = 0; i0 < inGroup; i0 += height) {
            int rows = Math.min(height, inGroup - i0);
            long to = panels + ((long) group * inGroup + i0) * depth * es;
            for (int o = 0; o < outGroup; o++) {
              long from =
                  weight.address() + (((long) group * outGroup + o) * inGroup + i0) * all * es;
              for (int tap : taps) {
                for (int r = 0; r < rows; r++) {
                  Scratch.copyElement(to, from + ((long) r * all + tap) * es, lanes.wide());
                  to += es;
                }
              }
            }
          }
        });
  }

  /// One axis of the input gradient.
  private record Axis(int in, int out, int kernel, int stride, int pad, int dilation) {

    /// Whether `tap` reaches positions of `phase`.
    boolean meets(int phase, int tap) {
      return tap * dilation % stride == phase;
    }

    /// The first a for `phase`, see above.
    private int lowest(int phase) {
      return Math.ceilDiv(pad - phase, stride);
    }

    /// The number of positions of `phase` in the input.
    int count(int phase) {
      return Math.max(0, Math.floorDiv(in - 1 + pad - phase, stride) - lowest(phase) + 1);
    }

    /// The first of them.
    int first(int phase) {
      return lowest(phase) * stride + phase - pad;
    }

    /// The output that the first of them reads through `tap`; may lie outside.
    private int output(int phase, int tap) {
      return lowest(phase) - (tap * dilation - phase) / stride;
    }

    int reads(int phase, int tap) {
      return output(phase, tap) + before();
    }

    /// Zeros needed before the outputs.
    int before() {
      int most = 0;
      for (int tap = 0; tap < kernel; tap++) {
        most = Math.max(most, -output(tap * dilation % stride, tap));
      }
      return most;
    }

    /// Zeros needed behind the outputs.
    int after() {
      int most = 0;
      for (int tap = 0; tap < kernel; tap++) {
        int phase = tap * dilation % stride;
        most = Math.max(most, output(phase, tap) + count(phase) - out);
      }
      return most;
    }
  }

  void weightGradient(Strided dweight, Strided dy, Strided x) {
    if (dweight.numel() == 0) {
      return;
    }
    if (g.images() == 0) {
      Scratch.clear(dweight.address(), dweight.numel() * es);
      return;
    }
    int groups = w.groups();
    int inGroup = g.inPerGroup();
    int outGroup = g.outPerGroup();
    int columns = inGroup * g.taps();
    FlatPlanes inputs = inputPlanes();
    int pixels = (g.outH() - 1) * inputs.pitch() + g.outW();
    int whole = Math.ceilDiv(pixels, lanes.count()) * lanes.count();
    FlatPlanes outputs =
        new FlatPlanes(
            g.outH(),
            g.outW(),
            1,
            1,
            0,
            0,
            g.outH(),
            g.outW(),
            inputs.pitch(),
            (whole + 15) / 16 * 16);
    int chunk =
        chunk(
            (long) inGroup * inputs.phases() * inputs.plane() + (long) outGroup * outputs.plane());
    int chunks = Math.ceilDiv(g.images(), chunk);
    long elements = dweight.numel();
    long target = dweight.address();
    long parts =
        chunks == 1 ? target : Scratch.ofThread().address(Use.PARTS, chunks * elements * es);
    long xAddress = x.address();
    long dyAddress = dy.address();
    Object owner = new Object();
    Parallel.run(
        chunks * groups,
        2L * chunk * outGroup * columns * pixels,
        task -> {
          int from = task / groups * chunk;
          int count = Math.min(chunk, g.images() - from);
          int group = task % groups;
          Scratch scratch = Scratch.ofThread();
          long block = scratch.address(Use.ARGUMENTS, 4096);
          long inputImage = skewed((long) inGroup * inputs.phases() * inputs.plane());
          long outputImage = skewed((long) outGroup * outputs.plane());
          long in = planes(scratch, Use.PLANES, owner, chunk * inputImage);
          long out = planes(scratch, Use.GRADIENT_PLANES, owner, chunk * outputImage);
          for (int i = 0; i < count; i++) {
            long inChannel = (long) (from + i) * g.in() + (long) group * inGroup;
            inputs.fill(
                block,
                lanes,
                xAddress + inChannel * g.inH() * g.inW() * es,
                in + i * inputImage * es,
                inGroup);
            long outChannel = (long) (from + i) * g.out() + (long) group * outGroup;
            outputs.fill(
                block,
                lanes,
                dyAddress + outChannel * g.outH() * g.outW() * es,
                out + i * outputImage * es,
                outGroup);
          }
          Scratch.put(block + DotProducts.ROW_A, (long) outputs.plane() * es);
          Scratch.put(block + DotProducts.LENGTH, (long) whole * es);
          Scratch.put(block + DotProducts.REPEAT_A, outputImage * es);
          Scratch.put(block + DotProducts.REPEAT_B, inputImage * es);
          Scratch.put(block + DotProducts.ROW_C, (long) columns * es);
          long to = parts + (task / groups * elements + (long) group * outGroup * columns) * es;
          dots(block, inputs, outputs, in, out, count, columns, to);
        });
    if (chunks > 1) {
      sumParts(parts, target, chunks, elements);
    }
  }

  /// A distance of at least `elements` at which equal places do not fall into the same lines of the cache.
  private long skewed(long elements) {
    long bytes = (elements * es + 63) / 64 * 64;
    return (bytes + Math.floorMod(704 - bytes, 4096)) / es;
  }

  /// How many images are summed together: about an eighth of them, and what fits the second cache.
  private int chunk(long elements) {
    int fitting = (int) Math.max(1, (640L << 10) / Math.max(1, elements * es));
    return Math.min(fitting, Math.ceilDiv(g.images(), MAXIMAL_CHUNKS));
  }

  private void dots(
      long block,
      FlatPlanes inputs,
      FlatPlanes outputs,
      long in,
      long out,
      int count,
      int columns,
      long to) {
    int outGroup = g.outPerGroup();
    long table = block + 2048;
    long[] distances = new long[columns];
    for (int q = 0; q < columns; q++) {
      int tap = q % g.taps();
      distances[q] =
          (long) (q / g.taps()) * inputs.phases() * inputs.plane()
              + inputs.distance(
                  tap / g.kernelW() * w.dilationH(), tap % g.kernelW() * w.dilationW());
    }
    Scratch.put(block + DotProducts.TABLE_B, table);
    // The next columns are those of the next channel, or of taps close by.
    Scratch.put(block + DotProducts.PREFETCH, (long) inputs.phases() * inputs.plane() * es);
    int high = Math.min(3, outGroup);
    int wide = DotProducts.columns(lanes, high);
    int rows;
    for (int o = 0; o < outGroup; o += rows) {
      rows = Math.min(high, outGroup - o);
      Scratch.put(block + DotProducts.A, out + (long) o * outputs.plane() * es);
      int width;
      for (int q = 0; q < columns; q += width) {
        width = Math.min(wide, columns - q);
        for (int i = 0; i < width; i++) {
          Scratch.put(table + 8L * i, in + distances[q + i] * es);
        }
        Scratch.put(block + DotProducts.REPEATS, count);
        Scratch.put(block + DotProducts.C, to + ((long) o * columns + q) * es);
        DotProducts.of(
                new DotProducts.Shape(lanes, rows, width, false, true, false, Bias.NONE, false))
            .run(block);
      }
    }
  }

  /// `target` = the sum of `chunks` rows: a product with a row of ones.
  private void sumParts(long parts, long target, int chunks, long elements) {
    Scratch scratch = Scratch.ofThread();
    long ones = scratch.address(Use.LEFT, 4096);
    for (int i = 0; i < chunks; i++) {
      Scratch.set(ones + (long) i * es, 1, lanes.wide());
    }
    new MatrixProduct(
            lanes,
            1,
            Math.toIntExact(elements),
            chunks,
            0,
            es,
            elements * es,
            es,
            elements * es,
            Bias.NONE,
            false,
            false)
        .run(ones, parts, target, 0, 0, 1, 0, Math.toIntExact(elements));
  }
}
