package taper.tensor;

/// Attention.
public sealed interface Attention permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("attention");

    private Operators() {}
  }
}
