package taper.nn;

import taper.tensor.Tensor;

/// A border of zeros.
///
/// - Shape: `[n c h w]` to the same with larger planes; the batch dimension may be missing
public final class ZeroPad2d extends Layer {
  private final long[] padding;

  /// @param padding elements on every side
  public ZeroPad2d(int padding) {
    this(padding, padding, padding, padding);
  }

  /// @param left elements on this side; negative numbers cut off
  /// @param right elements on this side; negative numbers cut off
  /// @param top elements on this side; negative numbers cut off
  /// @param bottom elements on this side; negative numbers cut off
  public ZeroPad2d(int left, int right, int top, int bottom) {
    this.padding = new long[] {left, right, top, bottom};
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.pad(padding);
  }

  @Override
  protected String extraRepr() {
    return Repr.tuple(padding);
  }
}
