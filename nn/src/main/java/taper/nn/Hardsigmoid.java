package taper.nn;

import taper.tensor.Tensor;

/// `relu6(x + 3) / 6` of every element.
public final class Hardsigmoid extends Layer {

  /// The only one there is.
  public Hardsigmoid() {}

  @Override
  protected Tensor forward(Tensor input) {
    return input.hardsigmoid();
  }
}
