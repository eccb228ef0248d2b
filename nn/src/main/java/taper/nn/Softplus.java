package taper.nn;

import taper.tensor.Tensor;

/// `log(1 + exp(beta · x)) / beta` of every element, and `x` where `beta · x` is above `threshold`.
public final class Softplus extends Layer {
  private final double beta;
  private final double threshold;

  /// With `beta` 1 and `threshold` 20.
  public Softplus() {
    this(1, 20);
  }

  /// @param beta the steepness
  /// @param threshold above which the function is linear
  public Softplus(double beta, double threshold) {
    this.beta = beta;
    this.threshold = threshold;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.softplus(beta, threshold);
  }

  @Override
  protected String extraRepr() {
    return "beta=%s, threshold=%s".formatted(Repr.number(beta), Repr.number(threshold));
  }
}
