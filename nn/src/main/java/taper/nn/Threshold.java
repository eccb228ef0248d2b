package taper.nn;

import taper.tensor.Tensor;

/// Every element above `limit`, `value` in the place of the others.
public final class Threshold extends Layer {
  private final double limit;
  private final double value;

  /// @param limit what an element must exceed
  /// @param value what takes the place of the others
  public Threshold(double limit, double value) {
    this.limit = limit;
    this.value = value;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.threshold(limit, value);
  }

  @Override
  protected String extraRepr() {
    return "threshold=%s, value=%s".formatted(Repr.number(limit), Repr.number(value));
  }
}
