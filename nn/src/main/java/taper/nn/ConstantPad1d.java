package taper.nn;

import taper.tensor.Tensor;

/// A border of one value.
///
/// - Shape: `[n c l]` to the same with larger rows; the batch dimension may be missing
public final class ConstantPad1d extends Layer {
  private final long[] padding;
  private final double value;

  /// @param padding elements on every side
  /// @param value what the border is made of
  public ConstantPad1d(int padding, double value) {
    this(padding, padding, value);
  }

  /// @param left elements on this side; negative numbers cut off
  /// @param right elements on this side; negative numbers cut off
  /// @param value what the border is made of
  public ConstantPad1d(int left, int right, double value) {
    this.padding = new long[] {left, right};
    this.value = value;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.pad(padding, value);
  }

  @Override
  protected String extraRepr() {
    return "padding=" + Repr.tuple(padding) + ", value=" + Repr.number(value);
  }
}
