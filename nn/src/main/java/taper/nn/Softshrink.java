package taper.nn;

import taper.tensor.Tensor;

/// Every element, moved by `lambda` towards 0.
public final class Softshrink extends Layer {
  private final double lambda;

  /// With `lambda` 0.5.
  public Softshrink() {
    this(0.5);
  }

  /// @param lambda the distance
  public Softshrink(double lambda) {
    this.lambda = lambda;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.softshrink(lambda);
  }

  @Override
  protected String extraRepr() {
    return Repr.number(lambda);
  }
}
