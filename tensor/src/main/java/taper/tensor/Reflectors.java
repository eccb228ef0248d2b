package taper.tensor;

import java.util.Arrays;

/// Products of Householder reflectors `H = I - tau v vᴴ`, as QR factorizations keep them.
///
/// The product of k reflectors is `I - V T Vᴴ`, where T is upper triangular with `T⁻¹ = diag(1/tau) + triu(Vᴴ V, 1)`.
/// Written as `T = (I + diag(tau) triu(Vᴴ V, 1))⁻¹ diag(tau)` it holds for reflectors that do nothing, too. So it costs
/// products and a triangular solution, whose gradients are known.
///
/// Source: Schreiber, Van Loan 1989, A storage-efficient WY representation for products of Householder transformations
final class Reflectors {
  private Reflectors() {}

  /// The columns v of the reflectors that lie below the diagonal of `a`.
  private static Tensor columns(Tensor a, long count) {
    Tensor head = a.narrow(-1, 0, count);
    return head.tril(-1).add(Tensor.eye(a.dtype(), a.size(-2), count));
  }

  /// `T x`.
  private static Tensor inner(Tensor v, Tensor tau, Tensor x, boolean adjoint) {
    long k = v.size(-1);
    Tensor scaled = v.mH().matmul(v).triu(1).mul(tau.unsqueeze(-1));
    Tensor unit = scaled.add(Tensor.eye(v.dtype(), k, k));
    if (adjoint) {
      Tensor solved = Linalg.solveTriangular(unit.mH(), x, false, true, true);
      return solved.mul(tau.conj().unsqueeze(-1));
    }
    return Linalg.solveTriangular(unit, x.mul(tau.unsqueeze(-1)), true, true, true);
  }

  static Tensor product(Tensor a, Tensor tau) {
    LinearSystems.requireMatrix("householderProduct", a);
    check("householderProduct", a, tau);
    if (a.size(-2) < a.size(-1)) {
      throw new ShapeException(
          "householderProduct: there must be at least as many rows as columns, but self has shape %s."
              .formatted(a.shape()));
    }
    long count = tau.size(-1);
    Tensor eye = Tensor.eye(a.dtype(), a.size(-2), a.size(-1));
    if (count == 0) {
      return eye.expand(a.sizes()).clone();
    }
    Tensor v = columns(a, count);
    // Vᴴ I is the first columns of Vᴴ
    Tensor right = v.narrow(-2, 0, a.size(-1)).mH();
    return eye.sub(v.matmul(inner(v, tau, right, false)));
  }

  static Tensor apply(Tensor a, Tensor tau, Tensor other, boolean left, boolean adjoint) {
    LinearSystems.requireMatrix("ormqr", a);
    LinearSystems.requireMatrix("ormqr", other);
    check("ormqr", a, tau);
    if (other.size(left ? -2 : -1) != a.size(-2)) {
      throw new ShapeException(
          "ormqr: other must have as many %s as the reflectors have rows, but the reflectors have shape %s and other %s."
              .formatted(left ? "rows" : "columns", a.shape(), other.shape()));
    }
    if (!left) { // C Q is (Qᴴ Cᴴ)ᴴ
      return apply(a, tau, other.mH(), true, !adjoint).mH();
    }
    Tensor v = columns(a, tau.size(-1));
    return other.sub(v.matmul(inner(v, tau, v.mH().matmul(other), adjoint)));
  }

  private static void check(String op, Tensor a, Tensor tau) {
    long[] lead = Arrays.copyOf(a.sizes(), a.dim() - 2);
    boolean fits =
        tau.dim() == a.dim() - 1
            && Arrays.equals(Arrays.copyOf(tau.sizes(), tau.dim() - 1), lead)
            && tau.size(-1) <= a.size(-1);
    if (!fits) {
      throw new ShapeException(
          "%s: tau must have one number for each reflector, at most as many as columns, but self has shape %s and tau %s."
              .formatted(op, a.shape(), tau.shape()));
    }
  }
}
