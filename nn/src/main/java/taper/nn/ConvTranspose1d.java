package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.ArgumentException;
import taper.tensor.Tensor;

/// The transposed convolution with learned windows over the last dimension.
///
/// - Shape: `[n in l] -> [n out l']` with `l' = (l - 1)·stride - 2·padding + dilation·(kernelSize - 1) + outputPadding + 1` for every dimension `l`; the batch dimension may be missing
/// - Initial values: uniform within ±1/√n, where n is the number of outputs of a group times the elements of a window
public final class ConvTranspose1d extends Convolution {

  /// With default options.
  public ConvTranspose1d(long inChannels, long outChannels, int kernelSize) {
    this(inChannels, outChannels, kernelSize, o -> o);
  }

  /// With windows of the given size.
  ///
  /// @param options as in `o -> o.padding(1).bias(false)`
  /// @throws ArgumentException if the groups do not divide the channels, or a size is not positive
  public ConvTranspose1d(
      long inChannels, long outChannels, int kernelSize, UnaryOperator<Options> options) {
    super(true, inChannels, outChannels, options, kernelSize);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.convTranspose1d(weight(), bias(), _ -> window());
  }
}
