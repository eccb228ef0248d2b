package taper.tensor;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
    long count = 1;
    for (long size : lead) {
      count *= size;
    }
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
    long count = 1;
    for (int d = 0; d < x.dim() - 1; d++) {
      count *= x.size(d);
    }
    return x.reshape(count, last);
  }

  /// `x · factor`, without work where the factor is 1.
  static Tensor scaled(Tensor x, double factor) {
    if (factor == 1) {
      return x;
    }
    return x.dtype().isDifferentiable() ? x.mul(factor) : x.mul((long) factor).to(x.dtype());
  }

  /// `beta · self + alpha · product`; a `beta` of 0 leaves `self` unread.
  static Tensor sum(Tensor self, Tensor product, double beta, double alpha) {
    Tensor scaled = scaled(product, alpha);
    return beta == 0 ? scaled : scaled.add(scaled(self, beta));
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
}
