package taper.nn;

import taper.tensor.Tensor;

/// Pixels that become channels.
///
/// - Shape: `[*b c h·factor w·factor] -> [*b c·factor² h w]`
public final class PixelUnshuffle extends Layer {
  private final int downscaleFactor;

  /// @param downscaleFactor by how much the image grows or shrinks
  public PixelUnshuffle(int downscaleFactor) {
    Sizes.positive("PixelUnshuffle", "downscaleFactor", downscaleFactor);
    this.downscaleFactor = downscaleFactor;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.pixelUnshuffle(downscaleFactor);
  }

  @Override
  protected String extraRepr() {
    return "downscale_factor=" + downscaleFactor;
  }
}
