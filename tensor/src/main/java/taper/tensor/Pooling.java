package taper.tensor;

import java.util.List;
import java.util.function.UnaryOperator;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferencePooling;

/// Maxima and averages over windows that move across an image.
///
/// Inputs may lack the batch dimension; the result lacks it then too.
public sealed interface Pooling permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the maxima over windows of `kernel × kernel` elements, side by side.
  ///
  /// - Shape: `[n c h w] -> [n c h/kernel w/kernel]`
  default Tensor maxPool2d(int kernel) {
    return maxPool2d(kernel, kernel, o -> o);
  }

  /// Returns the maxima over windows of `kernel × kernel` elements.
  ///
  /// @param options stride, padding, dilation, ceilMode, as in `o -> o.stride(2).padding(1)`
  default Tensor maxPool2d(int kernel, UnaryOperator<PoolingOptions> options) {
    return maxPool2d(kernel, kernel, options);
  }

  /// Returns the maxima over windows. A NaN in a window is its maximum.
  ///
  /// - Shape: `[n c h w] -> [n c h' w']` with `h' = (h + 2·padding - dilation·(height - 1) - 1) / stride + 1`; the
  ///   batch dimension may be missing
  /// - Gradient: to the first of the largest elements of each window
  ///
  /// @throws ShapeException if the window is larger than the padded input
  default Tensor maxPool2d(int height, int width, UnaryOperator<PoolingOptions> options) {
    var pool = Pools.max(height, width, options.apply(PoolingOptions.DEFAULT));
    return Pools.images(self(), "maxPool2d", x -> new Tensor[] {Operators.MAX_POOL2D.on(pool, x)})[
        0];
  }

  /// Returns the maxima over windows, and where each lies in its plane, as `row · w + column`.
  default Tensor[] maxPool2dWithIndices(
      int height, int width, UnaryOperator<PoolingOptions> options) {
    var pool = Pools.max(height, width, options.apply(PoolingOptions.DEFAULT));
    return Pools.images(self(), "maxPool2d", x -> Operators.MAX_POOL2D.all(pool, x));
  }

  /// Returns the maxima over windows of `kernel` elements along the last dimension.
  ///
  /// - Shape: `[n c l] -> [n c l']`; the batch dimension may be missing
  default Tensor maxPool1d(int kernel, UnaryOperator<PoolingOptions> options) {
    return Pools.row(self(), "maxPool1d", x -> x.maxPool2d(1, kernel, Pools.flat(options)));
  }

  /// Returns the averages over windows of `kernel × kernel` elements, side by side.
  ///
  /// - Shape: `[n c h w] -> [n c h/kernel w/kernel]`
  default Tensor avgPool2d(int kernel) {
    return avgPool2d(kernel, kernel, o -> o);
  }

  /// Returns the averages over windows of `kernel × kernel` elements.
  ///
  /// @param options stride, padding, ceilMode, countIncludePad, divisorOverride
  default Tensor avgPool2d(int kernel, UnaryOperator<PoolingOptions> options) {
    return avgPool2d(kernel, kernel, options);
  }

  /// Returns the averages over windows.
  ///
  /// - Shape: `[n c h w] -> [n c h' w']` with `h' = (h + 2·padding - height) / stride + 1`; the batch dimension may be
  ///   missing
  ///
  /// @throws ShapeException if the window is larger than the padded input
  default Tensor avgPool2d(int height, int width, UnaryOperator<PoolingOptions> options) {
    var pool = Pools.average(height, width, options.apply(PoolingOptions.DEFAULT));
    return Pools.images(self(), "avgPool2d", x -> new Tensor[] {Operators.AVG_POOL2D.on(pool, x)})[
        0];
  }

  /// Returns the averages over windows of `kernel` elements along the last dimension.
  ///
  /// - Shape: `[n c l] -> [n c l']`; the batch dimension may be missing
  default Tensor avgPool1d(int kernel, UnaryOperator<PoolingOptions> options) {
    return Pools.row(self(), "avgPool1d", x -> x.avgPool2d(1, kernel, Pools.flat(options)));
  }

  /// Returns averages over as many windows as the result shall have elements: window `i` of `height` covers rows
  /// `⌊i·h/height⌋` to `⌈(i+1)·h/height⌉`.
  ///
  /// - Shape: `[n c h w] -> [n c height width]`; the batch dimension may be missing
  default Tensor adaptiveAvgPool2d(long height, long width) {
    var size = Pools.adaptive("adaptiveAvgPool2d", height, width);
    return Pools.images(
        self(), "adaptiveAvgPool2d", x -> new Tensor[] {Operators.ADAPTIVE_AVG_POOL2D.on(size, x)})[
        0];
  }

  /// Returns maxima over as many windows as the result shall have elements, see [#adaptiveAvgPool2d(long, long)].
  ///
  /// - Shape: `[n c h w] -> [n c height width]`; the batch dimension may be missing
  default Tensor adaptiveMaxPool2d(long height, long width) {
    var size = Pools.adaptive("adaptiveMaxPool2d", height, width);
    return Pools.images(
        self(), "adaptiveMaxPool2d", x -> new Tensor[] {Operators.ADAPTIVE_MAX_POOL2D.on(size, x)})[
        0];
  }

  /// The window of a maximum.
  ///
  /// @param kernelH the rows of the window
  /// @param kernelW the columns of the window
  /// @param strideH the step between rows of the result
  /// @param strideW the step between columns of the result
  /// @param paddingH rows added above and below, smaller than every number
  /// @param paddingW columns added to the left and right
  /// @param dilationH the distance between rows of the window
  /// @param dilationW the distance between columns of the window
  /// @param ceilMode whether a window that the input does not fill gives an element too
  record MaxPool2d(
      int kernelH,
      int kernelW,
      int strideH,
      int strideW,
      int paddingH,
      int paddingW,
      int dilationH,
      int dilationW,
      boolean ceilMode) {}

  /// The window of an average.
  ///
  /// @param kernelH the rows of the window
  /// @param kernelW the columns of the window
  /// @param strideH the step between rows of the result
  /// @param strideW the step between columns of the result
  /// @param paddingH rows of zeros above and below
  /// @param paddingW columns of zeros to the left and right
  /// @param ceilMode whether a window that the input does not fill gives an element too
  /// @param countIncludePad whether padding counts
  /// @param divisorOverride what sums are divided by; 0 for the number of elements
  record AvgPool2d(
      int kernelH,
      int kernelW,
      int strideH,
      int strideW,
      int paddingH,
      int paddingW,
      boolean ceilMode,
      boolean countIncludePad,
      int divisorOverride) {}

  /// An average, and the size of its input, which does not follow from that of its result.
  ///
  /// @param pool the window
  /// @param height the rows of the input
  /// @param width the columns of the input
  record AvgPool2dInput(AvgPool2d pool, long height, long width) {}

  /// The size of a plane.
  ///
  /// @param height the rows
  /// @param width the columns
  record Plane(long height, long width) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("pooling");

    static final Operator<MaxPool2d> MAX_POOL2D =
        FAMILY
            .<MaxPool2d>structured(
                "maxPool2d", "self[n c h w] -> [n c oh ow], [n c oh ow]", ReferencePooling.MAX)
            .sizes(Pools::maxSizes)
            .dtypes(DTypes.SAME.results(DTypes.Result.COMPUTED, DTypes.Result.INT64))
            .gradient(
                "self", new Keeps(java.util.Set.of(), java.util.Set.of(1)), Pools::maxGradient)
            .gradientName("MaxPool2DWithIndicesBackward0")
            .torch(
                "aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[],"
                    + " int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor,"
                    + " Tensor)")
            .sample(new MaxPool2d(2, 2, 2, 2, 0, 0, 1, 1, false), "f32[2 3 4 6]")
            .sample(new MaxPool2d(3, 2, 2, 1, 1, 1, 1, 1, false), "f32[2 3 5 5]")
            .sample(new MaxPool2d(2, 2, 2, 2, 0, 0, 2, 1, true), "f32[1 2 6 7]")
            .sample(new MaxPool2d(2, 2, 2, 2, 0, 0, 1, 1, false), "f32[0 3 4 4]")
            .rejects(
                new MaxPool2d(3, 3, 3, 3, 0, 0, 1, 1, false),
                "f32[1 1 2 4]",
                "maxPool2d: the window must fit into the padded input, but it covers 3 rows of 2 in"
                    + " self [1, 1, 2, 4].")
            .rejects(
                new MaxPool2d(2, 2, 2, 2, 2, 0, 1, 1, false),
                "f32[1 1 4 4]",
                "maxPool2d: padding must be at most half the window, but is 2 × 0 for a window of 2"
                    + " × 2.")
            .declare();

    static final Operator<Plane> MAX_POOL2D_GRADIENT =
        FAMILY
            .<Plane>structured(
                "maxPool2dGradient",
                "grad[n c oh ow], indices[n c oh ow] -> [n c h w]",
                ReferencePooling.MAX_GRADIENT)
            .sizes(Pools::planeSizes)
            .dtypes(DTypes.SAME.fixed("indices", DType.INT64))
            .gradient(
                "grad",
                Keeps.inputs("indices"),
                b -> Operators.MAX_POOL2D_PICK.on(Operator.None.NONE, b.grad(), b.input("indices")))
            .gradientName("MaxPool2DWithIndicesBackwardBackward0")
            .own()
            .sample(new Plane(4, 6), "f32[2 3 2 3], i64[2 3 2 3] in 0..24")
            .declare();

    static final Operator<Operator.None> MAX_POOL2D_PICK =
        FAMILY
            .<Operator.None>structured(
                "maxPool2dPick",
                "self[n c h w], indices[n c oh ow] -> [n c oh ow]",
                ReferencePooling.PICK)
            .dtypes(DTypes.SAME.fixed("indices", DType.INT64))
            .gradient(
                "self",
                Keeps.inputs("indices"),
                b ->
                    Operators.MAX_POOL2D_GRADIENT.on(
                        new Plane(b.sizes("self")[2], b.sizes("self")[3]),
                        b.grad(),
                        b.input("indices")))
            .own()
            .sample(Operator.None.NONE, "f32[2 3 4 6], i64[2 3 2 3] in 0..24")
            .declare();

    static final Operator<AvgPool2d> AVG_POOL2D =
        FAMILY
            .<AvgPool2d>structured(
                "avgPool2d", "self[n c h w] -> [n c oh ow]", ReferencePooling.AVERAGE)
            .sizes(Pools::averageSizes)
            .dtypes(DTypes.SAME)
            .gradient(
                "self",
                Keeps.NOTHING,
                b ->
                    Operators.AVG_POOL2D_GRADIENT.on(
                        new AvgPool2dInput(b.attributes(), b.sizes("self")[2], b.sizes("self")[3]),
                        b.grad()))
            .gradientName("AvgPool2DBackward0")
            .torch(
                "aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2]"
                    + " padding=0, bool ceil_mode=False, bool count_include_pad=True, int?"
                    + " divisor_override=None) -> Tensor")
            .sample(new AvgPool2d(2, 2, 2, 2, 0, 0, false, true, 0), "f32[2 3 4 6]")
            .sample(new AvgPool2d(3, 2, 2, 1, 1, 1, false, true, 0), "f32[2 3 5 5]")
            .sample(new AvgPool2d(3, 2, 2, 3, 1, 0, true, false, 0), "f32[1 2 6 6]")
            .sample(new AvgPool2d(2, 2, 1, 1, 0, 0, false, true, 3), "f32[1 2 4 4]")
            .rejects(
                new AvgPool2d(3, 3, 3, 3, 0, 0, false, true, 0),
                "f32[1 1 4 2]",
                "avgPool2d: the window must fit into the padded input, but it covers 3 columns of 2"
                    + " in self [1, 1, 4, 2].")
            .declare();

    static final Operator<AvgPool2dInput> AVG_POOL2D_GRADIENT =
        FAMILY
            .<AvgPool2dInput>structured(
                "avgPool2dGradient",
                "grad[n c oh ow] -> [n c h w]",
                ReferencePooling.AVERAGE_GRADIENT)
            .sizes((a, shapes) -> Pools.planeSizes(new Plane(a.height(), a.width()), shapes))
            .dtypes(DTypes.SAME)
            .gradient(
                "grad",
                Keeps.NOTHING,
                b -> Operators.AVG_POOL2D.on(b.attributes().pool(), b.grad()))
            .gradientName("AvgPool2DBackwardBackward0")
            .own()
            .sample(
                new AvgPool2dInput(new AvgPool2d(3, 2, 2, 1, 1, 1, false, true, 0), 5, 5),
                "f32[2 3 3 6]")
            .declare();

    static final Operator<Plane> ADAPTIVE_AVG_POOL2D =
        FAMILY
            .<Plane>structured(
                "adaptiveAvgPool2d",
                "self[n c h w] -> [n c oh ow]",
                ReferencePooling.ADAPTIVE_AVERAGE)
            .sizes(Pools::adaptiveSizes)
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "self",
                Keeps.NOTHING,
                b ->
                    Operators.ADAPTIVE_AVG_POOL2D_GRADIENT.on(
                        new Plane(b.sizes("self")[2], b.sizes("self")[3]), b.grad()))
            .gradientName("AdaptiveAvgPool2DBackward0")
            .torch("aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor")
            .sample(new Plane(1, 1), "f32[2 3 4 6]")
            .sample(new Plane(3, 2), "f32[2 3 7 5]")
            .sample(new Plane(5, 7), "f32[1 2 3 4]")
            .declare();

    static final Operator<Plane> ADAPTIVE_AVG_POOL2D_GRADIENT =
        FAMILY
            .<Plane>structured(
                "adaptiveAvgPool2dGradient",
                "grad[n c oh ow] -> [n c h w]",
                ReferencePooling.ADAPTIVE_AVERAGE_GRADIENT)
            .sizes(Pools::planeSizes)
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "grad",
                Keeps.NOTHING,
                b -> b.grad().adaptiveAvgPool2d(b.sizes("grad")[2], b.sizes("grad")[3]))
            .gradientName("AdaptiveAvgPool2DBackwardBackward0")
            .own()
            .sample(new Plane(7, 5), "f32[2 3 3 2]")
            .declare();

    static final Operator<Plane> ADAPTIVE_MAX_POOL2D =
        FAMILY
            .<Plane>structured(
                "adaptiveMaxPool2d",
                "self[n c h w] -> [n c oh ow], [n c oh ow]",
                ReferencePooling.ADAPTIVE_MAX)
            .sizes(Pools::adaptiveSizes)
            .dtypes(DTypes.SAME_FLOATING.results(DTypes.Result.COMPUTED, DTypes.Result.INT64))
            .gradient(
                "self", new Keeps(java.util.Set.of(), java.util.Set.of(1)), Pools::maxGradient)
            .gradientName("AdaptiveMaxPool2DBackward0")
            .torch("aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)")
            .sample(new Plane(3, 2), "f32[2 3 7 5]")
            .declare();

    static List<Operator<?>> all() {
      return FAMILY.operators();
    }

    private Operators() {}
  }
}
