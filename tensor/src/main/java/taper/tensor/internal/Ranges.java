package taper.tensor.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.tensor.spi.Strided;

/// Reads and writes runs of elements of contiguous regions, as arrays in double precision or of whole numbers.
final class Ranges {
  /// A good length of a run: arrays of it stay in the nearest cache.
  static final int RUN = 1024;

  private Ranges() {}

  /// Reads `n` elements from element `start` on.
  static void read(Strided x, long start, int n, double[] to) {
    read(x, start, n, to, 0);
  }

  /// Reads `n` elements from element `start` on, into `to` from position `at` on.
  static void read(Strided x, long start, int n, double[] to, int at) {
    MemorySegment m = x.memory();
    long from = x.byteOffset() + start * x.dtype().byteSize();
    switch (x.dtype()) {
      case FLOAT32 -> {
        for (int i = 0; i < n; i++) {
          to[at + i] = m.get(JAVA_FLOAT_UNALIGNED, from + 4L * i);
        }
      }
      case FLOAT64 -> MemorySegment.copy(m, JAVA_DOUBLE_UNALIGNED, from, to, at, n);
      default -> {
        var elements = new Elements(x);
        for (int i = 0; i < n; i++) {
          to[at + i] = elements.atDistance(start + i);
        }
      }
    }
  }

  /// Reads `n` whole numbers from element `start` on.
  static void read(Strided x, long start, int n, long[] to) {
    MemorySegment m = x.memory();
    long at = x.byteOffset() + start * x.dtype().byteSize();
    switch (x.dtype()) {
      case INT64 -> MemorySegment.copy(m, JAVA_LONG_UNALIGNED, at, to, 0, n);
      case INT32 -> {
        for (int i = 0; i < n; i++) {
          to[i] = m.get(JAVA_INT_UNALIGNED, at + 4L * i);
        }
      }
      case INT16 -> {
        for (int i = 0; i < n; i++) {
          to[i] = m.get(JAVA_SHORT_UNALIGNED, at + 2L * i);
        }
      }
      case INT8, BOOL -> {
        for (int i = 0; i < n; i++) {
          to[i] = m.get(JAVA_BYTE, at + i);
        }
      }
      case UINT8 -> {
        for (int i = 0; i < n; i++) {
          to[i] = m.get(JAVA_BYTE, at + i) & 255;
        }
      }
      default -> {
        var elements = new Elements(x);
        for (int i = 0; i < n; i++) {
          to[i] = elements.wholeAtDistance(start + i);
        }
      }
    }
  }

  /// Writes `n` elements from element `start` on.
  static void write(Strided x, long start, int n, double[] from) {
    write(x, start, n, from, 0);
  }

  /// Writes `n` elements from element `start` on, those of `from` from position `at` on; fractions of whole numbers are
  /// cut off.
  static void write(Strided x, long start, int n, double[] from, int at) {
    MemorySegment m = x.memory();
    long to = x.byteOffset() + start * x.dtype().byteSize();
    switch (x.dtype()) {
      case FLOAT32 -> {
        for (int i = 0; i < n; i++) {
          m.set(JAVA_FLOAT_UNALIGNED, to + 4L * i, (float) from[at + i]);
        }
      }
      case FLOAT64 -> MemorySegment.copy(from, at, m, JAVA_DOUBLE_UNALIGNED, to, n);
      default -> {
        var elements = new Elements(x);
        for (int i = 0; i < n; i++) {
          elements.setAtDistance(start + i, from[at + i]);
        }
      }
    }
  }

  /// Writes `n` whole numbers from element `start` on.
  static void write(Strided x, long start, int n, long[] from) {
    MemorySegment m = x.memory();
    long at = x.byteOffset() + start * x.dtype().byteSize();
    switch (x.dtype()) {
      case INT64 -> MemorySegment.copy(from, 0, m, JAVA_LONG_UNALIGNED, at, n);
      case INT32 -> {
        for (int i = 0; i < n; i++) {
          m.set(JAVA_INT_UNALIGNED, at + 4L * i, (int) from[i]);
        }
      }
      default -> {
        var elements = new Elements(x);
        for (int i = 0; i < n; i++) {
          elements.setWholeAtDistance(start + i, from[i]);
        }
      }
    }
  }
}
