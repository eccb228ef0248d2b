package taper.tensor;

/// Quantiles, histograms and other statistics.
public sealed interface Statistics permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("statistics");

    private Operators() {}
  }
}
