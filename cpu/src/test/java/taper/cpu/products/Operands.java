package taper.cpu.products;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.util.Random;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Operands for tests of raw kernels: random values in fresh memory, and reading and writing by index.
final class Operands {
  private final Random random = new Random(42);
  private final DType dtype;

  Operands(DType dtype) {
    this.dtype = dtype;
  }

  /// A contiguous operand of random values between -1 and 1.
  Strided random(long... sizes) {
    return strided(sizes, Strided.contiguousStrides(sizes));
  }

  /// An operand with given strides, of random values.
  Strided strided(long[] sizes, long[] strides) {
    Strided s = uninitialised(dtype, sizes, strides);
    long[] index = new long[sizes.length];
    for (long i = 0; i < s.numel(); i++) {
      put(s, random.nextDouble() * 2 - 1, index);
      next(index, sizes);
    }
    return s;
  }

  /// Memory full of NaN, which no kernel may read and every kernel must overwrite.
  Strided fresh(long... sizes) {
    return fresh(dtype, sizes);
  }

  Strided fresh(DType type, long... sizes) {
    return uninitialised(type, sizes, Strided.contiguousStrides(sizes));
  }

  private Strided uninitialised(DType type, long[] sizes, long[] strides) {
    long extent = 1;
    for (int d = 0; d < sizes.length; d++) {
      extent += Math.max(0, sizes[d] - 1) * strides[d];
      if (sizes[d] == 0) {
        extent = 0;
        break;
      }
    }
    return Strided.of(GuardedMemory.of(extent * type.byteSize()), 0, type, sizes, strides);
  }

  static void next(long[] index, long[] sizes) {
    for (int d = sizes.length - 1; d >= 0; d--) {
      if (++index[d] < sizes[d]) {
        return;
      }
      index[d] = 0;
    }
  }

  static long offset(Strided s, long... index) {
    long at = 0;
    for (int d = 0; d < index.length; d++) {
      at += index[d] * s.stride(d);
    }
    return s.byteOffset() + at * s.dtype().byteSize();
  }

  static double at(Strided s, long... index) {
    long at = offset(s, index);
    return switch (s.dtype()) {
      case FLOAT32 -> s.memory().get(JAVA_FLOAT_UNALIGNED, at);
      case INT64 -> s.memory().get(JAVA_LONG_UNALIGNED, at);
      default -> s.memory().get(JAVA_DOUBLE_UNALIGNED, at);
    };
  }

  static void put(Strided s, double value, long... index) {
    long at = offset(s, index);
    switch (s.dtype()) {
      case FLOAT32 -> s.memory().set(JAVA_FLOAT_UNALIGNED, at, (float) value);
      case INT64 -> s.memory().set(JAVA_LONG_UNALIGNED, at, (long) value);
      default -> s.memory().set(JAVA_DOUBLE_UNALIGNED, at, value);
    }
  }
}
