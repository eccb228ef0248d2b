package taper.tensor.internal;

import java.util.Arrays;
import taper.tensor.DType;
import taper.tensor.Distances.Order;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain kernels of distances between all pairs of vectors, on contiguous operands.
///
/// One vector meets all others at once: the others lie transposed, so that the loop over them has no dependency and becomes
/// vector code. Gradients run over the elements of a vector instead.
public final class ReferenceDistances {
  private ReferenceDistances() {}

  /// `self[b p m], other[b r m] -> [b p r]`.
  public static final Kernel CDIST =
      (attributes, out, in) -> {
        double p = ((Order) attributes).p();
        int rows = Math.toIntExact(in[0].size(1));
        int others = Math.toIntExact(in[1].size(1));
        int width = Math.toIntExact(in[0].size(2));
        var x = new Rows(in[0]);
        var result = new Rows(out[0]);
        double[] vector = new double[width];
        double[] distances = new double[others];
        for (long b = 0; b < in[0].size(0); b++) {
          double[][] columns = columns(in[1], b * others, others, width);
          for (int i = 0; i < rows; i++) {
            x.read((b * rows + i) * width, vector);
            distances(p, vector, columns, 0, others, distances);
            result.write((b * rows + i) * others, distances);
          }
        }
      };

  /// `grad[b p r], self[b p m], other[b r m], result[b p r] -> [b p m]`.
  public static final Kernel CDIST_GRADIENT =
      (attributes, out, in) -> {
        double p = ((Order) attributes).p();
        int rows = Math.toIntExact(in[1].size(1));
        int others = Math.toIntExact(in[2].size(1));
        boolean single = in[1].dtype() == DType.FLOAT32;
        int width = Math.toIntExact(in[1].size(2));
        var grads = new Rows(in[0]);
        var x = new Rows(in[1]);
        var distances = new Rows(in[3]);
        var result = new Rows(out[0]);
        double[] vector = new double[width];
        double[] grad = new double[others];
        double[] distance = new double[others];
        double[] sum = new double[width];
        for (long b = 0; b < in[1].size(0); b++) {
          double[][] y = rows(in[2], b * others, others, width);
          for (int i = 0; i < rows; i++) {
            x.read((b * rows + i) * width, vector);
            grads.read((b * rows + i) * others, grad);
            distances.read((b * rows + i) * others, distance);
            Arrays.fill(sum, 0);
            for (int j = 0; j < others; j++) {
              add(p, single, grad[j], distance[j], vector, y[j], sum);
            }
            result.write((b * rows + i) * width, sum);
          }
        }
      };

  /// `self[n m] -> [n (n - 1) / 2]`.
  public static final Kernel PDIST =
      (attributes, out, in) -> {
        double p = ((Order) attributes).p();
        int n = Math.toIntExact(in[0].size(0));
        int width = Math.toIntExact(in[0].size(1));
        double[][] columns = columns(in[0], 0, n, width);
        var result = new Rows(out[0]);
        double[] vector = new double[width];
        double[] distances = new double[n];
        long at = 0;
        for (int i = 0; i < n - 1; i++) {
          int count = n - 1 - i;
          for (int k = 0; k < width; k++) {
            vector[k] = columns[k][i];
          }
          distances(p, vector, columns, i + 1, n, distances);
          result.write(at, distances, i + 1, count);
          at += count;
        }
      };

  /// `grad[k], self[n m], result[k] -> [n m]`.
  public static final Kernel PDIST_GRADIENT =
      (attributes, out, in) -> {
        double p = ((Order) attributes).p();
        int n = Math.toIntExact(in[1].size(0));
        int width = Math.toIntExact(in[1].size(1));
        boolean single = in[1].dtype() == DType.FLOAT32;
        double[][] x = rows(in[1], 0, n, width);
        double[][] sums = new double[n][width];
        var grads = new Rows(in[0]);
        var distances = new Rows(in[2]);
        double[] grad = new double[n];
        double[] distance = new double[n];
        long at = 0;
        for (int i = 0; i < n - 1; i++) {
          int count = n - 1 - i;
          grads.read(at, grad, count);
          distances.read(at, distance, count);
          for (int j = 0; j < count; j++) {
            add(p, single, grad[j], distance[j], x[i], x[i + 1 + j], sums[i]);
            add(p, single, grad[j], distance[j], x[i + 1 + j], x[i], sums[i + 1 + j]);
          }
          at += count;
        }
        var result = new Rows(out[0]);
        for (int i = 0; i < n; i++) {
          result.write((long) i * width, sums[i]);
        }
      };

  private static double[][] rows(Strided from, long first, int count, int width) {
    var reader = new Rows(from);
    double[][] rows = new double[count][width];
    for (int i = 0; i < count; i++) {
      reader.read((first + i) * width, rows[i]);
    }
    return rows;
  }

  private static double[][] columns(Strided from, long first, int count, int width) {
    var reader = new Rows(from);
    double[] row = new double[width];
    double[][] columns = new double[width][count];
    for (int i = 0; i < count; i++) {
      reader.read((first + i) * width, row);
      for (int k = 0; k < width; k++) {
        columns[k][i] = row[k];
      }
    }
    return columns;
  }

  /// The distances of `x` from vectors `first` to `last`, whose elements `k` are `columns[k]`. Places are the same in both, so
  /// that the compiler sees that nothing overlaps.
  private static void distances(
      double p, double[] x, double[][] columns, int first, int last, double[] into) {
    Arrays.fill(into, first, last, 0);
    for (int k = 0; k < x.length; k++) {
      add(p, x[k], columns[k], first, last, into);
    }
    if (p == 2) {
      for (int j = first; j < last; j++) {
        into[j] = Math.sqrt(into[j]);
      }
    } else if (p != 0 && p != 1 && !Double.isInfinite(p)) {
      for (int j = first; j < last; j++) {
        into[j] = Math.pow(into[j], 1 / p);
      }
    }
  }

  // Each loop has a method of its own, which the compiler then knows for one order only.

  private static void add(double p, double x, double[] column, int first, int last, double[] into) {
    if (p == 2) {
      addSquares(x, column, first, last, into);
    } else if (p == 1) {
      addSizes(x, column, first, last, into);
    } else if (p == 0) {
      addDifferent(x, column, first, last, into);
    } else if (Double.isInfinite(p)) {
      largest(x, column, first, last, into);
    } else if (p == 3) {
      addCubes(x, column, first, last, into);
    } else {
      for (int j = first; j < last; j++) {
        into[j] += Math.pow(Math.abs(x - column[j]), p);
      }
    }
  }

  private static void addSquares(double x, double[] column, int first, int last, double[] into) {
    for (int j = first; j < last; j++) {
      double d = x - column[j];
      into[j] += d * d;
    }
  }

  private static void addSizes(double x, double[] column, int first, int last, double[] into) {
    for (int j = first; j < last; j++) {
      into[j] += Math.abs(x - column[j]);
    }
  }

  private static void addDifferent(double x, double[] column, int first, int last, double[] into) {
    for (int j = first; j < last; j++) {
      into[j] += x == column[j] ? 0 : 1;
    }
  }

  private static void largest(double x, double[] column, int first, int last, double[] into) {
    for (int j = first; j < last; j++) {
      into[j] = Math.max(into[j], Math.abs(x - column[j]));
    }
  }

  private static void addCubes(double x, double[] column, int first, int last, double[] into) {
    for (int j = first; j < last; j++) {
      double d = Math.abs(x - column[j]);
      into[j] += d * d * d;
    }
  }

  /// Adds the gradient by `x` of the distance between `x` and `y`.
  ///
  /// @param single whether the distance has been rounded to `float32`
  private static void add(
      double p, boolean single, double grad, double distance, double[] x, double[] y, double[] to) {
    if (p == 0 || grad == 0) {
      return;
    }
    if (p == 1) {
      addSigns(grad, x, y, to);
    } else if (distance != 0) {
      if (p == 2) {
        addDifferences(grad / distance, x, y, to);
      } else if (p == 3) {
        addSignedSquares(grad / (distance * distance), x, y, to);
      } else if (Double.isInfinite(p)) {
        for (int k = 0; k < x.length; k++) {
          double d = x[k] - y[k];
          double size = single ? (float) Math.abs(d) : Math.abs(d);
          to[k] += size >= distance ? grad * Math.signum(d) : 0;
        }
      } else {
        double factor = grad / Math.pow(distance, p - 1);
        for (int k = 0; k < x.length; k++) {
          double d = x[k] - y[k];
          to[k] += d == 0 ? 0 : factor * Math.signum(d) * Math.pow(Math.abs(d), p - 1);
        }
      }
    }
  }

  private static void addSigns(double grad, double[] x, double[] y, double[] to) {
    for (int k = 0; k < x.length; k++) {
      to[k] += grad * Math.signum(x[k] - y[k]);
    }
  }

  private static void addDifferences(double factor, double[] x, double[] y, double[] to) {
    for (int k = 0; k < x.length; k++) {
      to[k] += factor * (x[k] - y[k]);
    }
  }

  private static void addSignedSquares(double factor, double[] x, double[] y, double[] to) {
    for (int k = 0; k < x.length; k++) {
      double d = x[k] - y[k];
      to[k] += factor * d * Math.abs(d);
    }
  }
}
