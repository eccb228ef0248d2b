package taper.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Pooling.AvgPool2d;
import taper.tensor.Pooling.MaxPool2d;
import taper.tensor.Pooling.Plane;

/// What the declarations of [Pooling] share: sizes, and forms that come down to one kernel.
final class Pools {
  private Pools() {}

  static MaxPool2d max(int height, int width, PoolingOptions o) {
    return new MaxPool2d(
        height,
        width,
        o.strideH() == 0 ? height : o.strideH(),
        o.strideW() == 0 ? width : o.strideW(),
        o.paddingH(),
        o.paddingW(),
        o.dilationH(),
        o.dilationW(),
        o.ceilMode());
  }

  static AvgPool2d average(int height, int width, PoolingOptions o) {
    return new AvgPool2d(
        height,
        width,
        o.strideH() == 0 ? height : o.strideH(),
        o.strideW() == 0 ? width : o.strideW(),
        o.paddingH(),
        o.paddingW(),
        o.ceilMode(),
        o.countIncludePad(),
        o.divisorOverride());
  }

  static Plane adaptive(String op, long height, long width) {
    if (height < 0 || width < 0) {
      throw new ArgumentException(
          "%s: the size of the result must not be negative, but is %d × %d."
              .formatted(op, height, width));
    }
    return new Plane(height, width);
  }

  /// The same options for a window of one row.
  static UnaryOperator<PoolingOptions> flat(UnaryOperator<PoolingOptions> options) {
    return start -> {
      PoolingOptions o = options.apply(start);
      return o.stride(1, o.strideW()).padding(0, o.paddingW()).dilation(1, o.dilationW());
    };
  }

  /// Applies `pool` to a batch of images, also where the batch dimension is missing.
  static Tensor[] images(Tensor x, String op, Function<Tensor, Tensor[]> pool) {
    if (x.dim() == 3) {
      return Arrays.stream(pool.apply(x.unsqueeze(0)))
          .map(y -> y.squeeze(0))
          .toArray(Tensor[]::new);
    }
    if (x.dim() != 4) {
      throw new ShapeException(
          "%s: self must have the dimensions [n c h w] or [c h w], but has shape %s."
              .formatted(op, x.shape()));
    }
    return pool.apply(x);
  }

  static Tensor row(Tensor x, String op, UnaryOperator<Tensor> pool) {
    if (x.dim() != 2 && x.dim() != 3) {
      throw new ShapeException(
          "%s: self must have the dimensions [n c l] or [c l], but has shape %s."
              .formatted(op, x.shape()));
    }
    return pool.apply(x.unsqueeze(-2)).squeeze(-2);
  }

  static <A extends Record> Tensor maxGradient(Backward<A> b) {
    long[] sizes = b.sizes("self");
    return Pooling.Operators.MAX_POOL2D_GRADIENT.on(
        new Plane(sizes[2], sizes[3]), b.grad(), b.output(1));
  }

  static Map<String, Long> maxSizes(MaxPool2d a, List<long @Nullable []> shapes) {
    long[] x = shapes.get(0);
    assert x != null;
    check("maxPool2d", a.kernelH(), a.kernelW(), a.strideH(), a.strideW());
    check("maxPool2d", "dilation", a.dilationH(), a.dilationW());
    checkPadding("maxPool2d", a.kernelH(), a.kernelW(), a.paddingH(), a.paddingW());
    long coveredH = a.dilationH() * (a.kernelH() - 1L) + 1;
    long coveredW = a.dilationW() * (a.kernelW() - 1L) + 1;
    checkFits("maxPool2d", x, coveredH, coveredW, a.paddingH(), a.paddingW());
    return Map.of(
        "oh", steps(x[2], a.paddingH(), coveredH, a.strideH(), a.ceilMode()),
        "ow", steps(x[3], a.paddingW(), coveredW, a.strideW(), a.ceilMode()));
  }

  static Map<String, Long> averageSizes(AvgPool2d a, List<long @Nullable []> shapes) {
    long[] x = shapes.get(0);
    assert x != null;
    check("avgPool2d", a.kernelH(), a.kernelW(), a.strideH(), a.strideW());
    checkPadding("avgPool2d", a.kernelH(), a.kernelW(), a.paddingH(), a.paddingW());
    checkFits("avgPool2d", x, a.kernelH(), a.kernelW(), a.paddingH(), a.paddingW());
    return Map.of(
        "oh", steps(x[2], a.paddingH(), a.kernelH(), a.strideH(), a.ceilMode()),
        "ow", steps(x[3], a.paddingW(), a.kernelW(), a.strideW(), a.ceilMode()));
  }

  static Map<String, Long> planeSizes(Plane a, List<long @Nullable []> shapes) {
    return Map.of("h", a.height(), "w", a.width());
  }

  static Map<String, Long> adaptiveSizes(Plane a, List<long @Nullable []> shapes) {
    return Map.of("oh", a.height(), "ow", a.width());
  }

  private static void check(String op, int kernelH, int kernelW, int strideH, int strideW) {
    check(op, "the window", kernelH, kernelW);
    check(op, "stride", strideH, strideW);
  }

  private static void check(String op, String what, int height, int width) {
    if (height < 1 || width < 1) {
      throw new ArgumentException(
          "%s: %s must be at least 1 × 1, but is %d × %d.".formatted(op, what, height, width));
    }
  }

  private static void checkPadding(
      String op, int kernelH, int kernelW, int paddingH, int paddingW) {
    if (paddingH < 0 || paddingW < 0 || paddingH > kernelH / 2 || paddingW > kernelW / 2) {
      throw new ArgumentException(
          "%s: padding must be at most half the window, but is %d × %d for a window of %d × %d."
              .formatted(op, paddingH, paddingW, kernelH, kernelW));
    }
  }

  private static void checkFits(
      String op, long[] x, long coveredH, long coveredW, int paddingH, int paddingW) {
    long paddedH = x[2] + 2L * paddingH;
    long paddedW = x[3] + 2L * paddingW;
    if (coveredH > paddedH || coveredW > paddedW) {
      boolean rows = coveredH > paddedH;
      throw new ShapeException(
          "%s: the window must fit into the padded input, but it covers %d %s of %d in self %s."
              .formatted(
                  op,
                  rows ? coveredH : coveredW,
                  rows ? "rows" : "columns",
                  rows ? paddedH : paddedW,
                  Arrays.toString(x)));
    }
  }

  /// How many windows there are; with `ceilMode` the last one must begin inside the input or its left padding.
  private static long steps(long size, int padding, long covered, int stride, boolean ceilMode) {
    long span = size + 2L * padding - covered;
    long count = (ceilMode ? Math.ceilDiv(span, (long) stride) : span / stride) + 1;
    return ceilMode && (count - 1) * stride >= size + padding ? count - 1 : count;
  }
}
