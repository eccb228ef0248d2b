package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.ArgumentException;
import taper.tensor.Tensor;

/// The convolution with learned windows along the last dimension.
///
/// - Shape: `[n in l] -> [n out l']` with `l' = (l + 2·padding - dilation·(kernelSize - 1) - 1) / stride + 1`; the batch dimension may be missing
/// - Initial values: uniform within ±1/√n, where n is the number of inputs of a window
public final class Conv1d extends Convolution {

  /// With default options.
  public Conv1d(long inChannels, long outChannels, int kernelSize) {
    this(inChannels, outChannels, kernelSize, o -> o);
  }

  /// @param options as in `o -> o.padding(1).bias(false)`
  /// @throws ArgumentException if the groups do not divide the channels, or a size is not positive
  public Conv1d(long inChannels, long outChannels, int kernelSize, UnaryOperator<Options> options) {
    super(false, inChannels, outChannels, options, kernelSize);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.conv1d(weight(), bias(), _ -> window());
  }
}
