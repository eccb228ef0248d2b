package taper.tensor.internal;

import java.util.Arrays;
import taper.tensor.Unfolding.Blocks;
import taper.tensor.Unfolding.BlocksInput;
import taper.tensor.Unfolding.Factor;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Windows of images as columns, and back.
public final class ReferenceUnfolding {
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
          for (int tap = 0; tap < walk.taps(); tap++, to += walk.windows()) {
            copy(a, walk, tap, y, to, x, from);
          }
        }
      };

  private static void copy(Blocks a, Walk walk, int tap, Strided y, long to, Strided x, long from) {
    int first = walk.firstColumn(tap);
    int count = walk.endColumn(tap) - first;
    for (int r = walk.firstRow(tap); r < walk.endRow(tap) && count > 0; r++) {
      long source = from + (long) walk.row(tap, r) * walk.w + walk.column(tap, first);
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
        double[] plane = new double[Math.multiplyExact(walk.h, walk.w)];
        double[] row = new double[walk.windows()];
        long planes = y.size(0) * y.size(1);
        for (long p = 0; p < planes; p++) {
          Arrays.fill(plane, 0);
          for (int tap = 0; tap < walk.taps() && row.length > 0; tap++) {
            Ranges.read(x, (p * walk.taps() + tap) * row.length, row.length, row);
            add(a, walk, tap, row, plane);
          }
          Ranges.write(y, p * plane.length, plane.length, plane);
        }
      };

  private static void add(Blocks a, Walk walk, int tap, double[] row, double[] plane) {
    int first = walk.firstColumn(tap);
    int end = walk.endColumn(tap);
    for (int r = walk.firstRow(tap); r < walk.endRow(tap); r++) {
      int to = walk.row(tap, r) * walk.w + walk.column(tap, first);
      int from = r * walk.ow;
      for (int c = first; c < end; c++, to += a.strideW()) {
        plane[to] += row[from + c];
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
    int h = Math.toIntExact(coarse.size(coarse.rank() - 2));
    int w = Math.toIntExact(coarse.size(coarse.rank() - 1));
    if (fine.numel() == 0) {
      return;
    }
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

    int taps() {
      return a.kernelH() * a.kernelW();
    }

    int windows() {
      return oh * ow;
    }

    /// The row of the plane that tap `tap` of the windows in row `r` sees.
    int row(int tap, int r) {
      return r * a.strideH() - a.paddingH() + tap / a.kernelW() * a.dilationH();
    }

    int column(int tap, int c) {
      return c * a.strideW() - a.paddingW() + tap % a.kernelW() * a.dilationW();
    }

    int firstRow(int tap) {
      return first(row(tap, 0), a.strideH(), oh);
    }

    int endRow(int tap) {
      return end(row(tap, 0), h, a.strideH(), oh);
    }

    int firstColumn(int tap) {
      return first(column(tap, 0), a.strideW(), ow);
    }

    int endColumn(int tap) {
      return end(column(tap, 0), w, a.strideW(), ow);
    }

    private static int first(int start, int stride, int count) {
      return start >= 0 ? 0 : Math.min(count, Math.ceilDiv(-start, stride));
    }

    private static int end(int start, int size, int stride, int count) {
      return start >= size ? 0 : Math.min(count, (size - 1 - start) / stride + 1);
    }
  }
}
