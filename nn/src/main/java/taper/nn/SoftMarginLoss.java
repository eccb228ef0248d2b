package taper.nn;

import taper.tensor.Reduction;
import taper.tensor.Tensor;

/// The mean of `log(1 + exp(-target · input))`, for targets 1 and -1.
public final class SoftMarginLoss extends Loss {
  private final Reduction reduction;

  /// The mean over all elements.
  public SoftMarginLoss() {
    this(Reduction.MEAN);
  }

  /// @param reduction what becomes of the losses
  public SoftMarginLoss(Reduction reduction) {
    this.reduction = Sizes.given("SoftMarginLoss", "reduction", reduction);
  }

  @Override
  protected Tensor forward(Tensor input, Tensor target) {
    return input.softMarginLoss(target, reduction);
  }
}
