package taper.tensor;

/// Sorting, ranks, and what is found in sorted values.
public sealed interface Sorting permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("sorting");

    private Operators() {}
  }
}
