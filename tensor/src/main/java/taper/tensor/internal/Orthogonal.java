package taper.tensor.internal;

/// Orthogonal polynomials of a whole degree, by their recurrences; 0 for negative degrees, as in PyTorch.
///
/// Inside -1..1, Chebyshev's polynomials of higher degree are trigonometric functions of `acos x`. Stateless.
///
/// Source: Abramowitz, Stegun: Handbook of Mathematical Functions, 22.3 and 22.7.
public final class Orthogonal {
  private static final long RECURRENCE = 8;

  private Orthogonal() {}

  /// Chebyshev's polynomial of the first kind.
  public static double chebyshevT(double x, long n) {
    if (n < 0) {
      return 0;
    }
    if (Math.abs(x) == 1) {
      return x > 0 || n % 2 == 0 ? 1 : -1;
    }
    return n > RECURRENCE && Math.abs(x) < 1 ? Math.cos(n * Math.acos(x)) : chebyshev(x, x, n);
  }

  /// Chebyshev's polynomial of the second kind.
  public static double chebyshevU(double x, long n) {
    if (n < 0) {
      return 0;
    }
    if (Math.abs(x) == 1) {
      return x > 0 || n % 2 == 0 ? n + 1 : -(n + 1);
    }
    if (n > RECURRENCE && Math.abs(x) < 1) {
      double angle = Math.acos(x);
      return Math.sin((n + 1) * angle) / Math.sin(angle);
    }
    return chebyshev(x, x + x, n);
  }

  /// Chebyshev's polynomial of the third kind.
  public static double chebyshevV(double x, long n) {
    if (n < 0) {
      return 0;
    }
    if (Math.abs(x) == 1) {
      return x > 0 ? 1 : n % 2 == 0 ? n + n + 1 : -(n + n + 1);
    }
    if (n > RECURRENCE && Math.abs(x) < 1) {
      double angle = Math.acos(x);
      return Math.cos((n + 0.5) * angle) / Math.cos(angle / 2);
    }
    return chebyshev(x, x + x - 1, n);
  }

  /// Chebyshev's polynomial of the fourth kind.
  public static double chebyshevW(double x, long n) {
    if (n < 0) {
      return 0;
    }
    if (Math.abs(x) == 1) {
      return x > 0 ? n + n + 1 : n % 2 == 0 ? 1 : -1;
    }
    if (n > RECURRENCE && Math.abs(x) < 1) {
      double angle = Math.acos(x);
      return Math.sin((n + 0.5) * angle) / Math.sin(angle / 2);
    }
    return chebyshev(x, x + x + 1, n);
  }

  private static double chebyshev(double x, double first, long n) {
    double before = 1;
    double last = first;
    for (long k = 1; k < n; k++) {
      double next = (x + x) * last - before;
      before = last;
      last = next;
    }
    return n == 0 ? 1 : last;
  }

  /// Hermite's polynomial of the physicists.
  public static double hermiteH(double x, long n) {
    double before = 1;
    double last = x + x;
    for (long k = 1; k < n; k++) {
      double next = (x + x) * last - 2 * k * before;
      before = last;
      last = next;
    }
    return n < 0 ? 0 : n == 0 ? 1 : last;
  }

  /// Hermite's polynomial of the statisticians.
  public static double hermiteHe(double x, long n) {
    double before = 1;
    double last = x;
    for (long k = 1; k < n; k++) {
      double next = x * last - k * before;
      before = last;
      last = next;
    }
    return n < 0 ? 0 : n == 0 ? 1 : last;
  }

  /// Laguerre's polynomial.
  public static double laguerre(double x, long n) {
    double before = 1;
    double last = 1 - x;
    for (long k = 1; k < n; k++) {
      double next = ((k + k + (1 - x)) * last - k * before) / (k + 1);
      before = last;
      last = next;
    }
    return n < 0 ? 0 : n == 0 || x == 0 ? 1 : last;
  }

  /// Legendre's polynomial.
  public static double legendre(double x, long n) {
    if (n >= 0 && Math.abs(x) == 1) {
      return x > 0 || n % 2 == 0 ? 1 : -1;
    }
    double before = 1;
    double last = x;
    for (long k = 1; k < n; k++) {
      double next = ((k + k + 1) * x * last - k * before) / (k + 1);
      before = last;
      last = next;
    }
    return n < 0 ? 0 : n == 0 ? 1 : last;
  }
}
