package taper.tensor;

/// The options of a convolution, with PyTorch's names and defaults. Immutable.
///
/// One number counts for all dimensions; two are for rows and columns, three for depth, rows and columns. Convolutions
/// along one dimension read the last.
///
/// @param stride the step between elements of the result, in elements of the input
/// @param padding zeros before and after each dimension of the input
/// @param dilation the distance between elements of the window, 1 for neighbours
/// @param outputPadding elements added at the end of each dimension of the result; transposed convolutions only
/// @param groups into how many independent convolutions the channels fall
/// @param same whether the padding is chosen so that the result has the size of the input
public record ConvolutionOptions(
    Steps stride, Steps padding, Steps dilation, Steps outputPadding, int groups, boolean same) {

  /// Stride 1, no padding, dilation 1, one group.
  public static final ConvolutionOptions DEFAULT =
      new ConvolutionOptions(Steps.all(1), Steps.all(0), Steps.all(1), Steps.all(0), 1, false);

  /// With one stride for all dimensions.
  public ConvolutionOptions stride(int stride) {
    return stride(stride, stride, stride);
  }

  /// With strides for rows and columns.
  public ConvolutionOptions stride(int height, int width) {
    return stride(height, height, width);
  }

  /// With strides for depth, rows and columns.
  public ConvolutionOptions stride(int depth, int height, int width) {
    return new ConvolutionOptions(
        new Steps(depth, height, width), padding, dilation, outputPadding, groups, same);
  }

  /// With one padding for all dimensions.
  public ConvolutionOptions padding(int padding) {
    return padding(padding, padding, padding);
  }

  /// With paddings for rows and columns.
  public ConvolutionOptions padding(int height, int width) {
    return padding(height, height, width);
  }

  /// With paddings for depth, rows and columns.
  public ConvolutionOptions padding(int depth, int height, int width) {
    return new ConvolutionOptions(
        stride, new Steps(depth, height, width), dilation, outputPadding, groups, false);
  }

  /// With the padding that `mode` names: `valid` for none, `same` for as much as keeps the size, which takes stride 1.
  ///
  /// @throws ArgumentException if it is neither
  public ConvolutionOptions padding(String mode) {
    return switch (mode) {
      case "valid" -> padding(0);
      case "same" ->
          new ConvolutionOptions(stride, Steps.all(0), dilation, outputPadding, groups, true);
      case null, default ->
          throw new ArgumentException(
              "conv: padding must be a number, 'valid' or 'same', but is '%s'.".formatted(mode));
    };
  }

  /// With one dilation for all dimensions.
  public ConvolutionOptions dilation(int dilation) {
    return dilation(dilation, dilation, dilation);
  }

  /// With dilations for rows and columns.
  public ConvolutionOptions dilation(int height, int width) {
    return dilation(height, height, width);
  }

  /// With dilations for depth, rows and columns.
  public ConvolutionOptions dilation(int depth, int height, int width) {
    return new ConvolutionOptions(
        stride, padding, new Steps(depth, height, width), outputPadding, groups, same);
  }

  /// With one number of elements added at the end of all dimensions of the result; transposed convolutions only.
  public ConvolutionOptions outputPadding(int padding) {
    return outputPadding(padding, padding, padding);
  }

  /// With rows and columns added at the end of the result; transposed convolutions only.
  public ConvolutionOptions outputPadding(int height, int width) {
    return outputPadding(0, height, width);
  }

  /// With planes, rows and columns added at the end of the result; transposed convolutions only.
  public ConvolutionOptions outputPadding(int depth, int height, int width) {
    return new ConvolutionOptions(
        stride, padding, dilation, new Steps(depth, height, width), groups, same);
  }

  /// With the channels split into `groups` independent convolutions.
  public ConvolutionOptions groups(int groups) {
    return new ConvolutionOptions(stride, padding, dilation, outputPadding, groups, same);
  }

  /// The same for a window of one row.
  ConvolutionOptions flat() {
    return new ConvolutionOptions(
        new Steps(1, 1, stride.width()),
        new Steps(0, 0, padding.width()),
        new Steps(1, 1, dilation.width()),
        new Steps(0, 0, outputPadding.width()),
        groups,
        same);
  }
}
