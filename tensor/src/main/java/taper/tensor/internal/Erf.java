package taper.tensor.internal;

import taper.tensor.spi.Formula;

/// The inverse error function as PyTorch computes it, the error function that it needs, and what the normal distribution
/// makes of both.
///
/// Stateless.
///
/// Source: Moshier: Cephes mathematical library, `ndtri.c`.
public final class Erf {
  // PyTorch's calc_erfinv: a rational first guess and two steps of Newton's method, in the
  // precision of the type.

  private static final double TWO_OVER_SQRT_PI = 2.0 / Math.sqrt(Math.PI);
  private static final float TWO_OVER_SQRT_PI_FLOAT = 2f / (float) Math.sqrt(Math.PI);

  private Erf() {}

  /// The error function of `x`.
  public static double erf(double x) {
    return Formula.Function.ERF.at(x);
  }

  /// The number whose error function is `y`: infinite at ±1, NaN beyond.
  public static double inverse(double y) {
    double abs = Math.abs(y);
    if (Double.isNaN(y) || abs > 1) {
      return Double.NaN;
    }
    if (abs == 1) {
      return Math.copySign(Double.POSITIVE_INFINITY, y);
    }
    double x;
    if (abs <= 0.7) {
      double z = y * y;
      double num = ((-0.140543331 * z + 0.914624893) * z - 1.645349621) * z + 0.886226899;
      double den =
          (((0.012229801 * z - 0.329097515) * z + 1.442710462) * z - 2.118377725) * z + 1.0;
      x = y * num / den;
    } else {
      double z = Math.sqrt(-Math.log((1.0 - abs) / 2.0));
      double num = ((1.641345311 * z + 3.429567803) * z - 1.624906493) * z - 1.970840454;
      double den = (1.637067800 * z + 3.543889200) * z + 1.0;
      x = Math.copySign(num, y) / den;
    }
    x -= (erf(x) - y) / (TWO_OVER_SQRT_PI * Math.exp(-x * x));
    x -= (erf(x) - y) / (TWO_OVER_SQRT_PI * Math.exp(-x * x));
    return x;
  }

  /// The same, in the arithmetic of `float32`.
  public static float inverse(float y) {
    float abs = Math.abs(y);
    if (Float.isNaN(y) || abs > 1) {
      return Float.NaN;
    }
    if (abs == 1) {
      return Math.copySign(Float.POSITIVE_INFINITY, y);
    }
    float x;
    if (abs <= 0.7f) {
      float z = y * y;
      float num = ((-0.140543331f * z + 0.914624893f) * z - 1.645349621f) * z + 0.886226899f;
      float den =
          (((0.012229801f * z - 0.329097515f) * z + 1.442710462f) * z - 2.118377725f) * z + 1.0f;
      x = y * num / den;
    } else {
      float z = (float) Math.sqrt(-(float) Math.log((1f - abs) / 2f));
      float num = ((1.641345311f * z + 3.429567803f) * z - 1.624906493f) * z - 1.970840454f;
      float den = (1.637067800f * z + 3.543889200f) * z + 1f;
      x = Math.copySign(num, y) / den;
    }
    x = newton(x, y);
    return newton(x, y);
  }

  private static float newton(float x, float y) {
    return x - ((float) erf(x) - y) / (TWO_OVER_SQRT_PI_FLOAT * (float) Math.exp(-x * x));
  }

  /// The quantile of the standard normal distribution: NaN outside of 0..1.
  public static double quantile(double p) {
    if (!(p > 0 && p < 1)) {
      return p == 0 ? Double.NEGATIVE_INFINITY : p == 1 ? Double.POSITIVE_INFINITY : Double.NaN;
    }
    double tail = 0.13533528323661269189; // exp(-2)
    boolean upper = p > 1 - tail;
    double y = upper ? 1 - p : p;
    if (y > tail) {
      y -= 0.5;
      double z = y * y;
      double x = y + y * (z * Bessel.polynomial(z, P0) / Bessel.polynomial(z, Q0));
      return x * 2.50662827463100050242; // √(2π)
    }
    double x = Math.sqrt(-2 * Math.log(y));
    double z = 1 / x;
    double correction =
        x < 8
            ? z * Bessel.polynomial(z, P1) / Bessel.polynomial(z, Q1)
            : z * Bessel.polynomial(z, P2) / Bessel.polynomial(z, Q2);
    x = x - Math.log(x) / x - correction;
    return upper ? x : -x;
  }

  private static final double[] P0 = {
    -5.99633501014107895267E1,
    9.80010754185999661536E1,
    -5.66762857469070293439E1,
    1.39312609387279679503E1,
    -1.23916583867381258016E0
  };

  private static final double[] Q0 = {
    1.00000000000000000000E0,
    1.95448858338141759834E0,
    4.67627912898881538453E0,
    8.63602421390890590575E1,
    -2.25462687854119370527E2,
    2.00260212380060660359E2,
    -8.20372256168333339912E1,
    1.59056225126211695515E1,
    -1.18331621121330003142E0
  };

  private static final double[] P1 = {
    4.05544892305962419923E0,
    3.15251094599893866154E1,
    5.71628192246421288162E1,
    4.40805073893200834700E1,
    1.46849561928858024014E1,
    2.18663306850790267539E0,
    -1.40256079171354495875E-1,
    -3.50424626827848203418E-2,
    -8.57456785154685413611E-4
  };

  private static final double[] Q1 = {
    1.00000000000000000000E0,
    1.57799883256466749731E1,
    4.53907635128879210584E1,
    4.13172038254672030440E1,
    1.50425385692907503408E1,
    2.50464946208309415979E0,
    -1.42182922854787788574E-1,
    -3.80806407691578277194E-2,
    -9.33259480895457427372E-4
  };

  private static final double[] P2 = {
    3.23774891776946035970E0,
    6.91522889068984211695E0,
    3.93881025292474443415E0,
    1.33303460815807542389E0,
    2.01485389549179081538E-1,
    1.23716634817820021358E-2,
    3.01581553508235416007E-4,
    2.65806974686737550832E-6,
    6.23974539184983293730E-9
  };

  private static final double[] Q2 = {
    1.00000000000000000000E0,
    6.02427039364742014255E0,
    3.67983563856160859403E0,
    1.37702099489081330271E0,
    2.16236993594496635890E-1,
    1.34204006088543189037E-2,
    3.28014464682127739104E-4,
    2.89247864745380683936E-6,
    6.79019408009981274425E-9
  };
}
