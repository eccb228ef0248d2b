package taper.cpu.pooling;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// The elements of a contiguous operand of `float32` or `float64`. Immutable.
///
/// Whole planes are copied to arrays of doubles, which is exact, and back: loops over arrays are several
/// times faster than loops over memory.
record Numbers(MemorySegment memory, long offset, boolean wide) {
  private static final ThreadLocal<float[]> FLOATS = ThreadLocal.withInitial(() -> new float[1024]);

  static Numbers of(Strided x) {
    assert x.isContiguous();
    return new Numbers(x.memory(), x.byteOffset(), x.dtype() == DType.FLOAT64);
  }

  /// Copies elements `from` to `from + n` to the start of `to`.
  void load(long from, double[] to, int n) {
    if (wide) {
      MemorySegment.copy(memory, JAVA_DOUBLE_UNALIGNED, offset + 8 * from, to, 0, n);
      return;
    }
    float[] floats = FLOATS.get();
    for (int i = 0; i < n; i += floats.length) {
      int count = Math.min(floats.length, n - i);
      MemorySegment.copy(memory, JAVA_FLOAT_UNALIGNED, offset + 4 * (from + i), floats, 0, count);
      for (int j = 0; j < count; j++) {
        to[i + j] = floats[j];
      }
    }
  }

  /// Sets elements `at` to `at + n` to the first `n` numbers of `from`.
  void store(double[] from, long at, int n) {
    if (wide) {
      MemorySegment.copy(from, 0, memory, JAVA_DOUBLE_UNALIGNED, offset + 8 * at, n);
      return;
    }
    float[] floats = FLOATS.get();
    for (int i = 0; i < n; i += floats.length) {
      int count = Math.min(floats.length, n - i);
      for (int j = 0; j < count; j++) {
        floats[j] = (float) from[i + j];
      }
      MemorySegment.copy(floats, 0, memory, JAVA_FLOAT_UNALIGNED, offset + 4 * (at + i), count);
    }
  }
}
