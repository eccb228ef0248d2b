package taper.cpu.products;

import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.parallel.Scratch.Use;
import taper.cpu.products.Products.Bias;
import taper.tensor.spi.Strided;

/// The three directions of a two-dimensional convolution, as batch-reduce products on [ShiftedPlanes].
///
/// *Forward*: vectors run over pixels; the sum runs over channels and filter taps, each of which is a
/// distance into the planes ([SlidingSum]). *Input gradient*: see [InputGradient]. *Weight gradient*: vectors run over output channels, the sum
/// over pixels, and the taps of a filter are the rows of a tile; with few output channels or taps, dot
/// products of planes instead ([DotProducts]).
///
/// Images are computed in parallel. The weight gradient is summed over fixed chunks of images and then over
/// the chunks in order, so it does not depend on the number of threads.
final class X86Convolution {

  private static final int MAXIMAL_CHUNKS = 8;

  /// What the transposed gradient of some pixels takes, at most.
  private static final int TURNED_BYTES = 192 << 10;

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

  /// The planes of the input.
  private ShiftedPlanes inputPlanes() {
    return ShiftedPlanes.of(
        g.inH(),
        g.inW(),
        w.strideH(),
        w.strideW(),
        IntStream.range(0, g.kernelH()).map(i -> i * w.dilationH() - w.padH()).toArray(),
        IntStream.range(0, g.kernelW()).map(j -> j * w.dilationW() - w.padW()).toArray(),
        g.outH(),
        g.outW(),
        lanes.count());
  }

  private boolean pointwise() {
    return g.taps() == 1 && w.padH() == 0 && w.padW() == 0 && w.strideH() == 1 && w.strideW() == 1;
  }

  /// Returns what of `end` is still to be done.
  Epilogue forward(Strided y, Strided x, Strided weight, Epilogue end) {
    if (y.numel() == 0) {
      return Epilogue.NOTHING;
    }
    if (pointwise()) {
      boolean all = pointwise(y, x, weight, end, g.outPerGroup(), g.inPerGroup(), false);
      return all ? Epilogue.NOTHING : end;
    }
    boolean all = end.addend() == null;
    if (Winograd.suits(lanes, g)) {
      new Winograd(lanes, g).forward(y, x, weight, all ? end : end.ofChannels());
      return all ? Epilogue.NOTHING : end.ofElements();
    }
    if (ChannelConvolution.suitsForward(lanes, g)) {
      new ChannelConvolution(lanes, g).forward(y, x, weight, all ? end : end.ofChannels());
      return all ? Epilogue.NOTHING : end.ofElements();
    }
    boolean plain = end.isPlain();
    forward(y, x, weight, plain ? end.shift() : null, plain && end.relu());
    return plain ? Epilogue.NOTHING : end;
  }

  private void forward(Strided y, Strided x, Strided weight, @Nullable Strided bias, boolean relu) {
    int groups = w.groups();
    int outGroup = g.outPerGroup();
    int inGroup = g.inPerGroup();
    int depth = inGroup * g.taps();
    long pixels = (long) g.outH() * g.outW();
    ShiftedPlanes planes = inputPlanes();
    int height = SlidingSum.height(lanes, outGroup);
    Scratch caller = Scratch.ofThread();
    long panels = caller.address(Use.PARTS, (long) g.out() * depth * es + 256);
    long table = caller.address(Use.TABLE, depth * 8L);
    for (int term = 0; term < depth; term++) {
      int tap = term % g.taps();
      long distance =
          term / g.taps() * planes.channel() + planes.tap(tap / g.kernelW(), tap % g.kernelW());
      Raw.put(table + 8L * term, distance * es);
    }
    long block = caller.address(Use.ARGUMENTS, 4096);
    for (int group = 0; group < groups; group++) {
      int rows;
      for (int o = 0; o < outGroup; o += rows) {
        rows = Math.min(height, outGroup - o);
        long first = (long) (group * outGroup + o) * depth * es;
        long from = weight.address() + first;
        PanelPacking.left(block, lanes, from, (long) depth * es, es, panels + first, rows, depth);
      }
    }
    long xAddress = x.address();
    long yAddress = y.address();
    long biasAddress = bias == null ? 0 : bias.address();
    long imageBytes = x.stride(0) * es;
    long channelBytes = (long) g.inH() * g.inW() * es;
    Object owner = new Object();
    SlidingSum sum = new SlidingSum(lanes, outGroup, height, depth, panels, table);
    Tasks.run(
        g.images() * groups,
        2L * outGroup * depth * pixels,
        task -> {
          int image = task / groups;
          int group = task % groups;
          Scratch scratch = Scratch.ofThread();
          long arguments = scratch.address(Use.ARGUMENTS, 4096);
          long copy = planes(scratch, owner, inGroup * planes.channel());
          long from = xAddress + image * imageBytes + group * inGroup * channelBytes;
          planes.fill(scratch, arguments, lanes, from, copy, inGroup);
          long firstOut = (long) group * outGroup;
          sum.with(panels + firstOut * depth * es)
              .run(
                  arguments,
                  copy,
                  Math.toIntExact(pixels),
                  yAddress + ((long) image * g.out() + firstOut) * pixels * es,
                  pixels,
                  biasAddress == 0 ? 0 : biasAddress + firstOut * es,
                  relu,
                  true);
        });
  }

  /// Planes of this thread of which everything but what `owner` copies into them is zero.
  private long planes(Scratch scratch, Object owner, long elements) {
    // Vectors that start at the last pixel of the last plane read on behind it.
    long bytes = elements * es + 8L * lanes.vectorBytes();
    long address = scratch.address(Use.PLANES, bytes);
    if (scratch.claim(Use.PLANES, owner)) {
      Raw.clear(address, bytes);
    }
    return address;
  }

  /// A filter of one tap that moves by one: a matrix product per image, cut where images are few.
  ///
  /// @param rows channels of the result, `depth` those that it is summed over, of a group
  /// @param turned whether the filter is transposed, for the gradient of the input
  /// @return whether `end` is done; else nothing of it is
  private boolean pointwise(
      Strided to, Strided from, Strided weight, Epilogue end, int rows, int depth, boolean turned) {
    Strided scale = end.scale();
    Strided addend = end.addend();
    @Nullable Strided bias = end.shift();
    long toScale = scale == null || bias == null ? 0 : scale.address() - bias.address();
    long toAddend = addend == null ? 0 : addend.address() - to.address();
    int pixels = g.outH() * g.outW();
    int groups = w.groups();
    MatrixProduct product =
        new MatrixProduct(
            lanes,
            rows,
            pixels,
            depth,
            turned ? es : (long) depth * es,
            turned ? (long) rows * es : es,
            (long) pixels * es,
            es,
            (long) pixels * es,
            bias == null
                ? Bias.NONE
                : scale == null
                    ? Bias.ROWS
                    : addend == null ? Bias.SCALED_ROWS : Bias.SCALED_ROWS_AND_ADDEND,
            false,
            end.relu(),
            toScale,
            toAddend);
    if (scale == null ? addend != null : !product.canScale()) {
      pointwise(to, from, weight, Epilogue.NOTHING, rows, depth, turned);
      return false;
    }
    int items = g.images() * groups;
    long operations = 2L * rows * depth * pixels;
    boolean columns = pixels >= rows;
    int unit = columns ? product.columnUnit() : product.rowUnit();
    int units = Math.ceilDiv(columns ? pixels : rows, unit);
    int threads = Tasks.threads();
    int wanted = items >= 2 * threads ? 1 : Math.ceilDiv(2 * threads, items);
    int stripes = (int) Math.min(Math.min(wanted, units), Math.max(1, operations >> 20));
    int span = Math.ceilDiv(units, stripes) * unit;
    long imageBytes = from.stride(0) * es;
    long biasAddress = bias == null ? 0 : bias.address();
    long fromAddress = from.address();
    long toAddress = to.address();
    long weightAddress = weight.address();
    Tasks.run(
        items * stripes,
        operations / stripes,
        task -> {
          int stripe = task % stripes * span;
          int image = task / stripes / groups;
          int group = task / stripes % groups;
          long first = (long) group * rows;
          product.run(
              weightAddress + first * depth * es,
              fromAddress + image * imageBytes + (long) group * depth * pixels * es,
              toAddress + ((long) image * groups * rows + first) * pixels * es,
              biasAddress + first * es,
              columns ? 0 : stripe,
              columns ? rows : Math.min(rows, stripe + span),
              columns ? stripe : 0,
              columns ? Math.min(pixels, stripe + span) : pixels);
        });
    return true;
  }

  void inputGradient(Strided dx, Strided dy, Strided weight) {
    if (dx.numel() == 0) {
      return;
    }
    if (pointwise()) {
      pointwise(dx, dy, weight, Epilogue.NOTHING, g.inPerGroup(), g.outPerGroup(), true);
      return;
    }
    if (Winograd.suits(lanes, g)) {
      new Winograd(lanes, g).inputGradient(dx, dy, weight);
      return;
    }
    if (ChannelConvolution.suitsInputGradient(lanes, g)) {
      new ChannelConvolution(lanes, g).inputGradient(dx, dy, weight);
      return;
    }
    new InputGradient(lanes, g).run(dx, dy, weight);
  }

  void weightGradient(Strided dweight, Strided dy, Strided x) {
    if (dweight.numel() == 0) {
      return;
    }
    if (g.images() == 0) {
      Raw.clear(dweight.address(), dweight.numel() * es);
      return;
    }
    if (pointwise() && g.inPerGroup() >= lanes.count() / 2) {
      pointwiseWeightGradient(dweight, dy, x);
      return;
    }
    if (Winograd.suits(lanes, g)) {
      new WinogradGradient(lanes, g).run(dweight, dy, x);
      return;
    }
    if (ChannelConvolution.suitsWeightGradient(lanes, g)) {
      new ChannelConvolution(lanes, g).weightGradient(dweight, dy, x);
      return;
    }
    int columns = g.inPerGroup() * g.taps();
    boolean dots = g.outPerGroup() < lanes.count() / 2 || columns <= 27;
    int chunk = Math.ceilDiv(g.images(), MAXIMAL_CHUNKS);
    int chunks = Math.ceilDiv(g.images(), chunk);
    int groups = w.groups();
    // What a chunk gives, per group: dots [out][columns], sums over pixels [columns][out, padded].
    int outPadded = Math.ceilDiv(g.outPerGroup(), lanes.count()) * lanes.count();
    long elements = (long) columns * (dots ? g.outPerGroup() : outPadded);
    long parts = Scratch.ofThread().address(Use.PARTS, chunks * groups * elements * es);
    ShiftedPlanes planes = inputPlanes();
    Object owner = new Object();
    long xAddress = x.address();
    long dyAddress = dy.address();
    int pixels = g.outH() * g.outW();
    Tasks.run(
        chunks * groups,
        2L * chunk * g.outPerGroup() * columns * pixels,
        task -> {
          int group = task % groups;
          int from = task / groups * chunk;
          int to = Math.min(g.images(), from + chunk);
          long part = parts + task * elements * es;
          for (int image = from; image < to; image++) {
            Scratch scratch = Scratch.ofThread();
            long block = scratch.address(Use.ARGUMENTS, 4096);
            long copy = planes(scratch, owner, g.inPerGroup() * planes.channel());
            long firstIn = (long) image * g.in() + (long) group * g.inPerGroup();
            planes.fill(
                scratch,
                block,
                lanes,
                xAddress + firstIn * g.inH() * g.inW() * es,
                copy,
                g.inPerGroup());
            long firstOut = (long) image * g.out() + (long) group * g.outPerGroup();
            long gradient = dyAddress + firstOut * pixels * es;
            if (dots) {
              dots(block, planes, copy, gradient, part, image > from);
            } else {
              outer(scratch, block, planes, copy, gradient, part, outPadded, image > from);
            }
          }
        });
    for (int group = 0; group < groups; group++) {
      long target = dweight.address() + (long) group * g.outPerGroup() * columns * es;
      long first = parts + group * elements * es;
      if (dots) {
        Partials.sum(lanes, first, groups * elements * es, target, chunks, elements);
      } else {
        long sum = Scratch.ofThread().address(Use.RESULT, elements * es);
        Partials.sum(lanes, first, groups * elements * es, sum, chunks, elements);
        transposeInto(target, sum, columns, outPadded);
      }
    }
  }

  /// A filter of one tap that moves by one: for each image, its gradient times its transpose. Rows of the
  /// gradient are taken as they lie; of the image, panels are made.
  private void pointwiseWeightGradient(Strided dweight, Strided dy, Strided x) {
    int rows = g.outPerGroup();
    int columns = g.inPerGroup();
    int pixels = g.outH() * g.outW();
    int groups = w.groups();
    int chunk = Math.ceilDiv(g.images(), MAXIMAL_CHUNKS);
    int chunks = Math.ceilDiv(g.images(), chunk);
    long plane = (long) pixels * es;
    MatrixProduct first = pointwiseWeightGradient(rows, columns, pixels, false);
    MatrixProduct next = pointwiseWeightGradient(rows, columns, pixels, true);
    long partBytes = dweight.numel() * es;
    long groupBytes = (long) rows * columns * es;
    long parts =
        chunks == 1 ? dweight.address() : Scratch.ofThread().address(Use.PARTS, chunks * partBytes);
    int units = Math.ceilDiv(rows, first.rowUnit());
    int stripes = Math.min(units, Math.ceilDiv(4, chunks * groups));
    int span = Math.ceilDiv(units, stripes) * first.rowUnit();
    long imageBytes = x.stride(0) * es;
    long xAddress = x.address();
    long dyAddress = dy.address();
    Tasks.run(
        chunks * groups * stripes,
        2L * chunk * rows * columns * pixels / stripes,
        task -> {
          int from = task % stripes * span;
          int group = task / stripes % groups;
          int part = task / stripes / groups;
          for (int i = part * chunk; i < Math.min(g.images(), (part + 1) * chunk); i++) {
            MatrixProduct product = i > part * chunk ? next : first;
            product.run(
                dyAddress + ((long) i * groups + group) * rows * plane,
                xAddress + i * imageBytes + (long) group * columns * plane,
                parts + part * partBytes + group * groupBytes,
                0,
                from,
                Math.min(rows, from + span),
                0,
                columns);
          }
        });
    if (chunks > 1) {
      Partials.sum(lanes, parts, partBytes, dweight.address(), chunks, dweight.numel());
    }
  }

  private MatrixProduct pointwiseWeightGradient(int rows, int columns, int pixels, boolean adds) {
    long plane = (long) pixels * es;
    long row = (long) columns * es;
    return new MatrixProduct(
        lanes, rows, columns, pixels, plane, es, es, plane, row, Bias.NONE, adds, false);
  }

  /// Adds one image: dot products of its gradient's planes with shifted planes of the input.
  private void dots(
      long block, ShiftedPlanes planes, long in, long gradient, long to, boolean accumulate) {
    int outGroup = g.outPerGroup();
    int pixels = g.outH() * g.outW();
    int columns = g.inPerGroup() * g.taps();
    int rest = pixels % lanes.count();
    long table = block + 2048;
    Raw.put(block + DotProducts.TABLE_B, table);
    Raw.put(block + DotProducts.ROW_A, (long) pixels * es);
    Raw.put(block + DotProducts.LENGTH, (long) (pixels - rest) * es);
    Raw.put(block + DotProducts.MASK, lanes.mask(rest));
    Raw.put(block + DotProducts.REPEAT_A, 0);
    Raw.put(block + DotProducts.REPEAT_B, 0);
    Raw.put(block + DotProducts.ROW_C, (long) columns * es);
    int high = Math.min(3, outGroup);
    int wide = DotProducts.columns(lanes, high);
    int rows;
    for (int o = 0; o < outGroup; o += rows) {
      rows = Math.min(high, outGroup - o);
      Raw.put(block + DotProducts.A, gradient + (long) o * pixels * es);
      int width;
      for (int q = 0; q < columns; q += width) {
        width = Math.min(wide, columns - q);
        for (int i = 0; i < width; i++) {
          int tap = (q + i) % g.taps();
          long distance =
              (q + i) / g.taps() * planes.channel()
                  + planes.tap(tap / g.kernelW(), tap % g.kernelW());
          Raw.put(table + 8L * i, in + distance * es);
        }
        Raw.put(block + DotProducts.REPEATS, 1);
        Raw.put(block + DotProducts.C, to + ((long) o * columns + q) * es);
        DotProducts.of(
                new DotProducts.Shape(lanes, rows, width, rest != 0, accumulate, Bias.NONE, false))
            .run(block);
      }
    }
  }

  /// Adds one image: `to[channel and tap][out]` += Σ over pixels of input × gradient. The gradient is
  /// transposed first, so that output channels are adjacent, so many pixels at a time that all taps find them in the
  /// second cache.
  private void outer(
      Scratch scratch,
      long block,
      ShiftedPlanes planes,
      long in,
      long gradient,
      long to,
      int outPadded,
      boolean accumulate) {
    int pixels = g.outH() * g.outW();
    int outGroup = g.outPerGroup();
    int most = Math.max(16, TURNED_BYTES / (outPadded * es) / 16 * 16);
    long turned = scratch.address(Use.GRADIENT, ((long) most * outPadded + 16) * es);
    for (int p = 0; p < pixels; p += most) {
      int count = Math.min(most, pixels - p);
      long from = gradient + (long) p * es;
      PanelPacking.left(
          block, lanes, from, (long) pixels * es, es, turned, outGroup, count, outPadded);
      add(block, planes, in + (long) p * es, turned, count, to, outPadded, accumulate || p > 0);
    }
  }

  /// Adds the products of `pixels` pixels.
  private void add(
      long block,
      ShiftedPlanes planes,
      long in,
      long turned,
      int pixels,
      long to,
      int outPadded,
      boolean accumulate) {
    int vectors = outPadded / lanes.count();
    long row = (long) outPadded * es;
    Raw.put(block + BatchReduce.ROW_C, row);
    Raw.put(block + BatchReduce.STEP_B, row);
    Raw.put(block + BatchReduce.STEP_A, es);
    Raw.put(block + BatchReduce.ROW_A, (long) planes.plane() * es);
    Raw.put(block + BatchReduce.DEPTH, pixels);
    Raw.put(block + BatchReduce.TILE_A, planes.channel() * es);
    Raw.put(block + BatchReduce.TILE_B, 0);
    Raw.put(block + BatchReduce.TILE_C, g.taps() * row);
    boolean whole = g.kernelW() <= 3 && g.kernelH() <= BatchReduce.MAXIMAL_GROUPS && g.taps() <= 14;
    int rowsAtOnce = whole ? g.taps() : BatchReduce.MAXIMAL_GROUPS;
    int span = span(rowsAtOnce, vectors);
    for (int tap = 0; tap < g.taps(); tap += rowsAtOnce) {
      int rows = Math.min(rowsAtOnce, g.taps() - tap);
      for (int group = 0; group < (whole ? g.kernelH() : rows); group++) {
        long distance =
            whole
                ? planes.down(group)
                : planes.tap((tap + group) / g.kernelW(), (tap + group) % g.kernelW());
        Raw.put(block + BatchReduce.GROUPS_A + 8 * group, distance * es);
      }
      int wide;
      for (int v = 0; v < vectors; v += wide) {
        wide = Math.min(span, vectors - v);
        Raw.put(block + BatchReduce.A, in);
        Raw.put(block + BatchReduce.B, turned + (long) v * lanes.vectorBytes());
        Raw.put(block + BatchReduce.C, to + tap * row + (long) v * lanes.vectorBytes());
        Raw.put(block + BatchReduce.TILES, g.inPerGroup());
        BatchReduce.of(
                new BatchReduce.Shape(
                    lanes,
                    rows,
                    wide,
                    false,
                    false,
                    whole ? g.kernelW() : 1,
                    accumulate,
                    Bias.NONE,
                    false))
            .run(block);
      }
    }
  }

  /// How many registers wide tiles of `rows` rows are, of `vectors` in all.
  private int span(int rows, int vectors) {
    int registers = lanes.isa().registers();
    int most = 1;
    while (most < 6 && (rows + 1) * (most + 1) + 1 <= registers) {
      most++;
    }
    return Math.ceilDiv(vectors, Math.ceilDiv(vectors, most));
  }

  /// `target[out][columns]` from `from[columns][out, padded]`.
  private void transposeInto(long target, long from, int columns, int outPadded) {
    int outGroup = g.outPerGroup();
    int side = Transposition.side(lanes.wide());
    long block = Scratch.ofThread().address(Use.ARGUMENTS, 4096);
    if (columns < side) {
      for (int q = 0; q < columns; q++) {
        for (int o = 0; o < outGroup; o++) {
          Raw.copyElement(
              target + ((long) o * columns + q) * es,
              from + ((long) q * outPadded + o) * es,
              lanes.wide());
        }
      }
      return;
    }
    for (int q = 0; q < columns; q += side) {
      // The last strip overlaps the one before, so that whole registers fit the rows.
      int first = Math.min(q, columns - side);
      Transposition.run(
          block,
          lanes.wide(),
          side,
          outGroup,
          from + (long) first * outPadded * es,
          (long) outPadded * es,
          target + (long) first * es,
          (long) columns * es);
    }
  }
}
