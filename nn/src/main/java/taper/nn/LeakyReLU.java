package taper.nn;

import taper.tensor.Tensor;

/// `x` of every positive element, `negativeSlope · x` of the others.
public final class LeakyReLU extends Layer {
  private final double negativeSlope;

  /// With slope 0.01.
  public LeakyReLU() {
    this(0.01);
  }

  /// @param negativeSlope the factor below 0
  public LeakyReLU(double negativeSlope) {
    this.negativeSlope = negativeSlope;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.leakyRelu(negativeSlope);
  }

  @Override
  protected String extraRepr() {
    return "negative_slope=" + Repr.number(negativeSlope);
  }
}
