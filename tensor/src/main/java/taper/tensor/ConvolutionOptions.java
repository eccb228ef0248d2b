package taper.tensor;

/// The options of a convolution, with PyTorch's names and defaults. Immutable.
///
/// One number counts for all dimensions; two are for rows and columns. Convolutions along one dimension read the last.
///
/// @param strideH the step between rows of the result, in rows of the input
/// @param strideW the step between columns
/// @param paddingH rows of zeros above and below the input
/// @param paddingW columns of zeros to the left and right
/// @param dilationH the distance between rows of the window, 1 for neighbours
/// @param dilationW the distance between columns of the window
/// @param groups into how many independent convolutions the channels fall
/// @param same whether the padding is chosen so that the result has the size of the input
public record ConvolutionOptions(
    int strideH,
    int strideW,
    int paddingH,
    int paddingW,
    int dilationH,
    int dilationW,
    int groups,
    boolean same) {

  /// Stride 1, no padding, dilation 1, one group.
  public static final ConvolutionOptions DEFAULT =
      new ConvolutionOptions(1, 1, 0, 0, 1, 1, 1, false);

  /// With one stride for all dimensions.
  public ConvolutionOptions stride(int stride) {
    return stride(stride, stride);
  }

  /// With strides for rows and columns.
  public ConvolutionOptions stride(int height, int width) {
    return new ConvolutionOptions(
        height, width, paddingH, paddingW, dilationH, dilationW, groups, same);
  }

  /// With one padding for all dimensions.
  public ConvolutionOptions padding(int padding) {
    return padding(padding, padding);
  }

  /// With paddings for rows and columns.
  public ConvolutionOptions padding(int height, int width) {
    return new ConvolutionOptions(
        strideH, strideW, height, width, dilationH, dilationW, groups, false);
  }

  /// With the padding that `mode` names: `valid` for none, `same` for as much as keeps the size, which takes stride 1.
  ///
  /// @throws ArgumentException if it is neither
  public ConvolutionOptions padding(String mode) {
    return switch (mode) {
      case "valid" -> padding(0);
      case "same" ->
          new ConvolutionOptions(strideH, strideW, 0, 0, dilationH, dilationW, groups, true);
      default ->
          throw new ArgumentException(
              "conv: padding must be a number, 'valid' or 'same', but is '%s'.".formatted(mode));
    };
  }

  /// With one dilation for all dimensions.
  public ConvolutionOptions dilation(int dilation) {
    return dilation(dilation, dilation);
  }

  /// With dilations for rows and columns.
  public ConvolutionOptions dilation(int height, int width) {
    return new ConvolutionOptions(
        strideH, strideW, paddingH, paddingW, height, width, groups, same);
  }

  /// With the channels split into `groups` independent convolutions.
  public ConvolutionOptions groups(int groups) {
    return new ConvolutionOptions(
        strideH, strideW, paddingH, paddingW, dilationH, dilationW, groups, same);
  }
}
