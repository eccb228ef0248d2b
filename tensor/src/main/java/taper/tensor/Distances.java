package taper.tensor;

/// Distances and similarities of vectors.
public sealed interface Distances permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("distances");

    private Operators() {}
  }
}
