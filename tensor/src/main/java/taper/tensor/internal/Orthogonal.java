package taper.tensor.internal;

import java.util.Locale;
import taper.tensor.ArgumentException;

/// Orthogonal polynomials of a whole degree, by their recurrences; 0 for negative degrees, as in PyTorch.
///
/// Inside -1..1, Chebyshev's polynomials of higher degree are trigonometric functions of `acos x`. What leaves the range of
/// the type on the way is infinite from then on, and soon NaN, as PyTorch's are. Stateless.
///
/// Source: Abramowitz, Stegun: Handbook of Mathematical Functions, 22.3 and 22.7.
public final class Orthogonal {
  private static final long MOST = 1 << 20; // a millisecond for each element
  private static final long RECURRENCE = 8;

  private Orthogonal() {}

  /// The families of polynomials.
  public enum Kind {
    /// Chebyshev's polynomials of the first kind.
    CHEBYSHEV_T,
    /// Chebyshev's polynomials of the second kind.
    CHEBYSHEV_U,
    /// Chebyshev's polynomials of the third kind.
    CHEBYSHEV_V,
    /// Chebyshev's polynomials of the fourth kind.
    CHEBYSHEV_W,
    /// Hermite's polynomials, as physicists define them.
    HERMITE_H,
    /// Hermite's polynomials, as statisticians define them.
    HERMITE_HE,
    /// Laguerre's polynomials.
    LAGUERRE,
    /// Legendre's polynomials.
    LEGENDRE
  }

  /// The polynomial of degree `degree`, cut off towards 0, at `x`.
  ///
  /// @param largest the largest finite number of the type
  public static double at(Kind kind, double x, double degree, double largest) {
    // A number that is no degree is negative, as in C.
    long n = Math.abs(degree) < 0x1p63 ? (long) degree : -1;
    if (n < 0) {
      return 0;
    }
    if (n == 0) {
      return 1;
    }
    if (Math.abs(x) == 1) {
      switch (kind) {
        case CHEBYSHEV_T, CHEBYSHEV_U, CHEBYSHEV_V, CHEBYSHEV_W, LEGENDRE -> {
          return end(kind, x > 0, n);
        }
        case HERMITE_H, HERMITE_HE, LAGUERRE -> {}
      }
    }
    if (n > RECURRENCE && Math.abs(x) < 1) {
      double angle = Math.acos(x);
      switch (kind) {
        case CHEBYSHEV_T -> {
          return Math.cos(n * angle);
        }
        case CHEBYSHEV_U -> {
          return Math.sin((n + 1) * angle) / Math.sin(angle);
        }
        case CHEBYSHEV_V -> {
          return Math.cos((n + 0.5) * angle) / Math.cos(angle / 2);
        }
        case CHEBYSHEV_W -> {
          return Math.sin((n + 0.5) * angle) / Math.sin(angle / 2);
        }
        case HERMITE_H, HERMITE_HE, LAGUERRE, LEGENDRE -> {}
      }
    }
    if (n > MOST) {
      throw new ArgumentException(
          "%sPolynomial: the degree must be at most %d where it is computed by recurrence, but is %d."
              .formatted(kind.name().split("_")[0].toLowerCase(Locale.ROOT), MOST, n));
    }
    return recurrence(kind, x, n, largest);
  }

  /// The value at 1, or at -1.
  private static double end(Kind kind, boolean atOne, long n) {
    double sign = atOne || n % 2 == 0 ? 1 : -1;
    return switch (kind) {
      case CHEBYSHEV_U -> sign * (n + 1);
      case CHEBYSHEV_V -> atOne ? 1 : sign * (n + n + 1);
      case CHEBYSHEV_W -> atOne ? n + n + 1 : sign;
      default -> sign;
    };
  }

  private static double recurrence(Kind kind, double x, long n, double largest) {
    if (kind == Kind.LAGUERRE && x == 0) {
      return 1;
    }
    double before = 1;
    double last =
        switch (kind) {
          case CHEBYSHEV_T, HERMITE_HE, LEGENDRE -> x;
          case CHEBYSHEV_U, HERMITE_H -> x + x;
          case CHEBYSHEV_V -> x + x - 1;
          case CHEBYSHEV_W -> x + x + 1;
          case LAGUERRE -> 1 - x;
        };
    for (long k = 1; k < n && !Double.isNaN(last); k++) {
      double next =
          switch (kind) {
            case CHEBYSHEV_T, CHEBYSHEV_U, CHEBYSHEV_V, CHEBYSHEV_W -> (x + x) * last - before;
            case HERMITE_H -> (x + x) * last - 2 * k * before;
            case HERMITE_HE -> x * last - k * before;
            case LAGUERRE -> ((k + k + (1 - x)) * last - k * before) / (k + 1);
            case LEGENDRE -> ((k + k + 1) * x * last - k * before) / (k + 1);
          };
      before = last;
      last = Math.abs(next) > largest ? Math.copySign(Double.POSITIVE_INFINITY, next) : next;
    }
    return last;
  }
}
