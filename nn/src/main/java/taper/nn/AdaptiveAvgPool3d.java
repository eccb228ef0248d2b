package taper.nn;

import taper.tensor.Tensor;

/// The averages over as many windows as the output shall have elements.
///
/// - Shape: `[n c d h w] -> [n c depth height width]`; the batch dimension may be missing
public final class AdaptiveAvgPool3d extends Layer {
  private final long depth;
  private final long height;
  private final long width;

  /// @param outputSize the size of the output along every dimension
  public AdaptiveAvgPool3d(long outputSize) {
    this(outputSize, outputSize, outputSize);
  }

  /// @param depth the depth of the output
  /// @param height the height of the output
  /// @param width the width of the output
  public AdaptiveAvgPool3d(long depth, long height, long width) {
    this.depth = depth;
    this.height = height;
    this.width = width;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.adaptiveAvgPool3d(depth, height, width);
  }

  @Override
  protected String extraRepr() {
    return "output_size=" + Repr.oneOr(depth, height, width);
  }
}
