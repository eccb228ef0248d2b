package taper.nn;

import taper.tensor.Reduction;
import taper.tensor.Tensor;

/// The mean of half the squared differences, where those above `delta` go on in a straight line.
public final class HuberLoss extends Loss {
  private final double delta;
  private final Reduction reduction;

  /// With `delta` 1, and the mean over all elements.
  public HuberLoss() {
    this(1, Reduction.MEAN);
  }

  /// @param delta where squares end
  /// @param reduction what becomes of the elements' losses
  public HuberLoss(double delta, Reduction reduction) {
    this.delta = delta;
    this.reduction = Sizes.given("HuberLoss", "reduction", reduction);
  }

  @Override
  protected Tensor forward(Tensor input, Tensor target) {
    return input.huberLoss(target, delta, reduction);
  }
}
