package taper.tensor.spi;

/// A kernel that maps images linearly, by one map along each of their dimensions: averages of windows, interpolation, and
/// the gradients of both, which are the transposed maps. Whoever is fast at such maps needs the maps alone.
///
/// Images are the last dimensions of the contiguous operand 0 and of the result; those before count images.
public interface SeparableKernel extends Kernel {

  /// The maps, one for each dimension of an image; the result is the same as that of [#run] but for rounding.
  Taps[] taps(Record attributes, Strided[] outputs, Strided[] inputs);

  /// The kernel that `body` computes, and `maps` describes.
  static SeparableKernel of(Maps maps, Kernel body) {
    return new SeparableKernel() {
      @Override
      public Taps[] taps(Record attributes, Strided[] outputs, Strided[] inputs) {
        return maps.of(attributes, outputs[0], inputs[0]);
      }

      @Override
      public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
        body.run(attributes, outputs, inputs);
      }
    };
  }

  /// The maps of a call.
  interface Maps {

    /// The maps from `x` to `y`, one for each of their last dimensions.
    Taps[] of(Record attributes, Strided y, Strided x);
  }
}
