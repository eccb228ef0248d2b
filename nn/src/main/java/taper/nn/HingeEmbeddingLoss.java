package taper.nn;

import taper.tensor.Reduction;
import taper.tensor.Tensor;

/// The mean of the input where the target is 1, and of what it lacks to a margin where the target is -1.
public final class HingeEmbeddingLoss extends Loss {
  private final double margin;
  private final Reduction reduction;

  /// With margin 1, and the mean over all elements.
  public HingeEmbeddingLoss() {
    this(1, Reduction.MEAN);
  }

  /// @param margin how large the input should be where the target is -1
  /// @param reduction what becomes of the losses
  public HingeEmbeddingLoss(double margin, Reduction reduction) {
    this.margin = margin;
    this.reduction = Sizes.given("HingeEmbeddingLoss", "reduction", reduction);
  }

  @Override
  protected Tensor forward(Tensor input, Tensor target) {
    return input.hingeEmbeddingLoss(target, margin, reduction);
  }
}
