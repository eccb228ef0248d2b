package taper.nn;

import taper.tensor.Tensor;

/// Every element, limited to `0..6`.
public final class ReLU6 extends Layer {

  /// The only one there is.
  public ReLU6() {}

  @Override
  protected Tensor forward(Tensor input) {
    return input.relu6();
  }
}
