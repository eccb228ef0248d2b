package taper.cpu.pooling;

import java.util.Arrays;
import taper.tensor.spi.Strided;

/// One plane before and one after pooling, as arrays of the thread that are kept between calls, and may be longer
/// than needed; `large` is the one with `h` rows of `w`.
final class Planes {
  /// Larger arrays are not kept.
  private static final int KEPT = 1 << 20;

  private static final ThreadLocal<Planes> OF_THREAD = ThreadLocal.withInitial(Planes::new);

  int h;
  int w;
  int oh;
  int ow;
  double[] large = {};
  double[] small = {};
  double[] sums = {};
  long[] places = {};
  byte[] corners = {};
  int[] bits = {};
  int[] best = {};
  long[] keys = {};
  long[] line = {};
  float[] floats = new float[4096];

  private Planes() {}

  /// This thread's arrays, for planes of the sizes of `large` and `small`; the content is anything.
  static Planes of(Strided large, Strided small) {
    Planes planes = OF_THREAD.get();
    planes.h = Math.toIntExact(large.size(2));
    planes.w = Math.toIntExact(large.size(3));
    planes.oh = Math.toIntExact(small.size(2));
    planes.ow = Math.toIntExact(small.size(3));
    if (Math.max(planes.large.length, planes.keys.length) > KEPT) {
      planes.large = new double[0];
      planes.small = new double[0];
      planes.places = new long[0];
      planes.bits = new int[0];
      planes.best = new int[0];
      planes.keys = new long[0];
    }
    return planes;
  }

  /// The elements of the large plane.
  int n() {
    return Math.multiplyExact(h, w);
  }

  /// The elements of the small plane.
  int m() {
    return Math.multiplyExact(oh, ow);
  }

  /// Makes room for both planes as doubles.
  Planes doubles() {
    large = atLeast(large, n());
    small = atLeast(small, m());
    sums = atLeast(sums, w);
    return this;
  }

  /// Makes room for the places of the small plane.
  Planes places() {
    places = atLeast(places, m());
    return this;
  }

  /// Makes room for the corners of the small plane.
  Planes corners() {
    if (corners.length < m()) {
      corners = new byte[m()];
    }
    return this;
  }

  /// Makes room for both planes as bits, for keys of the large one, and for a line of `width` keys.
  Planes keys(int width) {
    bits = atLeast(bits, n());
    best = atLeast(best, m());
    keys = atLeast(keys, n());
    line = atLeast(line, width);
    return places();
  }

  /// Makes the large plane zero.
  void clear() {
    Arrays.fill(large, 0, n(), 0);
  }

  private static double[] atLeast(double[] array, int length) {
    return array.length < length ? new double[length] : array;
  }

  private static long[] atLeast(long[] array, int length) {
    return array.length < length ? new long[length] : array;
  }

  private static int[] atLeast(int[] array, int length) {
    return array.length < length ? new int[length] : array;
  }
}
