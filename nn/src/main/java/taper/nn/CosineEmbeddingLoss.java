package taper.nn;

import java.util.List;
import taper.tensor.Reduction;
import taper.tensor.Tensor;

/// 1 minus the cosine of both vectors where the target is 1, and what it exceeds a margin by where it is -1.
///
/// - Shape: `[n m], [n m], [n] -> []`; `[m], [m], [] -> []`
public final class CosineEmbeddingLoss extends Module {
  private final transient double margin;
  private final transient Reduction reduction;

  /// With margin 0, and the mean over all samples.
  public CosineEmbeddingLoss() {
    this(0, Reduction.MEAN);
  }

  /// @param margin which cosine is small enough
  /// @param reduction what becomes of the losses
  public CosineEmbeddingLoss(double margin, Reduction reduction) {
    this.margin = margin;
    this.reduction = Sizes.given("CosineEmbeddingLoss", "reduction", reduction);
  }

  /// Computes the loss.
  public Tensor call(Tensor input1, Tensor input2, Tensor target) {
    return invoke(
        List.of(input1, input2, target),
        in -> in.get(0).cosineEmbeddingLoss(in.get(1), in.get(2), margin, reduction));
  }
}
