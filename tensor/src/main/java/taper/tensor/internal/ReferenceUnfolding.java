package taper.tensor.internal;

import java.util.Arrays;
import taper.tensor.Unfolding.Blocks;
import taper.tensor.Unfolding.BlocksInput;
import taper.tensor.Unfolding.Factor;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Windows of images as columns, and back.
public final class ReferenceUnfolding {
  /// So many elements of a plane are summed at once.
  private static final int BAND = 1 << 16;

  private ReferenceUnfolding() {}

  /// `self[n c h w] -> [n k l]`: column `l` of the result is window `l`, its channels one after another.
  public static final Kernel UNFOLD =
      (attributes, out, in) -> {
        var a = (Blocks) attributes;
        Strided y = out[0];
        Strided x = in[0];
        if (y.numel() == 0) {
          return;
        }
        int size = y.dtype().byteSize();
        y.memory().asSlice(y.byteOffset(), y.numel() * size).fill((byte) 0);
        var walk = new Walk(a, Math.toIntExact(x.size(2)), Math.toIntExact(x.size(3)));
        long planes = x.size(0) * x.size(1);
        for (long plane = 0; plane < planes; plane++) {
          long from = plane * walk.h * walk.w;
          long to = plane * walk.taps() * walk.windows();
          for (long tap = 0; tap < walk.taps(); tap++, to += walk.windows()) {
            copy(a, walk, tap, y, to, x, from);
          }
        }
      };

  private static void copy(
      Blocks a, Walk walk, long tap, Strided y, long to, Strided x, long from) {
    int first = walk.firstColumn(tap);
    int count = walk.endColumn(tap) - first;
    for (int r = walk.firstRow(tap); r < walk.endRow(tap) && count > 0; r++) {
      long source = from + walk.row(tap, r) * walk.w + walk.column(tap, first);
      long target = to + (long) r * walk.ow + first;
      if (a.strideW() == 1) {
        ReferenceShapes.copyBlock(y, target, x, source, count);
      } else {
        for (int i = 0; i < count; i++) {
          ReferenceShapes.copyBlock(y, target + i, x, source + (long) i * a.strideW(), 1);
        }
      }
    }
  }

  /// `self[n k l] -> [n c h w]`: elements of windows that are the same pixel are summed.
  public static final Kernel FOLD =
      (attributes, out, in) -> {
        var input = (BlocksInput) attributes;
        Blocks a = input.blocks();
        Strided y = out[0];
        Strided x = in[0];
        var walk = new Walk(a, Math.toIntExact(input.height()), Math.toIntExact(input.width()));
        if (y.numel() == 0) {
          return;
        }
        int band = Math.clamp((long) BAND / walk.w, 1, walk.h);
        double[] rows = new double[Math.multiplyExact(band, walk.w)];
        double[] row = new double[walk.ow];
        long planes = y.size(0) * y.size(1);
        for (long p = 0; p < planes; p++) {
          for (int top = 0; top < walk.h; top += band) {
            int height = Math.min(band, walk.h - top);
            Arrays.fill(rows, 0);
            for (long tap = 0; tap < walk.taps(); tap++) {
              add(
                  a,
                  walk,
                  x,
                  (p * walk.taps() + tap) * walk.windows(),
                  tap,
                  row,
                  top,
                  height,
                  rows);
            }
            long at = (p * walk.h + top) * walk.w;
            Ranges.write(y, at, height * walk.w, rows);
          }
        }
      };

  /// Adds what a tap of all windows sees to rows `top` to `top + height` of a plane.
  private static void add(
      Blocks a,
      Walk walk,
      Strided x,
      long from,
      long tap,
      double[] row,
      int top,
      int height,
      double[] rows) {
    int first = walk.firstColumn(tap);
    int end = walk.endColumn(tap);
    int start = Math.max(walk.firstRow(tap), walk.rowFrom(tap, top));
    int stop = Math.min(walk.endRow(tap), walk.rowFrom(tap, (long) top + height));
    for (int r = start; r < stop && first < end; r++) {
      Ranges.read(x, from + (long) r * walk.ow, walk.ow, row);
      long to = (walk.row(tap, r) - top) * walk.w + walk.column(tap, first);
      for (int c = first; c < end; c++, to += a.strideW()) {
        rows[(int) to] += row[c];
      }
    }
  }

  /// `self[*b c·r² h w] -> [*b c h·r w·r]`: channels become pixels.
  public static final Kernel SHUFFLE =
      (attributes, out, in) -> interleave(out[0], in[0], ((Factor) attributes).value(), true);

  /// `self[*b c h·r w·r] -> [*b c·r² h w]`: pixels become channels.
  public static final Kernel UNSHUFFLE =
      (attributes, out, in) -> interleave(in[0], out[0], ((Factor) attributes).value(), false);

  /// Copies between `fine`, whose rows have the elements of `r` rows of `coarse` in turn, and `coarse`.
  private static void interleave(Strided fine, Strided coarse, int r, boolean shuffle) {
    if (fine.numel() == 0) {
      return;
    }
    int h = Math.toIntExact(coarse.size(coarse.rank() - 2));
    int w = Math.toIntExact(coarse.size(coarse.rank() - 1));
    var rows = InterleavedRows.of(fine, coarse, w, r);
    long groups = coarse.numel() / ((long) r * r * h * w);
    for (long g = 0; g < groups; g++) {
      for (int row = 0; row < h; row++) {
        for (int i = 0; i < r; i++) {
          long fineAt = ((g * h + row) * r + i) * r * w;
          long coarseAt = ((g * r + i) * r * h + row) * (long) w;
          if (shuffle) {
            rows.mix(fineAt, coarseAt, (long) h * w);
          } else {
            rows.part(fineAt, coarseAt, (long) h * w);
          }
        }
      }
    }
  }

  /// Where the elements of windows lie in a plane of `h` rows and `w` columns.
  private record Walk(Blocks a, int h, int w, int oh, int ow) {
    Walk(Blocks a, int h, int w) {
      this(a, h, w, Math.toIntExact(a.rows(h)), Math.toIntExact(a.columns(w)));
    }

    long taps() {
      return (long) a.kernelH() * a.kernelW();
    }

    long windows() {
      return (long) oh * ow;
    }

    /// The row of the plane that tap `tap` of the windows in row `r` sees.
    long row(long tap, int r) {
      return (long) r * a.strideH() - a.paddingH() + tap / a.kernelW() * a.dilationH();
    }

    long column(long tap, int c) {
      return (long) c * a.strideW() - a.paddingW() + tap % a.kernelW() * a.dilationW();
    }

    int firstRow(long tap) {
      return first(row(tap, 0), a.strideH(), oh);
    }

    /// The first row of windows whose tap sees row `y` of the plane or one below it.
    int rowFrom(long tap, long y) {
      return first(row(tap, 0) - y, a.strideH(), oh);
    }

    int endRow(long tap) {
      return end(row(tap, 0), h, a.strideH(), oh);
    }

    int firstColumn(long tap) {
      return first(column(tap, 0), a.strideW(), ow);
    }

    int endColumn(long tap) {
      return end(column(tap, 0), w, a.strideW(), ow);
    }

    private static int first(long start, int stride, int count) {
      return start >= 0 ? 0 : (int) Math.min(count, Math.ceilDiv(-start, (long) stride));
    }

    private static int end(long start, int size, int stride, int count) {
      return start >= size ? 0 : (int) Math.min(count, (size - 1 - start) / stride + 1);
    }
  }
}
