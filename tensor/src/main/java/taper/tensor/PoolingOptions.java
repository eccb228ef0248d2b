package taper.tensor;

/// The options of a pooling window, with PyTorch's names and defaults. Immutable.
///
/// One number counts for all dimensions; two are for rows and columns, three for depth, rows and columns. Pooling along one
/// dimension reads the last.
///
/// @param stride the step between elements of the result, in elements of the input; 0 for the size of the window
/// @param padding elements added before and after each dimension of the input
/// @param dilation the distance between elements of the window, 1 for neighbours; maximum only
/// @param ceilMode whether a window that the input does not fill gives an element too
/// @param countIncludePad whether padding counts as zeros in an average
/// @param divisorOverride what sums are divided by in an average; 0 for the number of elements
public record PoolingOptions(
    Steps stride,
    Steps padding,
    Steps dilation,
    boolean ceilMode,
    boolean countIncludePad,
    int divisorOverride) {

  /// Windows side by side, no padding, dilation 1.
  public static final PoolingOptions DEFAULT =
      new PoolingOptions(Steps.all(0), Steps.all(0), Steps.all(1), false, true, 0);

  /// With one stride for all dimensions.
  ///
  /// @throws ArgumentException if it is below 1
  public PoolingOptions stride(int stride) {
    return stride(stride, stride, stride);
  }

  /// With strides for rows and columns.
  public PoolingOptions stride(int height, int width) {
    return stride(height, height, width);
  }

  /// With strides for depth, rows and columns.
  public PoolingOptions stride(int depth, int height, int width) {
    if (Math.min(depth, Math.min(height, width)) < 1) {
      throw new ArgumentException(
          "pool: stride must be at least 1, but is %d × %d × %d.".formatted(depth, height, width));
    }
    return new PoolingOptions(
        new Steps(depth, height, width),
        padding,
        dilation,
        ceilMode,
        countIncludePad,
        divisorOverride);
  }

  /// With one padding for all dimensions.
  public PoolingOptions padding(int padding) {
    return padding(padding, padding, padding);
  }

  /// With paddings for rows and columns.
  public PoolingOptions padding(int height, int width) {
    return padding(height, height, width);
  }

  /// With paddings for depth, rows and columns.
  public PoolingOptions padding(int depth, int height, int width) {
    return new PoolingOptions(
        stride,
        new Steps(depth, height, width),
        dilation,
        ceilMode,
        countIncludePad,
        divisorOverride);
  }

  /// With one dilation for all dimensions; maximum only.
  public PoolingOptions dilation(int dilation) {
    return dilation(dilation, dilation, dilation);
  }

  /// With dilations for rows and columns; maximum only.
  public PoolingOptions dilation(int height, int width) {
    return dilation(height, height, width);
  }

  /// With dilations for depth, rows and columns; maximum only.
  public PoolingOptions dilation(int depth, int height, int width) {
    return new PoolingOptions(
        stride,
        padding,
        new Steps(depth, height, width),
        ceilMode,
        countIncludePad,
        divisorOverride);
  }

  /// With an element for a last window that the input does not fill.
  public PoolingOptions ceilMode(boolean on) {
    return new PoolingOptions(stride, padding, dilation, on, countIncludePad, divisorOverride);
  }

  /// With padding counted as zeros in an average, or left out.
  public PoolingOptions countIncludePad(boolean on) {
    return new PoolingOptions(stride, padding, dilation, ceilMode, on, divisorOverride);
  }

  /// With sums divided by `divisor` in an average.
  ///
  /// @throws ArgumentException if it is 0
  public PoolingOptions divisorOverride(int divisor) {
    if (divisor == 0) {
      throw new ArgumentException("pool: divisorOverride must not be 0, but is 0.");
    }
    return new PoolingOptions(stride, padding, dilation, ceilMode, countIncludePad, divisor);
  }

  /// The strides of a window of the given size.
  Steps stridesOf(Steps kernel) {
    return new Steps(
        stride.depth() == 0 ? kernel.depth() : stride.depth(),
        stride.height() == 0 ? kernel.height() : stride.height(),
        stride.width() == 0 ? kernel.width() : stride.width());
  }

  /// The same for a window of one row.
  PoolingOptions flat() {
    return new PoolingOptions(
        new Steps(1, 1, stride.width()),
        new Steps(0, 0, padding.width()),
        new Steps(1, 1, dilation.width()),
        ceilMode,
        countIncludePad,
        divisorOverride);
  }
}
