package taper.tensor;

/// Fourier transforms.
public sealed interface Spectral permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("spectral");

    private Operators() {}
  }
}
