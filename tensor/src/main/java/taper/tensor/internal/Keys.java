package taper.tensor.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Elements as whole numbers without sign that have the same order, so that one algorithm sorts all types.
///
/// The bits of a floating-point number are in order once those of negative ones are inverted and the sign bit of the
/// others is set. Both zeros are one key, and so are all NaN, which is the largest.
final class Keys {
  private Keys() {}

  /// How many bits, from the lowest on, the keys of `dtype` have.
  static int bits(DType dtype) {
    return dtype.byteSize() * 8;
  }

  /// The largest key of `dtype`, which is that of NaN if it is a floating type.
  static long largest(DType dtype) {
    return -1L >>> (64 - bits(dtype));
  }

  /// Writes the keys of `n` elements, `step` apart from element `start` on.
  static void read(Strided x, long start, long step, int n, long[] keys) {
    MemorySegment m = x.memory();
    int bytes = x.dtype().byteSize();
    long at = x.byteOffset() + start * bytes;
    long by = step * bytes;
    switch (x.dtype()) {
      case FLOAT32 -> {
        for (int i = 0; i < n; i++) {
          keys[i] = of(m.get(JAVA_FLOAT_UNALIGNED, at + i * by));
        }
      }
      case FLOAT64 -> {
        for (int i = 0; i < n; i++) {
          keys[i] = of(m.get(JAVA_DOUBLE_UNALIGNED, at + i * by));
        }
      }
      case BFLOAT16 -> {
        for (int i = 0; i < n; i++) {
          keys[i] = of(Halves.fromBfloat16(m.get(JAVA_SHORT_UNALIGNED, at + i * by))) >>> 16;
        }
      }
      case FLOAT16 -> {
        for (int i = 0; i < n; i++) {
          keys[i] = ofHalf(m.get(JAVA_SHORT_UNALIGNED, at + i * by));
        }
      }
      case INT64 -> {
        for (int i = 0; i < n; i++) {
          keys[i] = m.get(JAVA_LONG_UNALIGNED, at + i * by) ^ Long.MIN_VALUE;
        }
      }
      case INT32 -> {
        for (int i = 0; i < n; i++) {
          keys[i] = (m.get(JAVA_INT_UNALIGNED, at + i * by) ^ Integer.MIN_VALUE) & 0xffffffffL;
        }
      }
      case INT16 -> {
        for (int i = 0; i < n; i++) {
          keys[i] = m.get(JAVA_SHORT_UNALIGNED, at + i * by) + 0x8000L;
        }
      }
      case INT8 -> {
        for (int i = 0; i < n; i++) {
          keys[i] = m.get(JAVA_BYTE, at + i * by) + 0x80L;
        }
      }
      case UINT8, BOOL -> {
        for (int i = 0; i < n; i++) {
          keys[i] = m.get(JAVA_BYTE, at + i * by) & 0xff;
        }
      }
      case COMPLEX32, COMPLEX64, COMPLEX128 ->
          throw new AssertionError("complex numbers have no order");
    }
  }

  private static long of(float x) {
    int bits = Float.floatToRawIntBits(x + 0f); // -0 + 0 is 0
    long key = (bits ^ (bits >> 31 | Integer.MIN_VALUE)) & 0xffffffffL;
    return Float.isNaN(x) ? 0xffffffffL : key;
  }

  private static long of(double x) {
    long bits = Double.doubleToRawLongBits(x + 0.0);
    long key = bits ^ (bits >> 63 | Long.MIN_VALUE);
    return Double.isNaN(x) ? -1L : key;
  }

  private static long ofHalf(short x) {
    int bits = (x & 0x7fff) == 0 ? 0 : x;
    int key = (bits ^ (bits >> 15 | 0x8000)) & 0xffff;
    return (x & 0x7fff) > 0x7c00 ? 0xffff : key;
  }

  /// The key of rank `rank`, from 0, among the first `n` of `keys`, which have `bits` bits.
  ///
  /// Eleven bits are settled in each pass, from the highest on; after a pass only the keys that agree are left.
  static long select(long[] keys, int n, int bits, int rank) {
    int[] counts = new int[1 << 11];
    long[] left = keys;
    int shift = bits;
    long prefix = 0;
    while (shift > 0) {
      int width = Math.min(11, shift);
      shift -= width;
      int mask = (1 << width) - 1;
      Arrays.fill(counts, 0);
      for (int i = 0; i < n; i++) {
        counts[(int) (left[i] >>> shift) & mask]++;
      }
      int digit = 0;
      while (rank >= counts[digit]) {
        rank -= counts[digit++];
      }
      prefix |= (long) digit << shift;
      if (counts[digit] == n) {
        continue;
      }
      long[] next = left == keys ? new long[counts[digit]] : left;
      int to = 0;
      for (int i = 0; i < n; i++) {
        long key = left[i];
        if (((int) (key >>> shift) & mask) == digit) {
          next[to++] = key;
        }
      }
      left = next;
      n = to;
    }
    return prefix;
  }
}
