package taper.cpu.pooling;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import taper.tensor.spi.Strided;

/// Averages of whole planes in `float32`, summed in `double`, in plain Java.
final class JavaMean {
  private JavaMean() {}

  /// The average of each plane of `x[n c h w]`.
  static void run(Strided y, Strided x) {
    long n = x.size(2) * x.size(3);
    MemorySegment to = y.memory();
    JavaPooling.planes(
        x,
        (from, end) -> {
          float[] floats = Planes.of(x, y).floats;
          int atOnce = (int) Math.max(1, floats.length / Math.max(1, n));
          for (long p = from; p < end; p += atOnce) {
            int planes = (int) Math.min(atOnce, end - p);
            if (n <= floats.length) {
              load(x, p * n, floats, (int) (planes * n));
            }
            for (int i = 0; i < planes; i++) {
              double sum =
                  n <= floats.length
                      ? sum(floats, (int) (i * n), (int) n)
                      : sum(x, p * n, n, floats);
              long at = y.byteOffset() + 4 * (p + i);
              to.set(JAVA_FLOAT_UNALIGNED, at, (float) (sum / n));
            }
          }
        });
  }

  private static void load(Strided x, long from, float[] floats, int count) {
    long offset = x.byteOffset() + 4 * from;
    MemorySegment.copy(x.memory(), JAVA_FLOAT_UNALIGNED, offset, floats, 0, count);
  }

  private static double sum(Strided x, long from, long n, float[] floats) {
    double sum = 0;
    for (long i = 0; i < n; i += floats.length) {
      int count = (int) Math.min(floats.length, n - i);
      load(x, from + i, floats, count);
      sum += sum(floats, 0, count);
    }
    return sum;
  }

  /// Four sums at a time, since each addition waits for the one before.
  private static double sum(float[] x, int from, int count) {
    double a = 0;
    double b = 0;
    double c = 0;
    double d = 0;
    int i = from;
    int end = from + count;
    for (; i + 3 < end; i += 4) {
      a += x[i];
      b += x[i + 1];
      c += x[i + 2];
      d += x[i + 3];
    }
    for (; i < end; i++) {
      a += x[i];
    }
    return (a + b) + (c + d);
  }

  /// Each plane of `dx` is its gradient in `dy` divided by the number of its elements.
  static void gradient(Strided dx, Strided dy) {
    long n = dx.size(2) * dx.size(3);
    MemorySegment from = dy.memory();
    MemorySegment to = dx.memory();
    JavaPooling.planes(
        dx,
        (first, end) -> {
          float[] floats = Planes.of(dx, dy).floats;
          int atOnce = (int) Math.max(1, floats.length / Math.max(1, n));
          for (long p = first; p < end; p += atOnce) {
            int planes = (int) Math.min(atOnce, end - p);
            for (int i = 0; i < planes; i++) {
              float gradient = from.get(JAVA_FLOAT_UNALIGNED, dy.byteOffset() + 4 * (p + i));
              int start = (int) (n <= floats.length ? i * n : 0);
              int count = (int) Math.min(n, floats.length);
              Arrays.fill(floats, start, start + count, (float) ((double) gradient / n));
            }
            for (long i = 0, all = planes * n; i < all; i += floats.length) {
              int count = (int) Math.min(floats.length, all - i);
              long at = dx.byteOffset() + 4 * (p * n + i);
              MemorySegment.copy(floats, 0, to, JAVA_FLOAT_UNALIGNED, at, count);
            }
          }
        });
  }
}
