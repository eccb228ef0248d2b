package taper.nn;

import taper.tensor.Tensor;

/// In training mode, sets channels of sequences to 0 with probability `p` and divides the others by `1 - p`.
///
/// - Shape: `[n c l] -> [n c l]`; `[c l] -> [c l]`
/// - Source: Tompson et al. 2014, arXiv:1411.4280
public final class Dropout1d extends Layer {
  private final double p;

  /// With probability 0.5.
  public Dropout1d() {
    this(0.5);
  }

  /// @param p the probability
  public Dropout1d(double p) {
    Sizes.probability("Dropout1d", p);
    this.p = p;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.dropout1d(p, isTraining());
  }

  @Override
  protected String extraRepr() {
    return "p=%s, inplace=False".formatted(Repr.number(p));
  }
}
