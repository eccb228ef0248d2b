package taper.nn;

import taper.tensor.Tensor;

/// The averages over as many windows as the output shall have elements.
///
/// - Shape: `[n c h w] -> [n c height width]`; the batch dimension may be missing
public final class AdaptiveAvgPool2d extends Layer {
  private final long height;
  private final long width;

  /// @param outputSize the rows and columns of the output
  public AdaptiveAvgPool2d(long outputSize) {
    this(outputSize, outputSize);
  }

  /// @param height the rows of the output
  /// @param width the columns of the output
  public AdaptiveAvgPool2d(long height, long width) {
    this.height = height;
    this.width = width;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.adaptiveAvgPool2d(height, width);
  }

  @Override
  protected String extraRepr() {
    return "output_size=" + Repr.oneOr(height, width);
  }
}
