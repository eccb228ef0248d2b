package taper.cpu.pooling;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import taper.tensor.Pooling.MaxPool2d;
import taper.tensor.spi.Places;
import taper.tensor.spi.Strided;

/// Maxima of windows in `float32` and where they lie, in plain Java and without branches.
///
/// Which element is the largest cannot be guessed by a processor. So every element gets a key, a whole number of 64 bits
/// that orders value and place at once: above, a number that is ordered as the floats are; below, the place, counted
/// backwards, since the first of equal elements counts, but forwards for a NaN, of which the last counts. The largest
/// key of a window then says all, in whatever order the elements are compared: columns first, in vectors, then rows.
final class JavaMaxPool {
  private static final int NAN = Integer.MAX_VALUE;
  private static final int INFINITY = 0x7f800000;
  private static final int MINUS_INFINITY = 0xff800000;

  /// Less than every key.
  private static final long NOTHING = Long.MIN_VALUE;

  private JavaMaxPool() {}

  /// As [JavaPooling#max].
  static void max(MaxPool2d a, Strided y, Strided places, Strided x) {
    int w = Math.toIntExact(x.size(3));
    int reach = Math.toIntExact((y.size(3) - 1) * a.strideW() + (a.kernelW() - 1L) * a.dilationW());
    int width = Math.max(a.paddingW() + w, reach + 1);
    JavaPooling.planes(
        x,
        (from, to) -> {
          Planes planes = Planes.of(x, y).keys(width);
          Arrays.fill(planes.line, NOTHING);
          for (long p = from; p < to; p++) {
            load(planes, x, p);
            for (int r = 0; r < planes.oh; r++) {
              int top = r * a.strideH() - a.paddingH();
              tallest(planes, top, a.kernelH(), a.dilationH(), a.paddingW());
              widest(planes, a, r * planes.ow);
            }
            store(planes, y, places, p);
          }
        });
  }

  /// As [JavaPooling#adaptiveMax].
  static void adaptiveMax(Strided y, Strided places, Strided x) {
    int w = Math.toIntExact(x.size(3));
    JavaPooling.planes(
        x,
        (from, to) -> {
          Planes planes = Planes.of(x, y).keys(w);
          for (long p = from; p < to; p++) {
            load(planes, x, p);
            for (int r = 0; r < planes.oh; r++) {
              int top = JavaPooling.start(r, planes.h, planes.oh);
              tallest(planes, top, JavaPooling.end(r, planes.h, planes.oh) - top, 1, 0);
              for (int c = 0; c < planes.ow; c++) {
                int left = JavaPooling.start(c, w, planes.ow);
                int count = JavaPooling.end(c, w, planes.ow) - left;
                set(planes, r * planes.ow + c, largest(planes.line, left, count, 1));
              }
            }
            store(planes, y, places, p);
          }
        });
  }

  private static void load(Planes planes, Strided x, long p) {
    int n = planes.n();
    MemorySegment.copy(
        x.memory(), JAVA_INT_UNALIGNED, x.byteOffset() + 4 * p * n, planes.bits, 0, n);
    keys(planes.bits, planes.keys, n);
  }

  private static void store(Planes planes, Strided y, Strided places, long p) {
    int m = planes.m();
    MemorySegment.copy(
        planes.best, 0, y.memory(), JAVA_INT_UNALIGNED, y.byteOffset() + 4 * p * m, m);
    MemorySegment.copy(
        planes.places, 0, places.memory(), JAVA_LONG_UNALIGNED, places.byteOffset() + 8 * p * m, m);
  }

  private static void keys(int[] bits, long[] keys, int n) {
    for (int i = 0; i < n; i++) {
      int sign = bits[i] >> 31;
      int nan = (INFINITY - (bits[i] & Integer.MAX_VALUE)) >> 31;
      int key = (bits[i] ^ sign) - sign + (sign & Integer.MIN_VALUE); // 0 for both zeros
      int above = (key & ~nan) | (NAN & nan);
      int below = i ^ (Integer.MAX_VALUE & ~nan);
      keys[i] = ((long) above << 32) | below;
    }
  }

  /// The largest keys of each column of a row of windows, into the line, `padding` elements from its start.
  private static void tallest(Planes planes, int top, int count, int step, int padding) {
    long[] keys = planes.keys;
    long[] line = planes.line;
    int h = planes.h;
    int w = planes.w;
    int first = top;
    int end = top + (count - 1) * step;
    while (first < 0) {
      first += step;
    }
    if (first > end || first >= h) { // a dilated window may miss the image
      Arrays.fill(line, padding, padding + w, NOTHING);
      return;
    }
    System.arraycopy(keys, first * w, line, padding, w);
    for (int row = first + step; row <= end && row < h; row += step) {
      larger(line, padding, keys, row * w, w);
    }
  }

  private static void larger(long[] line, int padding, long[] keys, int at, int w) {
    for (int i = 0; i < w; i++) {
      line[padding + i] = Math.max(line[padding + i], keys[at + i]);
    }
  }

  private static void widest(Planes planes, MaxPool2d a, int o) {
    long[] line = planes.line;
    int stride = a.strideW();
    int step = a.dilationW();
    if (a.kernelW() == 3) {
      for (int c = 0, left = 0; c < planes.ow; c++, left += stride) {
        long two = Math.max(line[left], line[left + step]);
        set(planes, o + c, Math.max(two, line[left + 2 * step]));
      }
      return;
    }
    for (int c = 0, left = 0; c < planes.ow; c++, left += stride) {
      set(planes, o + c, largest(line, left, a.kernelW(), step));
    }
  }

  private static long largest(long[] line, int left, int count, int step) {
    long best = NOTHING;
    for (int j = 0, at = left; j < count; j++, at += step) {
      best = Math.max(best, line[at]);
    }
    return best;
  }

  private static void set(Planes planes, int o, long key) {
    if (key == NOTHING) {
      planes.best[o] = MINUS_INFINITY;
      planes.places[o] = 0;
      return;
    }
    int nan = (int) ((NAN - 1L - (key >> 32)) >> 63);
    int place = (int) key ^ (Integer.MAX_VALUE & ~nan);
    planes.best[o] = planes.bits[place];
    planes.places[o] = place;
  }

  /// As [JavaPooling#maxGradient]: adds to the planes where they lie.
  static void gradient(Strided dx, Strided dy, Strided indices) {
    MemorySegment to = dx.memory();
    MemorySegment from = dy.memory();
    MemorySegment places = indices.memory();
    long n = dx.size(2) * dx.size(3);
    long m = dy.size(2) * dy.size(3);
    JavaPooling.planes(
        dx,
        (first, end) -> {
          to.asSlice(dx.byteOffset() + 4 * first * n, 4 * (end - first) * n).fill((byte) 0);
          for (long p = first; p < end; p++) {
            long plane = dx.byteOffset() + 4 * p * n;
            long source = dy.byteOffset() + 4 * p * m;
            long place = indices.byteOffset() + 8 * p * m;
            for (long o = 0; o < m; o++) {
              long index = places.get(JAVA_LONG_UNALIGNED, place + 8 * o);
              long at = plane + 4 * Places.check("maxPool2dGradient", index, n);
              float sum =
                  to.get(JAVA_FLOAT_UNALIGNED, at) + from.get(JAVA_FLOAT_UNALIGNED, source + 4 * o);
              to.set(JAVA_FLOAT_UNALIGNED, at, sum);
            }
          }
        });
  }

  /// As [JavaPooling#pick].
  static void pick(Strided y, Strided x, Strided indices) {
    MemorySegment to = y.memory();
    MemorySegment from = x.memory();
    MemorySegment places = indices.memory();
    long n = x.size(2) * x.size(3);
    long m = y.size(2) * y.size(3);
    JavaPooling.planes(
        y,
        (first, end) -> {
          for (long i = first * m; i < end * m; i++) {
            long index = places.get(JAVA_LONG_UNALIGNED, indices.byteOffset() + 8 * i);
            long at = i / m * n + Places.check("maxPool2dPick", index, n);
            to.set(
                JAVA_FLOAT_UNALIGNED,
                y.byteOffset() + 4 * i,
                from.get(JAVA_FLOAT_UNALIGNED, x.byteOffset() + 4 * at));
          }
        });
  }
}
