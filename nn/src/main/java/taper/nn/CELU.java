package taper.nn;

import taper.tensor.Tensor;

/// `x` of every positive element, `alpha · (exp(x / alpha) - 1)` of the others.
///
/// - Source: Barron 2017, arXiv:1704.07483
public final class CELU extends Layer {
  private final double alpha;

  /// With `alpha` 1.
  public CELU() {
    this(1);
  }

  /// @param alpha the limit of large negative elements, negated
  public CELU(double alpha) {
    this.alpha = alpha;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.celu(alpha);
  }

  @Override
  protected String extraRepr() {
    return "alpha=" + Repr.number(alpha);
  }
}
