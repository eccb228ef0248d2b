package taper.nn;

import taper.tensor.Tensor;

/// Every element, divided by `(k + alpha · mean of squares)^beta`, where the mean is over `size` neighbouring channels.
///
/// - Shape: `[n c *] -> [n c *]`
/// - Source: Krizhevsky, Sutskever, Hinton 2012, ImageNet classification with deep convolutional neural networks
public final class LocalResponseNorm extends Layer {
  private final int size;
  private final double alpha;
  private final double beta;
  private final double k;

  /// With `alpha` 0.0001, `beta` 0.75 and `k` 1.
  public LocalResponseNorm(int size) {
    this(size, 1e-4, 0.75, 1);
  }

  /// @param size how many channels
  /// @param alpha the factor of the mean
  /// @param beta the exponent
  /// @param k is added to the mean
  public LocalResponseNorm(int size, double alpha, double beta, double k) {
    this.size = size;
    this.alpha = alpha;
    this.beta = beta;
    this.k = k;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.localResponseNorm(size, alpha, beta, k);
  }

  @Override
  protected String extraRepr() {
    return "%d, alpha=%s, beta=%s, k=%s"
        .formatted(size, Repr.number(alpha), Repr.number(beta), Repr.number(k));
  }
}
