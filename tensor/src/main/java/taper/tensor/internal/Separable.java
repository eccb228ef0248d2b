package taper.tensor.internal;

import java.util.Arrays;
import taper.tensor.spi.SeparableKernel;
import taper.tensor.spi.SeparableKernel.Maps;
import taper.tensor.spi.Strided;
import taper.tensor.spi.Taps;

/// Linear maps of images that are one map along each dimension: averages, interpolation, borders, and the gradients of
/// all of these, which are the transposed maps.
///
/// A box of `k` elements a side takes `k` products along each dimension this way instead of `k` to the power of the
/// rank. The slices `[rows, …, columns]` of an operand are independent. A slice is computed in bands of rows that stay in
/// the cache; passes along any but the last dimension are sums of whole rows, which the virtual machine turns into vector
/// code.
final class Separable {
  /// So many elements of a band are worked on at once.
  private static final int BAND = 1 << 14;

  private Separable() {}

  /// The kernel that applies these maps.
  static SeparableKernel kernel(Maps maps) {
    return SeparableKernel.of(
        maps, (attributes, out, in) -> apply(out[0], in[0], maps.of(attributes, out[0], in[0])));
  }

  /// Writes the image of `x` under `taps`, one for each of the last dimensions of both operands, to `y`. Both are
  /// contiguous.
  static void apply(Strided y, Strided x, Taps... taps) {
    long in = 1;
    long out = 1;
    for (Taps t : taps) {
      in *= t.in();
      out *= t.out();
    }
    long slices = out == 0 ? 0 : y.numel() / out;
    if (slices == 0) {
      return;
    }
    var bands = new Bands(taps);
    for (long s = 0; s < slices; s++) {
      bands.slice(y, s * out, x, s * in);
    }
  }

  /// The buffers and tables of one call.
  private static final class Bands {
    private final Taps[] taps;
    private final int[] uniform;
    private final int rows; // output rows of a band
    private final int innerIn;
    private final int innerOut;
    private double[] from;
    private double[] to;

    Bands(Taps[] taps) {
      this.taps = taps;
      this.uniform = new int[taps.length];
      long in = 1;
      long out = 1;
      for (int d = 0; d < taps.length; d++) {
        uniform[d] = taps[d].isIdentity() ? 0 : taps[d].uniform();
        if (d > 0) {
          in *= taps[d].in();
          out *= taps[d].out();
        }
      }
      this.innerIn = Math.toIntExact(in);
      this.innerOut = Math.toIntExact(out);
      Taps first = taps[0];
      long widest = Math.max(1, Math.max(in, out));
      double ratio = Math.max(1, first.in() / (double) Math.max(1, first.out()));
      this.rows =
          taps.length == 1
              ? first.out()
              : (int) Math.max(1, Math.min(first.out(), (long) (BAND / (widest * ratio))));
      this.from = new double[0];
      this.to = new double[0];
    }

    void slice(Strided y, long yAt, Strided x, long xAt) {
      int out = taps[0].out();
      for (int o = 0; o < out; o += rows) {
        int end = Math.min(out, o + rows);
        int low = Math.min(taps[0].least(o, end), taps[0].end(o, end));
        int high = taps[0].end(o, end);
        int count = Math.multiplyExact(high - low, innerIn);
        from = grown(from, count);
        Ranges.read(x, xAt + (long) low * innerIn, count, from);
        passes(o, end, low, high);
        Ranges.write(y, yAt + (long) o * innerOut, (end - o) * innerOut, from);
      }
    }

    private static double[] grown(double[] buffer, int size) {
      return buffer.length >= size ? buffer : new double[size];
    }

    /// Along all dimensions; the first one early if it makes fewer rows, late if it makes more.
    private void passes(int o, int end, int low, int high) {
      boolean early = end - o <= high - low;
      int[] sizes = new int[taps.length];
      for (int d = 0; d < sizes.length; d++) {
        sizes[d] = d == 0 ? high - low : taps[d].in();
      }
      if (early) {
        pass(sizes, 0, o, end, low);
      }
      for (int d = 1; d < taps.length; d++) {
        pass(sizes, d, 0, taps[d].out(), 0);
      }
      if (!early) {
        pass(sizes, 0, o, end, low);
      }
    }

    private void pass(int[] sizes, int d, int o, int end, int low) {
      if (uniform[d] == 0 && taps[d].isIdentity()) {
        return;
      }
      int outer = 1;
      for (int k = 0; k < d; k++) {
        outer *= sizes[k];
      }
      int inner = 1;
      for (int k = d + 1; k < sizes.length; k++) {
        inner *= sizes[k];
      }
      int n = sizes[d];
      int m = end - o;
      to = grown(to, Math.multiplyExact(Math.multiplyExact(outer, m), inner));
      if (inner == 1) {
        columns(taps[d], uniform[d], from, to, outer, n, o, end, low);
      } else {
        rows(taps[d], from, to, outer, inner, n, o, end, low);
      }
      sizes[d] = m;
      double[] swap = from;
      from = to;
      to = swap;
    }
  }

  private static void columns(
      Taps taps,
      int uniform,
      double[] x,
      double[] y,
      int outer,
      int n,
      int from,
      int end,
      int low) {
    int[] index = taps.index();
    double[] weight = taps.weight();
    int m = end - from;
    for (int r = 0; r < outer; r++) {
      int xAt = r * n - low;
      int yAt = r * m;
      switch (uniform) {
        case 1 -> {
          for (int o = from; o < end; o++) {
            y[yAt + o - from] = weight[o] * x[xAt + index[o]];
          }
        }
        case 2 -> {
          for (int o = from; o < end; o++) {
            int t = 2 * o;
            y[yAt + o - from] =
                weight[t] * x[xAt + index[t]] + weight[t + 1] * x[xAt + index[t + 1]];
          }
        }
        default -> {
          int[] start = taps.start();
          int t = start[from];
          for (int o = from; o < end; o++) {
            double sum = 0;
            for (int last = start[o + 1]; t < last; t++) {
              sum += weight[t] * x[xAt + index[t]];
            }
            y[yAt + o - from] = sum;
          }
        }
      }
    }
  }

  private static void rows(
      Taps taps, double[] x, double[] y, int outer, int inner, int n, int from, int end, int low) {
    int[] start = taps.start();
    int[] index = taps.index();
    double[] weight = taps.weight();
    int m = end - from;
    for (int r = 0; r < outer; r++) {
      for (int o = from; o < end; o++) {
        int yAt = (r * m + o - from) * inner;
        int t = start[o];
        int last = start[o + 1];
        if (last - t >= 2) {
          int a = (r * n + index[t] - low) * inner;
          int b = (r * n + index[t + 1] - low) * inner;
          two(y, yAt, x, a, weight[t], b, weight[t + 1], inner);
          t += 2;
        } else if (last > t) {
          one(y, yAt, x, (r * n + index[t] - low) * inner, weight[t], inner);
          t++;
        } else {
          Arrays.fill(y, yAt, yAt + inner, 0);
        }
        for (; t < last; t++) {
          add(y, yAt, x, (r * n + index[t] - low) * inner, weight[t], inner);
        }
      }
    }
  }

  private static void one(double[] y, int yAt, double[] x, int a, double wa, int n) {
    for (int i = 0; i < n; i++) {
      y[yAt + i] = wa * x[a + i];
    }
  }

  private static void two(
      double[] y, int yAt, double[] x, int a, double wa, int b, double wb, int n) {
    for (int i = 0; i < n; i++) {
      y[yAt + i] = wa * x[a + i] + wb * x[b + i];
    }
  }

  private static void add(double[] y, int yAt, double[] x, int a, double wa, int n) {
    for (int i = 0; i < n; i++) {
      y[yAt + i] += wa * x[a + i];
    }
  }
}
