package taper.tensor;

/// Bitwise operations on whole numbers and truth values.
public sealed interface Bits permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("bits");

    private Operators() {}
  }
}
