package taper.nn;

import taper.tensor.Tensor;

/// `x · tanh(softplus(x))` of every element.
public final class Mish extends Layer {

  /// The only one there is.
  public Mish() {}

  @Override
  protected Tensor forward(Tensor input) {
    return input.mish();
  }
}
