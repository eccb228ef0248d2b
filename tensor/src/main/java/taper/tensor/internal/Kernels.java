package taper.tensor.internal;

import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Makes kernels out of lambdas.
public final class Kernels {
  private Kernels() {}

  /// A kernel that takes operands of any strides.
  public static Kernel anyStrides(Kernel body) {
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
}
