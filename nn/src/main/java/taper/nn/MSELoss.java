package taper.nn;

import taper.tensor.Reduction;
import taper.tensor.Tensor;

/// The mean of the squared differences.
public final class MSELoss extends Loss {
  private final Reduction reduction;

  /// The mean over all elements.
  public MSELoss() {
    this(Reduction.MEAN);
  }

  /// @param reduction what becomes of the elements' losses
  public MSELoss(Reduction reduction) {
    this.reduction = Sizes.given("MSELoss", "reduction", reduction);
  }

  @Override
  protected Tensor forward(Tensor input, Tensor target) {
    return input.mseLoss(target, reduction);
  }
}
