package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.ArgumentException;
import taper.tensor.OnePass;
import taper.tensor.Tensor;

/// The convolution with learned windows over rows and columns.
///
/// - Shape: `[n in h w] -> [n out h' w']` with `h' = (h + 2·padding - dilation·(kernelSize - 1) - 1) / stride + 1`; the batch dimension may be missing
/// - Initial values: uniform within ±1/√n, where n is the number of inputs of a window
public final class Conv2d extends Convolution {

  /// Windows of `kernelSize × kernelSize`, with default options.
  public Conv2d(long inChannels, long outChannels, int kernelSize) {
    this(inChannels, outChannels, kernelSize, o -> o);
  }

  /// Windows of `kernelSize × kernelSize`.
  ///
  /// @param options as in `o -> o.padding(1).bias(false)`
  public Conv2d(long inChannels, long outChannels, int kernelSize, UnaryOperator<Options> options) {
    this(inChannels, outChannels, kernelSize, kernelSize, options);
  }

  /// Windows of `height × width`.
  ///
  /// @param options as in `o -> o.padding(1).bias(false)`
  /// @throws ArgumentException if the groups do not divide the channels, or a size is not positive
  public Conv2d(
      long inChannels, long outChannels, int height, int width, UnaryOperator<Options> options) {
    super(false, inChannels, outChannels, options, height, width);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.conv2d(weight(), bias(), _ -> window());
  }

  /// What a rectifier makes of what [#forward(Tensor)] gives.
  Tensor rectified(Tensor input) {
    return OnePass.conv2d(input, weight(), bias(), window());
  }
}
