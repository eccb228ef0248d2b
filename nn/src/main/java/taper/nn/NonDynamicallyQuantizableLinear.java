package taper.nn;

/// The projection in attention, which PyTorch prints under this name.
final class NonDynamicallyQuantizableLinear extends Linear {
  NonDynamicallyQuantizableLinear(long inFeatures, long outFeatures, boolean bias) {
    super(inFeatures, outFeatures, o -> o.bias(bias));
  }
}
