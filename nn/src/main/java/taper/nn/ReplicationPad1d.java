package taper.nn;

import taper.tensor.Tensor;

/// A border of the outermost elements, repeated.
///
/// - Shape: `[n c l]` to the same with larger rows; the batch dimension may be missing
public final class ReplicationPad1d extends Layer {
  private final long[] padding;

  /// @param padding elements on every side
  public ReplicationPad1d(int padding) {
    this(padding, padding);
  }

  /// @param left elements on this side; negative numbers cut off
  /// @param right elements on this side; negative numbers cut off
  public ReplicationPad1d(int left, int right) {
    this.padding = new long[] {left, right};
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
