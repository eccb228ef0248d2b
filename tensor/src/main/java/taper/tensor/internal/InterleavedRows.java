package taper.tensor.internal;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.tensor.spi.Strided;

/// Rows of `count` elements each, and the row that has their elements in turn. Elements of four bytes go through arrays,
/// others are copied one by one.
final class InterleavedRows {
  private final Strided mixed;
  private final Strided parts;
  private final int count;
  private final int r;
  private final boolean arrays;
  private final int[] part;
  private final int[] whole;

  private InterleavedRows(Strided mixed, Strided parts, int count, int r) {
    this.mixed = mixed;
    this.parts = parts;
    this.count = count;
    this.r = r;
    this.arrays = mixed.dtype().byteSize() == 4 && (long) count * r <= 1 << 24;
    this.part = new int[arrays ? count : 0];
    this.whole = new int[arrays ? count * r : 0];
  }

  static InterleavedRows of(Strided mixed, Strided parts, int count, int r) {
    return new InterleavedRows(mixed, parts, count, r);
  }

  /// Writes the row at `mixedAt` from the `r` rows that begin at `partsAt`, `step` elements apart.
  void mix(long mixedAt, long partsAt, long step) {
    for (int j = 0; j < r; j++) {
      long from = partsAt + j * step;
      if (arrays) {
        MemorySegment.copy(
            parts.memory(), JAVA_INT_UNALIGNED, parts.byteOffset() + 4 * from, part, 0, count);
        spread(part, whole, j, r);
      } else {
        for (int k = 0; k < count; k++) {
          ReferenceShapes.copyBlock(mixed, mixedAt + (long) k * r + j, parts, from + k, 1);
        }
      }
    }
    if (arrays) {
      MemorySegment.copy(
          whole,
          0,
          mixed.memory(),
          JAVA_INT_UNALIGNED,
          mixed.byteOffset() + 4 * mixedAt,
          whole.length);
    }
  }

  /// Writes the `r` rows that begin at `partsAt`, `step` elements apart, from the row at `mixedAt`.
  void part(long mixedAt, long partsAt, long step) {
    if (arrays) {
      MemorySegment.copy(
          mixed.memory(),
          JAVA_INT_UNALIGNED,
          mixed.byteOffset() + 4 * mixedAt,
          whole,
          0,
          whole.length);
    }
    for (int j = 0; j < r; j++) {
      long to = partsAt + j * step;
      if (arrays) {
        collect(whole, part, j, r);
        MemorySegment.copy(
            part, 0, parts.memory(), JAVA_INT_UNALIGNED, parts.byteOffset() + 4 * to, count);
      } else {
        for (int k = 0; k < count; k++) {
          ReferenceShapes.copyBlock(parts, to + k, mixed, mixedAt + (long) k * r + j, 1);
        }
      }
    }
  }

  private static void spread(int[] part, int[] whole, int j, int r) {
    for (int k = 0, at = j; k < part.length; k++, at += r) {
      whole[at] = part[k];
    }
  }

  private static void collect(int[] whole, int[] part, int j, int r) {
    for (int k = 0, at = j; k < part.length; k++, at += r) {
      part[k] = whole[at];
    }
  }
}
