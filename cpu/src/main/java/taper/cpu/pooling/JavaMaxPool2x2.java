package taper.cpu.pooling;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.tensor.spi.Strided;

/// Maxima of 2×2 windows side by side in `float32`, in plain Java and without branches.
///
/// Which of four activations is the largest cannot be guessed, and C2 makes jumps of comparisons of floats.
/// So the maxima are sought among whole numbers that are ordered as the floats are, by arithmetic.
final class JavaMaxPool2x2 {
  private static final int NAN = Integer.MAX_VALUE;
  private static final int INFINITY = 0x7f800000;

  private JavaMaxPool2x2() {}

  /// Maxima and their corners, as [JavaPooling#maxOfCorners] defines them, of the contiguous `x[n c h w]`.
  static void run(Strided y, Strided corners, Strided x) {
    int h = Math.toIntExact(x.size(2));
    int w = Math.toIntExact(x.size(3));
    int n = Math.multiplyExact(h, w);
    int m = Math.multiplyExact(h / 2, w / 2);
    JavaPooling.planes(
        x,
        (from, to) -> {
          int[] bits = new int[n];
          int[] keys = new int[n];
          int[] best = new int[m];
          byte[] places = new byte[m];
          for (long p = from; p < to; p++) {
            MemorySegment.copy(
                x.memory(), JAVA_INT_UNALIGNED, x.byteOffset() + 4 * p * n, bits, 0, n);
            keys(bits, keys, n);
            for (int r = 0; r < h / 2; r++) {
              row(bits, keys, 2 * r * w, w, best, places, r * (w / 2));
            }
            MemorySegment.copy(
                best, 0, y.memory(), JAVA_INT_UNALIGNED, y.byteOffset() + 4 * p * m, m);
            MemorySegment.copy(
                places, 0, corners.memory(), JAVA_BYTE, corners.byteOffset() + p * m, m);
          }
        });
  }

  /// Whole numbers ordered as the floats with these bits are: 0 for both zeros, [#NAN] for every NaN.
  private static void keys(int[] bits, int[] keys, int n) {
    for (int i = 0; i < n; i++) {
      int sign = bits[i] >> 31;
      int nan = (INFINITY - (bits[i] & Integer.MAX_VALUE)) >> 31;
      int key = (bits[i] ^ sign) - sign + (sign & Integer.MIN_VALUE);
      keys[i] = (key & ~nan) | (NAN & nan);
    }
  }

  /// One row of windows, whose first starts at `at`; the results go to `o` and on.
  private static void row(
      int[] bits, int[] keys, int at, int w, int[] best, byte[] corners, int o) {
    for (int c = 0; c < w / 2; c++, at += 2) {
      int place = later(keys, at, at + 1);
      place = later(keys, place, at + w);
      place = later(keys, place, at + w + 1);
      best[o + c] = bits[place];
      int distance = place - at; // 0, 1, w or w + 1
      corners[o + c] = (byte) (distance < w ? distance & 1 : 2 + (distance - w & 1));
    }
  }

  /// `challenger` if what stands there is larger than what stands at `holder`, or is a NaN; else `holder`.
  private static int later(int[] keys, int holder, int challenger) {
    // an earlier NaN counts a little less, so that only another NaN exceeds it
    long difference = Math.min(keys[holder], NAN - 1) - (long) keys[challenger];
    int mask = (int) (difference >> 63);
    return holder ^ ((holder ^ challenger) & mask);
  }
}
