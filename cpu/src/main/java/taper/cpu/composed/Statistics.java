package taper.cpu.composed;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// A few numbers, one a line or channel, between Java arrays and operands.
final class Statistics {
  private Statistics() {}

  /// The numbers as an operand of type `float64` with the given sizes and strides.
  static Strided operand(double[] values, long[] sizes, long[] strides) {
    MemorySegment memory = Arena.ofAuto().allocate(Math.max(1, values.length) * 8L, 64);
    MemorySegment.copy(values, 0, memory, JAVA_DOUBLE_UNALIGNED, 0, values.length);
    return Strided.of(memory, 0, DType.FLOAT64, sizes, strides);
  }

  /// The elements of a contiguous operand of a floating type.
  static double[] read(Strided x) {
    double[] values = new double[Math.toIntExact(x.numel())];
    for (int i = 0; i < values.length; i++) {
      values[i] = at(x, i);
    }
    return values;
  }

  /// Element `i` of a contiguous operand of type `float32` or `float64`.
  static double at(Strided x, long i) {
    return x.dtype() == DType.FLOAT32
        ? x.memory().get(JAVA_FLOAT_UNALIGNED, x.byteOffset() + 4 * i)
        : x.memory().get(JAVA_DOUBLE_UNALIGNED, x.byteOffset() + 8 * i);
  }

  /// Sets element `i` of a contiguous operand of type `float32` or `float64`.
  static void set(Strided out, long i, double value) {
    if (out.dtype() == DType.FLOAT32) {
      out.memory().set(JAVA_FLOAT_UNALIGNED, out.byteOffset() + 4 * i, (float) value);
    } else {
      out.memory().set(JAVA_DOUBLE_UNALIGNED, out.byteOffset() + 8 * i, value);
    }
  }

  /// Writes the numbers to a contiguous operand of type `float32` or `float64`.
  static void write(Strided out, double[] values) {
    for (int i = 0; i < values.length; i++) {
      set(out, i, values[i]);
    }
  }
}
