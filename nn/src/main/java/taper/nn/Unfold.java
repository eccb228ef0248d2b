package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.ConvolutionOptions;
import taper.tensor.Tensor;

/// The windows that a convolution would see, each as a column.
///
/// - Shape: `[n c h w] -> [n c·height·width l]`; the batch dimension may be missing
public final class Unfold extends Layer {
  private final int height;
  private final int width;
  private final ConvolutionOptions options;

  /// Windows of `kernelSize × kernelSize` elements.
  ///
  /// @param options stride, padding, dilation
  public Unfold(int kernelSize, UnaryOperator<ConvolutionOptions> options) {
    this(kernelSize, kernelSize, options);
  }

  /// Windows of `height × width` elements.
  ///
  /// @param options stride, padding, dilation
  public Unfold(int height, int width, UnaryOperator<ConvolutionOptions> options) {
    this.height = height;
    this.width = width;
    this.options = Sizes.chosen("Unfold", options, ConvolutionOptions.DEFAULT);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.unfold(height, width, _ -> options);
  }

  @Override
  protected String extraRepr() {
    return "kernel_size=" + Repr.oneOr(height, width) + Repr.blocks(options);
  }
}
