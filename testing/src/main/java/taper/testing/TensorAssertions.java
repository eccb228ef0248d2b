package taper.testing;

import java.util.Arrays;
import taper.tensor.DType;
import taper.tensor.Tensor;

/// Compares tensors and says where they differ.
public final class TensorAssertions {
  private TensorAssertions() {}

  /// Checks that shapes agree and values do within the table of [Tolerance#of(taper.tensor.DType)]. The
  /// parts of complex numbers are compared each.
  ///
  /// @throws AssertionError with the first difference, its index, and the largest error
  public static void assertClose(Tensor actual, Tensor expected) {
    assertClose(actual, expected, Tolerance.of(expected.dtype()));
  }

  /// Checks that shapes agree and values do within `tolerance`.
  ///
  /// @throws AssertionError with the first difference, its index, and the largest error
  public static void assertClose(Tensor actual, Tensor expected, Tolerance tolerance) {
    if (!actual.shape().equals(expected.shape())) {
      throw new AssertionError("shape is " + actual.shape() + ", expected " + expected.shape());
    }
    if (actual.isComplex() || expected.isComplex()) {
      DType complex = actual.dtype().toComplex();
      assertClose(
          actual.detach().to(complex).viewAsReal(),
          expected.detach().to(expected.dtype().toComplex()).viewAsReal(),
          tolerance);
      return;
    }
    double[] a = actual.toDoubleArray();
    double[] b = expected.toDoubleArray();
    double largest = largest(actual.dtype()); // a narrower type is right to give up beyond it
    int first = -1;
    int count = 0;
    double worst = 0;
    for (int i = 0; i < a.length; i++) {
      boolean overflow =
          Math.abs(b[i]) > largest && Double.isInfinite(a[i]) && a[i] > 0 == b[i] > 0;
      if (!overflow && !tolerance.accepts(a[i], b[i])) {
        first = first < 0 ? i : first;
        count++;
        worst = Math.max(worst, Math.abs(a[i] - b[i]));
      }
    }
    if (first >= 0) {
      throw new AssertionError(
          "%d of %d elements differ; the first is at %s: %s, expected %s; the largest error is %.3g (tolerance %s)"
              .formatted(
                  count,
                  a.length,
                  Arrays.toString(index(first, expected.shape().toArray())),
                  a[first],
                  b[first],
                  worst,
                  tolerance));
    }
  }

  private static double largest(DType dtype) {
    return switch (dtype) {
      case FLOAT16, COMPLEX32 -> 65504;
      case FLOAT32, BFLOAT16, COMPLEX64 -> Float.MAX_VALUE;
      case FLOAT64, COMPLEX128, INT64, INT32, INT16, INT8, UINT8, BOOL -> Double.MAX_VALUE;
    };
  }

  static long[] index(long flat, long[] sizes) {
    long[] result = new long[sizes.length];
    for (int d = sizes.length - 1; d >= 0; d--) {
      result[d] = flat % sizes[d];
      flat /= sizes[d];
    }
    return result;
  }
}
