package taper.testing;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Tensor;

/// Numbers at the edges of their types, on which kernels must agree.
final class SpecialValues {
  private SpecialValues() {}

  /// `x` with special values in about a fifth of its places, the same ones for the same seed, or with a single huge one.
  ///
  /// @param huge that of the other operands is another, or their difference would be 0 or rounding
  static Tensor sprinkled(Tensor x, @Nullable Double huge, int seed) {
    if (x.isComplex() || x.dtype() == DType.BOOL || x.numel() == 0) {
      return x;
    }
    var random = new SplittableRandom(seed * 7919L + 11);
    return Autograd.noGrad(() -> {
      Tensor flat = x.clone().reshape(-1);
      long one = random.nextLong(flat.numel());
      for (long i = 0; i < flat.numel(); i++) {
        if (huge != null && x.isFloatingPoint() ? i == one : random.nextInt(5) == 0) {
          Tensor element = flat.select(0, i);
          if (!x.isFloatingPoint()) {
            long[] values = whole(x.dtype());
            element.fill_(values[random.nextInt(values.length)]);
          } else if (huge != null) {
            element.fill_(random.nextBoolean() ? huge : -huge);
          } else {
            double[] values = special(x.dtype());
            element.fill_(values[random.nextInt(values.length)]);
          }
        }
      }
      return flat.reshape(x.shape().toArray());
    });
  }

  private static double[] special(DType dtype) {
    double subnormal = dtype == DType.FLOAT64 ? 0x1p-1060 : 0x1p-140;
    return new double[] {
      Double.NaN,
      Double.POSITIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      0.0,
      -0.0,
      subnormal,
      -subnormal
    };
  }

  /// A number beside which all others vanish, while the product of `factors` of them is finite.
  static double huge(DType dtype, int factors) {
    double largest = dtype == DType.FLOAT64 ? Double.MAX_VALUE : Float.MAX_VALUE;
    return Math.pow(largest, 1.0 / factors) / 16;
  }

  private static long[] whole(DType dtype) {
    return switch (dtype) {
      case INT64 -> new long[] {Long.MIN_VALUE, Long.MAX_VALUE, -1, 0};
      case INT32 -> new long[] {Integer.MIN_VALUE, Integer.MAX_VALUE, -1, 0};
      case INT16 -> new long[] {Short.MIN_VALUE, Short.MAX_VALUE, -1, 0};
      case INT8 -> new long[] {Byte.MIN_VALUE, Byte.MAX_VALUE, -1, 0};
      default -> new long[] {0, 255};
    };
  }
}
