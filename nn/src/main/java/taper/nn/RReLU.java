package taper.nn;

import taper.tensor.Tensor;

/// `x` of every positive element, a slope times it of the others: drawn between `lower` and `upper` in training mode, else the
/// middle of both.
///
/// - Source: Xu et al. 2015, Empirical evaluation of rectified activations in convolutional network, arXiv:1505.00853
public final class RReLU extends Layer {
  private final double lower;
  private final double upper;

  /// With slopes from 1/8 to 1/3.
  public RReLU() {
    this(1.0 / 8, 1.0 / 3);
  }

  /// @param lower the lowest slope
  /// @param upper the highest slope
  public RReLU(double lower, double upper) {
    this.lower = lower;
    this.upper = upper;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.rrelu(lower, upper, isTraining());
  }

  @Override
  protected String extraRepr() {
    return "lower=%s, upper=%s".formatted(Repr.number(lower), Repr.number(upper));
  }
}
