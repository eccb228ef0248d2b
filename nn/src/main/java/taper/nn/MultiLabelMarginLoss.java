package taper.nn;

import taper.tensor.Reduction;
import taper.tensor.Tensor;

/// What each other class lacks to be 1 below each class that the target names; classes from the first -1 on do not count.
public final class MultiLabelMarginLoss extends Loss {
  private final Reduction reduction;

  /// The mean over all samples.
  public MultiLabelMarginLoss() {
    this(Reduction.MEAN);
  }

  /// @param reduction what becomes of the losses
  public MultiLabelMarginLoss(Reduction reduction) {
    this.reduction = Sizes.given("MultiLabelMarginLoss", "reduction", reduction);
  }

  @Override
  protected Tensor forward(Tensor input, Tensor target) {
    return input.multilabelMarginLoss(target, reduction);
  }
}
