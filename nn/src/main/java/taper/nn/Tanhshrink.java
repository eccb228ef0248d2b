package taper.nn;

import taper.tensor.Tensor;

/// `x - tanh(x)` of every element.
public final class Tanhshrink extends Layer {

  /// The only one there is.
  public Tanhshrink() {}

  @Override
  protected Tensor forward(Tensor input) {
    return input.tanhshrink();
  }
}
