package taper.cpu.products;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;
import taper.cpu.products.Products.Bias;
import taper.tensor.DType;
import taper.tensor.LinearAlgebra.Scale;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// The operators of linear algebra, as calls of [Products#matmul]. Immutable.
public final class MatrixKernels {
  private final Products products;

  /// Creates kernels on top of `products`.
  public MatrixKernels(Products products) {
    this.products = products;
  }

  /// `[*b n k], [*b k m] -> [*b n m]`.
  public Kernel product() {
    return Kernel.ofAnyStrides((attributes, out, in) -> multiply(out[0], in[0], in[1]));
  }

  /// `[n k], [k] -> [n]`.
  public Kernel matrixVector() {
    return Kernel.ofAnyStrides(
        (attributes, out, in) -> multiply(column(out[0]), in[0], column(in[1])));
  }

  /// `[k], [k] -> []`.
  public Kernel dot() {
    return Kernel.ofAnyStrides((attributes, out, in) ->
        multiply(
            out[0].view(0, new long[] {1, 1}, new long[] {1, 1}),
            in[0].view(0, new long[] {1, in[0].size(0)}, new long[] {1, in[0].stride(0)}),
            column(in[1])));
  }

  /// `x[*b k], weight[m k], bias?[m] -> [*b m]`.
  ///
  /// @param relu whether negative results become zero
  public Kernel linear(boolean relu) {
    return (attributes, out, in) -> {
      Strided weight = in[1];
      long m = weight.size(0);
      long k = weight.size(1);
      long rows = m == 0 ? 0 : out[0].numel() / m;
      @Nullable Strided bias = in[2];
      products.matmul(
          matrix(out[0], rows, m),
          matrix(in[0], rows, k),
          transposed(weight),
          bias == null ? Bias.NONE : Bias.COLUMNS,
          bias,
          false,
          relu);
    };
  }

  /// `beta · self + alpha · (a @ b)`, where `self` broadcasts; a `beta` of 0 leaves `self` unread.
  public Kernel scaledSum() {
    return Kernel.ofAnyStrides((attributes, out, in) -> {
      var scale = (Scale) attributes;
      Strided c = out[0];
      Strided self = in[0].expanded(c.sizes());
      boolean inPlace = in[0].numel() > 0 && in[0].address() == c.address();
      int last = c.rank() - 1;
      boolean vector =
          c.rank() == 2 && self.stride(0) == 0 && self.stride(1) == 1 && c.stride(1) == 1;
      if (scale.alpha() == 1 && scale.beta() == 0) {
        multiply(c, in[1], in[2]);
      } else if (scale.alpha() == 1 && scale.beta() == 1 && (inPlace || !vector)) {
        if (!inPlace) {
          combine(c, self, 1, self, 0);
        }
        if (c.stride(last) == 1 || c.size(last) == 1) {
          products.matmul(c, in[1], in[2], Bias.NONE, null, true, false);
        } else {
          accumulateElsewhere(c, in[1], in[2], 1, 1);
        }
      } else if (scale.alpha() == 1 && scale.beta() == 1) {
        Strided bias = in[0].view(0, new long[] {c.size(1)}, new long[] {1});
        products.matmul(c, in[1], in[2], Bias.COLUMNS, bias, false, false);
      } else {
        if (!inPlace && scale.beta() != 0) {
          combine(c, self, 1, self, 0);
        }
        accumulateElsewhere(c, in[1], in[2], scale.beta(), scale.alpha());
      }
    });
  }

  private void multiply(Strided c, Strided a, Strided b) {
    int last = c.rank() - 1;
    if (c.stride(last) == 1 || c.size(last) == 1) {
      products.matmul(c, a, b, Bias.NONE, null, false, false);
    } else if (c.stride(last - 1) == 1) {
      products.matmul(transposed(c), transposed(b), transposed(a), Bias.NONE, null, false, false);
    } else {
      accumulateElsewhere(c, a, b, 0, 1);
    }
  }

  /// `c = beta · c + alpha · (a @ b)`, where the product is made in memory of its own.
  private void accumulateElsewhere(Strided c, Strided a, Strided b, double beta, double alpha) {
    try (Arena arena = Arena.ofShared()) {
      Strided product =
          Strided.of(
              arena.allocate(Math.max(1, c.numel()) * c.dtype().byteSize(), 64),
              0,
              c.dtype(),
              c.sizes(),
              Strided.contiguousStrides(c.sizes()));
      products.matmul(product, a, b, Bias.NONE, null, false, false);
      combine(c, product, alpha, c, beta);
    }
  }

  /// `to = alpha · x + beta · y`, where `y` is not read if `beta` is 0.
  private static void combine(Strided to, Strided x, double alpha, Strided y, double beta) {
    boolean wide = to.dtype() == DType.FLOAT64;
    long[] sizes = to.sizes();
    long[] index = new long[sizes.length];
    for (long i = 0; i < to.numel(); i++) {
      double value = alpha * read(x, index, wide);
      if (beta != 0) {
        value += beta * read(y, index, wide);
      }
      if (wide) {
        to.memory().set(JAVA_DOUBLE_UNALIGNED, offset(to, index), value);
      } else {
        to.memory().set(JAVA_FLOAT_UNALIGNED, offset(to, index), (float) value);
      }
      for (int d = sizes.length - 1; d >= 0 && ++index[d] == sizes[d]; d--) {
        index[d] = 0;
      }
    }
  }

  private static double read(Strided x, long[] index, boolean wide) {
    return Rows.read(x.memory(), offset(x, index), wide);
  }

  private static long offset(Strided x, long[] index) {
    long at = 0;
    for (int d = 0; d < index.length; d++) {
      at += index[d] * x.stride(d);
    }
    return x.byteOffset() + at * x.dtype().byteSize();
  }

  private static Strided column(Strided x) {
    return x.view(0, new long[] {x.size(0), 1}, new long[] {x.stride(0), 1});
  }

  private static Strided matrix(Strided x, long rows, long columns) {
    return x.view(0, new long[] {rows, columns}, new long[] {columns, 1});
  }

  private static Strided transposed(Strided x) {
    long[] sizes = x.sizes();
    long[] strides = x.strides();
    int d = sizes.length - 2;
    swap(sizes, d);
    swap(strides, d);
    return x.view(0, sizes, strides);
  }

  private static void swap(long[] values, int d) {
    long first = values[d];
    values[d] = values[d + 1];
    values[d + 1] = first;
  }
}
