package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.PoolingOptions;
import taper.tensor.Tensor;

/// The averages over windows that move across a volume.
///
/// - Shape: `[n c d h w]` to the same with as many elements as there are windows; the batch dimension may be missing
public final class AvgPool3d extends WindowPool {

  /// Windows of `kernelSize` elements along every dimension, side by side.
  public AvgPool3d(int kernelSize) {
    this(kernelSize, o -> o);
  }

  /// Windows of `kernelSize` elements along every dimension.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public AvgPool3d(int kernelSize, UnaryOperator<PoolingOptions> options) {
    this(kernelSize, kernelSize, kernelSize, options);
  }

  /// Windows of the given size.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public AvgPool3d(int depth, int height, int width, UnaryOperator<PoolingOptions> options) {
    super(options, depth, height, width);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.avgPool3d(size(0), size(1), size(2), _ -> options());
  }

  @Override
  protected String extraRepr() {
    return reprOfWindow();
  }
}
