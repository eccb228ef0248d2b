package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.PoolingOptions;
import taper.tensor.Tensor;

/// The norms of windows that move along a row.
///
/// - Shape: `[n c l]` to the same with as many elements as there are windows; the batch dimension may be missing
public final class LPPool1d extends Layer {
  private final double normType;
  private final int kernelSize;
  private final PoolingOptions options;

  /// Windows side by side.
  public LPPool1d(double normType, int kernelSize) {
    this(normType, kernelSize, o -> o);
  }

  /// Windows of the given size.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public LPPool1d(double normType, int kernelSize, UnaryOperator<PoolingOptions> options) {
    Sizes.positive("LPPool1d", "kernelSize", kernelSize);
    this.normType = normType;
    this.kernelSize = kernelSize;
    this.options = options.apply(PoolingOptions.DEFAULT);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.lpPool1d(normType, kernelSize, _ -> options);
  }

  @Override
  protected String extraRepr() {
    return "norm_type=%s, kernel_size=%s, stride=%s, ceil_mode=%s"
        .formatted(
            Repr.number(normType),
            Repr.oneOr(kernelSize),
            options.stride().width() == 0 ? "None" : Repr.oneOr(options.stride().width()),
            Repr.truth(options.ceilMode()));
  }
}
