package taper.nn;

import taper.tensor.Tensor;

/// `x / (1 + |x|)` of every element.
public final class Softsign extends Layer {

  /// The only one there is.
  public Softsign() {}

  @Override
  protected Tensor forward(Tensor input) {
    return input.softsign();
  }
}
