package taper.tensor;

/// Complex numbers: their parts, conjugates and views as pairs of real numbers.
public sealed interface ComplexParts permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("complex parts");

    private Operators() {}
  }
}
