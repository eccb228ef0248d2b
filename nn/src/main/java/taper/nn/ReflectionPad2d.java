package taper.nn;

import taper.tensor.Tensor;

/// A border of the image, mirrored at its outermost elements.
///
/// - Shape: `[n c h w]` to the same with larger planes; the batch dimension may be missing
public final class ReflectionPad2d extends Layer {
  private final long[] padding;

  /// @param padding elements on every side
  public ReflectionPad2d(int padding) {
    this(padding, padding, padding, padding);
  }

  /// @param left elements on this side; negative numbers cut off
  /// @param right elements on this side; negative numbers cut off
  /// @param top elements on this side; negative numbers cut off
  /// @param bottom elements on this side; negative numbers cut off
  public ReflectionPad2d(int left, int right, int top, int bottom) {
    this.padding = new long[] {left, right, top, bottom};
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.pad(padding, "reflect");
  }

  @Override
  protected String extraRepr() {
    return Repr.tuple(padding);
  }
}
