package taper.tensor;

/// Rows of tables, one by one and in bags.
public sealed interface Embeddings permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("embeddings");

    private Operators() {}
  }
}
