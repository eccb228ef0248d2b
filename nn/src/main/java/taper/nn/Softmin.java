package taper.nn;

import taper.tensor.Tensor;

/// The softmax of the negated elements along a dimension.
public final class Softmin extends Layer {
  private final int dim;

  /// @param dim the dimension along which the result sums to 1
  public Softmin(int dim) {
    this.dim = dim;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.softmin(dim);
  }

  @Override
  protected String extraRepr() {
    return "dim=" + dim;
  }
}
