package taper.tensor.internal;

import taper.tensor.Pooling.AvgPool2d;
import taper.tensor.Pooling.AvgPool2dInput;
import taper.tensor.Pooling.MaxPool2d;
import taper.tensor.internal.ReferencePooling3d.Windows;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Places;
import taper.tensor.spi.SeparableKernel;
import taper.tensor.spi.Strided;
import taper.tensor.spi.Taps;

/// Plain pooling on contiguous operands, plane after plane.
public final class ReferencePooling {
  private ReferencePooling() {}

  /// `self[n c h w] -> [n c oh ow], [n c oh ow]`: maxima and their places.
  public static final Kernel MAX =
      (attributes, out, in) -> {
        var a = (MaxPool2d) attributes;
        windows(
            out[0],
            in[0],
            (oh, ow) ->
                new Window(
                    oh * a.strideH() - a.paddingH(),
                    ow * a.strideW() - a.paddingW(),
                    a.kernelH(),
                    a.kernelW(),
                    a.dilationH(),
                    a.dilationW()),
            maximum(out, in[0]));
      };

  /// `self[n c h w] -> [n c oh ow], [n c oh ow]`: maxima of adaptive windows and their places.
  public static final Kernel ADAPTIVE_MAX =
      (attributes, out, in) -> windows(out[0], in[0], adaptive(out[0], in[0]), maximum(out, in[0]));

  /// `grad[n c oh ow], indices[n c oh ow] -> [n c h w]`: each gradient goes to the place of its maximum.
  public static final Kernel MAX_GRADIENT =
      (attributes, out, in) -> {
        var dx = new Elements(out[0]);
        var dy = new Elements(in[0]);
        var indices = new Elements(in[1]);
        clear(dx);
        long plane = out[0].size(2) * out[0].size(3);
        long outPlane = in[0].size(2) * in[0].size(3);
        for (long i = 0, count = dy.numel(); i < count; i++) {
          long place = Places.check("maxPool2dGradient", indices.wholeAt(i), plane);
          add(dx, i / outPlane * plane + place, dy.at(i));
        }
      };

  /// `self[n c h w], indices[n c oh ow] -> [n c oh ow]`: the elements at the given places of each plane.
  public static final Kernel PICK =
      (attributes, out, in) -> {
        var y = new Elements(out[0]);
        var x = new Elements(in[0]);
        var indices = new Elements(in[1]);
        long plane = in[0].size(2) * in[0].size(3);
        long outPlane = out[0].size(2) * out[0].size(3);
        for (long i = 0, count = y.numel(); i < count; i++) {
          long place = Places.check("maxPool2dPick", indices.wholeAt(i), plane);
          y.set(i, x.at(i / outPlane * plane + place));
        }
      };

  /// `self[n c h w] -> [n c oh ow], [n c oh ow]`: maxima of windows of 2 × 2, and which of its elements each is.
  public static final Kernel MAX_OF_CORNERS =
      (attributes, out, in) -> {
        var y = new Elements(out[0]);
        var corners = new Elements(out[1]);
        var x = new Elements(in[0]);
        corners(
            out[0],
            in[0],
            (o, at, row) -> {
              int corner = 0;
              double best = x.at(at);
              for (int c = 1; c < 4; c++) {
                double value = x.at(at + c / 2 * row + c % 2);
                if (value > best || Double.isNaN(value)) {
                  best = value;
                  corner = c;
                }
              }
              y.set(o, best);
              corners.set(o, corner);
            });
      };

  /// `grad[n c oh ow], corners[n c oh ow] -> [n c h w]`: each gradient goes to its corner, if there is such a corner.
  public static final Kernel CORNER_GRADIENT =
      (attributes, out, in) -> {
        var dx = new Elements(out[0]);
        var dy = new Elements(in[0]);
        var corners = new Elements(in[1]);
        clear(dx);
        corners(
            in[0],
            out[0],
            (o, at, row) -> {
              long corner = corners.wholeAt(o);
              if (corner < 4) {
                dx.set(at + corner / 2 * row + corner % 2, dy.at(o));
              }
            });
      };

  /// `self[n c h w], corners[n c oh ow] -> [n c oh ow]`: the element in the given corner of each window.
  public static final Kernel PICK_CORNERS =
      (attributes, out, in) -> {
        var y = new Elements(out[0]);
        var x = new Elements(in[0]);
        var corners = new Elements(in[1]);
        corners(
            out[0],
            in[0],
            (o, at, row) -> {
              long corner = corners.wholeAt(o);
              y.set(o, corner < 4 ? x.at(at + corner / 2 * row + corner % 2) : 0);
            });
      };

  private interface CornerBody {
    /// Computes element `o` of the result from the window of 2 × 2 that begins at `at`, in rows of `row` elements.
    void run(long o, long at, long row);
  }

  private static void corners(Strided y, Strided x, CornerBody body) {
    windows(
        y,
        x,
        (oh, ow) -> new Window(2 * oh, 2 * ow, 2, 2, 1, 1),
        (o, plane, w) -> body.run(o, plane + w.top() * x.size(3) + w.left(), x.size(3)));
  }

  /// `self[n c h w] -> [n c oh ow]`: averages.
  public static final Kernel AVERAGE =
      SeparableKernel.of(
          (attributes, y, x) -> averages((AvgPool2d) attributes, x, y),
          (attributes, out, in) -> {
            var a = (AvgPool2d) attributes;
            var y = new Elements(out[0]);
            var x = new Elements(in[0]);
            windows(
                out[0],
                in[0],
                (oh, ow) -> window(a, oh, ow),
                (o, plane, w) -> {
                  double sum = 0;
                  Bounds b = w.inside(in[0]);
                  for (long h = b.top(); h < b.bottom(); h++) {
                    for (long v = b.left(); v < b.right(); v++) {
                      sum += x.at(plane + h * in[0].size(3) + v);
                    }
                  }
                  y.set(o, b.isEmpty() ? 0 : sum / divisor(a, w, b, in[0]));
                });
          });

  /// `grad[n c oh ow] -> [n c h w]`: each gradient is spread over its window.
  public static final Kernel AVERAGE_GRADIENT =
      SeparableKernel.of(
          (attributes, dx, dy) ->
              ReferencePooling3d.transposed(averages(((AvgPool2dInput) attributes).pool(), dx, dy)),
          (attributes, out, in) -> {
            AvgPool2d a = ((AvgPool2dInput) attributes).pool();
            var dx = new Elements(out[0]);
            var dy = new Elements(in[0]);
            clear(dx);
            windows(
                in[0],
                out[0],
                (oh, ow) -> window(a, oh, ow),
                (o, plane, w) -> {
                  Bounds b = w.inside(out[0]);
                  spread(dx, dy.at(o) / divisor(a, w, b, out[0]), plane, b, out[0].size(3));
                });
          });

  /// `self[n c h w] -> [n c oh ow]`: averages over adaptive windows.
  public static final Kernel ADAPTIVE_AVERAGE =
      SeparableKernel.of(
          (attributes, y, x) -> adaptiveTaps(x, y),
          (attributes, out, in) -> {
            var y = new Elements(out[0]);
            var x = new Elements(in[0]);
            windows(
                out[0],
                in[0],
                adaptive(out[0], in[0]),
                (o, plane, w) -> {
                  double sum = 0;
                  for (long h = w.top(); h < w.top() + w.rows(); h++) {
                    for (long v = w.left(); v < w.left() + w.columns(); v++) {
                      sum += x.at(plane + h * in[0].size(3) + v);
                    }
                  }
                  y.set(o, sum / (w.rows() * w.columns()));
                });
          });

  /// `grad[n c oh ow] -> [n c h w]`: each gradient is spread over its adaptive window.
  public static final Kernel ADAPTIVE_AVERAGE_GRADIENT =
      SeparableKernel.of(
          (attributes, dx, dy) -> ReferencePooling3d.transposed(adaptiveTaps(dx, dy)),
          (attributes, out, in) -> {
            var dx = new Elements(out[0]);
            var dy = new Elements(in[0]);
            clear(dx);
            windows(
                in[0],
                out[0],
                adaptive(in[0], out[0]),
                (o, plane, w) ->
                    spread(
                        dx,
                        dy.at(o) / (w.rows() * w.columns()),
                        plane,
                        w.inside(out[0]),
                        out[0].size(3)));
          });

  /// The part of a plane that one element of the result sees.
  private record Window(
      long top, long left, long rows, long columns, long dilationH, long dilationW) {
    Bounds inside(Strided x) {
      return new Bounds(
          Math.max(top, 0),
          Math.min(top + rows, x.size(2)),
          Math.max(left, 0),
          Math.min(left + columns, x.size(3)));
    }
  }

  /// Rows `top..bottom` and columns `left..right`, ends excluded.
  private record Bounds(long top, long bottom, long left, long right) {
    boolean isEmpty() {
      return top >= bottom || left >= right;
    }

    long count() {
      return isEmpty() ? 0 : (bottom - top) * (right - left);
    }
  }

  private interface Placement {
    Window at(long oh, long ow);
  }

  private interface Body {
    /// Computes element `o` of the result from `window` of the plane that begins at `plane`.
    void run(long o, long plane, Window window);
  }

  private static void windows(Strided y, Strided x, Placement placement, Body body) {
    long planes = y.size(0) * y.size(1);
    long o = 0;
    for (long p = 0; p < planes; p++) {
      for (long oh = 0; oh < y.size(2); oh++) {
        for (long ow = 0; ow < y.size(3); ow++) {
          body.run(o++, p * x.size(2) * x.size(3), placement.at(oh, ow));
        }
      }
    }
  }

  private static Window window(AvgPool2d a, long oh, long ow) {
    return new Window(
        oh * a.strideH() - a.paddingH(),
        ow * a.strideW() - a.paddingW(),
        a.kernelH(),
        a.kernelW(),
        1,
        1);
  }

  /// The averages as maps along rows and columns of `x`.
  private static Taps[] averages(AvgPool2d a, Strided x, Strided y) {
    double scale = a.divisorOverride() == 0 ? 0 : 1.0 / a.divisorOverride();
    return new Taps[] {
      ReferencePooling3d.average(
          new Windows(a.kernelH(), a.strideH(), a.paddingH(), a.countIncludePad()),
          Math.toIntExact(x.size(2)),
          Math.toIntExact(y.size(2)),
          scale),
      ReferencePooling3d.average(
          new Windows(a.kernelW(), a.strideW(), a.paddingW(), a.countIncludePad()),
          Math.toIntExact(x.size(3)),
          Math.toIntExact(y.size(3)),
          scale == 0 ? 0 : 1)
    };
  }

  private static Taps[] adaptiveTaps(Strided x, Strided y) {
    return ReferencePooling3d.adaptive(
        ReferencePooling3d.sizes(x, 2), ReferencePooling3d.sizes(y, 2));
  }

  private static Placement adaptive(Strided y, Strided x) {
    return (oh, ow) -> {
      long top = oh * x.size(2) / y.size(2);
      long left = ow * x.size(3) / y.size(3);
      return new Window(
          top,
          left,
          Math.ceilDiv((oh + 1) * x.size(2), y.size(2)) - top,
          Math.ceilDiv((ow + 1) * x.size(3), y.size(3)) - left,
          1,
          1);
    };
  }

  /// Padding counts as far as it belongs to the padded input; what a window has beyond that never counts.
  private static double divisor(AvgPool2d a, Window w, Bounds inside, Strided x) {
    if (a.divisorOverride() != 0) {
      return a.divisorOverride();
    }
    if (!a.countIncludePad()) {
      return inside.count();
    }
    long bottom = Math.min(w.top() + w.rows(), x.size(2) + a.paddingH());
    long right = Math.min(w.left() + w.columns(), x.size(3) + a.paddingW());
    return (double) (bottom - w.top()) * (right - w.left());
  }

  private static Body maximum(Strided[] out, Strided in) {
    var values = new Elements(out[0]);
    var indices = new Elements(out[1]);
    var x = new Elements(in);
    return (o, plane, w) -> {
      long best = -1;
      long bottom = Math.min(in.size(2), w.top() + (w.rows() - 1) * w.dilationH() + 1);
      long right = Math.min(in.size(3), w.left() + (w.columns() - 1) * w.dilationW() + 1);
      for (long h = first(w.top(), w.dilationH()); h < bottom; h += w.dilationH()) {
        for (long v = first(w.left(), w.dilationW()); v < right; v += w.dilationW()) {
          long here = h * in.size(3) + v;
          if (best < 0 || isGreater(x, plane + here, plane + best)) {
            best = here;
          }
        }
      }
      if (best < 0) { // a dilated window may miss the image
        values.set(o, Double.NEGATIVE_INFINITY);
        indices.set(o, 0L);
        return;
      }
      if (x.isWhole()) {
        values.set(o, x.wholeAt(plane + best));
      } else {
        values.set(o, x.at(plane + best));
      }
      indices.set(o, best);
    };
  }

  /// The first element of a window that is not before the image.
  private static long first(long begin, long step) {
    return begin < 0 ? begin + Math.ceilDiv(-begin, step) * step : begin;
  }

  /// The first of equal elements stays; a NaN beats every number and, as in PyTorch, an earlier NaN.
  private static boolean isGreater(Elements x, long i, long j) {
    if (x.isWhole()) {
      return x.wholeAt(i) > x.wholeAt(j);
    }
    double a = x.at(i);
    return a > x.at(j) || Double.isNaN(a);
  }

  private static void spread(Elements dx, double value, long plane, Bounds b, long width) {
    for (long h = b.top(); h < b.bottom(); h++) {
      for (long v = b.left(); v < b.right(); v++) {
        add(dx, plane + h * width + v, value);
      }
    }
  }

  private static void clear(Elements x) {
    for (long i = 0, count = x.numel(); i < count; i++) {
      x.set(i, 0L);
    }
  }

  private static void add(Elements x, long i, double more) {
    x.set(i, x.at(i) + more);
  }
}
