package taper.nn;

import java.util.List;
import taper.tensor.Reduction;
import taper.tensor.Tensor;

/// `max(0, margin - target · (input1 - input2))`, for targets 1 and -1.
public final class MarginRankingLoss extends Module {
  private final transient double margin;
  private final transient Reduction reduction;

  /// With margin 0, and the mean over all elements.
  public MarginRankingLoss() {
    this(0, Reduction.MEAN);
  }

  /// @param margin how far apart the inputs should be
  /// @param reduction what becomes of the losses
  public MarginRankingLoss(double margin, Reduction reduction) {
    this.margin = margin;
    this.reduction = Sizes.given("MarginRankingLoss", "reduction", reduction);
  }

  /// Computes the loss.
  public Tensor call(Tensor input1, Tensor input2, Tensor target) {
    return invoke(
        List.of(input1, input2, target),
        in -> in.get(0).marginRankingLoss(in.get(1), in.get(2), margin, reduction));
  }
}
