package taper.cpu.moving;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import taper.cpu.parallel.Parallel;
import taper.tensor.DType;
import taper.tensor.spi.Places;
import taper.tensor.spi.Strided;

/// Elements that fulfil a condition, one after the other: `nonzero` and `maskedSelect`.
///
/// A first pass counts what each part of the lines will give, so that in a second one every part knows where its results
/// begin. Which elements they are cannot be foreseen, so nothing jumps: each is written, and the place for the next moves on
/// only if it counts.
final class Conditions {
  private static final int CHUNK = LineArrays.CHUNK;
  private static final long GRAIN = 1 << 14;

  private Conditions() {}

  /// `count` conditions, as bytes that are 1 or 0, of elements `step` bytes apart.
  private static void read(
      DType dtype, MemorySegment m, long at, long step, byte[] holds, int count) {
    switch (dtype) {
      case BOOL -> {
        if (step == 1) {
          MemorySegment.copy(m, JAVA_BYTE, at, holds, 0, count);
        } else {
          for (int i = 0; i < count; i++) {
            holds[i] = m.get(JAVA_BYTE, at + i * step);
          }
        }
      }
      case INT8, UINT8 -> {
        for (int i = 0; i < count; i++) {
          int x = m.get(JAVA_BYTE, at + i * step);
          holds[i] = (byte) ((x | -x) >>> 31);
        }
      }
      case INT16 -> {
        for (int i = 0; i < count; i++) {
          int x = m.get(JAVA_SHORT_UNALIGNED, at + i * step);
          holds[i] = (byte) ((x | -x) >>> 31);
        }
      }
      case BFLOAT16, FLOAT16 -> {
        for (int i = 0; i < count; i++) {
          int x = m.get(JAVA_SHORT_UNALIGNED, at + i * step) & 0x7fff;
          holds[i] = (byte) (-x >>> 31);
        }
      }
      case INT32 -> {
        for (int i = 0; i < count; i++) {
          int x = m.get(JAVA_INT_UNALIGNED, at + i * step);
          holds[i] = (byte) ((x | -x) >>> 31);
        }
      }
      case FLOAT32 -> {
        for (int i = 0; i < count; i++) {
          int x = m.get(JAVA_INT_UNALIGNED, at + i * step) & Integer.MAX_VALUE;
          holds[i] = (byte) (-x >>> 31);
        }
      }
      case COMPLEX32 -> {
        for (int i = 0; i < count; i++) {
          int x = m.get(JAVA_INT_UNALIGNED, at + i * step) & 0x7fff7fff;
          holds[i] = (byte) (-x >>> 31);
        }
      }
      case INT64 -> {
        for (int i = 0; i < count; i++) {
          long x = m.get(JAVA_LONG_UNALIGNED, at + i * step);
          holds[i] = (byte) ((x | -x) >>> 63);
        }
      }
      case FLOAT64 -> {
        for (int i = 0; i < count; i++) {
          long x = m.get(JAVA_LONG_UNALIGNED, at + i * step) & Long.MAX_VALUE;
          holds[i] = (byte) (-x >>> 63);
        }
      }
      case COMPLEX64 -> {
        for (int i = 0; i < count; i++) {
          long here = at + i * step;
          boolean any =
              m.get(JAVA_FLOAT_UNALIGNED, here) != 0 || m.get(JAVA_FLOAT_UNALIGNED, here + 4) != 0;
          holds[i] = (byte) (any ? 1 : 0);
        }
      }
      case COMPLEX128 -> {
        for (int i = 0; i < count; i++) {
          long here = at + i * step;
          boolean any =
              m.get(JAVA_DOUBLE_UNALIGNED, here) != 0
                  || m.get(JAVA_DOUBLE_UNALIGNED, here + 8) != 0;
          holds[i] = (byte) (any ? 1 : 0);
        }
      }
    }
  }

  private static int count(byte[] holds, int n) {
    int count = 0;
    for (int i = 0; i < n; i++) {
      count += holds[i];
    }
    return count;
  }

  /// The lines of a tensor along its last dimension, in groups of short ones or cut into pieces, with the number of results
  /// before each group or piece.
  private static final class Groups {
    private final long lines;
    private final long each;
    private final long length;
    private final long pieces;
    private final long[] before;

    Groups(Strided x) {
      length = x.size(x.rank() - 1);
      lines = x.numel() / length;
      each = Math.max(1, GRAIN / length);
      pieces = Math.ceilDiv(length, GRAIN);
      before = new long[Math.toIntExact(Math.ceilDiv(lines, each) * pieces) + 1];
    }

    int count() {
      return before.length - 1;
    }

    long firstLine(int g) {
      return g / pieces * each;
    }

    long lastLine(int g) {
      return Math.min(lines, firstLine(g) + each);
    }

    /// Where the elements of a line begin.
    long start(int g) {
      return g % pieces * GRAIN;
    }

    long end(int g) {
      return pieces == 1 ? length : Math.min(length, start(g) + GRAIN);
    }

    /// How many results come before group `g`.
    long before(int g) {
      return before[g];
    }

    /// Counts the elements of `condition` that hold.
    ///
    /// @param expected how many there are in the result
    void count(String op, Strided condition, long expected) {
      long step = condition.stride(condition.rank() - 1) * condition.dtype().byteSize();
      Parallel.run(
          count(),
          1,
          (first, last) -> {
            for (int g = (int) first; g < last; g++) {
              before[g + 1] = count(condition, step, g);
            }
          });
      for (int g = 0; g < count(); g++) {
        before[g + 1] += before[g];
      }
      Places.count(op, before[count()], expected);
    }

    private long count(Strided condition, long step, int g) {
      byte[] holds = LineArrays.ofThread().bytes;
      int width = condition.dtype().byteSize();
      var walk = new Odometer(condition, firstLine(g));
      long end = end(g);
      long found = 0;
      for (long n = firstLine(g); n < lastLine(g); n++) {
        long at = condition.byteOffset() + walk.at() * width;
        for (long i = start(g); i < end; i += CHUNK) {
          int some = (int) Math.min(CHUNK, end - i);
          read(condition.dtype(), condition.memory(), at + i * step, step, holds, some);
          found += Conditions.count(holds, some);
        }
        walk.next();
      }
      return found;
    }
  }

  /// Writes the indices of the elements that are not 0, those of one element side by side.
  static void nonzero(Strided out, Strided in) {
    if (in.rank() == 0 || in.numel() == 0) {
      Places.count("nonzero", in.rank() == 0 ? out.size(0) : 0, out.size(0));
      return;
    }
    var groups = new Groups(in);
    groups.count("nonzero", in, out.size(0));
    Parallel.run(
        groups.count(),
        1,
        (first, last) -> {
          for (int g = (int) first; g < last; g++) {
            nonzero(out, in, groups, g);
          }
        });
  }

  private static void nonzero(Strided out, Strided in, Groups groups, int g) {
    int rank = in.rank();
    LineArrays arrays = LineArrays.ofThread();
    byte[] holds = arrays.bytes;
    long step = in.stride(rank - 1) * in.dtype().byteSize();
    long to = out.byteOffset() + 8 * rank * groups.before(g);
    var walk = new Odometer(in, groups.firstLine(g));
    long end = groups.end(g);
    for (long n = groups.firstLine(g); n < groups.lastLine(g); n++) {
      long at = in.byteOffset() + walk.at() * in.dtype().byteSize();
      for (long i = groups.start(g); i < end; i += CHUNK) {
        int some = (int) Math.min(CHUNK, end - i);
        read(in.dtype(), in.memory(), at + i * step, step, holds, some);
        int found = rank * places(holds, some, i, rank, arrays.wideLine);
        for (int d = 0; d < rank - 1 && rank <= 2; d++) {
          fill(arrays.wideLine, found, rank, d, walk.index(d));
        }
        if (rank <= 2) {
          MemorySegment.copy(arrays.wideLine, 0, out.memory(), JAVA_LONG_UNALIGNED, to, found);
          to += 8L * found;
        } else {
          to = spread(out.memory(), to, arrays.wideLine, found / rank, walk, rank);
        }
      }
      walk.next();
    }
  }

  /// Writes the numbers of those of `n` elements that hold, counted from `start`, each behind the other indices of its element
  /// where there is room for those; how many there are.
  private static int places(byte[] holds, int n, long start, int rank, long[] to) {
    int found = 0;
    if (rank == 2) {
      for (int i = 0; i < n; i++) {
        to[2 * found + 1] = start + i;
        found += holds[i];
      }
    } else {
      for (int i = 0; i < n; i++) {
        to[found] = start + i;
        found += holds[i];
      }
    }
    return found;
  }

  private static void fill(long[] to, int end, int step, int first, long value) {
    for (int i = first; i < end; i += step) {
      to[i] = value;
    }
  }

  private static long spread(
      MemorySegment out, long at, long[] places, int found, Odometer walk, int rank) {
    long to = at;
    for (int i = 0; i < found; i++) {
      for (int d = 0; d < rank - 1; d++) {
        out.set(JAVA_LONG_UNALIGNED, to, walk.index(d));
        to += 8;
      }
      out.set(JAVA_LONG_UNALIGNED, to, places[i]);
      to += 8;
    }
    return to;
  }

  /// Writes the elements of `self` for which `mask` holds.
  static void masked(Strided out, Strided self, Strided mask) {
    if (self.numel() == 0) {
      Places.count("maskedSelect", 0, out.size(0));
      return;
    }
    var groups = new Groups(self);
    groups.count("maskedSelect", mask, out.size(0));
    Parallel.run(
        groups.count(),
        1,
        (first, last) -> {
          for (int g = (int) first; g < last; g++) {
            masked(out, self, mask, groups, g);
          }
        });
  }

  private static void masked(Strided out, Strided self, Strided mask, Groups groups, int g) {
    int last = self.rank() - 1;
    int width = self.dtype().byteSize();
    byte[] holds = LineArrays.ofThread().bytes;
    long step = self.stride(last) * width;
    long toStep = out.stride(0) * width;
    long to = out.byteOffset() + groups.before(g) * toStep;
    var own = new Odometer(self, groups.firstLine(g));
    var other = new Odometer(mask, groups.firstLine(g));
    long end = groups.end(g);
    for (long n = groups.firstLine(g); n < groups.lastLine(g); n++) {
      long from = self.byteOffset() + own.at() * width;
      long condition = mask.byteOffset() + other.at();
      for (long i = groups.start(g); i < end; i += CHUNK) {
        int some = (int) Math.min(CHUNK, end - i);
        long maskStep = mask.stride(last);
        read(DType.BOOL, mask.memory(), condition + i * maskStep, maskStep, holds, some);
        to += toStep * select(holds, some, width, self, from + i * step, step, out, to, toStep);
      }
      own.next();
      other.next();
    }
  }

  private static int select(
      byte[] holds,
      int n,
      int width,
      Strided self,
      long from,
      long step,
      Strided out,
      long to,
      long toStep) {
    LineArrays arrays = LineArrays.ofThread();
    if (width == 4 && step == 4 && toStep == 4) {
      int[] line = arrays.chunk;
      MemorySegment.copy(self.memory(), JAVA_INT_UNALIGNED, from, line, 0, n);
      int found = compress(line, holds, n);
      MemorySegment.copy(line, 0, out.memory(), JAVA_INT_UNALIGNED, to, found);
      return found;
    }
    if (width == 8 && step == 8 && toStep == 8) {
      long[] line = arrays.wideChunk;
      MemorySegment.copy(self.memory(), JAVA_LONG_UNALIGNED, from, line, 0, n);
      int found = compress(line, holds, n);
      MemorySegment.copy(line, 0, out.memory(), JAVA_LONG_UNALIGNED, to, found);
      return found;
    }
    int found = 0;
    for (int i = 0; i < n; i++) {
      if (holds[i] != 0) {
        long t = to + found++ * toStep;
        Bits.line(width, 1, out.memory(), t, width, self.memory(), from + i * step, width);
      }
    }
    return found;
  }

  /// Moves the elements that hold to the front; how many they are.
  private static int compress(int[] line, byte[] holds, int n) {
    int found = 0;
    for (int i = 0; i < n; i++) {
      line[found] = line[i];
      found += holds[i];
    }
    return found;
  }

  private static int compress(long[] line, byte[] holds, int n) {
    int found = 0;
    for (int i = 0; i < n; i++) {
      line[found] = line[i];
      found += holds[i];
    }
    return found;
  }

  /// Walks through the lines of a tensor along its last dimension, in row-major order.
  private static final class Odometer {
    private final long[] sizes;
    private final long[] strides;
    private final long[] index;
    private long at;

    Odometer(Strided x, long line) {
      int rank = x.rank() - 1;
      this.sizes = Arrays.copyOf(x.sizes(), rank);
      this.strides = Arrays.copyOf(x.strides(), rank);
      this.index = new long[rank];
      long rest = line;
      for (int d = rank - 1; d >= 0; d--) {
        index[d] = rest % sizes[d];
        at += index[d] * strides[d];
        rest /= sizes[d];
      }
    }

    /// Where the line begins, in elements.
    long at() {
      return at;
    }

    long index(int d) {
      return index[d];
    }

    void next() {
      for (int d = sizes.length - 1; d >= 0; d--) {
        if (++index[d] < sizes[d]) {
          at += strides[d];
          return;
        }
        at -= strides[d] * (sizes[d] - 1);
        index[d] = 0;
      }
    }
  }
}
