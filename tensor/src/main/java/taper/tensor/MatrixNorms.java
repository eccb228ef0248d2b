package taper.tensor;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Norms of vectors and matrices, and condition numbers.
final class MatrixNorms {
  private MatrixNorms() {}

  static Tensor vector(Tensor x, double ord, Linalg.NormOptions o) {
    Tensor a = converted("vectorNorm", x, o);
    int @Nullable [] dims = o.dims();
    int[] over = dims == null || dims.length == 0 ? IntStream.range(0, a.dim()).toArray() : dims;
    checkNotEmpty(a, ord, over);
    Tensor sizes = a.isComplex() ? a.abs() : a;
    if (sizes.dim() == 0) {
      return sizes.norm(ord);
    }
    return sizes.norm(ord, over, o.keepDim());
  }

  private static void checkNotEmpty(Tensor a, double ord, int[] over) {
    if (ord < 0 || ord == Double.POSITIVE_INFINITY) {
      for (int d : over) {
        if (a.dim() > 0 && a.size(d) == 0) {
          throw new ShapeException(
              "vectorNorm: there must be an element for the order %s, but dimension %d of shape %s is empty."
                  .formatted(ord, d, a.shape()));
        }
      }
    }
  }

  private static Tensor converted(String op, Tensor x, Linalg.NormOptions o) {
    DType to = o.dtype();
    if (to != null && (!to.isDifferentiable() || x.isComplex() && !to.isComplex())) {
      throw new DTypeException(
          "%s: dtype must be floating or complex and hold what self, which is %s, does, but is %s."
              .formatted(op, x.dtype(), to));
    }
    Tensor a = to == null ? x : x.to(to);
    if (!a.dtype().isDifferentiable()) {
      throw new DTypeException(
          "%s: self must be of a floating dtype or complex, but is %s. Convert it with .to(DType.FLOAT32)."
              .formatted(op, a.dtype()));
    }
    return a;
  }

  /// The two dimensions of the matrices, counted from 0.
  private static int[] dims(String op, Tensor a, Linalg.NormOptions o) {
    LinearSystems.requireMatrix(op, a);
    int[] dims = o.dims() == null ? new int[] {-2, -1} : o.dims();
    if (dims.length != 2) {
      throw new ArgumentException(
          "%s: there must be 2 dims, but they are %s.".formatted(op, Arrays.toString(dims)));
    }
    int rows = Checks.dim(op, dims[0], a.dim());
    int columns = Checks.dim(op, dims[1], a.dim());
    if (rows == columns) {
      throw new ArgumentException(
          "%s: dims must be different, but they are %s.".formatted(op, Arrays.toString(dims)));
    }
    return new int[] {rows, columns};
  }

  static Tensor matrix(Tensor x, String ord, Linalg.NormOptions o) {
    Tensor a = converted("matrixNorm", x, o);
    int[] dims = dims("matrixNorm", a, o);
    return switch (ord) {
      case "fro" -> vector(a, 2, o.dims(dims));
      case "nuc" -> kept(singularValues(a, dims).sum(-1), dims, o.keepDim());
      default ->
          throw new ArgumentException(
              "matrixNorm: ord must be 'fro', 'nuc' or a number, but is '%s'.".formatted(ord));
    };
  }

  static Tensor matrix(Tensor x, double ord, Linalg.NormOptions o) {
    Tensor a = converted("matrixNorm", x, o);
    int[] dims = dims("matrixNorm", a, o);
    double size = Math.abs(ord);
    if (size == 2) {
      Tensor values = singularValues(a, dims);
      Tensor result = ord > 0 ? values.amax(-1) : values.amin(-1);
      return kept(result, dims, o.keepDim());
    }
    if (size != 1 && !Double.isInfinite(size)) {
      throw new ArgumentException(
          "matrixNorm: ord must be 'fro', 'nuc', 1, -1, 2, -2 or an infinity, but is %s."
              .formatted(ord));
    }
    int summed = size == 1 ? dims[0] : dims[1];
    int chosen = size == 1 ? dims[1] : dims[0];
    Tensor sums = a.abs().sum(summed, true);
    Tensor result = ord > 0 ? sums.amax(chosen, true) : sums.amin(chosen, true);
    return o.keepDim()
        ? result
        : result.squeeze(Math.max(dims[0], dims[1])).squeeze(Math.min(dims[0], dims[1]));
  }

  private static Tensor singularValues(Tensor a, int[] dims) {
    return Linalg.svdvals(a.movedim(dims, new int[] {-2, -1}));
  }

  private static Tensor kept(Tensor x, int[] dims, boolean keepDim) {
    return keepDim
        ? x.unsqueeze(Math.min(dims[0], dims[1])).unsqueeze(Math.max(dims[0], dims[1]))
        : x;
  }

  /// The number of rows and columns that are told apart by the order's kind.
  static Tensor any(Tensor x, @Nullable Object ord, Linalg.NormOptions o) {
    int @Nullable [] dims = o.dims();
    if (ord == null) {
      if (dims != null) {
        return vector(x, 2, o);
      }
      Tensor flat = vector(x.reshape(-1), 2, o.keepDim(false));
      long[] ones = new long[x.dim()];
      Arrays.fill(ones, 1);
      return o.keepDim() ? flat.view(ones) : flat;
    }
    int count = dims == null ? x.dim() : dims.length;
    if (count != 1 && count != 2) {
      throw new ArgumentException(
          "norm: with an order there must be 1 or 2 dims, but there are %d.".formatted(count));
    }
    if (ord instanceof String name) {
      if (count != 2) {
        throw new ArgumentException(
            "norm: order '%s' must have 2 dims, but there is 1.".formatted(name));
      }
      return matrix(x, name, o);
    }
    double number = (Double) ord;
    return count == 1 ? vector(x, number, o) : matrix(x, number, o);
  }

  static Tensor condition(Tensor a, @Nullable Object p) {
    LinearSystems.requireMatrix("cond", a);
    if (p == null || p.equals(2.0) || p.equals(-2.0)) {
      Tensor values = Linalg.svdvals(a);
      if (values.size(-1) == 0) {
        return values.sum(-1);
      }
      Tensor largest = values.select(-1, 0);
      Tensor smallest = values.select(-1, values.size(-1) - 1);
      return p != null && p.equals(-2.0) ? smallest.div(largest) : largest.div(smallest);
    }
    LinearSystems.requireSquare("cond", a);
    if (a.numel() == 0) {
      return Tensor.zeros(a.dtype().toReal(), Arrays.copyOf(a.sizes(), a.dim() - 2));
    }
    Linalg.InvEx inverse = Linalg.invEx(a);
    Tensor product =
        any(a, p, Linalg.NormOptions.MATRIX)
            .mul(any(inverse.inverse(), p, Linalg.NormOptions.MATRIX));
    return product.maskedFill(inverse.info().ne(0), Double.POSITIVE_INFINITY);
  }
}
