package taper.cpu.moving;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.cpu.parallel.Parallel;
import taper.tensor.DType;
import taper.tensor.Sorting.Kinds;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Runs of equal neighbours: `uniqueConsecutive`, for elements of 4 and 8 bytes.
///
/// Each part of the elements notes where in it a run begins, in the memory of the counts, at its own place, where there is room
/// for as many beginnings as elements. Elements are compared by their bits, many at a time, since most are mostly equal to
/// those before; only where bits differ, or one is NaN, they are looked at one by one. Then the beginnings of all parts are put together.
final class EqualNeighbours {
  private static final int SOME = 64;
  private static final int CHUNK = LineArrays.CHUNK;
  private static final long PART = 1 << 15;
  private static final int FLOAT_INFINITY = 0x7f800000;
  private static final long DOUBLE_INFINITY = 0x7ff0000000000000L;

  private EqualNeighbours() {}

  /// The kernel; what it does not cover goes to `reference`.
  static Kernel kernel(Kernel reference) {
    return (attributes, out, in) -> {
      DType dtype = in[0].dtype();
      boolean covered =
          dtype == DType.FLOAT32
              || dtype == DType.INT32
              || dtype == DType.FLOAT64
              || dtype == DType.INT64;
      if (covered && in[0].numel() > 0) {
        run(((Kinds) attributes).inverse(), out, in[0]);
      } else {
        reference.run(attributes, out, in);
      }
    };
  }

  private static void run(boolean inverse, Strided[] out, Strided x) {
    long n = x.numel();
    int parts = Math.toIntExact(Math.ceilDiv(n, PART));
    int[] found = new int[parts];
    MemorySegment places = out[2].memory();
    long at = out[2].byteOffset();
    Parallel.run(
        parts,
        1,
        (first, last) -> {
          for (int p = (int) first; p < last; p++) {
            found[p] = beginnings(x, p * PART, Math.min(n, (p + 1) * PART), places, at);
          }
        });
    if (inverse) {
      inverse(out[1], n, found, places, at);
    }
    long distinct = together(out, x, n, found);
    out[3].memory().set(JAVA_LONG_UNALIGNED, out[3].byteOffset(), distinct);
  }

  /// Notes where runs begin among the elements `first` to `last`; how many there are.
  private static int beginnings(Strided x, long first, long last, MemorySegment places, long at) {
    LineArrays arrays = LineArrays.ofThread();
    boolean wide = x.dtype().byteSize() == 8;
    boolean floating = x.dtype().isFloatingPoint();
    int found = 0;
    for (long begin = first; begin < last; begin += CHUNK) {
      int n = (int) Math.min(CHUNK, last - begin);
      int lead = begin == 0 ? 0 : 1; // the element before
      int count;
      if (wide) {
        long from = x.byteOffset() + 8 * (begin - lead);
        MemorySegment.copy(
            x.memory(), JAVA_LONG_UNALIGNED, from, arrays.wideLine, 1 - lead, n + lead);
        count = wides(arrays.wideLine, n, floating, lead == 0, begin, arrays.wideChunk);
      } else {
        long from = x.byteOffset() + 4 * (begin - lead);
        MemorySegment.copy(x.memory(), JAVA_INT_UNALIGNED, from, arrays.line, 1 - lead, n + lead);
        count = singles(arrays.line, n, floating, lead == 0, begin, arrays.wideChunk);
      }
      MemorySegment.copy(
          arrays.wideChunk, 0, places, JAVA_LONG_UNALIGNED, at + 8 * (first + found), count);
      found += count;
    }
    return found;
  }

  /// The places of the elements `line[1]` to `line[n]` that differ from the one before, or are the `start`.
  private static int wides(
      long[] line, int n, boolean floating, boolean start, long begin, long[] places) {
    if (start) {
      line[0] = ~line[1];
    }
    int found = 0;
    for (int i = 1; i <= n; i += SOME) {
      int end = Math.min(n + 1, i + SOME);
      if (areSame(line, i, end, floating)) {
        continue;
      }
      for (int j = i; j < end; j++) {
        places[found] = begin + j - 1;
        found += differ(line[j - 1], line[j], floating) || start && begin + j == 1 ? 1 : 0;
      }
    }
    return found;
  }

  private static boolean areSame(long[] line, int first, int last, boolean floating) {
    long bits = 0;
    for (int i = first; i < last; i++) {
      bits |= line[i] ^ line[i - 1];
    }
    return bits == 0 && !(floating && (line[first] & Long.MAX_VALUE) > DOUBLE_INFINITY);
  }

  private static boolean differ(long a, long b, boolean floating) {
    return floating ? Double.longBitsToDouble(a) != Double.longBitsToDouble(b) : a != b;
  }

  /// As [#wides].
  private static int singles(
      int[] line, int n, boolean floating, boolean start, long begin, long[] places) {
    if (start) {
      line[0] = ~line[1];
    }
    int found = 0;
    for (int i = 1; i <= n; i += SOME) {
      int end = Math.min(n + 1, i + SOME);
      if (areSame(line, i, end, floating)) {
        continue;
      }
      for (int j = i; j < end; j++) {
        places[found] = begin + j - 1;
        found += differ(line[j - 1], line[j], floating) || start && begin + j == 1 ? 1 : 0;
      }
    }
    return found;
  }

  private static boolean areSame(int[] line, int first, int last, boolean floating) {
    int bits = 0;
    for (int i = first; i < last; i++) {
      bits |= line[i] ^ line[i - 1];
    }
    return bits == 0 && !(floating && (line[first] & Integer.MAX_VALUE) > FLOAT_INFINITY);
  }

  private static boolean differ(int a, int b, boolean floating) {
    return floating ? Float.intBitsToFloat(a) != Float.intBitsToFloat(b) : a != b;
  }

  /// Writes of which run each element is.
  private static void inverse(Strided to, long n, int[] found, MemorySegment places, long at) {
    int parts = found.length;
    long[] before = new long[parts];
    for (int p = 1; p < parts; p++) {
      before[p] = before[p - 1] + found[p - 1];
    }
    Parallel.run(
        parts,
        1,
        (first, last) -> {
          for (int p = (int) first; p < last; p++) {
            long run = before[p] - 1;
            long element = p * PART;
            long noted = at + 8 * element;
            for (int i = 0; i <= found[p]; i++) {
              long end =
                  i < found[p]
                      ? places.get(JAVA_LONG_UNALIGNED, noted + 8L * i)
                      : Math.min(n, (p + 1) * PART);
              for (; element < end; element++) {
                to.memory().set(JAVA_LONG_UNALIGNED, to.byteOffset() + 8 * element, run);
              }
              run++;
            }
          }
        });
  }

  /// Makes lengths of the places, one after the other from the first on, which never overtakes what is still to be read, and
  /// copies the elements; how many there are.
  private static long together(Strided[] out, Strided x, long n, int[] found) {
    MemorySegment counts = out[2].memory();
    long at = out[2].byteOffset();
    int width = x.dtype().byteSize();
    long distinct = 0;
    long since = 0;
    for (int p = 0; p < found.length; p++) {
      long noted = at + 8 * p * PART;
      for (int i = 0; i < found[p]; i++) {
        long place = counts.get(JAVA_LONG_UNALIGNED, noted + 8L * i);
        if (distinct > 0) {
          counts.set(JAVA_LONG_UNALIGNED, at + 8 * (distinct - 1), place - since);
        }
        long from = x.byteOffset() + width * place;
        long to = out[0].byteOffset() + width * distinct;
        if (width == 8) {
          out[0].memory().set(JAVA_LONG_UNALIGNED, to, x.memory().get(JAVA_LONG_UNALIGNED, from));
        } else {
          out[0].memory().set(JAVA_INT_UNALIGNED, to, x.memory().get(JAVA_INT_UNALIGNED, from));
        }
        since = place;
        distinct++;
      }
    }
    counts.set(JAVA_LONG_UNALIGNED, at + 8 * (distinct - 1), n - since);
    return distinct;
  }
}
