package taper.cpu.composed;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// A few numbers, one a line or channel, between Java arrays and operands.
final class Statistics {
  private static final ThreadLocal<Recent> RECENT = ThreadLocal.withInitial(Recent::new);

  private Statistics() {}

  /// The memory of one thread's operands, used again in turn: a kernel has fewer in force than there are turns.
  private static final class Recent {
    private static final int TURNS = 8;

    private final @Nullable MemorySegment[] memory = new MemorySegment[TURNS];
    private int turn;

    MemorySegment next(long bytes) {
      turn = (turn + 1) % TURNS;
      MemorySegment own = memory[turn];
      if (own == null || own.byteSize() < bytes) {
        own = Arena.ofAuto().allocate(Math.max(bytes + bytes / 4, 1 << 12), 64);
        memory[turn] = own;
      }
      return own;
    }
  }

  /// The numbers as an operand of type `float64` with the given sizes and strides, until this thread has asked for seven
  /// more.
  static Strided operand(double[] values, long[] sizes, long[] strides) {
    MemorySegment memory = RECENT.get().next(Math.max(1, values.length) * 8L);
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
