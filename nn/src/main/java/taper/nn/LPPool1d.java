package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.PoolingOptions;
import taper.tensor.Tensor;

/// The norms of windows that move along a row.
///
/// - Shape: `[n c l]` to the same with as many elements as there are windows; the batch dimension may be missing
public final class LPPool1d extends WindowPool {
  private final double normType;

  /// Windows side by side.
  public LPPool1d(double normType, int kernelSize) {
    this(normType, kernelSize, o -> o);
  }

  /// Windows of the given size.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public LPPool1d(double normType, int kernelSize, UnaryOperator<PoolingOptions> options) {
    super(options, kernelSize);
    this.normType = normType;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.lpPool1d(normType, size(0), _ -> options());
  }

  @Override
  protected String extraRepr() {
    return reprOfNorms(normType);
  }
}
