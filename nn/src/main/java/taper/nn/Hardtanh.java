package taper.nn;

import taper.tensor.Tensor;

/// Every element, limited to `minVal..maxVal`.
public final class Hardtanh extends Layer {
  private final double minVal;
  private final double maxVal;

  /// Limited to `-1..1`.
  public Hardtanh() {
    this(-1, 1);
  }

  /// @param minVal the lowest value
  /// @param maxVal the highest value
  public Hardtanh(double minVal, double maxVal) {
    this.minVal = minVal;
    this.maxVal = maxVal;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.hardtanh(minVal, maxVal);
  }

  @Override
  protected String extraRepr() {
    return "min_val=%s, max_val=%s".formatted(Repr.number(minVal), Repr.number(maxVal));
  }
}
