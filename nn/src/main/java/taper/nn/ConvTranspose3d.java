package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.ArgumentException;
import taper.tensor.Tensor;

/// The transposed convolution with learned windows over depth, rows and columns.
///
/// - Shape: `[n in d h w] -> [n out d' h' w']` with `l' = (l - 1)·stride - 2·padding + dilation·(kernelSize - 1) + outputPadding + 1` for every dimension `l`; the batch dimension may be missing
/// - Initial values: uniform within ±1/√n, where n is the number of outputs of a group times the elements of a window
public final class ConvTranspose3d extends Convolution {

  /// With windows of the same size along every dimension, and default options.
  public ConvTranspose3d(long inChannels, long outChannels, int kernelSize) {
    this(inChannels, outChannels, kernelSize, o -> o);
  }

  /// With windows of the same size along every dimension.
  ///
  /// @param options as in `o -> o.padding(1).bias(false)`
  public ConvTranspose3d(
      long inChannels, long outChannels, int kernelSize, UnaryOperator<Options> options) {
    this(inChannels, outChannels, kernelSize, kernelSize, kernelSize, options);
  }

  /// With windows of the given size.
  ///
  /// @param options as in `o -> o.padding(1).bias(false)`
  /// @throws ArgumentException if the groups do not divide the channels, or a size is not positive
  public ConvTranspose3d(
      long inChannels,
      long outChannels,
      int depth,
      int height,
      int width,
      UnaryOperator<Options> options) {
    super(true, inChannels, outChannels, options, depth, height, width);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.convTranspose3d(weight(), bias(), _ -> window());
  }
}
