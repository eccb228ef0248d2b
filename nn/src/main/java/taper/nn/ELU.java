package taper.nn;

import taper.tensor.Tensor;

/// `x` of every positive element, `alpha · (eˣ - 1)` of the others.
///
/// - Source: Clevert, Unterthiner, Hochreiter 2015, arXiv:1511.07289
public final class ELU extends Layer {
  private final double alpha;

  /// With `alpha` 1.
  public ELU() {
    this(1);
  }

  /// @param alpha the limit of large negative elements, negated
  public ELU(double alpha) {
    this.alpha = alpha;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.elu(alpha);
  }

  @Override
  protected String extraRepr() {
    return "alpha=" + Repr.number(alpha);
  }
}
