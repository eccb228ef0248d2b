package taper.cpu.parallel;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Memory by its absolute address, for what accompanies assembled code: argument blocks and small results.
/// Needs native access, as the code itself does.
public final class Raw {
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  private static final long ARGUMENT_BYTES = 4096;
  private static final ThreadLocal<MemorySegment> ARGUMENTS =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(ARGUMENT_BYTES, 64));

  private Raw() {}

  /// The address of this thread's block for arguments: 4096 bytes, whose content a call may overwrite.
  public static long arguments() {
    return ARGUMENTS.get().address();
  }

  /// Writes eight bytes.
  public static void put(long address, long value) {
    ALL.set(JAVA_LONG_UNALIGNED, address, value);
  }

  /// Writes four bytes.
  public static void putInt(long address, int value) {
    ALL.set(JAVA_INT_UNALIGNED, address, value);
  }

  /// Writes a `float`.
  public static void put(long address, float value) {
    ALL.set(JAVA_FLOAT_UNALIGNED, address, value);
  }

  /// Writes a `double`.
  public static void put(long address, double value) {
    ALL.set(JAVA_DOUBLE_UNALIGNED, address, value);
  }

  /// Writes a `double` if `wide`, else a `float`.
  public static void put(long address, double value, boolean wide) {
    if (wide) {
      put(address, value);
    } else {
      put(address, (float) value);
    }
  }

  /// Reads a `double`.
  public static double doubleAt(long address) {
    return ALL.get(JAVA_DOUBLE_UNALIGNED, address);
  }

  /// Reads a `double` if `wide`, else a `float`.
  public static double element(long address, boolean wide) {
    return wide ? doubleAt(address) : ALL.get(JAVA_FLOAT_UNALIGNED, address);
  }

  /// The largest of `count` elements, NaN if one is.
  public static double largestDouble(long address, int count) {
    double largest = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < count; i++) {
      largest = Math.max(largest, ALL.get(JAVA_DOUBLE_UNALIGNED, address + 8L * i));
    }
    return largest;
  }

  /// The largest of `count` elements, NaN if one is.
  public static float largestFloat(long address, int count) {
    float largest = Float.NEGATIVE_INFINITY;
    for (int i = 0; i < count; i++) {
      largest = Math.max(largest, ALL.get(JAVA_FLOAT_UNALIGNED, address + 4L * i));
    }
    return largest;
  }

  /// Reads eight bytes.
  public static long longAt(long address) {
    return ALL.get(JAVA_LONG_UNALIGNED, address);
  }

  /// Copies bytes; the regions do not overlap.
  public static void copy(long from, long to, long bytes) {
    MemorySegment.copy(ALL, from, ALL, to, bytes);
  }

  /// Copies one element, a `double` if `wide`, else a `float`.
  public static void copyElement(long to, long from, boolean wide) {
    if (wide) {
      ALL.set(JAVA_DOUBLE_UNALIGNED, to, ALL.get(JAVA_DOUBLE_UNALIGNED, from));
    } else {
      ALL.set(JAVA_FLOAT_UNALIGNED, to, ALL.get(JAVA_FLOAT_UNALIGNED, from));
    }
  }

  /// Reads as many `double`s as `to` holds.
  public static void copy(long from, double[] to) {
    MemorySegment.copy(ALL, JAVA_DOUBLE_UNALIGNED, from, to, 0, to.length);
  }

  /// Writes `count` times the same `double` if `wide`, else `float`.
  public static void fill(long address, int count, double value, boolean wide) {
    for (int i = 0; i < count; i++) {
      put(address + (wide ? 8L : 4L) * i, value, wide);
    }
  }

  /// Fills bytes with 0.
  public static void clear(long address, long bytes) {
    ALL.asSlice(address, bytes).fill((byte) 0);
  }
}
