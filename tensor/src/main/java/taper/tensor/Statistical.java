package taper.tensor;

import java.util.stream.IntStream;

/// What the operators of [Statistics] and [Reductions] are composed of.
final class Statistical {
  private Statistical() {}

  static Tensor norm(Tensor x, String name, int[] dims, boolean keepDim) {
    return switch (name) {
      case "fro" -> x.norm(2, dims, keepDim);
      case "nuc" -> throw new UnsupportedException("norm: nuc needs singular values.");
      default ->
          throw new ArgumentException("norm: p must be a number, fro or nuc, but is " + name + ".");
    };
  }

  static Tensor renorm(Tensor x, double p, int dim, double maxNorm) {
    return x.mul(renormScale(x, p, dim, maxNorm));
  }

  /// What each slice is multiplied by: 1 where its norm is small enough.
  static Tensor renormScale(Tensor x, double p, int dim, double maxNorm) {
    if (x.dim() < 2) {
      throw new ShapeException(
          "renorm: self must have at least 2 dimensions, but has shape " + x.shape() + ".");
    }
    if (!(p > 0) || !(maxNorm >= 0)) {
      throw new ArgumentException(
          "renorm: p must be positive and maxNorm not negative, but they are %s and %s."
              .formatted(p, maxNorm));
    }
    int at = Checks.dim("renorm", dim, x.dim());
    int[] others = IntStream.range(0, x.dim()).filter(d -> d != at).toArray();
    DType dtype = x.dtype().compute();
    Tensor norm = x.to(dtype).norm(p, others, true);
    Tensor large = norm.gt(maxNorm);
    return norm.add(1e-7).reciprocal().mul(maxNorm).where(large, 1).to(x.dtype());
  }
}
