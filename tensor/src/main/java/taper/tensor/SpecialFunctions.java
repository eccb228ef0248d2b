package taper.tensor;

/// Gamma, Bessel and other special functions, element by element.
public sealed interface SpecialFunctions permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("special functions");

    private Operators() {}
  }
}
