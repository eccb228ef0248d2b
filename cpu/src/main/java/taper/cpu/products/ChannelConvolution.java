package taper.cpu.products;

import java.lang.ref.Reference;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.parallel.Scratch.Use;
import taper.cpu.products.BatchReduce.Source;
import taper.cpu.products.ChannelVectors.Loop;
import taper.tensor.spi.Strided;

/// The three directions of a two-dimensional convolution of any stride, dilation and number of groups, with
/// channels in the lanes of vectors.
///
/// Images are brought to vectors of channels a strip of rows at a time, with zeros around them
/// ([ChannelVectors]); then a pixel of the result is a sum over filter taps and blocks of channels, each of
/// which is a segment of a [BatchReduce] product: pixels of a row of the result are its rows, a panel of output
/// channels, two registers wide, its columns. Any stride is a distance, and no width of an image leaves lanes
/// unused. The results are turned back to planes.
///
/// *Input gradient*: position p of the padded input is reached from output (p - tap · dilation) / stride where
/// that is whole, so each remainder of p by the stride is a convolution of its own, over the taps that meet
/// it. *Filter gradient*: channels of the input are the rows, rows of pixels the segments.
///
/// Filters are packed once a call, but for a single strip, where each panel is packed when it is used.
final class ChannelConvolution {
  /// What the pixels of a strip take, at most.
  private static final long STRIP_BYTES = 256 << 10;

  /// What the vectors of images take, at most, for the gradient of the filter.
  private static final long SHARED_BYTES = 24 << 20;

  /// What a sum over pixels of some images reads, at most, unless it is one image.
  private static final long AT_ONCE_BYTES = 40 << 10;

  private final Lanes lanes;
  private final Geometry g;
  private final Window w;
  private final int es;
  private final int vector;

  /// The bytes of a row of a panel.
  private final long row;

  ChannelConvolution(Lanes lanes, Geometry geometry) {
    this.lanes = lanes;
    this.g = geometry;
    this.w = geometry.window();
    this.es = lanes.bytes();
    this.vector = lanes.vectorBytes();
    this.row = 2L * vector;
  }

  private int blocks(int channels) {
    return Math.ceilDiv(channels, lanes.count());
  }

  private int panels(int channels) {
    return Math.ceilDiv(channels, 2 * lanes.count());
  }

  /// How many channels panel `panel` of `channels` has.
  private int channelsOf(int panel, int channels) {
    return Math.min(2 * lanes.count(), channels - panel * 2 * lanes.count());
  }

  /// Vectors of the rows of an image: blocks of channels, rows, columns.
  ///
  /// @param left columns of zeros to the left
  private record Field(int blocks, int rows, int pitch, int left) {

    /// The vectors of a block, an odd number.
    long block() {
      return (long) rows * pitch | 1;
    }
  }

  /// Memory for `count` fields of images that are `width` wide.
  private long address(Scratch scratch, Use use, Field field, int width, long count) {
    long bytes = (count * field.blocks * field.block() + lanes.count()) * vector;
    long address = scratch.address(use, bytes);
    if (scratch.claim(use, new Claim(field, width, count, address))) {
      Raw.clear(address, bytes);
    }
    return address;
  }

  /// What a piece of memory is laid out for: the columns beside the images stay zero as long as it is. Images of several
  /// widths may have equal fields, and then have not the same columns beside them.
  private record Claim(Field field, int width, long count, long address) {}

  /// Whether the result is better computed here than by [X86Convolution].
  static boolean suitsForward(Lanes lanes, Geometry g) {
    return suits(lanes, g, g.inPerGroup(), g.outPerGroup());
  }

  /// The same for the input gradient.
  static boolean suitsInputGradient(Lanes lanes, Geometry g) {
    return suits(lanes, g, g.outPerGroup(), g.inPerGroup());
  }

  private static boolean suits(Lanes lanes, Geometry g, int depth, int width) {
    int half = lanes.count() / 2;
    if (lanes.wide() || width < lanes.count()) {
      return false;
    }
    return depth >= half && (strided(g) || g.taps() >= 16) || few(g) && depth >= 3;
  }

  /// The same for the filter gradient.
  static boolean suitsWeightGradient(Lanes lanes, Geometry g) {
    boolean covered =
        !lanes.wide() && g.outPerGroup() >= lanes.count() && g.inPerGroup() >= lanes.count() / 2;
    return covered && (g.taps() == 1 || strided(g) || few(g));
  }

  private static boolean strided(Geometry g) {
    return g.window().strideH() > 1 || g.window().strideW() > 1;
  }

  /// Whether there are so few images that they must be cut for several threads.
  private static boolean few(Geometry g) {
    return g.images() * g.window().groups() < 4;
  }

  /// Brings rows of `channels` planes to `to`, the first of which is `first` and may lie above the image.
  private void load(
      long block, Field field, long to, long from, int channels, int h, int width, int first) {
    int start = Math.clamp(-first, 0, field.rows);
    int stop = Math.clamp(h - first, start, field.rows);
    long line = (long) field.pitch * vector;
    long next = field.block() * vector;
    if (start > 0 || stop < field.rows) {
      for (int b = 0; b < field.blocks; b++) {
        Raw.clear(to + b * next, start * line);
        Raw.clear(to + b * next + stop * line, (field.rows - stop) * line);
      }
    }
    int columns = Math.min(width, field.pitch - field.left);
    boolean dense = columns == width && field.pitch == width;
    ChannelVectors.gather(
        block,
        lanes,
        channels,
        dense ? (stop - start) * columns : columns,
        from + (long) (first + start) * width * es,
        (long) h * width * es,
        to + start * line + (long) field.left * vector,
        vector,
        next,
        dense ? Loop.ONCE : new Loop(stop - start, (long) width * es, line));
  }

  /// Filters as panels: by block of input channels, tap, input channel and output channel; or for the input
  /// gradient with inputs and outputs the other way round.
  private final class Filters {
    final Strided weight;
    final boolean turned;
    final int depth;
    final int width;
    final long panelBytes;

    /// Where all of them lie, or 0 if each is packed when it is used.
    long shared;

    Filters(Strided weight, boolean turned) {
      this.weight = weight;
      this.turned = turned;
      this.depth = turned ? g.outPerGroup() : g.inPerGroup();
      this.width = turned ? g.inPerGroup() : g.outPerGroup();
      this.panelBytes = (long) blocks(depth) * lanes.count() * g.taps() * row;
    }

    void share() {
      int panels = panels(width);
      shared = Scratch.ofThread().address(Use.PARTS, panels * w.groups() * panelBytes);
      Tasks.run(
          panels * w.groups(),
          panelBytes,
          task -> pack(task / panels, task % panels, shared + task * panelBytes));
    }

    long panel(int group, int panel) {
      if (shared != 0) {
        return shared + ((long) group * panels(width) + panel) * panelBytes;
      }
      long to = Scratch.ofThread().address(Use.DEALT, panelBytes);
      pack(group, panel, to);
      return to;
    }

    private void pack(int group, int panel, long to) {
      Scratch scratch = Scratch.ofThread();
      long block = scratch.address(Use.ARGUMENTS, 4096);
      int side = lanes.count();
      int first = panel * 2 * side;
      int taps = g.taps();
      long base = weight.address() + (long) group * depth * width * taps * es;
      long channel = (long) (turned ? 1 : depth) * taps * es;
      long unordered = scratch.address(Use.LEFT, side * taps * row);
      for (int b = 0; b < blocks(depth); b++) {
        int terms = Math.min(side, depth - b * side);
        long skipped = (long) b * side * (turned ? width : 1) * taps * es;
        ChannelVectors.gather(
            block,
            lanes,
            channelsOf(panel, width),
            turned ? taps : terms * taps,
            base + first * channel + skipped,
            channel,
            unordered,
            row,
            vector,
            turned ? new Loop(terms, (long) width * taps * es, taps * row) : Loop.ONCE);
        long target = to + (long) b * side * taps * row;
        PlaneCopy.run(
            block,
            lanes,
            false,
            unordered,
            taps * row,
            row,
            target,
            row,
            side * row,
            2 * side,
            terms,
            taps);
        if (b > 0 && terms < side) {
          for (int tap = 0; tap < taps; tap++) {
            Raw.clear(target + (tap * side + terms) * row, (side - terms) * row);
          }
        }
      }
    }
  }

  /// The bytes of biases that lie so that whole vectors can be read, a panel after another for each group.
  private long biasBytes() {
    return w.groups() * panels(g.outPerGroup()) * row;
  }

  /// Copies biases, and behind them factors. 0 if there is neither.
  private long biases(Epilogue end) {
    Strided bias = end.shift();
    if (bias == null) {
      return 0;
    }
    long to = Scratch.ofThread().address(Use.BIASES, 2 * biasBytes());
    spread(bias, to);
    if (end.scale() != null) {
      spread(end.scale(), to + biasBytes());
    }
    return to;
  }

  private void spread(Strided numbers, long to) {
    long group = panels(g.outPerGroup()) * row;
    for (int i = 0; i < g.out(); i++) {
      long place = i / g.outPerGroup() * group + (long) (i % g.outPerGroup()) * es;
      Raw.copyElement(to + place, numbers.address() + (long) i * es, lanes.wide());
    }
    Reference.reachabilityFence(numbers);
  }

  /// How work is cut: strips of rows, and parts of the panels.
  private record Cut(int rows, int strips, int parts) {}

  /// @param all rows of the result, `rowBytes` the bytes that a row needs of the field
  private Cut cut(int all, long rowBytes, int extra, int panels) {
    int rows = Math.clamp(STRIP_BYTES / rowBytes - extra, 1, all);
    int strips = Math.ceilDiv(all, rows);
    long units = (long) g.images() * w.groups() * strips;
    int threads = Tasks.threads(); // once, since somebody may change it
    int wanted = Math.ceilDiv(4 * threads, Math.toIntExact(Math.min(units, 1 << 20)));
    int parts = threads == 1 ? 1 : Math.min(panels, wanted);
    if (parts * units < 2L * threads) {
      strips = Math.min(all, Math.ceilDiv(2 * threads, (int) (parts * units)) * strips);
    }
    rows = Math.ceilDiv(all, strips);
    return new Cut(rows, Math.ceilDiv(all, rows), parts);
  }

  /// Runs a kernel on rows of tiles; the distances are set.
  private void tiles(
      long block, BatchReduce.Shape shape, long a, long stepA, long c, long stepC, int columns) {
    int height = Math.ceilDiv(columns, Math.ceilDiv(columns, BatchReduce.rows(lanes, 2)));
    int full = columns / height;
    int rest = columns % height;
    BatchReduce.groupRows(block, stepA);
    Raw.put(block + BatchReduce.ROW_C, stepC);
    Raw.put(block + BatchReduce.TILE_A, height * stepA);
    Raw.put(block + BatchReduce.TILE_C, height * stepC);
    Raw.put(block + BatchReduce.A, a);
    Raw.put(block + BatchReduce.C, c);
    Raw.put(block + BatchReduce.TILES, full);
    BatchReduce.of(shape, height).run(block);
    if (rest > 0) {
      Raw.put(block + BatchReduce.A, a + full * height * stepA);
      Raw.put(block + BatchReduce.C, c + full * height * stepC);
      Raw.put(block + BatchReduce.TILES, 1);
      BatchReduce.of(shape, rest).run(block);
    }
  }

  /// A kernel whose sum runs over segments.
  private BatchReduce.Shape shape(
      int rows, int vectors, int left, boolean accumulate, Products.Bias bias, boolean relu) {
    return new BatchReduce.Shape(
        lanes, rows, vectors, false, Source.SEGMENTS, left, accumulate, bias, relu);
  }

  /// Says where the segments of the next call lie, whose tiles all have the same B.
  private void segments(long block, long table, int count, int depth, long b) {
    Raw.put(block + BatchReduce.SEGMENT_TABLE, table);
    Raw.put(block + BatchReduce.SEGMENTS, count);
    Raw.put(block + BatchReduce.DEPTH, depth);
    Raw.put(block + BatchReduce.B, b);
    Raw.put(block + BatchReduce.STEP_B, row);
    Raw.put(block + BatchReduce.TILE_B, 0);
  }

  private void segment(long table, int index, long a, long b) {
    Raw.put(table + 16L * index, a);
    Raw.put(table + 16L * index + 8, b);
  }

  /// @param end has no addend
  void forward(Strided y, Strided x, Strided weight, Epilogue end) {
    int depth = g.inPerGroup();
    int width = g.outPerGroup();
    int panels = panels(width);
    int pitch = (g.outW() - 1) * w.strideW() + (g.kernelW() - 1) * w.dilationW() + 1;
    int reach = (g.kernelH() - 1) * w.dilationH() + 1;
    long rowBytes = (long) blocks(depth) * pitch * vector * w.strideH();
    Cut cut = cut(g.outH(), rowBytes, reach / w.strideH(), panels);
    Field field = new Field(blocks(depth), (cut.rows - 1) * w.strideH() + reach, pitch, w.padW());
    Filters filters = new Filters(weight, false);
    if (g.images() * cut.strips > 1) {
      filters.share();
    }
    int segments = field.blocks * g.taps();
    long table = Scratch.ofThread().address(Use.TABLE, 16L * segments);
    for (int s = 0; s < segments; s++) {
      int tap = s % g.taps();
      int b = s / g.taps();
      int i = tap / g.kernelW() * w.dilationH();
      int j = tap % g.kernelW() * w.dilationW();
      long at = b * field.block() + (long) i * pitch + j;
      segment(table, s, at * vector, (long) s * lanes.count() * row);
    }
    long biases = biases(end);
    Products.Bias where =
        end.scale() != null
            ? Products.Bias.SCALED_COLUMNS
            : end.shift() != null ? Products.Bias.COLUMNS : Products.Bias.NONE;
    long xAddress = x.address();
    long imageBytes = x.stride(0) * es;
    long yAddress = y.address();
    long outPixels = (long) g.outH() * g.outW();
    Tasks.run(
        g.images() * w.groups() * cut.strips * cut.parts,
        2L * cut.rows * g.outW() * depth * g.taps() * width / cut.parts,
        task -> {
          int part = task % cut.parts;
          int strip = task / cut.parts % cut.strips;
          int group = task / cut.parts / cut.strips % w.groups();
          int image = task / cut.parts / cut.strips / w.groups();
          Scratch scratch = Scratch.ofThread();
          long block = scratch.address(Use.ARGUMENTS, 4096);
          long in = address(scratch, Use.PLANES, field, g.inW(), 1);
          int top = strip * cut.rows;
          int rows = Math.min(cut.rows, g.outH() - top);
          load(
              block,
              field,
              in,
              xAddress + image * imageBytes + (long) group * depth * g.inH() * g.inW() * es,
              depth,
              g.inH(),
              g.inW(),
              top * w.strideH() - w.padH());
          long out = scratch.address(Use.RESULT, (long) rows * g.outW() * row + 16 * row);
          for (int p = panels * part / cut.parts; p < panels * (part + 1) / cut.parts; p++) {
            int channels = channelsOf(p, width);
            long panel = filters.panel(group, p);
            segments(block, table, segments, Math.min(depth, lanes.count()), panel);
            Raw.put(block + BatchReduce.BIAS, biases + ((long) group * panels + p) * row);
            Raw.put(block + BatchReduce.TILE_BIAS, 0);
            Raw.put(block + BatchReduce.TO_SCALE, biasBytes());
            var shape = shape(1, blocks(channels), BatchReduce.ADJACENT, false, where, end.relu());
            for (int r = 0; r < rows; r++) {
              tiles(
                  block,
                  shape,
                  in + (long) r * w.strideH() * pitch * vector,
                  (long) w.strideW() * vector,
                  out + (long) r * g.outW() * row,
                  row,
                  g.outW());
            }
            long channel =
                (long) image * g.out() + (long) group * width + (long) p * 2 * lanes.count();
            ChannelVectors.scatter(
                block,
                lanes,
                channels,
                rows * g.outW(),
                yAddress + (channel * outPixels + (long) top * g.outW()) * es,
                outPixels * es,
                out,
                row,
                vector,
                Loop.ONCE);
          }
        });
  }

  /// The gradient of the input at positions of one remainder.
  private record Phase(int top, int left, int rows, int columns, long table, int segments) {}

  void inputGradient(Strided dx, Strided dy, Strided weight) {
    int depth = g.outPerGroup();
    int width = g.inPerGroup();
    int panels = panels(width);
    Axis down = new Axis(g.inH(), g.kernelH(), w.strideH(), w.padH(), w.dilationH());
    Axis right = new Axis(g.inW(), g.kernelW(), w.strideW(), w.padW(), w.dilationW());
    int[] outputsH = down.outputs();
    int[] outputsW = right.outputs();
    int lowH = Math.min(0, Axis.least(outputsH));
    int lowW = Math.min(0, Axis.least(outputsW));
    int pitch = Math.max(1, Axis.most(outputsW) + right.largest() - lowW);
    int reach = Math.max(1, Axis.most(outputsH) - lowH + 1);
    long rowBytes = (long) blocks(depth) * pitch * vector;
    Cut cut = cut(down.largest(), rowBytes, reach, panels);
    Field field = new Field(blocks(depth), cut.rows - 1 + reach, pitch, -lowW);
    Filters filters = new Filters(weight, true);
    if (g.images() * cut.strips > 1) {
      filters.share();
    }
    long table = Scratch.ofThread().address(Use.TABLE, 16L * field.blocks * g.taps());
    Phase[] phases = new Phase[w.strideH() * w.strideW()];
    boolean gaps = false;
    for (int f = 0; f < phases.length; f++) {
      int phaseH = f / w.strideW();
      int phaseW = f % w.strideW();
      int segments = 0;
      for (int b = 0; b < field.blocks; b++) {
        for (int tap = 0; tap < g.taps(); tap++) {
          int i = tap / g.kernelW();
          int j = tap % g.kernelW();
          if (down.meets(phaseH, i) && right.meets(phaseW, j)) {
            long at = b * field.block() + (long) (outputsH[i] - lowH) * pitch + outputsW[j] - lowW;
            segment(
                table, segments++, at * vector, ((long) b * g.taps() + tap) * lanes.count() * row);
          }
        }
      }
      gaps |= segments == 0;
      phases[f] =
          new Phase(
              down.first(phaseH),
              right.first(phaseW),
              down.count(phaseH),
              right.count(phaseW),
              table,
              segments);
      table += 16L * segments;
    }
    boolean clear = gaps;
    long dxAddress = dx.address();
    long dyAddress = dy.address();
    long inPixels = (long) g.inH() * g.inW();
    long outPixels = (long) g.outH() * g.outW();
    Tasks.run(
        g.images() * w.groups() * cut.strips * cut.parts,
        2L * depth * width * g.taps() * outPixels / cut.strips / cut.parts,
        task -> {
          int part = task % cut.parts;
          int strip = task / cut.parts % cut.strips;
          int group = task / cut.parts / cut.strips % w.groups();
          int image = task / cut.parts / cut.strips / w.groups();
          Scratch scratch = Scratch.ofThread();
          long block = scratch.address(Use.ARGUMENTS, 4096);
          long in = address(scratch, Use.PLANES, field, g.outW(), 1);
          int first = strip * cut.rows;
          int top = first * w.strideH();
          int rows = Math.min(cut.rows * w.strideH(), g.inH() - top);
          if (rows <= 0) {
            return;
          }
          long channels0 = (long) image * g.out() + (long) group * depth;
          load(
              block,
              field,
              in,
              dyAddress + channels0 * outPixels * es,
              depth,
              g.outH(),
              g.outW(),
              first + lowH);
          long bytes = (long) rows * g.inW() * row;
          long out = scratch.address(Use.RESULT, bytes + 16 * row);
          for (int p = panels * part / cut.parts; p < panels * (part + 1) / cut.parts; p++) {
            int channels = channelsOf(p, width);
            if (clear) {
              Raw.clear(out, bytes);
            }
            long panel = filters.panel(group, p);
            var shape =
                shape(1, blocks(channels), BatchReduce.ADJACENT, false, Products.Bias.NONE, false);
            for (Phase phase : phases) {
              if (phase.segments == 0 || phase.columns == 0) {
                continue;
              }
              segments(block, phase.table, phase.segments, Math.min(depth, lanes.count()), panel);
              for (int a = 0; a < cut.rows && first + a < phase.rows; a++) {
                int at = a * w.strideH() + phase.top;
                tiles(
                    block,
                    shape,
                    in + (long) a * pitch * vector,
                    vector,
                    out + ((long) at * g.inW() + phase.left) * row,
                    w.strideW() * row,
                    phase.columns);
              }
            }
            long channel =
                (long) image * g.in() + (long) group * width + (long) p * 2 * lanes.count();
            ChannelVectors.scatter(
                block,
                lanes,
                channels,
                rows * g.inW(),
                dxAddress + (channel * inPixels + (long) top * g.inW()) * es,
                inPixels * es,
                out,
                row,
                vector,
                Loop.ONCE);
          }
        });
  }

  void weightGradient(Strided dweight, Strided dy, Strided x) {
    int depth = g.inPerGroup();
    int width = g.outPerGroup();
    int panels = panels(width);
    int groups = w.groups();
    int pitch = (g.outW() - 1) * w.strideW() + (g.kernelW() - 1) * w.dilationW() + 1;
    int rows = (g.outH() - 1) * w.strideH() + (g.kernelH() - 1) * w.dilationH() + 1;
    Field field = new Field(blocks(depth), rows, pitch, w.padW());
    long xBytes = field.blocks * field.block() * vector;
    long outPixels = (long) g.outH() * g.outW();
    long panelBytes = (outPixels | 1) * row;
    long imageBytes = groups * (xBytes + panels * panelBytes);
    int images = Math.clamp(SHARED_BYTES / imageBytes, 1, g.images());
    Scratch caller = Scratch.ofThread();
    long in = address(caller, Use.FIELD, field, g.inW(), (long) images * groups);
    long gradients =
        caller.address(Use.RIGHT, (long) images * groups * panels * panelBytes + 16 * row);
    // Sums by group, panel, input channel and tap.
    long sumBytes = (long) depth * g.taps() * row;
    long sums = caller.address(Use.PARTS, groups * panels * sumBytes);
    boolean flat = w.strideH() * pitch == g.outW() * w.strideW();
    int segments = flat ? 1 : g.outH();
    // Sums run over so many images at once that the first cache holds what they read.
    long read = field.block() * vector + panelBytes;
    int atOnce = Math.clamp(AT_ONCE_BYTES / read, 1, images);
    long table = caller.address(Use.TABLE, 16L * segments * atOnce);
    for (int s = 0; s < segments * atOnce; s++) {
      long item = (long) s / segments * groups;
      long line = s % segments;
      segment(
          table,
          s,
          item * xBytes + line * w.strideH() * pitch * vector,
          item * panels * panelBytes + line * g.outW() * row);
    }
    for (int start = 0; start < g.images(); start += images) {
      int from = start;
      int count = Math.min(images, g.images() - start);
      Tasks.run(
          count * groups,
          20L * imageBytes / groups,
          task -> {
            long block = Scratch.ofThread().address(Use.ARGUMENTS, 4096);
            int group = task % groups;
            int image = from + task / groups;
            long channel = (long) image * g.in() + (long) group * depth;
            load(
                block,
                field,
                in + task * xBytes,
                x.address() + channel * g.inH() * g.inW() * es,
                depth,
                g.inH(),
                g.inW(),
                -w.padH());
            for (int p = 0; p < panels; p++) {
              long out =
                  (long) image * g.out() + (long) group * width + (long) p * 2 * lanes.count();
              ChannelVectors.gather(
                  block,
                  lanes,
                  channelsOf(p, width),
                  Math.toIntExact(outPixels),
                  dy.address() + out * outPixels * es,
                  outPixels * es,
                  gradients + ((long) task * panels + p) * panelBytes,
                  row,
                  vector,
                  Loop.ONCE);
            }
          });
      Tasks.run(
          groups * panels * field.blocks,
          2L * count * outPixels * g.taps() * lanes.count() * 2 * lanes.count(),
          task -> {
            int b = task % field.blocks;
            int p = task / field.blocks % panels;
            int group = task / field.blocks / panels;
            long sum = sums + ((long) group * panels + p) * sumBytes;
            for (int i = 0; i < count; i += atOnce) {
              long item = (long) i * groups + group;
              add(
                  field,
                  in + item * xBytes + b * field.block() * vector,
                  gradients + (item * panels + p) * panelBytes,
                  table,
                  segments * Math.min(atOnce, count - i),
                  g.outH() * g.outW() / segments,
                  b * lanes.count(),
                  blocks(channelsOf(p, width)),
                  sum,
                  from + i > 0,
                  atOnce * groups * xBytes);
            }
          });
    }
    Tasks.run(
        groups * panels,
        50L * depth * g.taps() * lanes.count(),
        task -> {
          int p = task % panels;
          int group = task / panels;
          long out = (long) group * width + (long) p * 2 * lanes.count();
          ChannelVectors.scatter(
              Scratch.ofThread().address(Use.ARGUMENTS, 4096),
              lanes,
              channelsOf(p, width),
              depth * g.taps(),
              dweight.address() + out * depth * g.taps() * es,
              (long) depth * g.taps() * es,
              sums + task * sumBytes,
              row,
              vector,
              Loop.ONCE);
        });
  }

  /// Adds the products of some images' input channels from `first` on, a block of them at most, with a panel
  /// of their gradient.
  ///
  /// @param steps the pixels of a segment
  /// @param ahead the distance of the images that come next
  private void add(
      Field field,
      long in,
      long gradient,
      long table,
      int segments,
      int steps,
      int first,
      int vectors,
      long sum,
      boolean accumulate,
      long ahead) {
    long block = Scratch.ofThread().address(Use.ARGUMENTS, 4096);
    int channels = Math.min(lanes.count(), g.inPerGroup() - first);
    int height = Math.min(channels, lanes.count() / 2);
    segments(block, table, segments, steps, gradient);
    Raw.put(block + BatchReduce.AHEAD, ahead);
    Raw.put(block + BatchReduce.STEP_A, (long) w.strideW() * vector);
    Raw.put(block + BatchReduce.ROW_C, g.taps() * row);
    Raw.put(block + BatchReduce.TILES, g.kernelW());
    Raw.put(block + BatchReduce.TILE_A, (long) w.dilationW() * vector);
    Raw.put(block + BatchReduce.TILE_C, row);
    int rows;
    for (int c = 0; c < channels; c += rows) {
      rows = Math.min(height, channels - c);
      var shape = shape(rows, vectors, BatchReduce.COLUMNS, accumulate, Products.Bias.NONE, false);
      for (int i = 0; i < g.kernelH(); i++) {
        long line = (long) i * w.dilationH() * field.pitch * vector;
        Raw.put(block + BatchReduce.A, in + line + (long) c * es);
        long to = (long) (first + c) * g.taps() + (long) i * g.kernelW();
        Raw.put(block + BatchReduce.C, sum + to * row);
        BatchReduce.of(shape).run(block);
      }
    }
  }
}
