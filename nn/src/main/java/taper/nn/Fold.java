package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.ConvolutionOptions;
import taper.tensor.Tensor;

/// The image whose windows are the columns of the input; where they overlap they are summed.
///
/// - Shape: `[n c·kernelHeight·kernelWidth l] -> [n c height width]`; the batch dimension may be missing
public final class Fold extends Layer {
  private final long height;
  private final long width;
  private final int kernelHeight;
  private final int kernelWidth;
  private final ConvolutionOptions options;

  /// An image of `outputSize × outputSize` pixels, windows of `kernelSize × kernelSize`.
  ///
  /// @param options stride, padding, dilation
  public Fold(long outputSize, int kernelSize, UnaryOperator<ConvolutionOptions> options) {
    this(outputSize, outputSize, kernelSize, kernelSize, options);
  }

  /// An image of `height × width` pixels, windows of `kernelHeight × kernelWidth`.
  ///
  /// @param options stride, padding, dilation
  public Fold(
      long height,
      long width,
      int kernelHeight,
      int kernelWidth,
      UnaryOperator<ConvolutionOptions> options) {
    this.height = height;
    this.width = width;
    this.kernelHeight = kernelHeight;
    this.kernelWidth = kernelWidth;
    this.options = Sizes.chosen("Fold", options, ConvolutionOptions.DEFAULT);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.fold(height, width, kernelHeight, kernelWidth, _ -> options);
  }

  @Override
  protected String extraRepr() {
    return "output_size="
        + Repr.oneOr(height, width)
        + ", kernel_size="
        + Repr.oneOr(kernelHeight, kernelWidth)
        + Repr.blocks(options);
  }
}
