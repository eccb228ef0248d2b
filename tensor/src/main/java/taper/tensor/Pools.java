package taper.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Pooling.AvgPool2d;
import taper.tensor.Pooling.AvgPool2dInput;
import taper.tensor.Pooling.AvgPool3d;
import taper.tensor.Pooling.AvgPool3dInput;
import taper.tensor.Pooling.FractionalPool;
import taper.tensor.Pooling.MaxPool2d;
import taper.tensor.Pooling.MaxPool3d;
import taper.tensor.Pooling.Plane;
import taper.tensor.Pooling.Volume;
import taper.tensor.Reductions.Extremes;

/// What the declarations of [Pooling] share: sizes, and forms that come down to one kernel.
final class Pools {
  /// Windows of 2 × 2, side by side.
  static final MaxPool2d TWO_BY_TWO = new MaxPool2d(2, 2, 2, 2, 0, 0, 1, 1, false);

  private Pools() {}

  static MaxPool2d max(int height, int width, PoolingOptions o) {
    Steps stride = o.stridesOf(new Steps(1, height, width));
    return new MaxPool2d(
        height,
        width,
        stride.height(),
        stride.width(),
        o.padding().height(),
        o.padding().width(),
        o.dilation().height(),
        o.dilation().width(),
        o.ceilMode());
  }

  static MaxPool3d max(Steps kernel, PoolingOptions o) {
    return new MaxPool3d(kernel, o.stridesOf(kernel), o.padding(), o.dilation(), o.ceilMode());
  }

  static AvgPool2d average(int height, int width, PoolingOptions o) {
    Steps stride = o.stridesOf(new Steps(1, height, width));
    return new AvgPool2d(
        height,
        width,
        stride.height(),
        stride.width(),
        o.padding().height(),
        o.padding().width(),
        o.ceilMode(),
        o.countIncludePad(),
        o.divisorOverride());
  }

  static AvgPool3d average(Steps kernel, PoolingOptions o) {
    return new AvgPool3d(
        kernel,
        o.stridesOf(kernel),
        o.padding(),
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

  static Volume adaptive(String op, long depth, long height, long width) {
    if (depth < 0 || height < 0 || width < 0) {
      throw new ArgumentException(
          "%s: the size of the result must not be negative, but is %d × %d × %d."
              .formatted(op, depth, height, width));
    }
    return new Volume(depth, height, width);
  }

  /// The same options for a window of one row.
  static UnaryOperator<PoolingOptions> flat(UnaryOperator<PoolingOptions> options) {
    return start -> options.apply(start).flat();
  }

  private static void checkRank(Tensor x, String op, String form, int rank) {
    if (x.dim() != rank && x.dim() != rank - 1) {
      throw new ShapeException(
          "%s: self must have the dimensions [n %s] or [%s], but has shape %s."
              .formatted(op, form, form, x.shape()));
    }
    for (int d = x.dim() - rank + 1; d < x.dim(); d++) {
      if (x.size(d) == 0) {
        throw new ShapeException(
            "%s: only the batch may be empty, but self has shape %s.".formatted(op, x.shape()));
      }
    }
  }

  /// Applies `pool` to a batch of images, also where the batch dimension is missing.
  static Tensor images(Tensor x, String op, UnaryOperator<Tensor> pool) {
    checkRank(x, op, "c h w", 4);
    return x.dim() == 3 ? pool.apply(x.unsqueeze(0)).squeeze(0) : pool.apply(x);
  }

  static Extremes imageChoice(Tensor x, String op, Function<Tensor, Tensor[]> pool) {
    checkRank(x, op, "c h w", 4);
    return choice(x, 4, pool);
  }

  /// Applies `pool` to a batch of volumes, also where the batch dimension is missing.
  static Tensor volumes(Tensor x, String op, UnaryOperator<Tensor> pool) {
    checkRank(x, op, "c d h w", 5);
    return x.dim() == 4 ? pool.apply(x.unsqueeze(0)).squeeze(0) : pool.apply(x);
  }

  static Extremes volumeChoice(Tensor x, String op, Function<Tensor, Tensor[]> pool) {
    checkRank(x, op, "c d h w", 5);
    return choice(x, 5, pool);
  }

  private static Extremes choice(Tensor x, int rank, Function<Tensor, Tensor[]> pool) {
    Tensor[] out = pool.apply(x.dim() == rank ? x : x.unsqueeze(0));
    return x.dim() == rank
        ? new Extremes(out[0], out[1])
        : new Extremes(out[0].squeeze(0), out[1].squeeze(0));
  }

  static Tensor row(Tensor x, String op, UnaryOperator<Tensor> pool) {
    checkRank(x, op, "c l", 3);
    Tensor image = x.unsqueeze(-2);
    return Named.as(op, x, image, () -> pool.apply(image)).squeeze(-2);
  }

  static Extremes rowChoice(Tensor x, String op, Function<Tensor, Extremes> pool) {
    checkRank(x, op, "c l", 3);
    Tensor image = x.unsqueeze(-2);
    Extremes out = Named.as(op, x, image, () -> pool.apply(image));
    return new Extremes(out.values().squeeze(-2), out.indices().squeeze(-2));
  }

  /// The root of order `p` of `count` times the averages of powers; what is below 0 by rounding or an odd power keeps its
  /// sign in PyTorch's way.
  static Tensor norm(Tensor averages, double p, double count) {
    return averages.sign().mul(averages.abs().relu()).mul(count).pow(1 / p);
  }

  static Extremes fractional(
      Tensor x, String op, int rank, Steps kernel, FractionalPoolingOptions o) {
    checkRank(x, op, rank == 2 ? "c h w" : "c d h w", rank + 2);
    boolean bySize = !o.outputSize().isEmpty();
    if (bySize == !o.outputRatio().isEmpty()) {
      throw new ArgumentException(
          "%s: either outputSize or outputRatio must be given, but %s."
              .formatted(op, bySize ? "both are" : "neither is"));
    }
    int given = bySize ? o.outputSize().size() : o.outputRatio().size();
    if (given != 1 && given != rank) {
      throw new ArgumentException(
          "%s: there must be 1 or %d sizes or ratios, but there are %d."
              .formatted(op, rank, given));
    }
    var size = new ArrayList<Long>();
    for (int d = 0; d < rank; d++) {
      int at = given == 1 ? 0 : d;
      if (!bySize && !(o.outputRatio().get(at) > 0 && o.outputRatio().get(at) < 1)) {
        throw new ArgumentException(
            "%s: outputRatio must be between 0 and 1, but is %s.".formatted(op, o.outputRatio()));
      }
      size.add(
          bySize
              ? o.outputSize().get(at)
              : (long) (x.size(x.dim() - rank + d) * o.outputRatio().get(at)));
    }
    var pool = new FractionalPool(kernel, List.copyOf(size));
    Tensor batch = x.dim() == rank + 2 ? x : x.unsqueeze(0);
    Tensor samples = o.randomSamples();
    if (samples == null) {
      Generator generator = o.generator() == null ? Generator.global() : o.generator();
      samples = Tensor.rand(generator, x.dtype(), batch.size(0), batch.size(1), rank);
    }
    Tensor drawn = samples;
    Operator<FractionalPool> operator =
        rank == 2
            ? Pooling.Operators.FRACTIONAL_MAX_POOL2D
            : Pooling.Operators.FRACTIONAL_MAX_POOL3D;
    return choice(x, rank + 2, images -> operator.all(pool, images, drawn));
  }

  static Map<String, Long> fractionalSizes(
      String op, FractionalPool a, List<long @Nullable []> shapes) {
    long[] x = shapes.get(0);
    long[] samples = shapes.get(1);
    assert x != null && samples != null;
    int rank = x.length - 2;
    if (samples[2] != rank) {
      throw new ShapeException(
          "%s: samples must have a number for each of %d dimensions, but have shape %s."
              .formatted(op, rank, Arrays.toString(samples)));
    }
    checkSides(op, "self", x);
    if (a.size().size() != rank) {
      throw new ArgumentException(
          "%s: there must be %d sizes of the result, but there are %d."
              .formatted(op, rank, a.size().size()));
    }
    int[] kernel = {a.kernel().depth(), a.kernel().height(), a.kernel().width()};
    for (int d = 0; d < rank; d++) {
      long windows = a.size().get(d);
      int size = kernel[3 - rank + d];
      if (windows < 1 || size < 1 || windows > x[d + 2] - size + 1) {
        throw new ShapeException(
            "%s: %d windows of %d elements must fit, but self has shape %s."
                .formatted(op, windows, size, Arrays.toString(x)));
      }
    }
    return rank == 2
        ? Map.of("oh", a.size().get(0), "ow", a.size().get(1))
        : Map.of("od", a.size().get(0), "oh", a.size().get(1), "ow", a.size().get(2));
  }

  /// Places of windows are computed from samples: those outside of 0..1 would lead outside.
  static void checkSamples(String op, @Nullable Tensor[] inputs) {
    Tensor samples = Objects.requireNonNull(inputs[1]);
    if (samples.numel() > 0
        && !(samples.min().item() >= 0 && samples.max().item() <= 1)) { // nor NaN
      throw new ArgumentException(
          "%s: samples must be in 0..1, but there are some from %s to %s."
              .formatted(op, samples.min().item(), samples.max().item()));
    }
  }

  static Tensor unpool(
      Tensor x, Tensor indices, String op, int rank, Steps kernel, UnpoolingOptions o) {
    checkRank(x, op, new String[] {"c l", "c h w", "c d h w"}[rank - 1], rank + 2);
    if (!x.shape().equals(indices.shape())) {
      throw new ShapeException(
          "%s: self and indices must have one shape, but have shapes %s and %s."
              .formatted(op, x.shape(), indices.shape()));
    }
    int[] k = {kernel.depth(), kernel.height(), kernel.width()};
    int[] s = {o.stride().depth(), o.stride().height(), o.stride().width()};
    int[] p = {o.padding().depth(), o.padding().height(), o.padding().width()};
    long[] size = new long[rank];
    int lead = x.dim() - rank;
    if (!o.outputSize().isEmpty() && o.outputSize().size() != rank) {
      throw new ArgumentException(
          "%s: outputSize must have %d sizes, but is %s.".formatted(op, rank, o.outputSize()));
    }
    long small = 1;
    long large = 1;
    for (int d = 0; d < rank; d++) {
      int at = 3 - rank + d;
      int stride = s[at] == 0 ? k[at] : s[at];
      if (k[at] < 1 || stride < 1 || p[at] < 0) {
        throw new ArgumentException(
            "%s: window and stride must be at least 1 and padding not negative, but are %d, %d and %d."
                .formatted(op, k[at], stride, p[at]));
      }
      if (x.size(lead + d) > Integer.MAX_VALUE) {
        throw new ShapeException(
            "%s: each side must have fewer than 2^31 elements, but self has shape %s."
                .formatted(op, x.shape()));
      }
      long usual = (x.size(lead + d) - 1) * stride + k[at] - 2L * p[at];
      size[d] = o.outputSize().isEmpty() ? usual : o.outputSize().get(d);
      if (size[d] < 1 || size[d] <= usual - stride || size[d] >= usual + stride) {
        throw new ArgumentException(
            "%s: size %d of dimension %d must be between %d and %d."
                .formatted(op, size[d], d, usual - stride + 1, usual + stride - 1));
      }
      small *= x.size(lead + d);
      large = Math.multiplyExact(large, size[d]);
    }
    long n = lead == 2 ? x.size(0) : 1;
    long c = x.size(lead - 1);
    long[] result = x.sizes();
    System.arraycopy(size, 0, result, lead, rank);
    // Places are counted through the whole plane or volume: for this operator it is a row.
    return Pooling.Operators.MAX_UNPOOL
        .on(new Plane(1, large), x.reshape(n, c, 1, small), indices.reshape(n, c, 1, small))
        .view(result);
  }

  static void checkPlaces(Plane a, @Nullable Tensor[] inputs) {
    Tensor indices = inputs[1];
    if (indices == null || indices.numel() == 0) {
      return;
    }
    long least = indices.min().itemLong();
    long most = indices.max().itemLong();
    long plane = Math.multiplyExact(a.height(), a.width());
    if (least < 0 || most >= plane) {
      throw new ArgumentException(
          "maxUnpool2d: indices must be below the %d elements of the result, but there are some from %d to %d."
              .formatted(plane, least, most));
    }
  }

  static <A extends Record> Tensor maxGradient3d(Backward<A> b) {
    long[] sizes = b.sizes("self");
    Tensor grad = b.grad();
    long n = sizes[0];
    long c = sizes[1];
    long small = grad.size(2) * grad.size(3) * grad.size(4);
    return Pooling.Operators.MAX_POOL2D_GRADIENT
        .on(
            new Plane(1, sizes[2] * sizes[3] * sizes[4]),
            grad.reshape(n, c, 1, small),
            b.output(1).reshape(n, c, 1, small))
        .view(sizes);
  }

  static Volume volume(long[] sizes) {
    return new Volume(sizes[2], sizes[3], sizes[4]);
  }

  static Map<String, Long> volumeSizes(String op, Volume a) {
    checkSize(op, a.depth(), a.height(), a.width());
    return Map.of("d", a.depth(), "h", a.height(), "w", a.width());
  }

  static Map<String, Long> adaptiveSizes3d(String op, Volume a, List<long @Nullable []> shapes) {
    checkSides(op, "self", shape(shapes, 0));
    checkSize(op, a.depth(), a.height(), a.width());
    return Map.of("od", a.depth(), "oh", a.height(), "ow", a.width());
  }

  static Map<String, Long> maxSizes3d(MaxPool3d a, List<long @Nullable []> shapes) {
    return sizes3d(
        "maxPool3d", a.kernel(), a.stride(), a.padding(), a.dilation(), a.ceilMode(), shapes);
  }

  static Map<String, Long> averageSizes3d(AvgPool3d a, List<long @Nullable []> shapes) {
    return sizes3d(
        "avgPool3d", a.kernel(), a.stride(), a.padding(), Steps.all(1), a.ceilMode(), shapes);
  }

  private static Map<String, Long> sizes3d(
      String op,
      Steps kernel,
      Steps stride,
      Steps padding,
      Steps dilation,
      boolean ceilMode,
      List<long @Nullable []> shapes) {
    long[] x = shapes.get(0);
    assert x != null;
    if (kernel.least() < 1 || stride.least() < 1 || dilation.least() < 1) {
      throw new ArgumentException(
          "%s: window, stride and dilation must be at least 1, but are %s, %s and %s."
              .formatted(op, kernel, stride, dilation));
    }
    checkSides(op, "self", x);
    long d = WindowSizes.covered(op, kernel.depth(), dilation.depth());
    long h = WindowSizes.covered(op, kernel.height(), dilation.height());
    long w = WindowSizes.covered(op, kernel.width(), dilation.width());
    if (padding.least() < 0
        || padding.depth() > d / 2
        || padding.height() > h / 2
        || padding.width() > w / 2) {
      throw new ArgumentException(
          "%s: padding must be between 0 and half the window, but is %s for a window of %d × %d × %d."
              .formatted(op, padding, d, h, w));
    }
    if (d > x[2] + 2L * padding.depth()
        || h > x[3] + 2L * padding.height()
        || w > x[4] + 2L * padding.width()) {
      throw new ShapeException(
          "%s: the window must fit into the padded input, but covers %d × %d × %d elements of self %s."
              .formatted(op, d, h, w, Arrays.toString(x)));
    }
    return Map.of(
        "od", steps(x[2], padding.depth(), d, stride.depth(), ceilMode),
        "oh", steps(x[3], padding.height(), h, stride.height(), ceilMode),
        "ow", steps(x[4], padding.width(), w, stride.width(), ceilMode));
  }

  static <A extends Record> Tensor maxGradient(Backward<A> b) {
    long[] sizes = b.sizes("self");
    return Pooling.Operators.MAX_POOL2D_GRADIENT.on(
        new Plane(sizes[2], sizes[3]), b.grad(), b.output(1));
  }

  static <A extends Record> Tensor cornerGradient(Backward<A> b) {
    long[] sizes = b.sizes("self");
    return Pooling.Operators.MAX_POOL_2X2_GRADIENT.on(
        new Plane(sizes[2], sizes[3]), b.grad(), b.output(1));
  }

  static <A extends Record> Tensor pickedGradient(Backward<A> b) {
    long[] sizes = b.sizes("self");
    return Pooling.Operators.MAX_POOL_2X2_GRADIENT.on(
        new Plane(sizes[2], sizes[3]), b.grad(), b.input("corners"));
  }

  static Map<String, Long> maxSizes(MaxPool2d a, List<long @Nullable []> shapes) {
    long[] x = shapes.get(0);
    assert x != null;
    checkSides("maxPool2d", "self", x);
    check("maxPool2d", a.kernelH(), a.kernelW(), a.strideH(), a.strideW());
    check("maxPool2d", "dilation", a.dilationH(), a.dilationW());
    long coveredH = a.dilationH() * (a.kernelH() - 1L) + 1;
    long coveredW = a.dilationW() * (a.kernelW() - 1L) + 1;
    checkPadding("maxPool2d", coveredH, coveredW, a.paddingH(), a.paddingW());
    checkFits("maxPool2d", x, coveredH, coveredW, a.paddingH(), a.paddingW());
    return Map.of(
        "oh", steps(x[2], a.paddingH(), coveredH, a.strideH(), a.ceilMode()),
        "ow", steps(x[3], a.paddingW(), coveredW, a.strideW(), a.ceilMode()));
  }

  static Map<String, Long> averageSizes(AvgPool2d a, List<long @Nullable []> shapes) {
    return averageSizes(a, shape(shapes, 0));
  }

  private static Map<String, Long> averageSizes(AvgPool2d a, long[] x) {
    checkSides("avgPool2d", "self", x);
    check("avgPool2d", a.kernelH(), a.kernelW(), a.strideH(), a.strideW());
    checkPadding("avgPool2d", a.kernelH(), a.kernelW(), a.paddingH(), a.paddingW());
    checkFits("avgPool2d", x, a.kernelH(), a.kernelW(), a.paddingH(), a.paddingW());
    return Map.of(
        "oh", steps(x[2], a.paddingH(), a.kernelH(), a.strideH(), a.ceilMode()),
        "ow", steps(x[3], a.paddingW(), a.kernelW(), a.strideW(), a.ceilMode()));
  }

  private static long[] shape(List<long @Nullable []> shapes, int position) {
    return Objects.requireNonNull(shapes.get(position));
  }

  /// Sides are walked through as ints; only batch and channels may be empty.
  private static void checkSides(String op, String name, long[] x) {
    WindowSizes.sides(op, name, x);
    double volume = 1;
    for (int d = 2; d < x.length; d++) {
      volume *= x[d];
      if (x[d] > Integer.MAX_VALUE || x.length == 5 && volume > Integer.MAX_VALUE) {
        throw new ShapeException(
            "%s: each %s of %s must have fewer than 2^31 elements, but it has shape %s."
                .formatted(op, x.length == 5 ? "volume" : "side", name, Arrays.toString(x)));
      }
    }
  }

  private static void checkSize(String op, long... sizes) {
    for (long size : sizes) {
      if (size < 0 || size > Integer.MAX_VALUE) {
        throw new ArgumentException(
            "%s: each side of the result must have 0 to 2147483647 elements, but %d are asked for."
                .formatted(op, size));
      }
    }
  }

  static Map<String, Long> planeSizes(String op, Plane a) {
    checkSize(op, a.height(), a.width());
    return Map.of("h", a.height(), "w", a.width());
  }

  /// The result of unpooling, whose planes may be volumes.
  static Map<String, Long> unpooledSizes(String op, Plane a) {
    if (a.height() < 0 || a.width() < 0) {
      throw new ArgumentException(
          "%s: the size of the result must not be negative, but is %d × %d."
              .formatted(op, a.height(), a.width()));
    }
    return Map.of("h", a.height(), "w", a.width());
  }

  /// The planes whose corners were taken: those of the result are half as high and wide.
  static Map<String, Long> cornerSizes(Plane a, List<long @Nullable []> shapes) {
    checkSize("maxPool2x2Gradient", a.height(), a.width());
    checkHalves("maxPool2x2Gradient", a.height(), a.width(), shape(shapes, 1));
    return Map.of("h", a.height(), "w", a.width());
  }

  /// Needs no size of its own, but corners of this plane.
  static Map<String, Long> pickedCorners(Operator.None a, List<long @Nullable []> shapes) {
    long[] x = shape(shapes, 0);
    checkHalves("maxPool2x2Pick", x[2], x[3], shape(shapes, 1));
    return Map.of();
  }

  private static void checkHalves(String op, long height, long width, long[] corners) {
    if (corners[2] != height / 2 || corners[3] != width / 2) {
      throw new ShapeException(
          "%s: corners must have %d rows and %d columns for planes of %d × %d, but have shape %s."
              .formatted(op, height / 2, width / 2, height, width, Arrays.toString(corners)));
    }
  }

  static Map<String, Long> averageGradientSizes(AvgPool2dInput a, List<long @Nullable []> shapes) {
    long[] grad = shape(shapes, 0);
    var x = new long[] {grad[0], grad[1], a.height(), a.width()};
    checkSize("avgPool2dGradient", a.height(), a.width());
    checkGradient("avgPool2dGradient", grad, averageSizes(a.pool(), x));
    return Map.of("h", a.height(), "w", a.width());
  }

  static Map<String, Long> averageGradientSizes3d(
      AvgPool3dInput a, List<long @Nullable []> shapes) {
    long[] grad = shape(shapes, 0);
    Volume v = a.size();
    checkSize("avgPool3dGradient", v.depth(), v.height(), v.width());
    var x = new long[] {grad[0], grad[1], v.depth(), v.height(), v.width()};
    checkGradient("avgPool3dGradient", grad, averageSizes3d(a.pool(), Arrays.asList(x, x)));
    return Map.of("d", v.depth(), "h", v.height(), "w", v.width());
  }

  private static void checkGradient(String op, long[] grad, Map<String, Long> sizes) {
    long[] wanted = grad.clone();
    String[] names = {"od", "oh", "ow"};
    for (int d = 2; d < grad.length; d++) {
      wanted[d] = Objects.requireNonNull(sizes.get(names[d + 3 - grad.length]));
    }
    if (!Arrays.equals(wanted, grad)) {
      throw new ShapeException(
          "%s: grad must have the shape of the pool's result, %s, but has %s."
              .formatted(op, Arrays.toString(wanted), Arrays.toString(grad)));
    }
  }

  static Map<String, Long> adaptiveSizes(String op, Plane a, List<long @Nullable []> shapes) {
    checkSides(op, "self", shape(shapes, 0));
    checkSize(op, a.height(), a.width());
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
      String op, long kernelH, long kernelW, int paddingH, int paddingW) {
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
