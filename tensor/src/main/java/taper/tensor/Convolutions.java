package taper.tensor;

/// Operators of this family are declared here.
public sealed interface Convolutions permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("convolutions");

    private Operators() {}
  }
}
