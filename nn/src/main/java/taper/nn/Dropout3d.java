package taper.nn;

import taper.tensor.Tensor;

/// In training mode, sets channels of volumes to 0 with probability `p` and divides the others by `1 - p`.
///
/// - Shape: `[n c d h w] -> [n c d h w]`; `[c d h w] -> [c d h w]`
/// - Source: Tompson et al. 2014, arXiv:1411.4280
public final class Dropout3d extends Layer {
  private final double p;

  /// With probability 0.5.
  public Dropout3d() {
    this(0.5);
  }

  /// @param p the probability
  public Dropout3d(double p) {
    Sizes.probability("Dropout3d", p);
    this.p = p;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.dropout3d(p, isTraining());
  }

  @Override
  protected String extraRepr() {
    return "p=%s, inplace=False".formatted(Repr.number(p));
  }
}
