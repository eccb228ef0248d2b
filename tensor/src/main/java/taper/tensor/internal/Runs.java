package taper.tensor.internal;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Neighbouring elements of a contiguous operand, as arrays of doubles: exact for every type but large whole numbers.
///
/// Loops over arrays are several times faster than loops over memory, and one loop then serves all types.
final class Runs {
  private static final ThreadLocal<float[]> FLOATS = ThreadLocal.withInitial(() -> new float[2048]);

  private Runs() {}

  /// Copies elements `from` to `from + n` of `x` to `to`, from position `at` on.
  static void load(Strided x, long from, double[] to, int at, int n) {
    if (x.dtype() == DType.FLOAT64) {
      MemorySegment.copy(x.memory(), JAVA_DOUBLE_UNALIGNED, x.byteOffset() + 8 * from, to, at, n);
    } else if (x.dtype() == DType.FLOAT32) {
      float[] floats = FLOATS.get();
      for (int i = 0; i < n; i += floats.length) {
        int count = Math.min(floats.length, n - i);
        MemorySegment.copy(
            x.memory(), JAVA_FLOAT_UNALIGNED, x.byteOffset() + 4 * (from + i), floats, 0, count);
        widen(floats, to, at + i, count);
      }
    } else {
      var elements = new Elements(x);
      for (int i = 0; i < n; i++) {
        to[at + i] = elements.at(from + i);
      }
    }
  }

  private static void widen(float[] from, double[] to, int at, int n) {
    for (int j = 0; j < n; j++) {
      to[at + j] = from[j];
    }
  }

  /// Sets elements `to` to `to + n` of `y` to the numbers of `from`, from position `at` on; fractions of whole numbers
  /// are cut off.
  static void store(double[] from, int at, Strided y, long to, int n) {
    if (y.dtype() == DType.FLOAT64) {
      MemorySegment.copy(from, at, y.memory(), JAVA_DOUBLE_UNALIGNED, y.byteOffset() + 8 * to, n);
    } else if (y.dtype() == DType.FLOAT32) {
      float[] floats = FLOATS.get();
      for (int i = 0; i < n; i += floats.length) {
        int count = Math.min(floats.length, n - i);
        narrow(from, at + i, floats, count);
        MemorySegment.copy(
            floats, 0, y.memory(), JAVA_FLOAT_UNALIGNED, y.byteOffset() + 4 * (to + i), count);
      }
    } else {
      var elements = new Elements(y);
      for (int i = 0; i < n; i++) {
        elements.set(to + i, from[at + i]);
      }
    }
  }

  private static void narrow(double[] from, int at, float[] to, int n) {
    for (int j = 0; j < n; j++) {
      to[j] = (float) from[at + j];
    }
  }
}
