package taper.nn;

import taper.tensor.Tensor;

/// Channels that become pixels.
///
/// - Shape: `[*b c·factor² h w] -> [*b c h·factor w·factor]`
public final class PixelShuffle extends Layer {
  private final int upscaleFactor;

  /// @param upscaleFactor by how much the image grows or shrinks
  public PixelShuffle(int upscaleFactor) {
    Sizes.positive("PixelShuffle", "upscaleFactor", upscaleFactor);
    this.upscaleFactor = upscaleFactor;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.pixelShuffle(upscaleFactor);
  }

  @Override
  protected String extraRepr() {
    return "upscale_factor=" + upscaleFactor;
  }
}
