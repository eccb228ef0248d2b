package taper.nn;

import org.jspecify.annotations.Nullable;
import taper.tensor.Buffer;
import taper.tensor.Reduction;
import taper.tensor.Tensor;

/// The binary cross entropy of logits, averaged over classes.
public final class MultiLabelSoftMarginLoss extends Loss {
  private final @Nullable Buffer weight;
  private final Reduction reduction;

  /// The mean over all samples.
  public MultiLabelSoftMarginLoss() {
    this(null, Reduction.MEAN);
  }

  /// @param weight a factor for each class, or null
  /// @param reduction what becomes of the losses
  public MultiLabelSoftMarginLoss(@Nullable Tensor weight, Reduction reduction) {
    this.weight = weight == null ? null : new Buffer(weight);
    this.reduction = Sizes.given("MultiLabelSoftMarginLoss", "reduction", reduction);
  }

  @Override
  protected Tensor forward(Tensor input, Tensor target) {
    return input.multilabelSoftMarginLoss(target, weight, reduction);
  }
}
