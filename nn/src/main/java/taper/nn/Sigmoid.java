package taper.nn;

import taper.tensor.Tensor;

/// `1 / (1 + e⁻ˣ)` of every element.
public final class Sigmoid extends Layer {

  /// The only one there is.
  public Sigmoid() {}

  @Override
  protected Tensor forward(Tensor input) {
    return input.sigmoid();
  }
}
