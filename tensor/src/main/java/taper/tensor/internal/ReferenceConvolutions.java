package taper.tensor.internal;

import static taper.tensor.internal.ReferenceNormalization.NORMALIZE_CHANNELS;

import org.jspecify.annotations.Nullable;
import taper.tensor.Convolutions.Conv2d;
import taper.tensor.Convolutions.Conv2dInput;
import taper.tensor.Convolutions.Conv2dNormalized;
import taper.tensor.Convolutions.Conv2dWeight;
import taper.tensor.Normalization.BatchNorm;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain two-dimensional convolutions on contiguous operands; sums are kept in the type of the result.
///
/// All three directions visit the same triples (element of the result, of the input, of the window); they differ in
/// which of the three is summed into.
public final class ReferenceConvolutions {
  private ReferenceConvolutions() {}

  /// `input[n c h w], weight[o i kh kw], bias?[o] -> [n o oh ow]`.
  public static final Kernel FORWARD =
      (attributes, out, in) -> {
        Elements y = new Elements(out[0]);
        var x = new Elements(in[0]);
        var w = new Elements(in[1]);
        Elements bias = in[2] == null ? null : new Elements(in[2]);
        long plane = out[0].size(2) * out[0].size(3);
        long channels = out[0].size(1);
        for (long i = 0, count = out[0].numel(); i < count; i++) {
          start(y, i, bias, bias == null ? 0 : i / plane % channels);
        }
        visit((Conv2d) attributes, out[0], in[0], in[1], (yi, xi, wi) -> add(y, yi, x, xi, w, wi));
      };

  /// As [#FORWARD], and what is negative becomes zero.
  public static final Kernel FORWARD_RELU =
      (attributes, out, in) -> {
        FORWARD.run(attributes, out, in);
        ReferenceNormalization.rectify(out[0], null);
      };

  /// `grad[n o oh ow], weight[o i kh kw] -> [n c h w]`.
  public static final Kernel INPUT_GRADIENT =
      (attributes, out, in) -> {
        var dx = new Elements(out[0]);
        var dy = new Elements(in[0]);
        var w = new Elements(in[1]);
        clear(dx);
        visit(
            ((Conv2dInput) attributes).window(),
            in[0],
            out[0],
            in[1],
            (yi, xi, wi) -> add(dx, xi, dy, yi, w, wi));
      };

  /// `grad[n o oh ow], input[n c h w] -> [o i kh kw]`.
  public static final Kernel WEIGHT_GRADIENT =
      (attributes, out, in) -> {
        var dw = new Elements(out[0]);
        var dy = new Elements(in[0]);
        var x = new Elements(in[1]);
        clear(dw);
        visit(
            ((Conv2dWeight) attributes).window(),
            in[0],
            in[1],
            out[0],
            (yi, xi, wi) -> add(dw, wi, dy, yi, x, xi));
      };

  /// `input[n c h w], weight[o i kh kw], bias?[o], scale?[o], shift?[o], mean[o], variance[o], addend?[n o oh ow]
  /// -> [n o oh ow]`.
  public static final Kernel NORMALIZED =
      (attributes, out, in) -> {
        var a = (Conv2dNormalized) attributes;
        FORWARD.run(a.window(), out, new Strided[] {in[0], in[1], in[2]});
        var norm = new BatchNorm(0, a.eps());
        NORMALIZE_CHANNELS.run(norm, out, new Strided[] {out[0], in[3], in[4], in[5], in[6]});
        if (a.relu()) {
          ReferenceNormalization.rectify(out[0], in[7]);
        }
      };

  private interface Visitor {
    /// Sees one product: the indices of an element of the result, the input and the weight.
    void at(long y, long x, long w);
  }

  private static void start(Elements y, long i, @Nullable Elements bias, long channel) {
    if (y.isWhole()) {
      y.set(i, bias == null ? 0L : bias.wholeAt(channel));
    } else {
      y.set(i, bias == null ? 0.0 : bias.at(channel));
    }
  }

  private static void clear(Elements x) {
    for (long i = 0, count = x.numel(); i < count; i++) {
      start(x, i, null, 0);
    }
  }

  private static void add(Elements to, long t, Elements a, long i, Elements b, long j) {
    if (to.isWhole()) {
      to.set(t, to.wholeAt(t) + a.wholeAt(i) * b.wholeAt(j));
    } else {
      to.set(t, to.at(t) + a.at(i) * b.at(j));
    }
  }

  private static void visit(Conv2d a, Strided y, Strided x, Strided w, Visitor visitor) {
    long outPerGroup = y.size(1) / a.groups();
    for (long n = 0; n < y.size(0); n++) {
      for (long o = 0; o < y.size(1); o++) {
        long c0 = outPerGroup == 0 ? 0 : o / outPerGroup * w.size(1);
        for (long i = 0; i < w.size(1); i++) {
          long xPlane = (n * x.size(1) + c0 + i) * x.size(2) * x.size(3);
          long yPlane = (n * y.size(1) + o) * y.size(2) * y.size(3);
          long wPlane = (o * w.size(1) + i) * w.size(2) * w.size(3);
          plane(a, y, x, w, yPlane, xPlane, wPlane, visitor);
        }
      }
    }
  }

  private static void plane(
      Conv2d a,
      Strided y,
      Strided x,
      Strided w,
      long yPlane,
      long xPlane,
      long wPlane,
      Visitor visitor) {
    for (long oh = 0; oh < y.size(2); oh++) {
      for (long ow = 0; ow < y.size(3); ow++) {
        for (long kh = 0; kh < w.size(2); kh++) {
          long h = oh * a.strideH() - a.paddingH() + kh * a.dilationH();
          if (h < 0 || h >= x.size(2)) {
            continue;
          }
          for (long kw = 0; kw < w.size(3); kw++) {
            long v = ow * a.strideW() - a.paddingW() + kw * a.dilationW();
            if (v >= 0 && v < x.size(3)) {
              visitor.at(
                  yPlane + oh * y.size(3) + ow,
                  xPlane + h * x.size(3) + v,
                  wPlane + kh * w.size(3) + kw);
            }
          }
        }
      }
    }
  }
}
