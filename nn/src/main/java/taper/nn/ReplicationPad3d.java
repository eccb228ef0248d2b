package taper.nn;

import taper.tensor.Tensor;

/// A border of the outermost elements, repeated.
///
/// - Shape: `[n c d h w]` to the same with larger volumes; the batch dimension may be missing
public final class ReplicationPad3d extends Layer {
  private final long[] padding;

  /// @param padding elements on every side
  public ReplicationPad3d(int padding) {
    this(padding, padding, padding, padding, padding, padding);
  }

  /// @param left elements on this side; negative numbers cut off
  /// @param right elements on this side; negative numbers cut off
  /// @param top elements on this side; negative numbers cut off
  /// @param bottom elements on this side; negative numbers cut off
  /// @param front elements on this side; negative numbers cut off
  /// @param back elements on this side; negative numbers cut off
  public ReplicationPad3d(int left, int right, int top, int bottom, int front, int back) {
    this.padding = new long[] {left, right, top, bottom, front, back};
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.pad(padding, "replicate");
  }

  @Override
  protected String extraRepr() {
    return Repr.tuple(padding);
  }
}
