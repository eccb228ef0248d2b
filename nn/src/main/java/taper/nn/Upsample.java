package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.InterpolationOptions;
import taper.tensor.Tensor;

/// The image in another size.
///
/// - Shape: `[n c *] -> [n c *]`, with one, two or three dimensions that change
public final class Upsample extends Layer {
  private final InterpolationOptions options;

  /// @param options as in `o -> o.scaleFactor(2).mode("bilinear")`
  public Upsample(UnaryOperator<InterpolationOptions> options) {
    this.options = Sizes.chosen("Upsample", options, InterpolationOptions.DEFAULT);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.interpolate(_ -> options);
  }

  @Override
  protected String extraRepr() {
    return Repr.resizing(options) + ", mode='" + options.mode() + "'";
  }
}
