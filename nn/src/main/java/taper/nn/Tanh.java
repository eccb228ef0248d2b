package taper.nn;

import taper.tensor.Tensor;

/// The hyperbolic tangent of every element.
public final class Tanh extends Layer {

  /// The only one there is.
  public Tanh() {}

  @Override
  protected Tensor forward(Tensor input) {
    return input.tanh();
  }
}
