package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.PoolingOptions;
import taper.tensor.Tensor;

/// The norms of windows that move across a volume.
///
/// - Shape: `[n c d h w]` to the same with as many elements as there are windows; the batch dimension may be missing
public final class LPPool3d extends WindowPool {
  private final double normType;

  /// Windows of `kernelSize` elements along every dimension, side by side.
  public LPPool3d(double normType, int kernelSize) {
    this(normType, kernelSize, o -> o);
  }

  /// Windows of `kernelSize` elements along every dimension.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public LPPool3d(double normType, int kernelSize, UnaryOperator<PoolingOptions> options) {
    this(normType, kernelSize, kernelSize, kernelSize, options);
  }

  /// Windows of the given size.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public LPPool3d(
      double normType, int depth, int height, int width, UnaryOperator<PoolingOptions> options) {
    super(options, depth, height, width);
    this.normType = normType;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.lpPool3d(normType, size(0), size(1), size(2), _ -> options());
  }

  @Override
  protected String extraRepr() {
    return reprOfNorms(normType);
  }
}
