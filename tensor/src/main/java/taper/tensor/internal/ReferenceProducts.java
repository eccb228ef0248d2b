package taper.tensor.internal;

import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain matrix products in double precision or in whole numbers.
public final class ReferenceProducts {
  private ReferenceProducts() {}

  /// `[n k], [k m] -> [n m]`, or the same with a batch dimension in front.
  public static final Kernel BMM =
      new Kernel() {
        @Override
        public boolean anyStrides() {
          return true;
        }

        @Override
        public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
          product(outputs[0], inputs[0], inputs[1]);
        }
      };

  private static void product(Strided c, Strided a, Strided b) {
    int r = a.rank();
    long batch = r == 3 ? a.size(0) : 1;
    long n = a.size(r - 2);
    long k = a.size(r - 1);
    long m = b.size(r - 1);
    var left = new Elements(a);
    var right = new Elements(b);
    var out = new Elements(c);
    for (long z = 0; z < batch; z++) {
      long a0 = r == 3 ? z * a.stride(0) : 0;
      long b0 = r == 3 ? z * b.stride(0) : 0;
      for (long i = 0; i < n; i++) {
        for (long j = 0; j < m; j++) {
          double sum = 0;
          long whole = 0;
          for (long p = 0; p < k; p++) {
            long ai = a0 + i * a.stride(r - 2) + p * a.stride(r - 1);
            long bi = b0 + p * b.stride(r - 2) + j * b.stride(r - 1);
            if (out.isWhole()) {
              whole += left.wholeAtDistance(ai) * right.wholeAtDistance(bi);
            } else {
              sum += left.atDistance(ai) * right.atDistance(bi);
            }
          }
          long o = (z * n + i) * m + j;
          if (out.isWhole()) {
            out.set(o, whole);
          } else {
            out.set(o, sum);
          }
        }
      }
    }
  }
}
