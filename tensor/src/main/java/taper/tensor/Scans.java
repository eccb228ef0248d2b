package taper.tensor;

/// Running sums, products and extremes along a dimension.
public sealed interface Scans permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("scans");

    private Operators() {}
  }
}
