package taper.tensor.internal;

import taper.tensor.DType;
import taper.tensor.Statistics.Bins;
import taper.tensor.Statistics.Histc;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain kernels that count elements. Operands are contiguous.
public final class ReferenceStatistics {
  private ReferenceStatistics() {}

  /// The number of elements in bins of equal width. Where an element lies is computed in the type of the elements, as
  /// PyTorch does, so that those at an edge fall on the same side.
  public static final Kernel HISTC =
      (attributes, out, in) -> {
        var a = (Histc) attributes;
        int bins = Math.toIntExact(a.bins());
        long[] counts = new long[bins];
        double[] run = new double[Ranges.RUN];
        boolean single = in[0].dtype() == DType.FLOAT32;
        double min = single ? (float) a.min() : a.min();
        double max = single ? (float) a.max() : a.max();
        double width = single ? (float) max - (float) min : max - min;
        for (long start = 0; start < in[0].numel(); start += Ranges.RUN) {
          int n = (int) Math.min(Ranges.RUN, in[0].numel() - start);
          Ranges.read(in[0], start, n, run);
          for (int i = 0; i < n; i++) {
            double x = run[i];
            if (x >= min && x <= max) {
              int bin = place(x, min, width, bins, single);
              counts[bin < bins ? bin : bins - 1]++;
            }
          }
        }
        double[] result = new double[bins];
        for (int i = 0; i < bins; i++) {
          result[i] = counts[i];
        }
        Ranges.write(out[0], 0, bins, result);
      };

  private static int place(double x, double min, double width, int bins, boolean single) {
    return single
        ? (int) (((float) x - (float) min) * bins / (float) width)
        : (int) ((x - min) * bins / width);
  }

  /// `self[n d], weight?[n], edges...[*] -> [*]`: the number of points in the boxes of a grid.
  public static final Kernel HISTOGRAM =
      (attributes, out, in) -> {
        boolean even = ((Bins) attributes).even();
        int dims = in.length - 2;
        boolean single = in[0].dtype() == DType.FLOAT32;
        double[][] edges = new double[dims][];
        for (int d = 0; d < dims; d++) {
          edges[d] = new double[(int) in[2 + d].numel()];
          Ranges.read(in[2 + d], 0, edges[d].length, edges[d]);
        }
        var x = new Elements(in[0]);
        Elements weight = in[1] == null ? null : new Elements(in[1]);
        double[] result = new double[Math.toIntExact(out[0].numel())];
        long points = in[0].size(0);
        for (long p = 0; p < points; p++) {
          int at = 0;
          for (int d = 0; d < dims && at >= 0; d++) {
            int bin = bin(x.at(p * dims + d), edges[d], even, single);
            at = bin < 0 ? -1 : at * (edges[d].length - 1) + bin;
          }
          if (at >= 0) {
            result[at] += weight == null ? 1 : weight.at(p);
          }
        }
        Ranges.write(out[0], 0, result.length, result);
      };

  /// The bin of `x`, or -1 if it lies in none. The last one includes its upper edge.
  private static int bin(double x, double[] edges, boolean even, boolean single) {
    int bins = edges.length - 1;
    double min = edges[0];
    double max = edges[bins];
    if (!(x >= min && x <= max) || bins == 0) {
      return -1;
    }
    int from = 0;
    int to = edges.length;
    if (even) {
      double width = single ? (float) max - (float) min : max - min;
      int guess = place(x, min, width, bins, single);
      from = Math.max(0, guess - 1);
      to = Math.min(guess + 2, edges.length);
    }
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (edges[middle] > x) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return Math.min(from - 1, bins - 1);
  }

  /// `self[n], weights?[n] -> [m]`: how often each number occurs.
  public static final Kernel BINCOUNT =
      (attributes, out, in) -> {
        int n = Math.toIntExact(out[0].numel());
        long[] run = new long[Ranges.RUN];
        double[] weights = new double[Ranges.RUN];
        long[] counts = new long[n];
        double[] sums = new double[n];
        Strided weight = in.length > 1 ? in[1] : null;
        for (long start = 0; start < in[0].numel(); start += Ranges.RUN) {
          int count = (int) Math.min(Ranges.RUN, in[0].numel() - start);
          Ranges.read(in[0], start, count, run);
          if (weight == null) {
            for (int i = 0; i < count; i++) {
              counts[(int) run[i]]++;
            }
          } else {
            Ranges.read(weight, start, count, weights);
            for (int i = 0; i < count; i++) {
              sums[(int) run[i]] += weights[i];
            }
          }
        }
        if (weight == null) {
          Ranges.write(out[0], 0, n, counts);
        } else {
          Ranges.write(out[0], 0, n, sums);
        }
      };

  /// The smallest and the largest of some whole numbers, at least one.
  public static long[] range(Strided x) {
    long least = Long.MAX_VALUE;
    long most = Long.MIN_VALUE;
    if (x.isContiguous()) {
      long[] run = new long[Ranges.RUN];
      for (long start = 0; start < x.numel(); start += Ranges.RUN) {
        int n = (int) Math.min(Ranges.RUN, x.numel() - start);
        Ranges.read(x, start, n, run);
        for (int i = 0; i < n; i++) {
          least = Math.min(least, run[i]);
          most = Math.max(most, run[i]);
        }
      }
      return new long[] {least, most};
    }
    var elements = new Elements(x);
    for (long i = 0; i < x.numel(); i++) {
      least = Math.min(least, elements.wholeAt(i));
      most = Math.max(most, elements.wholeAt(i));
    }
    return new long[] {least, most};
  }
}
