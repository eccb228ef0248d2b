package taper.nn;

import java.util.List;
import java.util.function.BinaryOperator;
import taper.tensor.Reduction;
import taper.tensor.Tensor;

/// The triplet loss with a distance of one's own.
public final class TripletMarginWithDistanceLoss extends Module {
  private final transient BinaryOperator<Tensor> distance;
  private final transient double margin;
  private final transient boolean swap;
  private final transient Reduction reduction;

  /// With margin 1, and the mean over all samples.
  public TripletMarginWithDistanceLoss(BinaryOperator<Tensor> distance) {
    this(distance, 1, false, Reduction.MEAN);
  }

  /// @param distance gives one number for each pair
  /// @param margin how much nearer the positive one should be
  /// @param swap whether the positive and the negative one are to be apart too, where they are nearer
  /// @param reduction what becomes of the losses
  public TripletMarginWithDistanceLoss(
      BinaryOperator<Tensor> distance, double margin, boolean swap, Reduction reduction) {
    this.distance = Sizes.given("TripletMarginWithDistanceLoss", "distance", distance);
    this.margin = margin;
    this.swap = swap;
    this.reduction = Sizes.given("TripletMarginWithDistanceLoss", "reduction", reduction);
  }

  /// Computes the loss.
  public Tensor call(Tensor anchor, Tensor positive, Tensor negative) {
    return invoke(
        List.of(anchor, positive, negative),
        in ->
            in.get(0)
                .tripletMarginWithDistanceLoss(
                    in.get(1), in.get(2), distance, margin, swap, reduction));
  }
}
