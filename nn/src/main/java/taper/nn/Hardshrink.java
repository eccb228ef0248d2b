package taper.nn;

import taper.tensor.Tensor;

/// Every element, with 0 in the place of those in `-lambda..lambda`.
public final class Hardshrink extends Layer {
  private final double lambda;

  /// With `lambda` 0.5.
  public Hardshrink() {
    this(0.5);
  }

  /// @param lambda the limit
  public Hardshrink(double lambda) {
    this.lambda = lambda;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.hardshrink(lambda);
  }

  @Override
  protected String extraRepr() {
    return Repr.number(lambda);
  }
}
