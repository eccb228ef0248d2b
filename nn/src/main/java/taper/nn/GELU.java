package taper.nn;

import java.util.Locale;
import taper.tensor.Tensor;

/// `x · Φ(x)` of every element, where Φ is the distribution function of the normal distribution.
public final class GELU extends Layer {
  private final Tensor.Approximate approximate;

  /// By the error function.
  public GELU() {
    this(Tensor.Approximate.NONE);
  }

  /// @param approximate how Φ is computed
  public GELU(Tensor.Approximate approximate) {
    this.approximate = Sizes.given("GELU", "approximate", approximate);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.gelu(approximate);
  }

  @Override
  protected String extraRepr() {
    return "approximate='" + approximate.name().toLowerCase(Locale.ROOT) + "'";
  }
}
