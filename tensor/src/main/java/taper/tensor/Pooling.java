package taper.tensor;

import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import taper.tensor.Gradient.Keeps;
import taper.tensor.Reductions.Extremes;
import taper.tensor.internal.ReferencePooling;
import taper.tensor.internal.ReferencePooling3d;

/// Maxima and averages over windows that move across a row, an image or a volume.
///
/// Inputs may lack the batch dimension; the result lacks it then too.
public sealed interface Pooling permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the maxima over windows of `kernel` elements along the last dimension, side by side.
  ///
  /// - Shape: `[n c l] -> [n c l/kernel]`; the batch dimension may be missing
  default Tensor maxPool1d(int kernel) {
    return maxPool1d(kernel, o -> o);
  }

  /// Returns the maxima over windows of `kernel` elements along the last dimension.
  ///
  /// - Shape: `[n c l] -> [n c l']`; the batch dimension may be missing
  ///
  /// @param options stride, padding, dilation, ceilMode, as in `o -> o.stride(2).padding(1)`
  default Tensor maxPool1d(int kernel, UnaryOperator<PoolingOptions> options) {
    return Pools.row(self(), "maxPool1d", x -> x.maxPool2d(1, kernel, Pools.flat(options)));
  }

  /// Returns the maxima over windows along the last dimension, and where each lies.
  default Extremes maxPool1dWithIndices(int kernel, UnaryOperator<PoolingOptions> options) {
    return Pools.rowChoice(
        self(), "maxPool1d", x -> x.maxPool2dWithIndices(1, kernel, Pools.flat(options)));
  }

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
    return Pools.images(
        self(),
        "maxPool2d",
        x ->
            pool.equals(Pools.TWO_BY_TWO)
                ? Operators.MAX_POOL_2X2.on(Operator.None.NONE, x)
                : Operators.MAX_POOL2D.on(pool, x));
  }

  /// Returns the maxima over windows, and where each lies in its plane, as `row · w + column`.
  default Extremes maxPool2dWithIndices(
      int height, int width, UnaryOperator<PoolingOptions> options) {
    var pool = Pools.max(height, width, options.apply(PoolingOptions.DEFAULT));
    return Pools.imageChoice(self(), "maxPool2d", x -> Operators.MAX_POOL2D.all(pool, x));
  }

  /// Returns the maxima over windows of `kernel × kernel × kernel` elements, side by side.
  ///
  /// - Shape: `[n c d h w] -> [n c d/kernel h/kernel w/kernel]`
  default Tensor maxPool3d(int kernel) {
    return maxPool3d(kernel, kernel, kernel, o -> o);
  }

  /// Returns the maxima over windows of `kernel × kernel × kernel` elements.
  ///
  /// @param options stride, padding, dilation, ceilMode, as in `o -> o.stride(2).padding(1)`
  default Tensor maxPool3d(int kernel, UnaryOperator<PoolingOptions> options) {
    return maxPool3d(kernel, kernel, kernel, options);
  }

  /// Returns the maxima over windows of volumes; see [#maxPool2d(int, int, UnaryOperator)].
  ///
  /// - Shape: `[n c d h w] -> [n c d' h' w']`; the batch dimension may be missing
  default Tensor maxPool3d(
      int depth, int height, int width, UnaryOperator<PoolingOptions> options) {
    var pool = Pools.max(new Steps(depth, height, width), options.apply(PoolingOptions.DEFAULT));
    return Pools.volumes(self(), "maxPool3d", x -> Operators.MAX_POOL3D.on(pool, x));
  }

  /// Returns the maxima over windows, and where each lies in its volume, as `(plane · h + row) · w + column`.
  default Extremes maxPool3dWithIndices(
      int depth, int height, int width, UnaryOperator<PoolingOptions> options) {
    var pool = Pools.max(new Steps(depth, height, width), options.apply(PoolingOptions.DEFAULT));
    return Pools.volumeChoice(self(), "maxPool3d", x -> Operators.MAX_POOL3D.all(pool, x));
  }

  /// Returns the averages over windows of `kernel` elements along the last dimension, side by side.
  ///
  /// - Shape: `[n c l] -> [n c l/kernel]`; the batch dimension may be missing
  default Tensor avgPool1d(int kernel) {
    return avgPool1d(kernel, o -> o);
  }

  /// Returns the averages over windows of `kernel` elements along the last dimension.
  ///
  /// - Shape: `[n c l] -> [n c l']`; the batch dimension may be missing
  ///
  /// @param options stride, padding, ceilMode, countIncludePad
  default Tensor avgPool1d(int kernel, UnaryOperator<PoolingOptions> options) {
    return Pools.row(self(), "avgPool1d", x -> x.avgPool2d(1, kernel, Pools.flat(options)));
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
    return Pools.images(self(), "avgPool2d", x -> Operators.AVG_POOL2D.on(pool, x));
  }

  /// Returns the averages over windows of `kernel × kernel × kernel` elements, side by side.
  ///
  /// - Shape: `[n c d h w] -> [n c d/kernel h/kernel w/kernel]`
  default Tensor avgPool3d(int kernel) {
    return avgPool3d(kernel, kernel, kernel, o -> o);
  }

  /// Returns the averages over windows of `kernel × kernel × kernel` elements.
  ///
  /// @param options stride, padding, ceilMode, countIncludePad, divisorOverride
  default Tensor avgPool3d(int kernel, UnaryOperator<PoolingOptions> options) {
    return avgPool3d(kernel, kernel, kernel, options);
  }

  /// Returns the averages over windows of volumes; see [#avgPool2d(int, int, UnaryOperator)].
  ///
  /// - Shape: `[n c d h w] -> [n c d' h' w']`; the batch dimension may be missing
  default Tensor avgPool3d(
      int depth, int height, int width, UnaryOperator<PoolingOptions> options) {
    var pool =
        Pools.average(new Steps(depth, height, width), options.apply(PoolingOptions.DEFAULT));
    return Pools.volumes(self(), "avgPool3d", x -> Operators.AVG_POOL3D.on(pool, x));
  }

  /// Returns averages along the last dimension over as many windows as the result shall have elements; see
  /// [#adaptiveAvgPool2d(long, long)].
  ///
  /// - Shape: `[n c l] -> [n c length]`; the batch dimension may be missing
  default Tensor adaptiveAvgPool1d(long length) {
    return Pools.row(self(), "adaptiveAvgPool1d", x -> x.adaptiveAvgPool2d(1, length));
  }

  /// Returns averages over as many windows as the result shall have elements: window `i` of `height` covers rows
  /// `⌊i·h/height⌋` to `⌈(i+1)·h/height⌉`.
  ///
  /// - Shape: `[n c h w] -> [n c height width]`; the batch dimension may be missing
  default Tensor adaptiveAvgPool2d(long height, long width) {
    var size = Pools.adaptive("adaptiveAvgPool2d", height, width);
    return Pools.images(
        self(), "adaptiveAvgPool2d", x -> Operators.ADAPTIVE_AVG_POOL2D.on(size, x));
  }

  /// Returns averages over as many windows as the result shall have elements; see [#adaptiveAvgPool2d(long, long)].
  ///
  /// - Shape: `[n c d h w] -> [n c depth height width]`; the batch dimension may be missing
  default Tensor adaptiveAvgPool3d(long depth, long height, long width) {
    var size = Pools.adaptive("adaptiveAvgPool3d", depth, height, width);
    return Pools.volumes(
        self(), "adaptiveAvgPool3d", x -> Operators.ADAPTIVE_AVG_POOL3D.on(size, x));
  }

  /// Returns maxima along the last dimension over as many windows as the result shall have elements.
  ///
  /// - Shape: `[n c l] -> [n c length]`; the batch dimension may be missing
  default Tensor adaptiveMaxPool1d(long length) {
    return Pools.row(self(), "adaptiveMaxPool1d", x -> x.adaptiveMaxPool2d(1, length));
  }

  /// Returns the maxima of [#adaptiveMaxPool1d], and where each lies.
  default Extremes adaptiveMaxPool1dWithIndices(long length) {
    return Pools.rowChoice(
        self(), "adaptiveMaxPool1d", x -> x.adaptiveMaxPool2dWithIndices(1, length));
  }

  /// Returns maxima over as many windows as the result shall have elements, see [#adaptiveAvgPool2d(long, long)].
  ///
  /// - Shape: `[n c h w] -> [n c height width]`; the batch dimension may be missing
  default Tensor adaptiveMaxPool2d(long height, long width) {
    var size = Pools.adaptive("adaptiveMaxPool2d", height, width);
    return Pools.images(
        self(), "adaptiveMaxPool2d", x -> Operators.ADAPTIVE_MAX_POOL2D.on(size, x));
  }

  /// Returns the maxima of [#adaptiveMaxPool2d], and where each lies in its plane, as `row · w + column`.
  default Extremes adaptiveMaxPool2dWithIndices(long height, long width) {
    var size = Pools.adaptive("adaptiveMaxPool2d", height, width);
    return Pools.imageChoice(
        self(), "adaptiveMaxPool2d", x -> Operators.ADAPTIVE_MAX_POOL2D.all(size, x));
  }

  /// Returns maxima over as many windows as the result shall have elements, see [#adaptiveAvgPool2d(long, long)].
  ///
  /// - Shape: `[n c d h w] -> [n c depth height width]`; the batch dimension may be missing
  default Tensor adaptiveMaxPool3d(long depth, long height, long width) {
    var size = Pools.adaptive("adaptiveMaxPool3d", depth, height, width);
    return Pools.volumes(
        self(), "adaptiveMaxPool3d", x -> Operators.ADAPTIVE_MAX_POOL3D.on(size, x));
  }

  /// Returns the maxima of [#adaptiveMaxPool3d], and where each lies in its volume.
  default Extremes adaptiveMaxPool3dWithIndices(long depth, long height, long width) {
    var size = Pools.adaptive("adaptiveMaxPool3d", depth, height, width);
    return Pools.volumeChoice(
        self(), "adaptiveMaxPool3d", x -> Operators.ADAPTIVE_MAX_POOL3D.all(size, x));
  }

  /// Returns the norms of order `p` of windows along the last dimension; see
  /// [#lpPool2d(double, int, int, UnaryOperator)].
  ///
  /// @param options stride, ceilMode
  default Tensor lpPool1d(double p, int kernel, UnaryOperator<PoolingOptions> options) {
    return Pools.norm(self().pow(p).avgPool1d(kernel, options), p, kernel);
  }

  /// Returns the norms of order `p` of windows: `(Σ x^p)^(1/p)`.
  ///
  /// - Shape: as [#avgPool2d(int, int, UnaryOperator)]
  ///
  /// @param options stride, ceilMode
  default Tensor lpPool2d(double p, int height, int width, UnaryOperator<PoolingOptions> options) {
    return Pools.norm(self().pow(p).avgPool2d(height, width, options), p, (double) height * width);
  }

  /// Returns the norms of order `p` of windows of volumes; see [#lpPool2d(double, int, int, UnaryOperator)].
  ///
  /// @param options stride, ceilMode
  default Tensor lpPool3d(
      double p, int depth, int height, int width, UnaryOperator<PoolingOptions> options) {
    return Pools.norm(
        self().pow(p).avgPool3d(depth, height, width, options), p, (double) depth * height * width);
  }

  /// Returns the maxima over windows that begin at random, about evenly.
  ///
  /// - Shape: `[n c h w] -> [n c h' w']`; the batch dimension may be missing
  /// - Source: Graham 2015, Fractional max-pooling, arXiv:1412.6071
  ///
  /// @param options outputSize or outputRatio, randomSamples, generator
  /// @throws ArgumentException if both or neither of size and ratio are given
  /// @throws ShapeException if the windows do not fit
  default Tensor fractionalMaxPool2d(
      int height, int width, UnaryOperator<FractionalPoolingOptions> options) {
    return fractionalMaxPool2dWithIndices(height, width, options).values();
  }

  /// Returns the maxima of [#fractionalMaxPool2d], and where each lies in its plane.
  default Extremes fractionalMaxPool2dWithIndices(
      int height, int width, UnaryOperator<FractionalPoolingOptions> options) {
    var o = options.apply(FractionalPoolingOptions.DEFAULT);
    return Pools.fractional(self(), "fractionalMaxPool2d", 2, new Steps(1, height, width), o);
  }

  /// Returns the maxima over windows of volumes that begin at random, about evenly; see [#fractionalMaxPool2d].
  ///
  /// - Shape: `[n c d h w] -> [n c d' h' w']`; the batch dimension may be missing
  ///
  /// @param options outputSize or outputRatio, randomSamples, generator
  default Tensor fractionalMaxPool3d(
      int depth, int height, int width, UnaryOperator<FractionalPoolingOptions> options) {
    return fractionalMaxPool3dWithIndices(depth, height, width, options).values();
  }

  /// Returns the maxima of [#fractionalMaxPool3d], and where each lies in its volume.
  default Extremes fractionalMaxPool3dWithIndices(
      int depth, int height, int width, UnaryOperator<FractionalPoolingOptions> options) {
    var o = options.apply(FractionalPoolingOptions.DEFAULT);
    return Pools.fractional(self(), "fractionalMaxPool3d", 3, new Steps(depth, height, width), o);
  }

  /// Returns a row in which these maxima are where they came from, and everything else is 0.
  ///
  /// - Shape: `[n c l], indices[n c l] -> [n c l']`; the batch dimension may be missing
  ///
  /// @param indices as [#maxPool1dWithIndices] returns them
  /// @param options stride, padding, outputSize
  /// @throws ArgumentException if an index is outside the result, or its size is none that the pool could have had
  default Tensor maxUnpool1d(Tensor indices, int kernel, UnaryOperator<UnpoolingOptions> options) {
    var o = options.apply(UnpoolingOptions.DEFAULT);
    return Pools.unpool(self(), indices, "maxUnpool1d", 1, new Steps(1, 1, kernel), o);
  }

  /// Returns a plane in which these maxima are where they came from, and everything else is 0.
  ///
  /// - Shape: `[n c h w], indices[n c h w] -> [n c h' w']`; the batch dimension may be missing
  ///
  /// @param indices as [#maxPool2dWithIndices] returns them
  /// @param options stride, padding, outputSize
  /// @throws ArgumentException if an index is outside the result, or its size is none that the pool could have had
  default Tensor maxUnpool2d(
      Tensor indices, int height, int width, UnaryOperator<UnpoolingOptions> options) {
    var o = options.apply(UnpoolingOptions.DEFAULT);
    return Pools.unpool(self(), indices, "maxUnpool2d", 2, new Steps(1, height, width), o);
  }

  /// Returns a volume in which these maxima are where they came from, and everything else is 0.
  ///
  /// - Shape: `[n c d h w], indices[n c d h w] -> [n c d' h' w']`; the batch dimension may be missing
  ///
  /// @param indices as [#maxPool3dWithIndices] returns them
  /// @param options stride, padding, outputSize
  /// @throws ArgumentException if an index is outside the result, or its size is none that the pool could have had
  default Tensor maxUnpool3d(
      Tensor indices, int depth, int height, int width, UnaryOperator<UnpoolingOptions> options) {
    var o = options.apply(UnpoolingOptions.DEFAULT);
    return Pools.unpool(self(), indices, "maxUnpool3d", 3, new Steps(depth, height, width), o);
  }

  /// The window of a maximum of volumes.
  ///
  /// @param kernel the size of the window
  /// @param stride the step between elements of the result
  /// @param padding elements added before and after, smaller than every number
  /// @param dilation the distance between elements of the window
  /// @param ceilMode whether a window that the input does not fill gives an element too
  record MaxPool3d(Steps kernel, Steps stride, Steps padding, Steps dilation, boolean ceilMode) {}

  /// The window of an average of volumes.
  ///
  /// @param kernel the size of the window
  /// @param stride the step between elements of the result
  /// @param padding zeros before and after
  /// @param ceilMode whether a window that the input does not fill gives an element too
  /// @param countIncludePad whether padding counts
  /// @param divisorOverride what sums are divided by; 0 for the number of elements
  record AvgPool3d(
      Steps kernel,
      Steps stride,
      Steps padding,
      boolean ceilMode,
      boolean countIncludePad,
      int divisorOverride) {}

  /// An average of volumes, and the size of its input, which does not follow from that of its result.
  ///
  /// @param pool the window
  /// @param size the size of the input
  record AvgPool3dInput(AvgPool3d pool, Volume size) {}

  /// The size of a volume.
  ///
  /// @param depth the planes
  /// @param height the rows
  /// @param width the columns
  record Volume(long depth, long height, long width) {}

  /// Windows that begin at random.
  ///
  /// @param kernel the size of a window
  /// @param size how many windows there are along each dimension
  record FractionalPool(Steps kernel, List<Long> size) {}

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

    /// The second output: where the maxima lie.
    private static final Keeps PLACES = new Keeps(Set.of(), Set.of(1));

    /// Maxima of the windows that networks use most, and in which of its corners each lies, row by row: an eighth of the
    /// memory that places in the plane would take.
    static final Operator<Operator.None> MAX_POOL_2X2 =
        FAMILY
            .<Operator.None>structured(
                "maxPool2x2",
                "self[n c h w] -> [n c oh ow], [n c oh ow]",
                ReferencePooling.MAX_OF_CORNERS)
            .sizes((a, shapes) -> Pools.maxSizes(Pools.TWO_BY_TWO, shapes))
            .dtypes(DTypes.SAME.results(DTypes.Result.COMPUTED, DTypes.Result.UINT8))
            .piecewiseLinear()
            .gradient("self", PLACES, Pools::cornerGradient)
            .gradientName("MaxPool2DWithIndicesBackward0")
            .torch(
                "aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2]"
                    + " padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor")
            .sample(Operator.None.NONE, "f32[2 3 4 6]")
            .sample(Operator.None.NONE, "f32[2 1 5 35]")
            .sample(Operator.None.NONE, "f32[0 3 4 4]")
            .rejects(
                Operator.None.NONE,
                "f32[1 1 1 4]",
                "maxPool2d: the window must fit into the padded input, but it covers 2 rows of 1 in"
                    + " self [1, 1, 1, 4].")
            .declare();

    static final Operator<Plane> MAX_POOL_2X2_GRADIENT =
        FAMILY
            .<Plane>structured(
                "maxPool2x2Gradient",
                "grad[n c oh ow], corners[n c oh ow] -> [n c h w]",
                ReferencePooling.CORNER_GRADIENT)
            .sizes(Pools::cornerSizes)
            .dtypes(DTypes.SAME.fixed("corners", DType.UINT8))
            .gradient(
                "grad",
                Keeps.inputs("corners"),
                b ->
                    Operators.MAX_POOL_2X2_PICK.on(
                        Operator.None.NONE, b.grad(), b.input("corners")))
            .gradientName("MaxPool2DWithIndicesBackwardBackward0")
            .own()
            .sample(new Plane(4, 6), "f32[2 3 2 3], u8[2 3 2 3] in 0..4")
            .sample(new Plane(5, 35), "f32[2 1 2 17], u8[2 1 2 17] in 0..4")
            .sample(new Plane(5, 35), "f32[2 1 2 17], u8[2 1 2 17] in 0..256")
            .rejects(
                new Plane(4, 6),
                "f32[2 3 2 2], u8[2 3 2 2] in 0..4",
                "maxPool2x2Gradient: corners must have 2 rows and 3 columns for planes of 4 × 6, but"
                    + " have shape [2, 3, 2, 2].")
            .declare();

    static final Operator<Operator.None> MAX_POOL_2X2_PICK =
        FAMILY
            .<Operator.None>structured(
                "maxPool2x2Pick",
                "self[n c h w], corners[n c oh ow] -> [n c oh ow]",
                ReferencePooling.PICK_CORNERS)
            .sizes(Pools::pickedCorners)
            .dtypes(DTypes.SAME.fixed("corners", DType.UINT8))
            .gradient("self", Keeps.inputs("corners"), Pools::pickedGradient)
            .own()
            .sample(Operator.None.NONE, "f32[2 3 4 6], u8[2 3 2 3] in 0..4")
            .sample(Operator.None.NONE, "f32[2 1 5 35], u8[2 1 2 17] in 0..4")
            .sample(Operator.None.NONE, "f32[2 1 5 35], u8[2 1 2 17] in 0..256")
            .rejects(
                Operator.None.NONE,
                "f32[2 3 4 6], u8[2 3 3 3] in 0..4",
                "maxPool2x2Pick: corners must have 2 rows and 3 columns for planes of 4 × 6, but have"
                    + " shape [2, 3, 3, 3].")
            .declare();

    static final Operator<MaxPool2d> MAX_POOL2D =
        FAMILY
            .<MaxPool2d>structured(
                "maxPool2d", "self[n c h w] -> [n c oh ow], [n c oh ow]", ReferencePooling.MAX)
            .sizes(Pools::maxSizes)
            .dtypes(DTypes.SAME.results(DTypes.Result.COMPUTED, DTypes.Result.INT64))
            .piecewiseLinear()
            .gradient("self", PLACES, Pools::maxGradient)
            .gradientName("MaxPool2DWithIndicesBackward0")
            .torch(
                "aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[],"
                    + " int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor,"
                    + " Tensor)")
            .sample(new MaxPool2d(2, 2, 2, 2, 0, 0, 1, 1, false), "f32[2 3 4 6]")
            .sample(new MaxPool2d(3, 2, 2, 1, 1, 1, 1, 1, false), "f32[2 3 5 5]")
            .sample(new MaxPool2d(2, 2, 2, 2, 0, 0, 2, 1, true), "f32[1 2 6 7]")
            .sample(new MaxPool2d(2, 2, 2, 2, 0, 0, 1, 1, false), "f32[0 3 4 4]")
            .sample(
                new MaxPool2d(
                    Integer.MAX_VALUE,
                    3,
                    Integer.MAX_VALUE,
                    Integer.MAX_VALUE,
                    Integer.MAX_VALUE / 2,
                    Integer.MAX_VALUE,
                    1,
                    Integer.MAX_VALUE,
                    true),
                "f32[1 2 3 5]")
            .sample(new MaxPool2d(2, 2, 70_000, 70_000, 0, 0, 1, 1, true), "f32[1 2 3 5]")
            .rejects(
                new MaxPool2d(2, 2, 2, 2, 1, 1, 1, 1, false),
                "f32[1 1 0 4]",
                "maxPool2d: only the first two dimensions of self may be empty, but it has shape [1,"
                    + " 1, 0, 4].")
            .rejects(
                new MaxPool2d(2, 0, 2, 2, 0, 0, 1, 1, false),
                "f32[1 1 4 4]",
                "maxPool2d: the window must be at least 1 × 1, but is 2 × 0.")
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
            .sizes((a, _) -> Pools.unpooledSizes("maxPool2dGradient", a))
            .dtypes(DTypes.SAME.fixed("indices", DType.INT64))
            .gradient(
                "grad",
                Keeps.inputs("indices"),
                b -> Operators.MAX_POOL2D_PICK.on(Operator.None.NONE, b.grad(), b.input("indices")))
            .gradientName("MaxPool2DWithIndicesBackwardBackward0")
            .own()
            .sample(new Plane(4, 6), "f32[2 3 2 3], i64[2 3 2 3] in 0..24")
            .rejects(
                new Plane(4, 6),
                "f32[1 1 2 3], i64[1 1 2 3] in 24..24",
                "maxPool2dGradient: indices must be in 0..23, but one is 24.")
            .rejects(
                new Plane(4, 6),
                "f64[1 1 2 3], i64[1 1 2 3] in -1..-1",
                "maxPool2dGradient: indices must be in 0..23, but one is -1.")
            .rejects(
                new Plane(-4, 6),
                "f32[1 1 2 3], i64[1 1 2 3] in 0..24",
                "maxPool2dGradient: the size of the result must not be negative, but is -4 × 6.")
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
            .rejects(
                Operator.None.NONE,
                "f32[1 1 4 6], i64[1 1 2 3] in 24..24",
                "maxPool2dPick: indices must be in 0..23, but one is 24.")
            .declare();

    static final Operator<AvgPool2d> AVG_POOL2D =
        FAMILY
            .<AvgPool2d>structured(
                "avgPool2d", "self[n c h w] -> [n c oh ow]", ReferencePooling.AVERAGE)
            .sizes(Pools::averageSizes)
            .dtypes(DTypes.SAME)
            .piecewiseLinear()
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
            .sample(
                new AvgPool2d(
                    Integer.MAX_VALUE,
                    3,
                    Integer.MAX_VALUE,
                    Integer.MAX_VALUE,
                    Integer.MAX_VALUE / 2,
                    1,
                    true,
                    false,
                    0),
                "f32[1 2 3 5]")
            .rejects(
                new AvgPool2d(2, 2, 2, 0, 0, 0, false, true, 0),
                "f32[1 1 4 4]",
                "avgPool2d: stride must be at least 1 × 1, but is 2 × 0.")
            .rejects(
                new AvgPool2d(2, 2, 2, 2, 1, 1, false, true, 0),
                "f32[1 1 0 4]",
                "avgPool2d: only the first two dimensions of self may be empty, but it has shape [1,"
                    + " 1, 0, 4].")
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
            .sizes(Pools::averageGradientSizes)
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
            .rejects(
                new AvgPool2dInput(new AvgPool2d(3, 2, 2, 1, 1, 1, false, true, 0), 5, 5),
                "f32[2 3 3 5]",
                "avgPool2dGradient: grad must have the shape of the pool's result, [2, 3, 3, 6], but"
                    + " has [2, 3, 3, 5].")
            .declare();

    static final Operator<Plane> ADAPTIVE_AVG_POOL2D =
        FAMILY
            .<Plane>structured(
                "adaptiveAvgPool2d",
                "self[n c h w] -> [n c oh ow]",
                ReferencePooling.ADAPTIVE_AVERAGE)
            .sizes((a, shapes) -> Pools.adaptiveSizes("adaptiveAvgPool2d", a, shapes))
            .dtypes(DTypes.SAME_FLOATING)
            .piecewiseLinear()
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
            .sample(new Plane(1L << 30, 1L << 30), "f32[0 2 3 4]")
            .rejects(
                new Plane(1L << 40, 1),
                "f32[0 2 3 4]",
                "adaptiveAvgPool2d: each side of the result must have 0 to 2147483647 elements, but"
                    + " 1099511627776 are asked for.")
            .declare();

    static final Operator<Plane> ADAPTIVE_AVG_POOL2D_GRADIENT =
        FAMILY
            .<Plane>structured(
                "adaptiveAvgPool2dGradient",
                "grad[n c oh ow] -> [n c h w]",
                ReferencePooling.ADAPTIVE_AVERAGE_GRADIENT)
            .sizes((a, _) -> Pools.planeSizes("adaptiveAvgPool2dGradient", a))
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
            .sizes((a, shapes) -> Pools.adaptiveSizes("adaptiveMaxPool2d", a, shapes))
            .dtypes(DTypes.SAME_FLOATING.results(DTypes.Result.COMPUTED, DTypes.Result.INT64))
            .piecewiseLinear()
            .gradient("self", PLACES, Pools::maxGradient)
            .gradientName("AdaptiveMaxPool2DBackward0")
            .torch("aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)")
            .sample(new Plane(3, 2), "f32[2 3 7 5]")
            .declare();

    static final Operator<MaxPool3d> MAX_POOL3D =
        FAMILY
            .<MaxPool3d>structured(
                "maxPool3d",
                "self[n c d h w] -> [n c od oh ow], [n c od oh ow]",
                ReferencePooling3d.MAX)
            .sizes(Pools::maxSizes3d)
            .dtypes(DTypes.SAME.results(DTypes.Result.COMPUTED, DTypes.Result.INT64))
            .piecewiseLinear()
            .gradient("self", PLACES, Pools::maxGradient3d)
            .gradientName("MaxPool3DWithIndicesBackward0")
            .torch(
                "aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[],"
                    + " int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor,"
                    + " Tensor)")
            .sample(
                new MaxPool3d(Steps.all(2), Steps.all(2), Steps.all(0), Steps.all(1), false),
                "f32[1 2 4 4 6]")
            .sample(
                new MaxPool3d(
                    new Steps(2, 3, 1),
                    new Steps(1, 2, 1),
                    new Steps(1, 1, 0),
                    new Steps(1, 2, 1),
                    true),
                "f32[2 1 3 6 2]")
            .rejects(
                new MaxPool3d(Steps.all(3), Steps.all(3), Steps.all(0), Steps.all(1), false),
                "f32[1 1 2 4 4]",
                "maxPool3d: the window must fit into the padded input, but covers 3 × 3 × 3"
                    + " elements of self [1, 1, 2, 4, 4].")
            .rejects(
                new MaxPool3d(Steps.all(2), Steps.all(2), Steps.all(2), Steps.all(1), false),
                "f32[1 1 4 4 4]",
                "maxPool3d: padding must be between 0 and half the window, but is 2 × 2 × 2 for a"
                    + " window of 2 × 2 × 2.")
            .declare();

    static final Operator<AvgPool3d> AVG_POOL3D =
        FAMILY
            .<AvgPool3d>structured(
                "avgPool3d", "self[n c d h w] -> [n c od oh ow]", ReferencePooling3d.AVERAGE)
            .sizes(Pools::averageSizes3d)
            .dtypes(DTypes.SAME)
            .piecewiseLinear()
            .gradient(
                "self",
                Keeps.NOTHING,
                b ->
                    Operators.AVG_POOL3D_GRADIENT.on(
                        new AvgPool3dInput(b.attributes(), Pools.volume(b.sizes("self"))),
                        b.grad()))
            .gradientName("AvgPool3DBackward0")
            .torch(
                "aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3]"
                    + " padding=0, bool ceil_mode=False, bool count_include_pad=True, int?"
                    + " divisor_override=None) -> Tensor")
            .sample(
                new AvgPool3d(Steps.all(2), Steps.all(2), Steps.all(0), false, true, 0),
                "f32[1 2 4 4 6]")
            .sample(
                new AvgPool3d(
                    new Steps(2, 3, 1), new Steps(1, 2, 1), new Steps(1, 1, 0), true, false, 0),
                "f32[2 1 3 6 2]")
            .sample(
                new AvgPool3d(
                    new Steps(2, 3, 1), new Steps(1, 2, 1), new Steps(1, 1, 0), true, true, 0),
                "f32[2 1 3 6 2]")
            .sample(
                new AvgPool3d(Steps.all(2), Steps.all(1), Steps.all(1), false, true, 3),
                "f32[1 1 2 3 2]")
            .sample(
                new AvgPool3d(Steps.all(2), Steps.all(1), Steps.all(1), false, false, 0),
                "i64[1 1 2 3 2]")
            .declare();

    static final Operator<AvgPool3dInput> AVG_POOL3D_GRADIENT =
        FAMILY
            .<AvgPool3dInput>structured(
                "avgPool3dGradient",
                "grad[n c od oh ow] -> [n c d h w]",
                ReferencePooling3d.AVERAGE_GRADIENT)
            .sizes(Pools::averageGradientSizes3d)
            .dtypes(DTypes.SAME)
            .gradient(
                "grad",
                Keeps.NOTHING,
                b -> Operators.AVG_POOL3D.on(b.attributes().pool(), b.grad()))
            .own()
            .sample(
                new AvgPool3dInput(
                    new AvgPool3d(
                        new Steps(2, 2, 1), new Steps(1, 2, 1), new Steps(1, 0, 0), false, true, 0),
                    new Volume(2, 4, 3)),
                "f32[1 2 3 2 3]")
            .rejects(
                new AvgPool3dInput(
                    new AvgPool3d(
                        new Steps(2, 2, 1), new Steps(1, 2, 1), new Steps(1, 0, 0), false, true, 0),
                    new Volume(2, 4, 3)),
                "f32[1 2 3 3 3]",
                "avgPool3dGradient: grad must have the shape of the pool's result, [1, 2, 3, 2, 3],"
                    + " but has [1, 2, 3, 3, 3].")
            .declare();

    static final Operator<Volume> ADAPTIVE_AVG_POOL3D =
        FAMILY
            .<Volume>structured(
                "adaptiveAvgPool3d",
                "self[n c d h w] -> [n c od oh ow]",
                ReferencePooling3d.ADAPTIVE_AVERAGE)
            .sizes((a, shapes) -> Pools.adaptiveSizes3d("adaptiveAvgPool3d", a, shapes))
            .dtypes(DTypes.SAME_FLOATING)
            .piecewiseLinear()
            .gradient(
                "self",
                Keeps.NOTHING,
                b ->
                    Operators.ADAPTIVE_AVG_POOL3D_GRADIENT.on(
                        Pools.volume(b.sizes("self")), b.grad()))
            .gradientName("AdaptiveAvgPool3DBackward0")
            .torch("aten::adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor")
            .sample(new Volume(2, 3, 2), "f32[1 2 3 7 5]")
            .sample(new Volume(1, 1, 1), "f32[1 2 3 2 2]")
            .declare();

    static final Operator<Volume> ADAPTIVE_AVG_POOL3D_GRADIENT =
        FAMILY
            .<Volume>structured(
                "adaptiveAvgPool3dGradient",
                "grad[n c od oh ow] -> [n c d h w]",
                ReferencePooling3d.ADAPTIVE_AVERAGE_GRADIENT)
            .sizes((a, _) -> Pools.volumeSizes("adaptiveAvgPool3dGradient", a))
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "grad",
                Keeps.NOTHING,
                b -> Operators.ADAPTIVE_AVG_POOL3D.on(Pools.volume(b.sizes("grad")), b.grad()))
            .own()
            .sample(new Volume(3, 7, 5), "f32[1 2 2 3 2]")
            .declare();

    static final Operator<Volume> ADAPTIVE_MAX_POOL3D =
        FAMILY
            .<Volume>structured(
                "adaptiveMaxPool3d",
                "self[n c d h w] -> [n c od oh ow], [n c od oh ow]",
                ReferencePooling3d.ADAPTIVE_MAX)
            .sizes((a, shapes) -> Pools.adaptiveSizes3d("adaptiveMaxPool3d", a, shapes))
            .dtypes(DTypes.SAME_FLOATING.results(DTypes.Result.COMPUTED, DTypes.Result.INT64))
            .piecewiseLinear()
            .gradient("self", PLACES, Pools::maxGradient3d)
            .gradientName("AdaptiveMaxPool3DBackward0")
            .torch("aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)")
            .sample(new Volume(2, 3, 2), "f32[1 2 3 7 5]")
            .declare();

    static final Operator<FractionalPool> FRACTIONAL_MAX_POOL2D =
        FAMILY
            .<FractionalPool>structured(
                "fractionalMaxPool2d",
                "self[n c h w], samples[n c two] -> [n c oh ow], [n c oh ow]",
                ReferencePooling3d.FRACTIONAL_MAX)
            .sizes((a, shapes) -> Pools.fractionalSizes("fractionalMaxPool2d", a, shapes))
            .check((_, in) -> Pools.checkSamples("fractionalMaxPool2d", in))
            .dtypes(DTypes.SAME_FLOATING.results(DTypes.Result.COMPUTED, DTypes.Result.INT64))
            .constant("samples")
            .piecewiseLinear()
            .gradient("self", PLACES, Pools::maxGradient)
            .gradientName("FractionalMaxPool2DBackward0")
            .torch(
                "aten::fractional_max_pool2d(Tensor self, int[2] kernel_size, int[2] output_size,"
                    + " Tensor random_samples) -> (Tensor, Tensor)")
            .sample(
                new FractionalPool(new Steps(1, 2, 3), List.of(3L, 2L)),
                "f32[2 2 7 5], f32[2 2 2] in 0..1")
            .rejects(
                new FractionalPool(new Steps(1, 3, 3), List.of(3L, 2L)),
                "f32[1 2 4 5], f32[1 2 2] in 0..1",
                "fractionalMaxPool2d: 3 windows of 3 elements must fit, but self has shape [1, 2,"
                    + " 4, 5].")
            .rejects(
                new FractionalPool(new Steps(1, 3, 3), List.of(Long.MAX_VALUE, 2L)),
                "f32[1 2 4 5], f32[1 2 2] in 0..1",
                "fractionalMaxPool2d: 9223372036854775807 windows of 3 elements must fit, but self"
                    + " has shape [1, 2, 4, 5].")
            .rejects(
                new FractionalPool(new Steps(1, 2, 2), List.of(2L, 2L)),
                "f32[1 2 4 5], f32[1 2 2] in 7..7",
                "fractionalMaxPool2d: samples must be in 0..1, but there are some from 7.0 to 7.0.")
            .rejects(
                new FractionalPool(new Steps(1, 2, 2), List.of(2L, 2L)),
                "f32[1 2 4 5], f32[2 2 2] in 0..1",
                "fractionalMaxPool2d: dimension n is 1 in self [1, 2, 4, 5], but 2 in samples [2, 2,"
                    + " 2]. They must be equal; see transpose and reshape.")
            .source("Graham 2015, Fractional max-pooling, arXiv:1412.6071")
            .declare();

    static final Operator<FractionalPool> FRACTIONAL_MAX_POOL3D =
        FAMILY
            .<FractionalPool>structured(
                "fractionalMaxPool3d",
                "self[n c d h w], samples[n c three] -> [n c od oh ow], [n c od oh ow]",
                ReferencePooling3d.FRACTIONAL_MAX)
            .sizes((a, shapes) -> Pools.fractionalSizes("fractionalMaxPool3d", a, shapes))
            .check((_, in) -> Pools.checkSamples("fractionalMaxPool3d", in))
            .dtypes(DTypes.SAME_FLOATING.results(DTypes.Result.COMPUTED, DTypes.Result.INT64))
            .constant("samples")
            .piecewiseLinear()
            .gradient("self", PLACES, Pools::maxGradient3d)
            .gradientName("FractionalMaxPool3DBackward0")
            .torch(
                "aten::fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] output_size,"
                    + " Tensor random_samples) -> (Tensor, Tensor)")
            .sample(
                new FractionalPool(Steps.all(2), List.of(2L, 3L, 2L)),
                "f32[1 2 4 7 5], f32[1 2 3] in 0..1")
            .source("Graham 2015, Fractional max-pooling, arXiv:1412.6071")
            .declare();

    static final Operator<Plane> MAX_UNPOOL =
        FAMILY
            .<Plane>structured(
                "maxUnpool2d",
                "self[n c oh ow], indices[n c oh ow] -> [n c h w]",
                ReferencePooling3d.UNPOOL)
            .sizes((a, _) -> Pools.unpooledSizes("maxUnpool2d", a))
            .check(Pools::checkPlaces)
            .dtypes(DTypes.SAME.fixed("indices", DType.INT64))
            .gradient(
                "self",
                Keeps.inputs("indices"),
                b -> Operators.MAX_POOL2D_PICK.on(Operator.None.NONE, b.grad(), b.input("indices")))
            .gradientName("MaxUnpool2DBackward0")
            .torch(
                "aten::max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor")
            .torch(
                "aten::max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, int[3]"
                    + " stride, int[3] padding) -> Tensor")
            .sample(new Plane(40, 60), "f32[1 2 2 2], i64[1 2 2 2] in 0..2400")
            .rejects(
                new Plane(2, 2),
                "f32[1 1 1 1], i64[1 1 1 1] in 4..4",
                "maxUnpool2d: indices must be below the 4 elements of the result, but there are"
                    + " some from 4 to 4.")
            .declare();

    private Operators() {}
  }
}
