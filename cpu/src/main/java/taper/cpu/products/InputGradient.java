package taper.cpu.products;

import java.util.stream.IntStream;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.parallel.Scratch.Use;
import taper.tensor.spi.Strided;

/// The gradient of the input of a two-dimensional convolution as sums that slide over the gradient of its output.
///
/// Positions of the input whose remainders by the strides are the same, a *phase*, see the same taps of the filter; so
/// each phase is a convolution of the gradient of the output by a smaller filter that moves by one ([SlidingSum]). The
/// phases are then shuffled into each other [1].
///
/// A strip of rows of all phases is computed at a time, from a copy of the rows of the gradient that it sees, with zeros
/// around them, which stays in the second cache. Rows of the copy are wider than those of a phase: what is computed at
/// their ends is left out.
///
/// [1] Shi et al. 2016, "Is the deconvolution layer the same as a convolution layer?", arXiv:1609.07009
final class InputGradient {
  /// What the rows of the gradient that a strip sees take, at most.
  private static final long STRIP_BYTES = 384 << 10;

  private final Lanes lanes;
  private final Geometry g;
  private final Window w;
  private final int es;
  private final Axis down;
  private final Axis right;

  /// The columns of the copied gradient.
  private final int pitch;

  /// Rows of a phase in a strip.
  private final int rows;

  private final int strips;

  /// The distance of channels in the copied gradient, in elements.
  private final long channel;

  /// The distance of rows of results, in elements.
  private final int line;

  InputGradient(Lanes lanes, Geometry geometry) {
    this.lanes = lanes;
    this.g = geometry;
    this.w = geometry.window();
    this.es = lanes.bytes();
    this.down = new Axis(g.inH(), g.kernelH(), w.strideH(), w.padH(), w.dilationH());
    this.right = new Axis(g.inW(), g.kernelW(), w.strideW(), w.padW(), w.dilationW());
    this.pitch = right.steps() + right.reach();
    int all = down.steps();
    long rowBytes = (long) g.outPerGroup() * pitch * es;
    int most = Math.clamp(STRIP_BYTES / rowBytes - down.reach(), 1, all);
    long others = (long) g.images() * w.groups();
    int least = (int) Math.min(all, Math.ceilDiv(2L * Tasks.threads(), others));
    this.rows = Math.ceilDiv(all, Math.max(least, Math.ceilDiv(all, most)));
    this.strips = Math.ceilDiv(all, rows);
    this.channel = apart((rows + down.reach()) * pitch + lanes.count());
    this.line = apart(rows * pitch + lanes.count());
  }

  /// At least so many elements: cache lines, an odd number of them, so that channels do not collide.
  private int apart(int elements) {
    int each = 64 / es;
    return (Math.ceilDiv(elements, each) | 1) * each;
  }

  void run(Strided dx, Strided dy, Strided weight) {
    int groups = w.groups();
    int inGroup = g.inPerGroup();
    int outGroup = g.outPerGroup();
    SlidingSum[] phases = phases(weight);
    long dxAddress = dx.address();
    long dyAddress = dy.address();
    long inBytes = (long) g.inH() * g.inW() * es;
    long outBytes = (long) g.outH() * g.outW() * es;
    var copied = new Copied(outGroup, channel, pitch, right.reach() - right.start(), g.outW());
    Tasks.run(
        g.images() * groups * strips,
        2L * outGroup * inGroup * g.taps() * g.outH() * g.outW() / strips,
        task -> {
          int strip = task % strips;
          int group = task / strips % groups;
          long image = task / strips / groups;
          Scratch scratch = Scratch.ofThread();
          long bytes = (outGroup * channel + 8L * lanes.count()) * es;
          long copy = scratch.address(Use.PLANES, bytes);
          if (scratch.claim(Use.PLANES, copied)) {
            Raw.clear(copy, bytes);
          }
          int top = strip * rows;
          int height = Math.min(rows, down.steps() - top);
          copy(
              dyAddress + (image * g.out() + (long) group * outGroup) * outBytes,
              copy,
              down.start() + top - down.reach(),
              height + down.reach());
          long to = dxAddress + (image * g.in() + (long) group * inGroup) * inBytes;
          for (int phaseH = 0; phaseH < w.strideH(); phaseH++) {
            rowsOf(phases, phaseH, group, copy, top, height, to);
          }
        });
  }

  /// What memory is laid out for: columns beside the rows that are copied stay zero as long as it is.
  private record Copied(int channels, long channel, int pitch, int left, int width) {}

  private SlidingSum[] phases(Strided weight) {
    int inGroup = g.inPerGroup();
    int outGroup = g.outPerGroup();
    int height = SlidingSum.height(lanes, inGroup);
    Scratch caller = Scratch.ofThread();
    // A tap belongs to one phase, so that all phases together need no more than one filter.
    long panels = caller.address(Use.PARTS, weight.numel() * es + 256);
    long table = caller.address(Use.TABLE, (long) outGroup * g.taps() * 8);
    var phases = new SlidingSum[w.strideH() * w.strideW()];
    for (int f = 0; f < phases.length; f++) {
      int[] taps = taps(f / w.strideW(), f % w.strideW());
      int depth = outGroup * taps.length;
      for (int term = 0; term < depth; term++) {
        int tap = taps[term % taps.length];
        long row = down.reach() - down.back(tap / g.kernelW());
        int column = right.reach() - right.back(tap % g.kernelW());
        long distance = term / taps.length * channel + row * pitch + column;
        Raw.put(table + 8L * term, distance * es);
      }
      pack(weight, panels, height, taps);
      phases[f] = new SlidingSum(lanes, inGroup, height, depth, panels, table);
      panels += (long) g.in() * depth * es;
      table += 8L * depth;
    }
    return phases;
  }

  private int[] taps(int phaseH, int phaseW) {
    return IntStream.range(0, g.taps())
        .filter(t -> down.meets(phaseH, t / g.kernelW()) && right.meets(phaseW, t % g.kernelW()))
        .toArray();
  }

  /// The filter with input channels as rows, and output channels and `taps` as columns.
  private void pack(Strided weight, long panels, int height, int[] taps) {
    int inGroup = g.inPerGroup();
    int outGroup = g.outPerGroup();
    int all = g.taps();
    int depth = outGroup * taps.length;
    int blocks = Math.ceilDiv(inGroup, height);
    Tasks.run(
        w.groups() * blocks,
        10L * weight.numel() / w.groups() / blocks,
        task -> {
          int group = task / blocks;
          int i0 = task % blocks * height;
          int rows = Math.min(height, inGroup - i0);
          long to = panels + ((long) group * inGroup + i0) * depth * es;
          for (int o = 0; o < outGroup; o++) {
            long from =
                weight.address() + (((long) group * outGroup + o) * inGroup + i0) * all * es;
            for (int tap : taps) {
              for (int r = 0; r < rows; r++) {
                Raw.copyElement(to, from + ((long) r * all + tap) * es, lanes.wide());
                to += es;
              }
            }
          }
        });
  }

  /// Copies `count` rows of a group's gradient from `first` on, which may lie above the image.
  private void copy(long from, long to, int first, int count) {
    int start = Math.clamp(-first, 0, count);
    int stop = Math.clamp(g.outH() - first, start, count);
    long row = (long) pitch * es;
    int channels = g.outPerGroup();
    for (int c = 0; c < channels && stop - start < count; c++) {
      Raw.clear(to + c * channel * es, start * row);
      Raw.clear(to + c * channel * es + stop * row, (count - stop) * row);
    }
    int left = right.reach() - right.start();
    int skipped = Math.max(0, -left);
    int width = Math.min(g.outW() - skipped, pitch - Math.max(0, left));
    PlaneCopy.run(
        Scratch.ofThread().address(Use.ARGUMENTS, 4096),
        lanes,
        false,
        from + ((long) (first + start) * g.outW() + skipped) * es,
        (long) g.outW() * es,
        (long) g.outH() * g.outW() * es,
        to + start * row + (long) Math.max(0, left) * es,
        row,
        channel * es,
        Math.max(0, width),
        stop - start,
        channels);
  }

  /// Computes the rows of a strip that have one remainder.
  ///
  /// @param copy the rows of the gradient
  /// @param top the first of the strip's `height` rows of a phase
  /// @param to where the channels of the input's gradient begin
  private void rowsOf(
      SlidingSum[] phases, int phaseH, int group, long copy, int top, int height, long to) {
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int inGroup = g.inPerGroup();
    int strideW = w.strideW();
    int pixels = (height - 1) * pitch + right.steps();
    long resultBytes = (long) inGroup * line * es;
    long results = scratch.address(Use.RESULT, strideW * resultBytes);
    for (int phaseW = 0; phaseW < strideW; phaseW++) {
      SlidingSum sum = phases[phaseH * strideW + phaseW];
      long result = results + phaseW * resultBytes;
      if (sum.depth() == 0) {
        Raw.clear(result, resultBytes);
      } else {
        long panels = sum.panels() + (long) group * inGroup * sum.depth() * es;
        sum.with(panels).run(block, copy, pixels, result, line, 0, false, false);
      }
    }
    long joined = results;
    if (strideW > 1) {
      joined = scratch.address(Use.ROWS, strideW * resultBytes);
      join(block, results, resultBytes, joined, inGroup * line);
    }
    // Row r of the strip is row (top + r) * stride + phase of the padded input, counted from its
    // start.
    int first = top * w.strideH() + phaseH - down.lead();
    int skipped = first < 0 ? 1 : 0;
    int at = first + skipped * w.strideH();
    int count = Math.min(height - skipped, Math.ceilDiv(g.inH() - at, w.strideH()));
    PlaneCopy.run(
        block,
        lanes,
        false,
        joined + ((long) skipped * pitch * strideW + right.lead()) * es,
        (long) pitch * strideW * es,
        (long) line * strideW * es,
        to + (long) at * g.inW() * es,
        (long) w.strideH() * g.inW() * es,
        (long) g.inH() * g.inW() * es,
        g.inW(),
        Math.max(0, count),
        inGroup);
  }

  /// Shuffles rows of `count` elements, `distance` bytes apart, one for each phase, into each other.
  private void join(long block, long from, long distance, long to, int count) {
    int strideW = w.strideW();
    if (strideW == 2) {
      PairJoin.run(block, lanes, from, from + distance, to, count);
      return;
    }
    for (int phase = 0; phase < strideW; phase++) {
      for (int i = 0; i < count; i++) {
        Raw.copyElement(
            to + ((long) i * strideW + phase) * es,
            from + phase * distance + (long) i * es,
            lanes.wide());
      }
    }
  }
}
