package taper.tensor;

import static taper.tensor.Operator.None.NONE;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Distances.ComputeMode;
import taper.tensor.Distances.Operators;
import taper.tensor.Distances.Order;
import taper.tensor.spi.CheckedSizes;

/// Compositions and gradients of [Distances].
final class Vectors {
  private Vectors() {}

  /// More rows than these make a matrix product worth while.
  private static final int MANY = 25;

  static void checkOrder(String op, double p) {
    if (!(p >= 0)) {
      throw new ArgumentException("%s: p must not be negative, but is %s.".formatted(op, p));
    }
  }

  // Cosines

  static Tensor cosineSimilarity(Tensor x, Tensor y, int dim, double eps) {
    DType type = x.dtype().promote(y.dtype());
    if (!type.isFloatingPoint()) {
      throw new DTypeException(
          "cosineSimilarity: vectors must be of a floating dtype, but self is %s and other is %s. Convert them with .to(DType.FLOAT32)."
              .formatted(x.dtype(), y.dtype()));
    }
    if (!x.shape().equals(y.shape())) {
      long[] sizes = broadcast("cosineSimilarity", x.sizesInternal(), y.sizesInternal());
      x = x.expand(sizes);
      y = y.expand(sizes);
    }
    int along = Checks.dim("cosineSimilarity", dim, x.dim());
    Tensor product = x.to(type).mul(y.to(type)).sum(along);
    return product.div(norm(x.to(type), along, eps).mul(norm(y.to(type), along, eps)));
  }

  /// The Euclidean norm, at least `eps`; the gradient is that of the norm all the same.
  private static Tensor norm(Tensor x, int dim, double eps) {
    Tensor norm = x.norm(2, new int[] {dim}, false);
    Tensor limited = Autograd.noGrad(() -> norm.clampMin(eps));
    return norm.requiresGrad() ? norm.add(limited.sub(norm.detach())) : limited;
  }

  private static long[] broadcast(String op, long[] x, long[] y) {
    return Signature.parse(op, "self[*b], other[*b] -> [*b]").apply(List.of(x, y)).getFirst();
  }

  // Distances of all pairs

  static Tensor cdist(Tensor x, Tensor y, double p, ComputeMode mode) {
    checkOrder("cdist", p);
    if (x.dim() < 2 || y.dim() < 2) {
      throw new ShapeException(
          "cdist: both must have at least 2 dimensions [p m] and [r m], but self has shape %s and other %s."
              .formatted(x.shape(), y.shape()));
    }
    long m = x.size(-1);
    long rows = x.size(-2);
    long others = y.size(-2);
    long[] batch = broadcast("cdist", batch(x), batch(y));
    Tensor a = flat(x, batch);
    Tensor b = flat(y, batch);
    boolean many = mode == ComputeMode.IF_NECESSARY && (rows > MANY || others > MANY);
    boolean product = p == 2 && m > 0 && (many || mode == ComputeMode.MATRIX_PRODUCT);
    Tensor result =
        product ? Operators.EUCLIDEAN.on(NONE, a, b) : Operators.CDIST.on(new Order(p), a, b);
    long[] sizes = Arrays.copyOf(batch, batch.length + 2);
    sizes[batch.length] = rows;
    sizes[batch.length + 1] = others;
    return batch.length == 1 ? result : result.view(sizes);
  }

  private static long[] batch(Tensor x) {
    return Arrays.copyOf(x.sizesInternal(), x.dim() - 2);
  }

  private static Tensor flat(Tensor x, long[] batch) {
    long[] sizes = Arrays.copyOf(batch, batch.length + 2);
    sizes[batch.length] = x.size(-2);
    sizes[batch.length + 1] = x.size(-1);
    long count = CheckedSizes.numel(batch);
    return (Arrays.equals(sizes, x.sizesInternal()) ? x : x.expand(sizes))
        .reshape(count, x.size(-2), x.size(-1));
  }

  static Tensor euclidean(Tensor x, Tensor y) {
    Tensor xx = x.square().sum(-1, true);
    Tensor yy = y.square().sum(-1, true);
    Tensor left = Tensor.cat(List.of(x.mul(-2.0), xx, Tensor.onesLike(xx)), -1);
    Tensor right = Tensor.cat(List.of(y, Tensor.onesLike(yy), yy), -1);
    return left.matmul(right.mT()).clampMin(0.0).sqrt();
  }

  static Tensor euclideanGradient(Tensor grad, Tensor x, Tensor y, Tensor distance) {
    Tensor ratio = grad.div(distance).maskedFill(distance.eq(0), 0);
    return x.mul(ratio.sum(-1, true)).sub(ratio.matmul(y));
  }

  static Tensor cdistGradient(Order order, Tensor grad, Tensor x, Tensor y, Tensor distance) {
    if (!Autograd.isGradEnabled()) {
      return Operators.CDIST_GRADIENT.on(order, grad, x, y, distance);
    }
    Tensor difference = x.unsqueeze(-2).sub(y.unsqueeze(-3)); // [b p r m]
    return each(order.p(), grad, difference, distance).sum(-2);
  }

  static Tensor pdistGradient(Backward<Order> b) {
    Tensor x = b.input("self");
    if (!Autograd.isGradEnabled()) {
      return Operators.PDIST_GRADIENT.on(b.attributes(), b.grad(), x, b.output());
    }
    long n = x.size(0);
    Tensor pairs = Tensor.ones(DType.BOOL, n, n).triu(1).nonzero(); // [k 2]
    Tensor first = pairs.select(1, 0);
    Tensor second = pairs.select(1, 1);
    Tensor difference = x.indexSelect(0, first).sub(x.indexSelect(0, second));
    Tensor each = each(b.attributes().p(), b.grad(), difference, b.output());
    return Tensor.zeros(x.dtype(), x.sizes())
        .indexAdd(0, first, each)
        .indexAdd(0, second, each.neg());
  }

  /// The gradient of every distance by the first of its two vectors, in terms of their difference.
  private static Tensor each(double p, Tensor grad, Tensor difference, Tensor distance) {
    if (p == 0) {
      return Tensor.zerosLike(difference);
    }
    if (p == 1) {
      return difference.sign().mul(grad.unsqueeze(-1));
    }
    if (Double.isInfinite(p)) {
      Tensor largest = difference.abs().eq(distance.unsqueeze(-1));
      return difference.sign().mul(grad.unsqueeze(-1)).mul(largest);
    }
    Tensor none = distance.eq(0);
    if (p == 2) {
      return difference.mul(grad.div(distance).maskedFill(none, 0).unsqueeze(-1));
    }
    Tensor scale = grad.div(distance.pow(p - 1)).maskedFill(none, 0).unsqueeze(-1);
    Tensor power = difference.abs().pow(p - 1);
    return difference.sign().mul(p < 2 ? power.maskedFill(difference.eq(0), 0) : power).mul(scale);
  }

  // Bilinear forms

  static Tensor bilinear(Operator<Operator.None> op, Inputs in) {
    @Nullable Tensor[] all = in.all();
    op.signature()
        .apply(Arrays.stream(all).map(x -> x == null ? null : x.sizesInternal()).toList());
    Tensor x = in.get("self");
    Tensor y = in.get("other");
    Tensor weight = in.get("weight");
    long outputs = weight.size(0);
    long[] sizes = Arrays.copyOf(x.sizes(), x.dim());
    sizes[sizes.length - 1] = outputs;
    long n = weight.size(1);
    long m = weight.size(2);
    long count = CheckedSizes.numel(sizes, 0, sizes.length - 1);
    Tensor rows = x.reshape(count, n);
    Tensor flat = weight.permute(1, 0, 2).reshape(n, outputs * m);
    Tensor half = rows.mm(flat).view(count, outputs, m);
    Tensor result = half.bmm(y.reshape(count, m, 1)).view(sizes);
    Tensor bias = in.find("bias");
    return bias == null ? result : result.add(bias);
  }
}
