package taper.tensor;

/// Matrix decompositions, and what rests on them: solutions, inverses, determinants.
public sealed interface Decompositions permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("decompositions");

    private Operators() {}
  }
}
