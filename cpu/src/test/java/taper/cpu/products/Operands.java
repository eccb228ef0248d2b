package taper.cpu.products;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import taper.cpu.GuardedMemory;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Operands for tests of raw kernels: random values in fresh memory, and reading and writing by index.
///
/// Every operand touches an unreadable page, by turns before and behind it. To be closed: then it is also
/// checked that nothing was written outside.
public final class Operands implements AutoCloseable {
  private final List<GuardedMemory> regions = new ArrayList<>();
  private final Random random = new Random(42);
  private final DType dtype;

  /// Operands of `dtype`.
  public Operands(DType dtype) {
    this.dtype = dtype;
  }

  /// A contiguous operand of random values between -1 and 1.
  public Strided random(long... sizes) {
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
  public Strided fresh(long... sizes) {
    return fresh(dtype, sizes);
  }

  public Strided fresh(DType type, long... sizes) {
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
    var side = regions.size() % 3 == 1 ? GuardedMemory.Side.BEFORE : GuardedMemory.Side.AFTER;
    var region = new GuardedMemory(extent * type.byteSize(), side);
    region.segment().fill((byte) 0xFF);
    regions.add(region);
    return Strided.of(region.segment(), 0, type, sizes, strides);
  }

  @Override
  public void close() {
    regions.forEach(GuardedMemory::close);
    regions.clear();
  }

  /// Advances an index.
  public static void next(long[] index, long[] sizes) {
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

  /// The element at `index`.
  public static double at(Strided s, long... index) {
    long at = offset(s, index);
    return switch (s.dtype()) {
      case FLOAT32 -> s.memory().get(JAVA_FLOAT_UNALIGNED, at);
      case INT64 -> s.memory().get(JAVA_LONG_UNALIGNED, at);
      default -> s.memory().get(JAVA_DOUBLE_UNALIGNED, at);
    };
  }

  /// Sets the element at `index`.
  public static void put(Strided s, double value, long... index) {
    long at = offset(s, index);
    switch (s.dtype()) {
      case FLOAT32 -> s.memory().set(JAVA_FLOAT_UNALIGNED, at, (float) value);
      case INT64 -> s.memory().set(JAVA_LONG_UNALIGNED, at, (long) value);
      default -> s.memory().set(JAVA_DOUBLE_UNALIGNED, at, value);
    }
  }
}
