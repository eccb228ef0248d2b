package taper.tensor;

/// Windows as columns, and back.
public sealed interface Unfolding permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("unfolding");

    private Operators() {}
  }
}
