package taper.nn;

import taper.tensor.Reduction;
import taper.tensor.Tensor;

/// The mean of the absolute differences, where those below `beta` are squared instead.
public final class SmoothL1Loss extends Loss {
  private final double beta;
  private final Reduction reduction;

  /// With `beta` 1, and the mean over all elements.
  public SmoothL1Loss() {
    this(1, Reduction.MEAN);
  }

  /// @param beta where squares begin
  /// @param reduction what becomes of the elements' losses
  public SmoothL1Loss(double beta, Reduction reduction) {
    this.beta = beta;
    this.reduction = Sizes.given("SmoothL1Loss", "reduction", reduction);
  }

  @Override
  protected Tensor forward(Tensor input, Tensor target) {
    return input.smoothL1Loss(target, beta, reduction);
  }
}
