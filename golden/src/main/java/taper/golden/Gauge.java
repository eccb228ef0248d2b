package taper.golden;

import java.util.ArrayList;
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
  public static final Comparison EIGEN =
      new Comparison() {
        @Override
        public @Nullable String compare(
            Arguments arguments,
            List<@Nullable Object> ours,
            List<@Nullable Object> expected,
            Tolerance tolerance) {
          return eigen(arguments, ours, expected, tolerance);
        }

        @Override
        public List<@Nullable Object> arranged(
            List<@Nullable Object> ours, List<@Nullable Object> expected) {
          if (!(ours.getFirst() instanceof Tensor values) || values.numel() == 0) {
            return ours;
          }
          var result = new ArrayList<@Nullable Object>(ours);
          long[] order = nearest(values.detach(), tensor(expected, 0));
          Tensor index = Tensor.of(order).reshape(values.shape().toArray());
          result.set(0, values.gather(-1, index));
          return result;
        }
      };

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

  private static @Nullable String sets(Tensor ours, Tensor expected, Tolerance tolerance) {
    Complex[] a = ours.toComplexArray();
    Complex[] b = expected.toComplexArray();
    long[] nearest = nearest(ours, expected);
    int n = rows(ours);
    for (int i = 0; i < b.length; i++) {
      double apart = apart(a[i / n * n + (int) nearest[i]], b[i]);
      double size = Math.hypot(b[i].re(), b[i].im());
      if (apart > tolerance.absolute() + tolerance.relative() * size) {
        return "eigenvalue %s is missing; the nearest is %.3g away".formatted(b[i], apart);
      }
    }
    return null;
  }

  /// For each expected number the place, in its row, of the nearest of ours that is left.
  private static long[] nearest(Tensor ours, Tensor expected) {
    Complex[] a = ours.toComplexArray();
    Complex[] b = expected.toComplexArray();
    int n = rows(ours);
    long[] places = new long[b.length];
    boolean[] taken = new boolean[a.length];
    for (int i = 0; i < b.length; i++) {
      int row = i / n * n;
      int best = -1;
      for (int j = row; j < row + n; j++) {
        if (!taken[j] && (best < 0 || apart(a[j], b[i]) < apart(a[best], b[i]))) {
          best = j;
        }
      }
      taken[best] = true;
      places[i] = (long) best - row;
    }
    return places;
  }

  private static int rows(Tensor values) {
    return values.dim() == 0 ? 1 : Math.toIntExact(values.size(-1));
  }

  private static double apart(Complex a, Complex b) {
    return Math.hypot(a.re() - b.re(), a.im() - b.im());
  }
}
