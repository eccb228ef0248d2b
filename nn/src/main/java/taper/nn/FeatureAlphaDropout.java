package taper.nn;

import taper.tensor.Tensor;

/// In training mode, sets channels to the negative limit of [SELU] with probability `p`, and keeps mean 0 and variance 1.
///
/// - Shape: `[n c *] -> [n c *]`
/// - Source: Klambauer et al. 2017, arXiv:1706.02515
public final class FeatureAlphaDropout extends Layer {
  private final double p;

  /// With probability 0.5.
  public FeatureAlphaDropout() {
    this(0.5);
  }

  /// @param p the probability
  public FeatureAlphaDropout(double p) {
    Sizes.probability("FeatureAlphaDropout", p);
    this.p = p;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.featureAlphaDropout(p, isTraining());
  }

  @Override
  protected String extraRepr() {
    return "p=%s, inplace=False".formatted(Repr.number(p));
  }
}
