package taper.tensor.internal;

import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// What kernels are made of: lambdas, and operands in the shape of others.
public final class Kernels {
  private Kernels() {}

  /// `x` in the shape `sizes`: dimensions that it lacks, or in which it has one element, stand still.
  static Strided expanded(Strided x, long[] sizes) {
    long[] strides = new long[sizes.length];
    int lead = sizes.length - x.rank();
    for (int d = 0; d < x.rank(); d++) {
      strides[lead + d] = x.size(d) == 1 ? 0 : x.stride(d);
    }
    return x.view(0, sizes, strides);
  }

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
