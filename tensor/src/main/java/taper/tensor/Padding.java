package taper.tensor;

/// Padding of borders.
public sealed interface Padding permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("padding");

    private Operators() {}
  }
}
