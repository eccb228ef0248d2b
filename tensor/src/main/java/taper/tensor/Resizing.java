package taper.tensor;

/// Interpolation and sampling of images.
public sealed interface Resizing permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("resizing");

    private Operators() {}
  }
}
