package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.ArgumentException;
import taper.tensor.Tensor;

/// The transposed convolution with learned windows over rows and columns.
///
/// - Shape: `[n in h w] -> [n out h' w']` with `l' = (l - 1)·stride - 2·padding + dilation·(kernelSize - 1) + outputPadding + 1` for every dimension `l`; the batch dimension may be missing
/// - Initial values: uniform within ±1/√n, where n is the number of outputs of a group times the elements of a window
public final class ConvTranspose2d extends Convolution {

  /// With windows of the same size along every dimension, and default options.
  public ConvTranspose2d(long inChannels, long outChannels, int kernelSize) {
    this(inChannels, outChannels, kernelSize, o -> o);
  }

  /// With windows of the same size along every dimension.
  ///
  /// @param options as in `o -> o.padding(1).bias(false)`
  public ConvTranspose2d(
      long inChannels, long outChannels, int kernelSize, UnaryOperator<Options> options) {
    this(inChannels, outChannels, kernelSize, kernelSize, options);
  }

  /// With windows of the given size.
  ///
  /// @param options as in `o -> o.padding(1).bias(false)`
  /// @throws ArgumentException if the groups do not divide the channels, or a size is not positive
  public ConvTranspose2d(
      long inChannels, long outChannels, int height, int width, UnaryOperator<Options> options) {
    super(true, inChannels, outChannels, options, height, width);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.convTranspose2d(weight(), bias(), _ -> window());
  }
}
