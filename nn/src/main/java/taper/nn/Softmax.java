package taper.nn;

import taper.tensor.Tensor;

/// The exponentials along a dimension, divided by their sum.
public final class Softmax extends Layer {
  private final int dim;

  /// @param dim the dimension along which the result sums to 1
  public Softmax(int dim) {
    this.dim = dim;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.softmax(dim);
  }

  @Override
  protected String extraRepr() {
    return "dim=" + dim;
  }
}
