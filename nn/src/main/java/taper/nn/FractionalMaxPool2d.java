package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.FractionalPoolingOptions;
import taper.tensor.Tensor;

/// The maxima over windows that begin at random, about evenly.
///
/// - Shape: `[n c h w]` to the same with as many elements as there are windows; the batch dimension may be missing
/// - Source: Graham 2015, Fractional max-pooling, arXiv:1412.6071
public final class FractionalMaxPool2d extends Layer {
  private final int height;
  private final int width;
  private final FractionalPoolingOptions options;

  /// Windows of `kernelSize` elements along every dimension.
  ///
  /// @param options outputSize or outputRatio, as in `o -> o.outputRatio(0.5)`
  public FractionalMaxPool2d(int kernelSize, UnaryOperator<FractionalPoolingOptions> options) {
    this(kernelSize, kernelSize, options);
  }

  /// Windows of the given size.
  ///
  /// @param options outputSize or outputRatio, as in `o -> o.outputRatio(0.5)`
  public FractionalMaxPool2d(
      int height, int width, UnaryOperator<FractionalPoolingOptions> options) {
    this.height = height;
    this.width = width;
    this.options = Sizes.chosen("FractionalMaxPool2d", options, FractionalPoolingOptions.DEFAULT);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.fractionalMaxPool2d(height, width, _ -> options);
  }

  @Override
  protected String extraRepr() {
    return ""; // as in PyTorch
  }
}
