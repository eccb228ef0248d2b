package taper.nn;

import java.util.List;
import taper.tensor.Reduction;
import taper.tensor.Tensor;

/// The negative log likelihood of targets with normal distributions.
public final class GaussianNLLLoss extends Module {
  private final transient boolean full;
  private final transient double eps;
  private final transient Reduction reduction;

  /// Without the constant, and the mean over all elements.
  public GaussianNLLLoss() {
    this(false, 1e-6, Reduction.MEAN);
  }

  /// @param full whether the constant is added
  /// @param eps stands in for smaller variances
  /// @param reduction what becomes of the losses
  public GaussianNLLLoss(boolean full, double eps, Reduction reduction) {
    this.full = full;
    this.eps = eps;
    this.reduction = Sizes.given("GaussianNLLLoss", "reduction", reduction);
  }

  /// Computes the loss of means, with respect to targets, with the given variances.
  public Tensor call(Tensor input, Tensor target, Tensor var) {
    return invoke(
        List.of(input, target, var),
        in -> in.get(0).gaussianNllLoss(in.get(1), in.get(2), full, eps, reduction));
  }
}
