package taper.nn;

import taper.tensor.Reduction;
import taper.tensor.Tensor;

/// The mean of the absolute differences.
public final class L1Loss extends Loss {
  private final Reduction reduction;

  /// The mean over all elements.
  public L1Loss() {
    this(Reduction.MEAN);
  }

  /// @param reduction what becomes of the elements' losses
  public L1Loss(Reduction reduction) {
    this.reduction = Sizes.given("L1Loss", "reduction", reduction);
  }

  @Override
  protected Tensor forward(Tensor input, Tensor target) {
    return input.l1Loss(target, reduction);
  }
}
