package taper.nn;

import taper.tensor.Tensor;

/// The maxima over as many windows as the output shall have elements.
///
/// - Shape: `[n c l] -> [n c length]`; the batch dimension may be missing
public final class AdaptiveMaxPool1d extends Layer {
  private final long length;

  /// @param length the length of the output
  public AdaptiveMaxPool1d(long length) {
    this.length = length;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.adaptiveMaxPool1d(length);
  }

  @Override
  protected String extraRepr() {
    return "output_size=" + Repr.oneOr(length);
  }
}
