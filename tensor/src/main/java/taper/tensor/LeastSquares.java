package taper.tensor;

import java.util.Arrays;
import java.util.List;

/// Solutions that miss their right sides by as little as can be.
final class LeastSquares {
  private static final List<String> DRIVERS = List.of("gels", "gelsy", "gelsd", "gelss");

  private LeastSquares() {}

  static Linalg.Lstsq of(Tensor a, Tensor b, Linalg.LstsqOptions o) {
    LinearSystems.requireMatrix("lstsq", a);
    if (!DRIVERS.contains(o.driver())) {
      throw new ArgumentException(
          "lstsq: driver must be one of %s, but is '%s'.".formatted(DRIVERS, o.driver()));
    }
    if (b.dim() == 0) {
      throw new ShapeException(
          "lstsq: the right side must have at least 1 dimension, but has shape [].");
    }
    if (a.dtype() != b.dtype()) {
      throw new DTypeException(
          "lstsq: inputs must have one dtype, but self is %s and the right side %s. Convert one of them with .to(dtype)."
              .formatted(a.dtype(), b.dtype()));
    }
    boolean vector =
        a.dim() - 1 == b.dim() && Arrays.equals(Arrays.copyOf(a.sizes(), a.dim() - 1), b.sizes());
    Tensor right = vector ? b.unsqueeze(-1) : b;
    if (right.dim() < 2 || right.size(-2) != a.size(-2)) {
      throw new ShapeException(
          "lstsq: the right side must have as many rows as the matrices, but self has shape %s and the right side %s."
              .formatted(a.shape(), b.shape()));
    }
    long[] lead = LinearSystems.lead("lstsq", a, right);
    return solve(LinearSystems.expanded(a, lead), LinearSystems.expanded(right, lead), vector, o);
  }

  private static Linalg.Lstsq solve(Tensor a, Tensor b, boolean vector, Linalg.LstsqOptions o) {
    long m = a.size(-2);
    long n = a.size(-1);
    DType real = a.dtype().toReal();
    double rcond =
        o.rcond() != null ? o.rcond() : LinearSystems.epsilon(a.dtype()) * Math.max(m, n);
    boolean plain = o.driver().equals("gels");
    Tensor bound = plain ? Tensor.scalar(DType.FLOAT64, 0) : Tensor.scalar(DType.FLOAT64, rcond);
    Tensor none = Tensor.scalar(DType.FLOAT64, 0);
    Tensor inverse =
        Decompositions.Operators.PINV.on(new Decompositions.Inversion(false), a, none, bound);
    Tensor x = inverse.matmul(b);
    Tensor values = Autograd.noGrad(() -> Linalg.svdvals(a.detach()));
    long[] batch = Arrays.copyOf(a.sizes(), a.dim() - 2);
    Tensor rank =
        values.numel() == 0
            ? Tensor.zeros(DType.INT64, batch)
            : values.gt(values.amax(-1, true).mul(rcond)).sum(-1);
    boolean full = plain || rank.numel() == 0 || rank.eq(n).all().itemBoolean();
    Tensor residuals =
        m > n && full && !o.driver().equals("gelsy")
            ? a.matmul(x).sub(b).abs().pow(2).sum(-2)
            : Tensor.zeros(real, 0);
    boolean spectral = o.driver().equals("gelsd") || o.driver().equals("gelss");
    return new Linalg.Lstsq(
        vector ? x.squeeze(-1) : x,
        residuals,
        plain ? Tensor.zeros(DType.INT64, 0) : rank,
        spectral ? values : Tensor.zeros(real, 0));
  }
}
