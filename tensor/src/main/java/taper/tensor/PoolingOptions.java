package taper.tensor;

/// The options of a pooling window, with PyTorch's names and defaults. Immutable.
///
/// One number counts for all dimensions; two are for rows and columns. Pooling along one dimension reads the last.
///
/// @param strideH the step between rows of the result, in rows of the input; 0 for the height of the window
/// @param strideW the step between columns; 0 for the width of the window
/// @param paddingH rows added above and below the input
/// @param paddingW columns added to the left and right
/// @param dilationH the distance between rows of the window, 1 for neighbours; maximum only
/// @param dilationW the distance between columns of the window; maximum only
/// @param ceilMode whether a window that the input does not fill gives an element too
/// @param countIncludePad whether padding counts as zeros in an average
/// @param divisorOverride what sums are divided by in an average; 0 for the number of elements
public record PoolingOptions(
    int strideH,
    int strideW,
    int paddingH,
    int paddingW,
    int dilationH,
    int dilationW,
    boolean ceilMode,
    boolean countIncludePad,
    int divisorOverride) {

  /// Windows side by side, no padding, dilation 1.
  public static final PoolingOptions DEFAULT = new PoolingOptions(0, 0, 0, 0, 1, 1, false, true, 0);

  /// With one stride for all dimensions.
  public PoolingOptions stride(int stride) {
    return stride(stride, stride);
  }

  /// With strides for rows and columns.
  public PoolingOptions stride(int height, int width) {
    return new PoolingOptions(
        height,
        width,
        paddingH,
        paddingW,
        dilationH,
        dilationW,
        ceilMode,
        countIncludePad,
        divisorOverride);
  }

  /// With one padding for all dimensions.
  public PoolingOptions padding(int padding) {
    return padding(padding, padding);
  }

  /// With paddings for rows and columns.
  public PoolingOptions padding(int height, int width) {
    return new PoolingOptions(
        strideH,
        strideW,
        height,
        width,
        dilationH,
        dilationW,
        ceilMode,
        countIncludePad,
        divisorOverride);
  }

  /// With one dilation for all dimensions; maximum only.
  public PoolingOptions dilation(int dilation) {
    return dilation(dilation, dilation);
  }

  /// With dilations for rows and columns; maximum only.
  public PoolingOptions dilation(int height, int width) {
    return new PoolingOptions(
        strideH,
        strideW,
        paddingH,
        paddingW,
        height,
        width,
        ceilMode,
        countIncludePad,
        divisorOverride);
  }

  /// With an element for a last window that the input does not fill.
  public PoolingOptions ceilMode(boolean on) {
    return new PoolingOptions(
        strideH,
        strideW,
        paddingH,
        paddingW,
        dilationH,
        dilationW,
        on,
        countIncludePad,
        divisorOverride);
  }

  /// With padding counted as zeros in an average, or left out.
  public PoolingOptions countIncludePad(boolean on) {
    return new PoolingOptions(
        strideH, strideW, paddingH, paddingW, dilationH, dilationW, ceilMode, on, divisorOverride);
  }

  /// With sums divided by `divisor` in an average.
  public PoolingOptions divisorOverride(int divisor) {
    return new PoolingOptions(
        strideH,
        strideW,
        paddingH,
        paddingW,
        dilationH,
        dilationW,
        ceilMode,
        countIncludePad,
        divisor);
  }
}
