package taper.nn;

import taper.tensor.Tensor;

/// The maxima over as many windows as the output shall have elements.
///
/// - Shape: `[n c h w] -> [n c height width]`; the batch dimension may be missing
public final class AdaptiveMaxPool2d extends Layer {
  private final long height;
  private final long width;

  /// @param outputSize the size of the output along every dimension
  public AdaptiveMaxPool2d(long outputSize) {
    this(outputSize, outputSize);
  }

  /// @param height the height of the output
  /// @param width the width of the output
  public AdaptiveMaxPool2d(long height, long width) {
    this.height = height;
    this.width = width;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.adaptiveMaxPool2d(height, width);
  }

  @Override
  protected String extraRepr() {
    return "output_size=" + Repr.oneOr(height, width);
  }
}
