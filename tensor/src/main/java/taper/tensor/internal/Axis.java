package taper.tensor.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.tensor.spi.Strided;

/// The lines of a contiguous region along one dimension. Immutable.
///
/// @param count the number of lines
/// @param length the number of elements in a line
/// @param step how far apart they are, in elements
record Axis(long count, int length, long step) {

  /// The lines of `x` along `dim`; a tensor of rank 0 is one line of one element.
  static Axis of(Strided x, int dim) {
    if (x.rank() == 0) {
      return new Axis(1, 1, 1);
    }
    long step = 1;
    for (int d = dim + 1; d < x.rank(); d++) {
      step *= x.size(d);
    }
    long count = step;
    for (int d = 0; d < dim; d++) {
      count *= x.size(d);
    }
    return new Axis(count, Math.toIntExact(x.size(dim)), step);
  }

  /// The first element of a line.
  long start(long line) {
    return line / step * step * length + line % step;
  }

  /// Copies the elements at `order[0 … n]` of a line that begins at `start`, to a line that begins at `toStart`.
  void pick(Strided from, long start, int[] order, int n, Strided to, long toStart) {
    MemorySegment m = from.memory();
    MemorySegment target = to.memory();
    int bytes = from.dtype().byteSize();
    long at = from.byteOffset() + start * bytes;
    long toAt = to.byteOffset() + toStart * bytes;
    long by = step * bytes;
    switch (bytes) {
      case 4 -> {
        for (int i = 0; i < n; i++) {
          target.set(
              JAVA_INT_UNALIGNED, toAt + i * by, m.get(JAVA_INT_UNALIGNED, at + order[i] * by));
        }
      }
      case 8 -> {
        for (int i = 0; i < n; i++) {
          target.set(
              JAVA_LONG_UNALIGNED, toAt + i * by, m.get(JAVA_LONG_UNALIGNED, at + order[i] * by));
        }
      }
      case 2 -> {
        for (int i = 0; i < n; i++) {
          target.set(
              JAVA_SHORT_UNALIGNED, toAt + i * by, m.get(JAVA_SHORT_UNALIGNED, at + order[i] * by));
        }
      }
      case 1 -> {
        for (int i = 0; i < n; i++) {
          target.set(JAVA_BYTE, toAt + i * by, m.get(JAVA_BYTE, at + order[i] * by));
        }
      }
      default -> {
        for (int i = 0; i < n; i++) {
          MemorySegment.copy(m, at + order[i] * by, target, toAt + i * by, bytes);
        }
      }
    }
  }

  /// Writes `order[0 … n]` into the line of `int64` that begins at `toStart`.
  void write(int[] order, int n, Strided to, long toStart) {
    MemorySegment target = to.memory();
    long toAt = to.byteOffset() + toStart * 8;
    for (int i = 0; i < n; i++) {
      target.set(JAVA_LONG_UNALIGNED, toAt + i * step * 8, (long) order[i]);
    }
  }

  /// Copies one element.
  static void copy(Strided from, long i, Strided to, long o) {
    int bytes = from.dtype().byteSize();
    MemorySegment.copy(
        from.memory(),
        from.byteOffset() + i * bytes,
        to.memory(),
        to.byteOffset() + o * bytes,
        bytes);
  }

  /// Writes an `int64`.
  static void set(Strided to, long o, long value) {
    to.memory().set(JAVA_LONG_UNALIGNED, to.byteOffset() + o * 8, value);
  }
}
