package taper.tensor.internal;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import taper.tensor.LinearAlgebra.Scale;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain matrix products in double precision or in whole numbers, for any strides.
public final class ReferenceProducts {
  private ReferenceProducts() {}

  /// `[n k], [k m] -> [n m]`, or the same with a batch dimension in front.
  public static final Kernel BMM =
      Kernel.ofAnyStrides((a, out, in) -> product(out[0], in[0], in[1]));

  /// `[n k], [k] -> [n]`.
  public static final Kernel MV =
      Kernel.ofAnyStrides((a, out, in) -> product(column(out[0]), in[0], column(in[1])));

  /// `[k], [k] -> []`.
  public static final Kernel DOT =
      Kernel.ofAnyStrides((a, out, in) ->
          product(out[0].view(0, new long[] {1, 1}, new long[] {1, 1}), row(in[0]), column(in[1])));

  /// `x[*b k], weight[m k], bias?[m] -> [*b m]`.
  public static final Kernel LINEAR =
      new Kernel() { // contiguous operands: the leading dimensions are rows
        @Override
        public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
          Strided weight = inputs[1];
          long m = weight.size(0);
          long k = weight.size(1);
          long rows = m == 0 ? 0 : outputs[0].numel() / m;
          Strided y = matrix(outputs[0], rows, m);
          Strided transposed =
              weight.view(0, new long[] {k, m}, new long[] {weight.stride(1), weight.stride(0)});
          product(y, matrix(inputs[0], rows, k), transposed);
          if (inputs[2] != null) {
            Strided bias = inputs[2];
            add(y, bias.view(0, new long[] {rows, m}, new long[] {0, bias.stride(0)}), 1, 1);
          }
        }
      };

  /// As [#LINEAR], and what is negative becomes zero.
  public static final Kernel LINEAR_RELU =
      (attributes, out, in) -> {
        LINEAR.run(attributes, out, in);
        ReferenceNormalization.rectify(out[0], null);
      };

  /// `beta · self + alpha · (a @ b)`, where `self` broadcasts; a `beta` of 0 leaves `self` unread.
  public static final Kernel ADD_PRODUCT =
      Kernel.ofAnyStrides((attributes, out, in) -> {
        var scale = (Scale) attributes;
        Strided self = in[0].expanded(out[0].sizes());
        if (in[0].address() == out[0].address()) {
          accumulate(out[0], scale, in[1], in[2]);
          return;
        }
        product(out[0], in[1], in[2]);
        if (scale.beta() == 0) {
          add(out[0], out[0], scale.alpha(), 0);
        } else {
          add(out[0], self, scale.alpha(), scale.beta());
        }
      });

  private static Strided column(Strided x) {
    return x.view(0, new long[] {x.size(0), 1}, new long[] {x.stride(0), 1});
  }

  private static Strided row(Strided x) {
    return x.view(0, new long[] {1, x.size(0)}, new long[] {1, x.stride(0)});
  }

  private static Strided matrix(Strided x, long rows, long columns) {
    return x.view(0, new long[] {rows, columns}, new long[] {columns, 1});
  }

  private static void product(Strided c, Strided a, Strided b) {
    multiply(c, a, b, null);
  }

  private static void accumulate(Strided c, Scale scale, Strided a, Strided b) {
    multiply(c, a, b, scale);
  }

  /// `c = a @ b`, or with a scale `c = beta · c + alpha · (a @ b)`.
  private static void multiply(Strided c, Strided a, Strided b, @Nullable Scale scale) {
    int r = a.rank();
    int batch = r == 3 ? Math.toIntExact(a.size(0)) : 1;
    int n = Math.toIntExact(a.size(r - 2));
    int k = Math.toIntExact(a.size(r - 1));
    int m = Math.toIntExact(b.size(r - 1));
    var out = new Elements(c);
    for (int z = 0; z < batch; z++) {
      long first = (long) z * n * m;
      if (out.isWhole()) {
        multiplyWhole(wholes(a, z, n, k), wholes(b, z, k, m), n, k, m, out, first, scale);
      } else {
        multiplyReal(reals(a, z, n, k), reals(b, z, k, m), n, k, m, out, first, scale);
      }
    }
  }

  private static void multiplyWhole(
      long[] x, long[] y, int n, int k, int m, Elements out, long first, @Nullable Scale scale) {
    long[] row = new long[m];
    for (int i = 0; i < n; i++) {
      Arrays.fill(row, 0);
      for (int p = 0; p < k; p++) {
        long factor = x[i * k + p];
        for (int j = 0; j < m; j++) {
          row[j] += factor * y[p * m + j];
        }
      }
      for (int j = 0; j < m; j++) {
        store(out, first + (long) i * m + j, 0, row[j], scale);
      }
    }
  }

  private static void multiplyReal(
      double[] x,
      double[] y,
      int n,
      int k,
      int m,
      Elements out,
      long first,
      @Nullable Scale scale) {
    double[] row = new double[m];
    for (int i = 0; i < n; i++) {
      Arrays.fill(row, 0);
      for (int p = 0; p < k; p++) {
        double factor = x[i * k + p];
        for (int j = 0; j < m; j++) {
          row[j] += factor * y[p * m + j];
        }
      }
      for (int j = 0; j < m; j++) {
        store(out, first + (long) i * m + j, row[j], 0, scale);
      }
    }
  }

  /// Matrix `z` of a stack, row by row.
  private static long[] wholes(Strided x, int z, int rows, int columns) {
    long[] result = new long[Math.multiplyExact(rows, columns)];
    var elements = new Elements(x);
    long start = x.rank() == 3 ? z * x.stride(0) : 0;
    int r = x.rank();
    for (int i = 0, o = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        result[o++] = elements.wholeAtDistance(start + i * x.stride(r - 2) + j * x.stride(r - 1));
      }
    }
    return result;
  }

  /// Matrix `z` of a stack, row by row.
  private static double[] reals(Strided x, int z, int rows, int columns) {
    double[] result = new double[Math.multiplyExact(rows, columns)];
    var elements = new Elements(x);
    long start = x.rank() == 3 ? z * x.stride(0) : 0;
    int r = x.rank();
    for (int i = 0, o = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        result[o++] = elements.atDistance(start + i * x.stride(r - 2) + j * x.stride(r - 1));
      }
    }
    return result;
  }

  private static void store(Elements out, long o, double sum, long whole, @Nullable Scale scale) {
    if (out.isWhole()) {
      long before = scale == null || scale.beta() == 0 ? 0 : ((long) scale.beta()) * out.wholeAt(o);
      out.set(o, before + (scale == null ? whole : ((long) scale.alpha()) * whole));
    } else {
      double before = scale == null || scale.beta() == 0 ? 0 : scale.beta() * out.at(o);
      out.set(o, before + (scale == null ? sum : scale.alpha() * sum));
    }
  }

  /// `y = alpha · y + beta · x`.
  private static void add(Strided y, Strided x, double alpha, double beta) {
    var out = new Elements(y);
    var in = new Elements(x);
    for (long i = 0, count = y.numel(); i < count; i++) {
      if (out.isWhole()) {
        long more = beta == 0 ? 0 : ((long) beta) * in.wholeAt(i);
        out.set(i, ((long) alpha) * out.wholeAt(i) + more);
      } else {
        out.set(i, alpha * out.at(i) + (beta == 0 ? 0 : beta * in.at(i)));
      }
    }
  }
}
