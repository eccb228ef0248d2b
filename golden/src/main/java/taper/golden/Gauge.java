package taper.golden;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.golden.Bindings.Comparison;
import taper.tensor.Complex;
import taper.tensor.Tensor;

/// Comparisons of factors that are defined only up to signs, phases or order: by what they make together.
public final class Gauge {
  private Gauge() {}

  /// U, S and V: the values, and `U diag(S) Vᴴ`.
  public static final Comparison SINGULAR =
      (a, ours, expected, t) -> singular(ours, expected, t, false);

  /// U, S and Vᴴ: the values, and `U diag(S) Vᴴ`.
  public static final Comparison SINGULAR_ADJOINT =
      (a, ours, expected, t) -> singular(ours, expected, t, true);

  /// Eigenvalues and vectors of a Hermitian matrix: the values, and `V diag(L) Vᴴ`.
  public static final Comparison HERMITIAN = (a, ours, expected, t) -> hermitian(ours, expected, t);

  /// Eigenvalues in any order, and that `A V = V diag(L)`, with vectors of length 1.
  public static final Comparison EIGEN = Gauge::eigen;

  private static Tensor tensor(List<@Nullable Object> of, int i) {
    if (of.get(i) instanceof Tensor x) {
      return x.detach();
    }
    throw new IllegalArgumentException("result " + i + " is no tensor");
  }

  private static @Nullable String shapes(
      List<@Nullable Object> ours, List<@Nullable Object> expected) {
    if (ours.size() != expected.size()) {
      return "%d results, expected %d".formatted(ours.size(), expected.size());
    }
    for (int i = 0; i < ours.size(); i++) {
      Tensor x = tensor(ours, i);
      Tensor y = tensor(expected, i);
      if (!x.shape().equals(y.shape()) || x.dtype() != y.dtype()) {
        return "result %d is %s %s, expected %s %s"
            .formatted(i, x.dtype(), x.shape(), y.dtype(), y.shape());
      }
    }
    return null;
  }

  private static @Nullable String near(String what, Tensor x, Tensor y, Tolerance tolerance) {
    String difference = Results.difference(x, y, tolerance);
    return difference == null ? null : what + ": " + difference;
  }

  private static @Nullable String singular(
      List<@Nullable Object> ours,
      List<@Nullable Object> expected,
      Tolerance tolerance,
      boolean adjoint) {
    String difference = shapes(ours, expected);
    if (difference == null) {
      difference = near("values", tensor(ours, 1), tensor(expected, 1), tolerance);
    }
    return difference != null
        ? difference
        : near("product", product(ours, adjoint), product(expected, adjoint), tolerance);
  }

  private static Tensor product(List<@Nullable Object> factors, boolean adjoint) {
    Tensor u = tensor(factors, 0);
    Tensor s = tensor(factors, 1);
    Tensor v = tensor(factors, 2);
    long k = s.size(-1);
    Tensor vh = adjoint ? v : v.mH();
    return u.narrow(-1, 0, k).mul(s.unsqueeze(-2)).matmul(vh.narrow(-2, 0, k));
  }

  private static @Nullable String hermitian(
      List<@Nullable Object> ours, List<@Nullable Object> expected, Tolerance tolerance) {
    String difference = shapes(ours, expected);
    if (difference == null) {
      difference = near("values", tensor(ours, 0), tensor(expected, 0), tolerance);
    }
    return difference != null || tensor(ours, 1).numel() == 0
        ? difference
        : near("product", again(ours), again(expected), tolerance);
  }

  private static Tensor again(List<@Nullable Object> factors) {
    Tensor values = tensor(factors, 0);
    Tensor vectors = tensor(factors, 1);
    return vectors.mul(values.unsqueeze(-2)).matmul(vectors.mH());
  }

  private static @Nullable String eigen(
      Arguments arguments,
      List<@Nullable Object> ours,
      List<@Nullable Object> expected,
      Tolerance tolerance) {
    String difference = shapes(ours, expected);
    if (difference == null) {
      difference = sets(tensor(ours, 0), tensor(expected, 0), tolerance);
    }
    if (difference != null || ours.size() == 1) {
      return difference;
    }
    Tensor values = tensor(ours, 0);
    Tensor vectors = tensor(ours, 1);
    Tensor a = arguments.self().detach().to(vectors.dtype());
    difference = near("A V", a.matmul(vectors), vectors.mul(values.unsqueeze(-2)), tolerance);
    Tensor lengths = vectors.abs().pow(2).sum(-2);
    return difference != null
        ? difference
        : near("lengths", lengths, Tensor.onesLike(lengths), tolerance);
  }

  /// Takes for each expected number the nearest of ours that is left, among those of one matrix.
  private static @Nullable String sets(Tensor ours, Tensor expected, Tolerance tolerance) {
    Complex[] a = ours.toComplexArray();
    Complex[] b = expected.toComplexArray();
    int n = ours.dim() == 0 ? 1 : Math.toIntExact(ours.size(-1));
    boolean[] taken = new boolean[a.length];
    for (int i = 0; i < b.length; i++) {
      int best = -1;
      double least = Double.POSITIVE_INFINITY;
      for (int j = i / n * n; j < i / n * n + n; j++) {
        double apart = Math.hypot(a[j].re() - b[i].re(), a[j].im() - b[i].im());
        if (!taken[j] && apart < least) {
          best = j;
          least = apart;
        }
      }
      double size = Math.hypot(b[i].re(), b[i].im());
      if (best < 0 || least > tolerance.absolute() + tolerance.relative() * size) {
        return "eigenvalue %s is missing; the nearest is %.3g away".formatted(b[i], least);
      }
      taken[best] = true;
    }
    return null;
  }
}
