package taper.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.spi.CheckedSizes;

/// What the declarations of [LinearAlgebra] share.
final class MatrixProducts {
  private static final Signature DOT = Signature.parse("matmul", "self[k], other[k] -> []");
  private static final Signature VECTOR_RIGHT =
      Signature.parse("matmul", "self[*b n k], other[k] -> [*b n]");
  private static final Signature VECTOR_LEFT =
      Signature.parse("matmul", "self[k], other[*b k m] -> [*b m]");
  private static final Signature MATRICES =
      Signature.parse("matmul", "self[*b n k], other[*b k m] -> [*b n m]");

  private MatrixProducts() {}

  /// Brings every pair of ranks to one product. Leading dimensions of the left operand are rows where the right one is
  /// a matrix, so `[b t k] @ [k m]` is one large product and not a batch of small ones.
  static Tensor matmul(Inputs in) {
    Tensor a = in.get("self");
    Tensor b = in.get("other");
    if (a.dim() == 0 || b.dim() == 0) {
      throw new ShapeException(
          "matmul: both inputs must have at least 1 dimension, but self has shape %s and other %s. Use mul for products with a scalar."
              .formatted(a.shape(), b.shape()));
    }
    Operator<?> op = LinearAlgebra.Operators.MATMUL;
    op.dtypes().compute(op, new Tensor[] {a, b});
    if (a.dim() == 1) {
      if (b.dim() == 1) {
        result(DOT, a, b);
        return a.dot(b);
      }
      long[] shape = result(VECTOR_LEFT, a, b);
      Tensor row = a.view(1, a.numel());
      return (b.dim() == 2 ? row.mm(b) : batches(row, b)).view(shape);
    }
    if (b.dim() == 1) {
      long[] shape = result(VECTOR_RIGHT, a, b);
      return a.dim() == 2 ? a.mv(b) : rows(a).mv(b).view(shape);
    }
    long[] shape = result(MATRICES, a, b);
    if (b.dim() == 2) {
      return a.dim() == 2 ? a.mm(b) : rows(a).mm(b).view(shape);
    }
    return batches(a, b).view(shape);
  }

  private static long[] result(Signature signature, Tensor a, Tensor b) {
    List<long @Nullable []> shapes = List.of(a.sizesInternal(), b.sizesInternal());
    return signature.apply(shapes).getFirst();
  }

  /// The products of two stacks of matrices whose leading dimensions broadcast, with one leading dimension.
  private static Tensor batches(Tensor a, Tensor b) {
    long[] lead =
        MATRICES.broadcast(
            Arrays.copyOf(a.sizesInternal(), a.dim() - 2),
            "self",
            Arrays.copyOf(b.sizesInternal(), b.dim() - 2),
            "other");
    long count = CheckedSizes.numel(lead);
    return stack(a, lead, count).bmm(stack(b, lead, count));
  }

  private static Tensor stack(Tensor x, long[] lead, long count) {
    long[] sizes = Arrays.copyOf(lead, lead.length + 2);
    sizes[lead.length] = x.size(-2);
    sizes[lead.length + 1] = x.size(-1);
    return x.expand(sizes).reshape(count, x.size(-2), x.size(-1));
  }

  /// All dimensions but the last as one.
  static Tensor rows(Tensor x) {
    if (x.dim() == 2) {
      return x;
    }
    long last = x.size(-1);
    return x.reshape(CheckedSizes.numel(x.sizesInternal(), 0, x.dim() - 1), last);
  }

  /// `x · factor`, without work where the factor is 1.
  static Tensor scaled(Tensor x, double factor) {
    if (factor == 1) {
      return x;
    }
    return x.dtype().isDifferentiable() ? x.mul(factor) : x.mul((long) factor).to(x.dtype());
  }

  /// Checks the inputs of a composition against its signature.
  static void check(Operator<?> op, Inputs in) {
    op.signature()
        .check(
            Arrays.stream(in.all())
                .<long @Nullable []>map(x -> x == null ? null : x.sizesInternal())
                .toList());
  }

  /// The shape of `self + product`, to which `self`, the first input, must broadcast.
  static List<long[]> addShape(Operator<?> op, List<long @Nullable []> in) {
    List<long[]> shape = op.signature().apply(in);
    long[] self = in.get(0);
    long[] product = shape.getFirst();
    assert self != null;
    int lead = product.length - self.length;
    boolean fits = lead >= 0;
    for (int d = 0; fits && d < self.length; d++) {
      fits = self[d] == 1 || self[d] == product[lead + d];
    }
    if (!fits) {
      throw new ShapeException(
          "%s: self must broadcast to the product's shape %s, but has shape %s."
              .formatted(op.name(), Arrays.toString(product), Arrays.toString(self)));
    }
    return shape;
  }

  // Sums with products, for any type and factors

  /// `beta · self + alpha · product`, where `self` broadcasts to the product. With a `beta` of 0 it is not read.
  static Tensor sum(String op, Tensor self, Tensor product, Complex beta, Complex alpha) {
    if (self.dtype() != product.dtype()) {
      throw new DTypeException(
          "%s: inputs must have one dtype, but self is %s and the product is %s. Convert one of them with .to(dtype)."
              .formatted(op, self.dtype(), product.dtype()));
    }
    Tensor broadcast;
    try {
      broadcast = self.expand(product.sizes());
    } catch (ShapeException e) {
      throw new ShapeException(
          "%s: self must broadcast to the product's shape %s, but has shape %s."
              .formatted(op, product.shape(), self.shape()));
    }
    Tensor scaled = scaled(product, alpha);
    boolean none = beta.re() == 0 && beta.im() == 0;
    return none ? scaled : scaled.add(scaled(broadcast, beta));
  }

  /// As [#sum(String, Tensor, Tensor, Complex, Complex)], with real factors.
  static Tensor sum(String op, Tensor self, Tensor product, double beta, double alpha) {
    return sum(op, self, product, Complex.of(beta), Complex.of(alpha));
  }

  private static Tensor scaled(Tensor x, Complex factor) {
    if (x.dtype() == DType.BOOL) {
      return factor.re() == 0 && factor.im() == 0 ? x.logicalAnd(Tensor.scalar(false)) : x;
    }
    return factor.im() == 0 ? scaled(x, factor.re()) : x.mul(factor);
  }

  // Contractions

  static Tensor tensordot(Tensor a, Tensor b, int dims) {
    if (dims < 0 || dims > a.dim() || dims > b.dim()) {
      throw new ArgumentException(
          "tensordot: dims must be in 0..%d, but is %d."
              .formatted(Math.min(a.dim(), b.dim()), dims));
    }
    int first = a.dim() - dims;
    return tensordot(
        a, b, IntStream.range(first, a.dim()).toArray(), IntStream.range(0, dims).toArray());
  }

  static Tensor tensordot(Tensor a, Tensor b, int[] dimsA, int[] dimsB) {
    if (dimsA.length != dimsB.length) {
      throw new ArgumentException(
          "tensordot: there must be as many dims of a as of b, but there are %d and %d."
              .formatted(dimsA.length, dimsB.length));
    }
    Tensor x = a;
    Tensor y = b;
    int[] left = new int[dimsA.length];
    int[] right = new int[dimsA.length];
    for (int i = 0; i < dimsA.length; i++) {
      left[i] = Checks.dim("tensordot", dimsA[i], a.dim());
      right[i] = Checks.dim("tensordot", dimsB[i], b.dim());
      long m = a.size(left[i]);
      long n = b.size(right[i]);
      if (m != n && m != 1 && n != 1) {
        throw new ShapeException(
            "tensordot: contracted dimensions must have one size, but dimension %d of a %s is %d and dimension %d of b %s is %d."
                .formatted(left[i], a.shape(), m, right[i], b.shape(), n));
      }
      if (m == 1 && n != 1) {
        y = y.sum(right[i], true).to(b.dtype());
      } else if (n == 1 && m != 1) {
        x = x.sum(left[i], true).to(a.dtype());
      }
    }
    int[] restA = others(left, a.dim());
    int[] restB = others(right, b.dim());
    long rows = 1;
    long columns = 1;
    long depth = 1;
    long[] shape = new long[restA.length + restB.length];
    for (int i = 0; i < restA.length; i++) {
      shape[i] = a.size(restA[i]);
      rows *= shape[i];
    }
    for (int i = 0; i < restB.length; i++) {
      shape[restA.length + i] = b.size(restB[i]);
      columns *= shape[restA.length + i];
    }
    for (int d : left) {
      depth *= x.size(d);
    }
    return x.permute(joined(restA, left))
        .reshape(rows, depth)
        .mm(y.permute(joined(right, restB)).reshape(depth, columns))
        .view(shape);
  }

  private static int[] others(int[] dims, int rank) {
    return IntStream.range(0, rank)
        .filter(d -> Arrays.stream(dims).noneMatch(each -> each == d))
        .toArray();
  }

  private static int[] joined(int[] a, int[] b) {
    return IntStream.concat(Arrays.stream(a), Arrays.stream(b)).toArray();
  }

  static Tensor inner(Tensor a, Tensor b) {
    if (a.dim() == 0 || b.dim() == 0) {
      return a.mul(b);
    }
    if (a.size(-1) != b.size(-1)) {
      throw new ShapeException(
          "inner: the last dimensions must have one size, but self has shape %s and other %s."
              .formatted(a.shape(), b.shape()));
    }
    return tensordot(a, b, new int[] {-1}, new int[] {-1});
  }

  static Tensor kron(Tensor a, Tensor b) {
    int rank = Math.max(a.dim(), b.dim());
    long[] left = new long[2 * rank];
    long[] right = new long[2 * rank];
    long[] shape = new long[rank];
    for (int d = 0; d < rank; d++) {
      int i = d - (rank - a.dim());
      int j = d - (rank - b.dim());
      left[2 * d] = i < 0 ? 1 : a.size(i);
      left[2 * d + 1] = 1;
      right[2 * d] = 1;
      right[2 * d + 1] = j < 0 ? 1 : b.size(j);
      shape[d] = left[2 * d] * right[2 * d + 1];
    }
    return a.reshape(left).mul(b.reshape(right)).reshape(shape);
  }

  static Tensor trace(Tensor x) {
    if (x.dim() != 2) {
      throw new ShapeException(
          "trace: self must have 2 dimensions, but has shape %s.".formatted(x.shape()));
    }
    return x.diagonal().sum();
  }

  /// The cross product along `dim`, whose size must be 3; other dimensions broadcast.
  static Tensor cross(Tensor a, Tensor b, int dim) {
    if (a.dim() != b.dim()) {
      throw new ShapeException(
          "cross: both must have the same number of dimensions, but self has shape %s and other %s."
              .formatted(a.shape(), b.shape()));
    }
    int along = Checks.dim("cross", dim, a.dim());
    if (a.dim() == 0 || a.size(along) != 3 || b.size(along) != 3) {
      throw new ShapeException(
          "cross: dimension %d must have size 3, but self has shape %s and other %s."
              .formatted(dim, a.shape(), b.shape()));
    }
    return turned(a, along, 1)
        .mul(turned(b, along, 2))
        .sub(turned(a, along, 2).mul(turned(b, along, 1)));
  }

  private static Tensor turned(Tensor x, int dim, int by) {
    return Tensor.cat(List.of(x.narrow(dim, by, 3 - by), x.narrow(dim, 0, by)), dim);
  }

  /// As [#cross(Tensor, Tensor, int)], along the first dimension of size 3.
  static Tensor cross(Tensor a, Tensor b) {
    for (int d = 0; d < a.dim(); d++) {
      if (a.size(d) == 3) {
        return cross(a, b, d);
      }
    }
    throw new ShapeException(
        "cross: a dimension must have size 3, but self has shape %s.".formatted(a.shape()));
  }

  /// The product of matrices, in the order that costs least. The first and the last may be vectors.
  static Tensor multiDot(Tensor[] tensors) {
    int n = tensors.length;
    if (n < 2) {
      throw new ArgumentException(
          "multiDot: there must be at least 2 tensors, but there are %d.".formatted(n));
    }
    Tensor[] matrices = tensors.clone();
    for (int i = 0; i < n; i++) {
      boolean edge = i == 0 || i == n - 1;
      if (tensors[i].dim() != 2 && !(edge && tensors[i].dim() == 1)) {
        throw new ShapeException(
            "multiDot: tensors must be matrices, and the first and last may be vectors, but tensors[%d] has shape %s."
                .formatted(i, tensors[i].shape()));
      }
      if (tensors[i].dtype() != tensors[0].dtype()) {
        throw new DTypeException(
            "multiDot: inputs must have one dtype, but tensors[0] is %s and tensors[%d] is %s. Convert one of them with .to(dtype)."
                .formatted(tensors[0].dtype(), i, tensors[i].dtype()));
      }
    }
    boolean firstVector = tensors[0].dim() == 1;
    boolean lastVector = tensors[n - 1].dim() == 1;
    matrices[0] = firstVector ? tensors[0].unsqueeze(0) : tensors[0];
    matrices[n - 1] = lastVector ? tensors[n - 1].unsqueeze(1) : tensors[n - 1];
    for (int i = 1; i < n; i++) {
      if (matrices[i - 1].size(1) != matrices[i].size(0)) {
        throw new ShapeException(
            "multiDot: neighbours must fit, but tensors[%d] has shape %s and tensors[%d] %s."
                .formatted(i - 1, tensors[i - 1].shape(), i, tensors[i].shape()));
      }
    }
    Tensor result = chain(matrices, splits(matrices), 0, n - 1);
    result = lastVector ? result.squeeze(1) : result;
    return firstVector ? result.squeeze(0) : result;
  }

  /// Where to split each part of a chain of matrices so that there are the fewest multiplications, by dynamic programming.
  private static int[][] splits(Tensor[] matrices) {
    int n = matrices.length;
    double[][] cost = new double[n][n];
    int[][] split = new int[n][n];
    for (int length = 1; length < n; length++) {
      for (int i = 0; i + length < n; i++) {
        int j = i + length;
        cost[i][j] = Double.POSITIVE_INFINITY;
        for (int k = i; k < j; k++) {
          double work =
              cost[i][k]
                  + cost[k + 1][j]
                  + (double) matrices[i].size(0) * matrices[k].size(1) * matrices[j].size(1);
          if (work < cost[i][j]) {
            cost[i][j] = work;
            split[i][j] = k;
          }
        }
      }
    }
    return split;
  }

  private static Tensor chain(Tensor[] matrices, int[][] split, int i, int j) {
    if (i == j) {
      return matrices[i];
    }
    int k = split[i][j];
    return chain(matrices, split, i, k).mm(chain(matrices, split, k + 1, j));
  }

  /// The powers 0 to `n - 1` of the elements of `x`, along a new last dimension.
  static Tensor powers(Tensor x, long n) {
    if (n < 0) {
      throw new ArgumentException("vander: n must not be negative, but is %d.".formatted(n));
    }
    Tensor base = x.dtype().isIntegral() ? x.to(DType.INT64) : x;
    if (n == 0) {
      long[] shape = Arrays.copyOf(x.sizes(), x.dim() + 1);
      return Tensor.zeros(base.dtype(), shape);
    }
    var columns = new ArrayList<Tensor>();
    Tensor power = Tensor.onesLike(base);
    columns.add(power);
    for (long k = 1; k < n; k++) {
      power = k == 1 ? base : power.mul(base);
      columns.add(power);
    }
    return Tensor.stack(columns, -1);
  }
}
