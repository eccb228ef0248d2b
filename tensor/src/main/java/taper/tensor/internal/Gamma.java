package taper.tensor.internal;

import taper.tensor.spi.Formula;

/// The gamma function's relatives, in double precision. Stateless.
///
/// - [1] Sun Microsystems: fdlibm, `e_lgamma_r.c`: between 0 and 8, polynomials around 2, around the minimum at 1.46 and
///   around 1, after steps of `Γ(x + 1) = x Γ(x)`; beyond, Stirling's series; below 0, the reflection.
/// - [2] Moshier: Cephes mathematical library, `psi.c`, `zeta.c` (Euler and Maclaurin's summation).
/// - [3] Loader: Fast and accurate computation of binomial probabilities, 2000: `xᵃ e⁻ˣ / Γ(a + 1)` without
///   cancellation, which both incomplete functions are multiples of.
/// - [4] Press et al.: Numerical Recipes, 3rd edition, 6.2: their series and their continued fraction.
/// - [5] Temme: The asymptotic expansion of the incomplete gamma functions, SIAM J. Math. Anal. 10 (1979).
public final class Gamma {
  private static final double INFINITY = Double.POSITIVE_INFINITY;

  private Gamma() {}

  private static final double[] AROUND_2 = {
    7.72156649015328655494e-02,
    3.22467033424113591611e-01,
    6.73523010531292681824e-02,
    2.05808084325167332806e-02,
    7.38555086081402883957e-03,
    2.89051383673415629091e-03,
    1.19270763183362067845e-03,
    5.10069792153511336608e-04,
    2.20862790713908385557e-04,
    1.08011567247583939954e-04,
    2.52144565451257326939e-05,
    4.48640949618915160150e-05
  };
  private static final double MINIMUM = 1.46163214496836224576e+00;
  private static final double AT_MINIMUM = -1.21486290535849611461e-01;
  private static final double AT_MINIMUM_TAIL = -3.63867699703950536541e-18;
  private static final double[] AROUND_MINIMUM = {
    4.83836122723810047042e-01,
    -1.47587722994593911752e-01,
    6.46249402391333854778e-02,
    -3.27885410759859649565e-02,
    1.79706750811820387126e-02,
    -1.03142241298341437450e-02,
    6.10053870246291332635e-03,
    -3.68452016781138256760e-03,
    2.25964780900612472250e-03,
    -1.40346469989232843813e-03,
    8.81081882437654011382e-04,
    -5.38595305356740546715e-04,
    3.15632070903625950361e-04,
    -3.12754168375120860518e-04,
    3.35529192635519073543e-04
  };
  private static final double[] AROUND_1_ABOVE = {
    -7.72156649015328655494e-02,
    6.32827064025093366517e-01,
    1.45492250137234768737e+00,
    9.77717527963372745603e-01,
    2.28963728064692451092e-01,
    1.33810918536787660377e-02
  };
  private static final double[] AROUND_1_BELOW = {
    1,
    2.45597793713041134822e+00,
    2.12848976379893395361e+00,
    7.69285150456672783825e-01,
    1.04222645593369134254e-01,
    3.21709242282423911810e-03
  };
  private static final double[] FROM_2_ABOVE = {
    -7.72156649015328655494e-02,
    2.14982415960608852501e-01,
    3.25778796408930981787e-01,
    1.46350472652464452805e-01,
    2.66422703033638609560e-02,
    1.84028451407337715652e-03,
    3.19475326584100867617e-05
  };
  private static final double[] FROM_2_BELOW = {
    1,
    1.39200533467621045958e+00,
    7.21935547567138069525e-01,
    1.71933865632803078993e-01,
    1.86459191715652901344e-02,
    7.77942496381893596434e-04,
    7.32668430744625636189e-06
  };
  private static final double[] STIRLING = {
    8.33333333333329678849e-02,
    -2.77777777728775536470e-03,
    7.93650558643019558500e-04,
    -5.95187557450339963135e-04,
    8.36339918996282139126e-04,
    -1.63092934096575273989e-03
  };

  /// `coefficients` from the lowest power up.
  /// The polynomial with these coefficients, that of the lowest power first.
  public static double polynomial(double x, double[] coefficients) {
    double sum = 0;
    for (int i = coefficients.length - 1; i >= 0; i--) {
      sum = sum * x + coefficients[i];
    }
    return sum;
  }

  /// `log |Γ(x)|` [1].
  public static double logarithm(double x) {
    if (Double.isNaN(x)) {
      return x;
    }
    if (Double.isInfinite(x) || x <= 0 && x == Math.rint(x)) {
      return INFINITY;
    }
    double t = Math.abs(x);
    if (t < 0x1p-70) {
      return -Math.log(t);
    }
    if (x < 0) {
      return Math.log(Math.PI / Math.abs(sineOfPi(t) * t)) - logarithm(t);
    }
    if (x == 1 || x == 2) {
      return 0;
    }
    if (x < 2) {
      return belowTwo(x);
    }
    if (x < 8) {
      double y = x - Math.floor(x);
      double value = 0.5 * y + y * polynomial(y, FROM_2_ABOVE) / polynomial(y, FROM_2_BELOW);
      double product = 1;
      for (double factor = y + 2; factor < x - 0.5; factor++) {
        product *= factor;
      }
      return value + Math.log(product);
    }
    if (x > 0x1p58) {
      return x * (Math.log(x) - 1);
    }
    double z = 1 / x;
    double w = 4.18938533204672725052e-01 + z * polynomial(z * z, STIRLING);
    return (x - 0.5) * (Math.log(x) - 1) + w;
  }

  private static double belowTwo(double x) {
    double value = 0;
    double s = x;
    if (x <= 0.9) {
      value = -Math.log(x);
      s = x + 1;
    }
    if (s >= 1.7316321534) {
      double y = x <= 0.9 ? 1 - x : 2 - x;
      double z = y * y;
      double even = 0;
      double odd = 0;
      for (int i = AROUND_2.length - 2; i >= 0; i -= 2) {
        even = even * z + AROUND_2[i];
        odd = (odd + AROUND_2[i + 1]) * z;
      }
      return value + (y * even + odd - 0.5 * y);
    }
    if (s >= 1.2316322) {
      double y = x <= 0.9 ? x - (MINIMUM - 1) : x - MINIMUM;
      return value + (AT_MINIMUM + (y * y * polynomial(y, AROUND_MINIMUM) - AT_MINIMUM_TAIL));
    }
    double y = x <= 0.9 ? x : x - 1;
    return value + (-0.5 * y + y * polynomial(y, AROUND_1_ABOVE) / polynomial(y, AROUND_1_BELOW));
  }

  /// `sin(π x)` of a positive number, exact at whole numbers.
  private static double sineOfPi(double x) {
    double y = x % 2;
    int quarter = (int) (y * 4);
    return switch (quarter) {
      case 0 -> Math.sin(Math.PI * y);
      case 1, 2 -> Math.cos(Math.PI * (0.5 - y));
      case 3, 4 -> Math.sin(Math.PI * (1 - y));
      case 5, 6 -> -Math.cos(Math.PI * (y - 1.5));
      default -> Math.sin(Math.PI * (y - 2));
    };
  }

  private static final double[] DIGAMMA = {
    8.33333333333333333333E-2,
    -2.10927960927960927961E-2,
    7.57575757575757575758E-3,
    -4.16666666666666666667E-3,
    3.96825396825396825397E-3,
    -8.33333333333333333333E-3,
    8.33333333333333333333E-2
  };

  /// The derivative of `log Γ` [2]: infinite at 0, NaN at negative whole numbers.
  public static double digamma(double x) {
    if (x == 0) {
      return Math.copySign(INFINITY, -x);
    }
    if (x < 0) {
      double fraction = x % 1;
      return fraction == 0 || Double.isInfinite(x)
          ? Double.NaN
          : digamma(1 - x) - Math.PI / Math.tan(Math.PI * fraction);
    }
    double value = 0;
    double y = x;
    while (y < 10) {
      value -= 1 / y;
      y++;
    }
    if (y == 10) {
      return value + 2.25175258906672110764;
    }
    double z = 1 / (y * y);
    double series = y < 1e17 ? z * Bessel.polynomial(z, DIGAMMA) : 0;
    return value + Math.log(y) - 0.5 / y - series;
  }

  /// The derivative of order `n` of [#digamma(double)].
  public static double polygamma(long n, double x) {
    if (n == 0) {
      return digamma(x);
    }
    if (n == 1) {
      if (x <= 0 && x == Math.rint(x)) {
        return Double.isInfinite(x) ? Double.NaN : INFINITY;
      }
      if (x < 0.5) {
        double sine = Math.sin(Math.PI * (x - 2 * Math.rint(x / 2)));
        return Math.PI * Math.PI / (sine * sine) - polygamma(1, 1 - x);
      }
      return trigamma(x);
    }
    double factorial = Math.exp(logarithm(n + 1.0));
    return (n % 2 == 0 ? -1 : 1) * factorial * zeta(n + 1.0, x);
  }

  /// For `x` of at least ½: steps up to 10, then the asymptotic series (Abramowitz, Stegun, 6.4.12).
  private static double trigamma(double x) {
    double value = 0;
    double y = x;
    while (y < 10) {
      value += 1 / (y * y);
      y++;
    }
    double r = 1 / y;
    double z = r * r;
    double series =
        z
            * (1.0 / 6
                - z
                    * (1.0 / 30
                        - z * (1.0 / 42 - z * (1.0 / 30 - z * (5.0 / 66 - z * (691.0 / 2730))))));
    return value + r * (1 + 0.5 * r + series);
  }

  private static final double[] BERNOULLI = {
    12.0,
    -720.0,
    30240.0,
    -1209600.0,
    47900160.0,
    -1.8924375803183791606e9,
    7.47242496e10,
    -2.950130727918164224e12,
    1.1646782814350067249e14,
    -4.5979787224074726105e15,
    1.8152105401943546773e17,
    -7.1661652561756670113e18
  };

  /// Hurwitz' zeta function, the sum of `(k + q)⁻ˣ` [2]: infinite at its poles, NaN for `x` below 1.
  public static double zeta(double x, double q) {
    if (x == 1) {
      return INFINITY;
    }
    if (x < 1) {
      return Double.NaN;
    }
    if (q <= 0) {
      if (q == Math.floor(q)) {
        return INFINITY;
      }
      if (x != Math.floor(x)) {
        return Double.NaN;
      }
    }
    if (Double.isNaN(x + q)) {
      return Double.NaN;
    }
    double epsilon = 0x1p-53;
    double sum = power(q, -x);
    double w = q;
    double term = 0;
    for (int i = 0; i < 9 || w <= 9; i++) {
      w++;
      term = power(w, -x);
      sum += term;
      if (Math.abs(term) < epsilon * Math.abs(sum)) {
        return sum;
      }
    }
    sum += term * w / (x - 1) - 0.5 * term;
    double factor = 1;
    for (int i = 0, k = 0; i < BERNOULLI.length; i++) {
      factor *= x + k++;
      term /= w;
      double t = factor * term / BERNOULLI[i];
      sum += t;
      if (Math.abs(t / sum) < epsilon) {
        break;
      }
      factor *= x + k++;
      term /= w;
    }
    return sum;
  }

  /// As in C, 1 to any power is 1.
  private static double power(double base, double exponent) {
    return base == 1 ? 1 : Math.pow(base, exponent);
  }

  /// The regularized lower incomplete gamma function `P(a, x)`, or the upper one `Q(a, x) = 1 - P(a, x)`.
  public static double incomplete(double a, double x, boolean upper) {
    if (a < 0 || x < 0 || a == 0 && !(x > 0) || Double.isInfinite(a) && Double.isInfinite(x)) {
      return Double.NaN;
    }
    if (a == 0) {
      return upper ? 0 : 1;
    }
    if (x == 0 || Double.isInfinite(a)) {
      return upper ? 1 : 0;
    }
    if (Double.isInfinite(x)) {
      return upper ? 0 : 1;
    }
    if (Double.isNaN(a + x)) {
      return Double.NaN;
    }
    if (a > 1e7) {
      return uniform(a, x, upper);
    }
    if (upper && a < 1 && x < 1.1) {
      return smallUpper(a, x);
    }
    double factor = poisson(a, x);
    return x < a + 1
        ? (upper ? 1 - factor * lowerSeries(a, x) : factor * lowerSeries(a, x))
        : (upper ? factor * a * upperFraction(a, x) : 1 - factor * a * upperFraction(a, x));
  }

  /// The first term of the uniform expansion for large `a` [5]; the next would be smaller by `a`.
  private static double uniform(double a, double x, boolean upper) {
    double deviance = deviance(a, x);
    double eta = Math.copySign(Math.sqrt(2 * deviance / a), x - a);
    double c0 = -1.0 / 3 + eta * (1.0 / 12 + eta * (-2.0 / 135 + eta / 864));
    double rest = deviance > 700 ? 0 : Math.exp(-deviance) / Math.sqrt(2 * Math.PI * a) * c0;
    double t = Math.copySign(Math.sqrt(deviance), eta);
    return upper
        ? 0.5 * Formula.Function.ERFC.at(t) + rest
        : 0.5 * Formula.Function.ERFC.at(-t) - rest;
  }

  /// The sum of `xⁿ / ((a + 1) … (a + n))`.
  private static double lowerSeries(double a, double x) {
    double term = 1;
    double sum = 1;
    for (double n = a + 1; term > 1e-17 * sum; n++) {
      term *= x / n;
      sum += term;
    }
    return sum;
  }

  /// `Γ(a, x) eˣ x⁻ᵃ`, by Lentz's method.
  private static double upperFraction(double a, double x) {
    double tiny = 1e-300;
    double b = x + 1 - a;
    double c = 1 / tiny;
    double d = 1 / b;
    double h = d;
    for (int i = 1; i < 1_000_000; i++) {
      double an = -i * (i - a);
      b += 2;
      d = an * d + b;
      d = 1 / (Math.abs(d) < tiny ? tiny : d);
      c = b + an / c;
      c = Math.abs(c) < tiny ? tiny : c;
      double delta = d * c;
      h *= delta;
      if (Math.abs(delta - 1) < 1e-16) {
        break;
      }
    }
    return h;
  }

  /// The upper function where `1 - P` would cancel: `1 - xᵃ/Γ(a + 1)`, less the rest of the series.
  private static double smallUpper(double a, double x) {
    double factor = 1;
    double sum = 0;
    for (int n = 1; n < 200; n++) {
      factor *= -x / n;
      double term = factor / (a + n);
      sum += term;
      if (Math.abs(term) <= 1e-17 * Math.abs(sum)) {
        break;
      }
    }
    double exponent = a * Math.log(x) - logarithm(1 + a);
    return -Math.expm1(exponent) - Math.exp(exponent) * a * sum;
  }

  /// `xᵃ e⁻ˣ / Γ(a + 1)` [3].
  private static double poisson(double a, double x) {
    if (a < 1) {
      return Math.exp(a * Math.log(x) - x - logarithm(a + 1));
    }
    return Math.exp(-stirlingError(a) - deviance(a, x)) / Math.sqrt(2 * Math.PI * a);
  }

  /// `log Γ(a + 1)` less Stirling's approximation.
  private static double stirlingError(double a) {
    if (a < 16) {
      return logarithm(a + 1) - (a + 0.5) * Math.log(a) + a - 0.5 * Math.log(2 * Math.PI);
    }
    double z = 1 / (a * a);
    return (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)))) / a;
  }

  /// `a log(a / x) + x - a`.
  private static double deviance(double a, double x) {
    if (Math.abs(a - x) >= 0.1 * a + 0.1 * x) {
      return a * Math.log(a / x) + x - a;
    }
    double v = (0.5 * a - 0.5 * x) / (0.5 * a + 0.5 * x);
    double sum = (a - x) * v;
    double term = 2 * a * v;
    for (int j = 1; j < 1000; j++) {
      term *= v * v;
      double next = sum + term / (2 * j + 1);
      if (next == sum) {
        break;
      }
      sum = next;
    }
    return sum;
  }
}
