package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.ArgumentException;
import taper.tensor.Tensor;

/// The convolution with learned windows over depth, rows and columns.
///
/// - Shape: `[n in d h w] -> [n out d' h' w']` with `l' = (l + 2·padding - dilation·(kernelSize - 1) - 1) / stride + 1` for every dimension `l`; the batch dimension may be missing
/// - Initial values: uniform within ±1/√n, where n is the number of inputs of a window
public final class Conv3d extends Convolution {

  /// With windows of the same size along every dimension, and default options.
  public Conv3d(long inChannels, long outChannels, int kernelSize) {
    this(inChannels, outChannels, kernelSize, o -> o);
  }

  /// With windows of the same size along every dimension.
  ///
  /// @param options as in `o -> o.padding(1).bias(false)`
  public Conv3d(long inChannels, long outChannels, int kernelSize, UnaryOperator<Options> options) {
    this(inChannels, outChannels, kernelSize, kernelSize, kernelSize, options);
  }

  /// With windows of the given size.
  ///
  /// @param options as in `o -> o.padding(1).bias(false)`
  /// @throws ArgumentException if the groups do not divide the channels, or a size is not positive
  public Conv3d(
      long inChannels,
      long outChannels,
      int depth,
      int height,
      int width,
      UnaryOperator<Options> options) {
    super(false, inChannels, outChannels, options, depth, height, width);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.conv3d(weight(), bias(), _ -> window());
  }
}
