package taper.nn;

import taper.tensor.Tensor;

/// A border of one value.
///
/// - Shape: `[n c d h w]` to the same with larger volumes; the batch dimension may be missing
public final class ConstantPad3d extends Layer {
  private final long[] padding;
  private final double value;

  /// @param padding elements on every side
  /// @param value what the border is made of
  public ConstantPad3d(int padding, double value) {
    this(padding, padding, padding, padding, padding, padding, value);
  }

  /// @param left elements on this side; negative numbers cut off
  /// @param right elements on this side; negative numbers cut off
  /// @param top elements on this side; negative numbers cut off
  /// @param bottom elements on this side; negative numbers cut off
  /// @param front elements on this side; negative numbers cut off
  /// @param back elements on this side; negative numbers cut off
  /// @param value what the border is made of
  public ConstantPad3d(
      int left, int right, int top, int bottom, int front, int back, double value) {
    this.padding = new long[] {left, right, top, bottom, front, back};
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
