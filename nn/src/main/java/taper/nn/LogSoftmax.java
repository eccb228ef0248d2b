package taper.nn;

import taper.tensor.Tensor;

/// The logarithm of [Softmax], computed without leaving the range of the numbers.
public final class LogSoftmax extends Layer {
  private final int dim;

  /// @param dim the dimension along which the result sums to 1
  public LogSoftmax(int dim) {
    this.dim = dim;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.logSoftmax(dim);
  }

  @Override
  protected String extraRepr() {
    return "dim=" + dim;
  }
}
