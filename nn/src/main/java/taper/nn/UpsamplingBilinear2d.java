package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.InterpolationOptions;
import taper.tensor.Tensor;

/// The image in another size, interpolated between the centres of the corner pixels.
///
/// - Shape: `[n c h w] -> [n c h' w']`
public final class UpsamplingBilinear2d extends Layer {
  private final InterpolationOptions options;

  /// @param options size or scaleFactor, as in `o -> o.scaleFactor(2)`
  public UpsamplingBilinear2d(UnaryOperator<InterpolationOptions> options) {
    this.options =
        Sizes.chosen("UpsamplingBilinear2d", options, InterpolationOptions.DEFAULT)
            .mode("bilinear")
            .alignCorners(true);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.interpolate(_ -> options);
  }

  @Override
  protected String extraRepr() {
    return Repr.resizing(options) + ", mode='bilinear'";
  }
}
