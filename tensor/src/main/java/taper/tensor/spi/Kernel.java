package taper.tensor.spi;

/// Computes the values of an operator. Sees memory and numbers only.
///
/// The framework has checked shapes and types and allocated the outputs, which are not zeroed. An output
/// may be the very same region as an input (an in-place operator); it never overlaps one in another way.
/// Threads may share a kernel.
@FunctionalInterface
public interface Kernel {

  /// Fills `outputs` from `inputs`.
  void run(Record attributes, Strided[] outputs, Strided[] inputs);

  /// `body`, as a kernel that copes with operands of any strides.
  static Kernel ofAnyStrides(Kernel body) {
    return new Kernel() {
      @Override
      public boolean anyStrides() {
        return true;
      }

      @Override
      public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
        body.run(attributes, outputs, inputs);
      }
    };
  }

  /// Whether the kernel copes with operands of any strides. If not, it is handed contiguous copies.
  default boolean anyStrides() {
    return false;
  }
}
