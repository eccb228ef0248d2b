package taper.tensor;

/// Reading and writing of elements that index tensors name.
public sealed interface Scattering permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("scattering");

    private Operators() {}
  }
}
