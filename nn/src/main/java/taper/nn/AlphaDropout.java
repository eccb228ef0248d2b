package taper.nn;

import taper.tensor.Tensor;

/// In training mode, sets elements to the negative limit of [SELU] with probability `p`, and keeps mean 0 and variance 1.
///
/// - Source: Klambauer et al. 2017, arXiv:1706.02515
public final class AlphaDropout extends Layer {
  private final double p;

  /// With probability 0.5.
  public AlphaDropout() {
    this(0.5);
  }

  /// @param p the probability
  public AlphaDropout(double p) {
    Sizes.probability("AlphaDropout", p);
    this.p = p;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.alphaDropout(p, isTraining());
  }

  @Override
  protected String extraRepr() {
    return "p=%s, inplace=False".formatted(Repr.number(p));
  }
}
