package taper.nn;

import taper.tensor.Tensor;

/// `x · relu6(x + 3) / 6` of every element.
///
/// - Source: Howard et al. 2019, arXiv:1905.02244
public final class Hardswish extends Layer {

  /// The only one there is.
  public Hardswish() {}

  @Override
  protected Tensor forward(Tensor input) {
    return input.hardswish();
  }
}
