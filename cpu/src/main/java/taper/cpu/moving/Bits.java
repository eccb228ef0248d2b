package taper.cpu.moving;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;

/// Loops that move the bits of elements of 1, 2, 4, 8 or 16 bytes. Addresses and steps are in bytes.
///
/// The width is decided once, outside of the loops, whose counters are `int`s: the compiler unrolls those.
final class Bits {
  private static final int TILE = 32;
  private static final long BLOCK_BYTES = 64;

  private Bits() {}

  /// Copies `count` elements that lie `toStep` and `fromStep` apart.
  static void line(
      int width,
      int count,
      MemorySegment to,
      long toAt,
      long toStep,
      MemorySegment from,
      long fromAt,
      long fromStep) {
    if (toStep == width && fromStep == width && (long) count * width >= BLOCK_BYTES) {
      MemorySegment.copy(from, fromAt, to, toAt, (long) count * width);
      return;
    }
    if (width == 4 && toStep == 4 && fromStep == -4 && count >= 16) {
      ShortLines.reversed(count, to, toAt, from, fromAt);
      return;
    }
    switch (width) {
      case 1 -> {
        for (int i = 0; i < count; i++) {
          to.set(JAVA_BYTE, toAt + i * toStep, from.get(JAVA_BYTE, fromAt + i * fromStep));
        }
      }
      case 2 -> {
        for (int i = 0; i < count; i++) {
          short bits = from.get(JAVA_SHORT_UNALIGNED, fromAt + i * fromStep);
          to.set(JAVA_SHORT_UNALIGNED, toAt + i * toStep, bits);
        }
      }
      case 4 -> {
        for (int i = 0; i < count; i++) {
          int bits = from.get(JAVA_INT_UNALIGNED, fromAt + i * fromStep);
          to.set(JAVA_INT_UNALIGNED, toAt + i * toStep, bits);
        }
      }
      case 8 -> {
        for (int i = 0; i < count; i++) {
          long bits = from.get(JAVA_LONG_UNALIGNED, fromAt + i * fromStep);
          to.set(JAVA_LONG_UNALIGNED, toAt + i * toStep, bits);
        }
      }
      default -> {
        line(8, count, to, toAt, toStep, from, fromAt, fromStep);
        line(8, count, to, toAt + 8, toStep, from, fromAt + 8, fromStep);
      }
    }
  }

  /// Copies a plane of `rows` times `columns` elements, of which the columns lie side by side in `to` and the rows in
  /// `from`: a transposition, tile by tile, so that both stay in the first-level cache.
  static void transposed(
      int width,
      long rows,
      long columns,
      MemorySegment to,
      long toAt,
      long toRow,
      MemorySegment from,
      long fromAt,
      long fromColumn) {
    for (long r = 0; r < rows; r += TILE) {
      int height = (int) Math.min(TILE, rows - r);
      for (long c = 0; c < columns; c += TILE) {
        int length = (int) Math.min(TILE, columns - c);
        long toTile = toAt + r * toRow + c * width;
        long fromTile = fromAt + c * fromColumn + r * width;
        if (width == 4) {
          tile(height, length, to, toTile, toRow, from, fromTile, fromColumn);
        } else {
          for (int i = 0; i < height; i++) {
            line(
                width,
                length,
                to,
                toTile + i * toRow,
                width,
                from,
                fromTile + (long) i * width,
                fromColumn);
          }
        }
      }
    }
  }

  /// Transposes a tile of 4-byte elements, two by two: a `long` holds two of them.
  private static void tile(
      int height,
      int length,
      MemorySegment to,
      long toAt,
      long toRow,
      MemorySegment from,
      long fromAt,
      long fromColumn) {
    int pairs = length / 2;
    int i = 0;
    for (; i + 1 < height; i += 2) {
      long upper = toAt + i * toRow;
      long lower = upper + toRow;
      long column = fromAt + 4L * i;
      for (int p = 0; p < pairs; p++) {
        long x = from.get(JAVA_LONG_UNALIGNED, column + 2L * p * fromColumn);
        long y = from.get(JAVA_LONG_UNALIGNED, column + (2L * p + 1) * fromColumn);
        to.set(JAVA_LONG_UNALIGNED, upper + 8L * p, x & 0xffffffffL | y << 32);
        to.set(JAVA_LONG_UNALIGNED, lower + 8L * p, x >>> 32 | y & 0xffffffff00000000L);
      }
      if ((length & 1) != 0) {
        long x = from.get(JAVA_LONG_UNALIGNED, column + 2L * pairs * fromColumn);
        to.set(JAVA_INT_UNALIGNED, upper + 8L * pairs, (int) x);
        to.set(JAVA_INT_UNALIGNED, lower + 8L * pairs, (int) (x >>> 32));
      }
    }
    if (i < height) {
      line(4, length, to, toAt + i * toRow, 4, from, fromAt + 4L * i, fromColumn);
    }
  }

  /// Writes zeros.
  static void clear(MemorySegment to, long at, long bytes) {
    if (bytes > 0) {
      to.asSlice(at, bytes).fill((byte) 0);
    }
  }
}
