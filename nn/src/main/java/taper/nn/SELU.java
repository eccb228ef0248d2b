package taper.nn;

import taper.tensor.Tensor;

/// `scale · elu(x, alpha)` with the constants that keep mean 0 and variance 1.
///
/// - Source: Klambauer et al. 2017, arXiv:1706.02515
public final class SELU extends Layer {

  /// The only one there is.
  public SELU() {}

  @Override
  protected Tensor forward(Tensor input) {
    return input.selu();
  }
}
