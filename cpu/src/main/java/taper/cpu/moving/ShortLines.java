package taper.cpu.moving;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.cpu.parallel.Parallel;
import taper.tensor.spi.Strided;

/// Picks from lines that lie densely and are short, by way of arrays: a line is read once, as a block, and elements are
/// picked from it there. Addresses are in bytes.
final class ShortLines {
  private static final long GRAIN = 1 << 15;

  private ShortLines() {}

  /// Whether lines of `size` elements of `width` bytes, of which `count` are picked, are worth the way.
  static boolean covers(int width, long size, long count) {
    return (width == 4 || width == 8)
        && size <= LineArrays.LINE
        && count * 8 >= size
        && count >= 16;
  }

  /// `out[o, i] = self[o, places[i]]`.
  static void select(int width, Strided out, Strided self, long outer, int size, long[] places) {
    int count = places.length;
    int[] at = new int[count];
    for (int i = 0; i < count; i++) {
      at[i] = (int) places[i];
    }
    MemorySegment to = out.memory();
    MemorySegment from = self.memory();
    Parallel.run(
        outer,
        Math.max(1, GRAIN / count),
        (first, last) -> {
          LineArrays s = LineArrays.ofThread();
          for (long o = first; o < last; o++) {
            long t = out.byteOffset() + o * count * width;
            long f = self.byteOffset() + o * size * width;
            if (width == 4) {
              MemorySegment.copy(from, JAVA_INT_UNALIGNED, f, s.line, 0, size);
            } else {
              MemorySegment.copy(from, JAVA_LONG_UNALIGNED, f, s.wideLine, 0, size);
            }
            for (int begin = 0; begin < count; begin += LineArrays.CHUNK) {
              int n = Math.min(LineArrays.CHUNK, count - begin);
              long place = t + (long) begin * width;
              if (width == 4) {
                pick(s.chunk, s.line, at, begin, n);
                MemorySegment.copy(s.chunk, 0, to, JAVA_INT_UNALIGNED, place, n);
              } else {
                pick(s.wideChunk, s.wideLine, at, begin, n);
                MemorySegment.copy(s.wideChunk, 0, to, JAVA_LONG_UNALIGNED, place, n);
              }
            }
          }
        });
  }

  private static void pick(int[] into, int[] line, int[] at, int begin, int n) {
    for (int i = 0; i < n; i++) {
      into[i] = line[at[begin + i]];
    }
  }

  private static void pick(long[] into, long[] line, int[] at, int begin, int n) {
    for (int i = 0; i < n; i++) {
      into[i] = line[at[begin + i]];
    }
  }

  /// `to[i] = from[index[i]]` for one line.
  static void gather(
      int width,
      int length,
      MemorySegment to,
      long t,
      MemorySegment indices,
      long x,
      MemorySegment from,
      long f,
      int size) {
    LineArrays s = LineArrays.ofThread();
    if (width == 4) {
      MemorySegment.copy(from, JAVA_INT_UNALIGNED, f, s.line, 0, size);
    } else {
      MemorySegment.copy(from, JAVA_LONG_UNALIGNED, f, s.wideLine, 0, size);
    }
    for (int begin = 0; begin < length; begin += LineArrays.CHUNK) {
      int n = Math.min(LineArrays.CHUNK, length - begin);
      MemorySegment.copy(indices, JAVA_LONG_UNALIGNED, x + 8L * begin, s.index, 0, n);
      long place = t + (long) begin * width;
      if (width == 4) {
        pick(s.chunk, s.line, s.index, n);
        MemorySegment.copy(s.chunk, 0, to, JAVA_INT_UNALIGNED, place, n);
      } else {
        pick(s.wideChunk, s.wideLine, s.index, n);
        MemorySegment.copy(s.wideChunk, 0, to, JAVA_LONG_UNALIGNED, place, n);
      }
    }
  }

  private static void pick(int[] into, int[] line, long[] at, int n) {
    for (int i = 0; i < n; i++) {
      into[i] = line[(int) at[i]];
    }
  }

  private static void pick(long[] into, long[] line, long[] at, int n) {
    for (int i = 0; i < n; i++) {
      into[i] = line[(int) at[i]];
    }
  }

  /// `to[index[i]] = from[i]` for one line.
  static void scatter(
      int width,
      int length,
      MemorySegment to,
      long t,
      int size,
      MemorySegment indices,
      long x,
      MemorySegment from,
      long f) {
    LineArrays s = LineArrays.ofThread();
    if (width == 4) {
      MemorySegment.copy(to, JAVA_INT_UNALIGNED, t, s.line, 0, size);
    } else {
      MemorySegment.copy(to, JAVA_LONG_UNALIGNED, t, s.wideLine, 0, size);
    }
    for (int begin = 0; begin < length; begin += LineArrays.CHUNK) {
      int n = Math.min(LineArrays.CHUNK, length - begin);
      MemorySegment.copy(indices, JAVA_LONG_UNALIGNED, x + 8L * begin, s.index, 0, n);
      if (width == 4) {
        MemorySegment.copy(from, JAVA_INT_UNALIGNED, f + 4L * begin, s.chunk, 0, n);
        place(s.line, s.chunk, s.index, n);
      } else {
        MemorySegment.copy(from, JAVA_LONG_UNALIGNED, f + 8L * begin, s.wideChunk, 0, n);
        place(s.wideLine, s.wideChunk, s.index, n);
      }
    }
    if (width == 4) {
      MemorySegment.copy(s.line, 0, to, JAVA_INT_UNALIGNED, t, size);
    } else {
      MemorySegment.copy(s.wideLine, 0, to, JAVA_LONG_UNALIGNED, t, size);
    }
  }

  private static void place(int[] line, int[] values, long[] at, int n) {
    for (int i = 0; i < n; i++) {
      line[(int) at[i]] = values[i];
    }
  }

  private static void place(long[] line, long[] values, long[] at, int n) {
    for (int i = 0; i < n; i++) {
      line[(int) at[i]] = values[i];
    }
  }

  /// `to[index[i]] += from[i]` for one line.
  static void add(
      boolean single,
      int length,
      MemorySegment to,
      long t,
      int size,
      MemorySegment indices,
      long x,
      MemorySegment from,
      long f) {
    LineArrays s = LineArrays.ofThread();
    if (single) {
      MemorySegment.copy(to, JAVA_FLOAT_UNALIGNED, t, s.floatLine, 0, size);
    } else {
      MemorySegment.copy(to, JAVA_DOUBLE_UNALIGNED, t, s.doubleLine, 0, size);
    }
    for (int begin = 0; begin < length; begin += LineArrays.CHUNK) {
      int n = Math.min(LineArrays.CHUNK, length - begin);
      MemorySegment.copy(indices, JAVA_LONG_UNALIGNED, x + 8L * begin, s.index, 0, n);
      if (single) {
        MemorySegment.copy(from, JAVA_FLOAT_UNALIGNED, f + 4L * begin, s.floats, 0, n);
        add(s.floatLine, s.floats, s.index, n);
      } else {
        MemorySegment.copy(from, JAVA_DOUBLE_UNALIGNED, f + 8L * begin, s.doubles, 0, n);
        add(s.doubleLine, s.doubles, s.index, n);
      }
    }
    if (single) {
      MemorySegment.copy(s.floatLine, 0, to, JAVA_FLOAT_UNALIGNED, t, size);
    } else {
      MemorySegment.copy(s.doubleLine, 0, to, JAVA_DOUBLE_UNALIGNED, t, size);
    }
  }

  private static void add(float[] line, float[] more, long[] at, int n) {
    for (int i = 0; i < n; i++) {
      line[(int) at[i]] += more[i];
    }
  }

  private static void add(double[] line, double[] more, long[] at, int n) {
    for (int i = 0; i < n; i++) {
      line[(int) at[i]] += more[i];
    }
  }

  /// Copies `count` elements of 4 bytes that lie side by side, in reverse order; `from` is where the last one lies. Two
  /// go at a time: turned by half, a `long` holds them the other way round.
  static void reversed(int count, MemorySegment to, long t, MemorySegment from, long f) {
    LineArrays s = LineArrays.ofThread();
    int pairs = count / 2;
    for (int begin = 0; begin < pairs; begin += LineArrays.CHUNK) {
      int n = Math.min(LineArrays.CHUNK, pairs - begin);
      long last = f + 4 - 8L * (begin + n);
      MemorySegment.copy(from, JAVA_LONG_UNALIGNED, last, s.wideLine, 0, n);
      reverse(s.wideChunk, s.wideLine, n);
      MemorySegment.copy(s.wideChunk, 0, to, JAVA_LONG_UNALIGNED, t + 8L * begin, n);
    }
    if ((count & 1) != 0) {
      long odd = 4L * (count - 1);
      to.set(JAVA_INT_UNALIGNED, t + odd, from.get(JAVA_INT_UNALIGNED, f - odd));
    }
  }

  private static void reverse(long[] into, long[] line, int n) {
    for (int i = 0; i < n; i++) {
      into[i] = Long.rotateLeft(line[n - 1 - i], 32);
    }
  }
}
