package taper.nn;

import taper.tensor.Tensor;

/// A border of the image, repeated.
///
/// - Shape: `[n c l]` to the same with larger rows; the batch dimension may be missing
public final class CircularPad1d extends Layer {
  private final long[] padding;

  /// @param padding elements on every side
  public CircularPad1d(int padding) {
    this(padding, padding);
  }

  /// @param left elements on this side; negative numbers cut off
  /// @param right elements on this side; negative numbers cut off
  public CircularPad1d(int left, int right) {
    this.padding = new long[] {left, right};
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.pad(padding, "circular");
  }

  @Override
  protected String extraRepr() {
    return Repr.tuple(padding);
  }
}
