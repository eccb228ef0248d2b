package taper.tensor.internal;

import java.util.stream.IntStream;
import taper.tensor.DType;
import taper.tensor.Resizing.Filter;
import taper.tensor.Resizing.Resize;
import taper.tensor.Resizing.ResizeInput;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.SeparableKernel;
import taper.tensor.spi.SeparableKernel.Maps;
import taper.tensor.spi.Strided;
import taper.tensor.spi.Taps;

/// Interpolation of images: every filter is a linear map along each dimension.
///
/// Positions are computed as PyTorch does, in `float32` unless the elements are `float64`: a pixel more to the left or to
/// the right is a visible difference.
public final class ReferenceResizing {
  private ReferenceResizing() {}

  /// `self[n c *] -> [n c *]`: the image in another size.
  public static Kernel resize(Filter filter) {
    Maps maps = (attributes, y, x) -> taps(filter, (Resize) attributes, x, y, x.dtype());
    return filter == Filter.NEAREST || filter == Filter.NEAREST_EXACT
        ? SeparableKernel.of(
            maps, (attributes, out, in) -> copy(out[0], in[0], maps.of(attributes, out[0], in[0])))
        : Separable.kernel(maps);
  }

  private static void copy(Strided y, Strided x, Taps[] taps) {
    int rank = x.rank();
    int[][] index = new int[rank][];
    for (int d = 0; d < rank; d++) {
      int k = d - rank + taps.length;
      index[d] = k < 0 ? IntStream.range(0, Math.toIntExact(x.size(d))).toArray() : taps[k].index();
    }
    GatheredRows.copy(y, x, index, 0, 0);
  }

  /// `grad[n c *] -> [n c *]`: each gradient goes to the pixels that its own was made of.
  public static Kernel gradient(Filter filter) {
    return Separable.kernel((attributes, dx, dy) -> {
      Resize a = ((ResizeInput) attributes).resize();
      return ReferencePooling3d.transposed(taps(filter, a, dx, dy, dy.dtype()));
    });
  }

  private static Taps[] taps(Filter filter, Resize a, Strided x, Strided y, DType dtype) {
    int rank = a.size().size();
    boolean single = dtype != DType.FLOAT64;
    Taps[] taps = new Taps[rank];
    for (int d = 0; d < rank; d++) {
      int in = Math.toIntExact(x.size(x.rank() - rank + d));
      int out = Math.toIntExact(y.size(y.rank() - rank + d));
      double given = a.scales().get(d);
      taps[d] =
          switch (filter) {
            case NEAREST -> nearest(in, out, given);
            case NEAREST_EXACT -> nearestExact(in, out, given);
            case LINEAR -> linear(in, out, new Grid(in, out, a.alignCorners(), given, single));
            case CUBIC -> cubic(in, out, new Grid(in, out, a.alignCorners(), given, single));
            case LINEAR_SMOOTH ->
                smooth(in, out, new Grid(in, out, a.alignCorners(), given, single), 2);
            case CUBIC_SMOOTH ->
                smooth(in, out, new Grid(in, out, a.alignCorners(), given, single), 4);
          };
    }
    return taps;
  }

  private static Taps nearest(int in, int out, double given) {
    float scale = given > 0 ? (float) (1 / given) : (float) in / out;
    int[] index = new int[out];
    for (int o = 0; o < out; o++) {
      index[o] = Math.min((int) Math.floor(o * scale), in - 1);
    }
    return Taps.copies(in, index);
  }

  private static Taps nearestExact(int in, int out, double given) {
    float scale = given > 0 ? (float) (1 / given) : (float) in / out;
    int[] index = new int[out];
    for (int o = 0; o < out; o++) {
      index[o] = Math.min((int) Math.floor((o + 0.5f) * scale), in - 1);
    }
    return Taps.copies(in, index);
  }

  /// Where the pixels of the result lie among those of the input.
  private record Grid(boolean align, boolean single, double scale) {
    Grid(int in, int out, boolean align, double given, boolean single) {
      this(align, single, scale(in, out, align, given, single));
    }

    private static double scale(int in, int out, boolean align, double given, boolean single) {
      double scale;
      if (align) {
        scale = out > 1 ? single ? (float) (in - 1) / (out - 1) : (double) (in - 1) / (out - 1) : 0;
      } else if (given > 0) {
        scale = 1 / given;
      } else {
        scale = single ? (float) in / out : (double) in / out;
      }
      return single ? (float) scale : scale;
    }

    double position(int o) {
      if (align) {
        return single ? ((float) scale) * o : scale * o;
      }
      return single ? ((float) scale) * (o + 0.5f) - 0.5f : scale * (o + 0.5) - 0.5;
    }
  }

  private static Taps linear(int in, int out, Grid grid) {
    return Taps.of(
        in,
        out,
        (o, into) -> {
          if (in == out) {
            into.add(o, 1);
            return;
          }
          double at = Math.max(0, grid.position(o));
          int first = Math.min((int) at, in - 1);
          double part = Math.clamp(at - first, 0, 1);
          into.add(first, 1 - part);
          into.add(Math.min(first + 1, in - 1), part);
        });
  }

  /// Keys' kernel with a slope of -0.75.
  private static Taps cubic(int in, int out, Grid grid) {
    return Taps.of(
        in,
        out,
        (o, into) -> {
          double at = grid.position(o);
          int first = (int) Math.floor(at);
          double part = at - first;
          for (int k = -1; k <= 2; k++) {
            into.add(Math.clamp(first + k, 0, in - 1), keys(Math.abs(k - part), -0.75));
          }
        });
  }

  static double keys(double x, double a) {
    if (x <= 1) {
      return ((a + 2) * x - (a + 3)) * x * x + 1;
    }
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
  }

  /// A filter as wide as the pixels of the result, so that nothing is skipped when an image shrinks.
  private static Taps smooth(int in, int out, Grid grid, int size) {
    double support = grid.scale >= 1 ? size * 0.5 * grid.scale : size * 0.5;
    double inverse = grid.scale >= 1 ? 1 / grid.scale : 1;
    return Taps.of(
        in,
        out,
        (o, into) -> {
          double center = grid.scale * (o + 0.5);
          int first = Math.max((int) (center - support + 0.5), 0);
          int end = Math.min((int) (center + support + 0.5), in);
          double total = 0;
          for (int i = first; i < end; i++) {
            total += weight(size, (i - center + 0.5) * inverse);
          }
          for (int i = first; i < end; i++) {
            double weight = weight(size, (i - center + 0.5) * inverse);
            into.add(i, total == 0 ? weight : weight / total);
          }
        });
  }

  private static double weight(int size, double x) {
    double distance = Math.abs(x);
    return size == 2 ? Math.max(0, 1 - distance) : keys(distance, -0.5);
  }
}
