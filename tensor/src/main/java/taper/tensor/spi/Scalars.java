package taper.tensor.spi;

import taper.tensor.ArgumentException;
import taper.tensor.internal.Bessel;
import taper.tensor.internal.Erf;
import taper.tensor.internal.Gamma;
import taper.tensor.internal.Orthogonal;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Function;

/// The functions of the scalar algebra in double precision and in whole numbers.
///
/// What `java.lang.Math` lacks is built here. The error function is that of fdlibm (`s_erf.c`, Sun
/// Microsystems 1993): on each interval a rational approximation, beyond 1.25 in `1/x²` under
/// `exp(-x²)`, where `x` is split so that `x²` is exact; the error is below 1 ulp.
final class Scalars {
  private static final double LN2 = 0.6931471805599453;

  private Scalars() {}

  static double at(Function function, double x) {
    return switch (function) {
      case NEGATE -> -x;
      case ABS -> Math.abs(x);
      case SIGN -> x > 0 ? 1 : x < 0 ? -1 : 0;
      case RECIPROCAL -> 1 / x;
      case SQRT -> Math.sqrt(x);
      case RSQRT -> 1 / Math.sqrt(x);
      case EXP -> Math.exp(x);
      case EXP2 -> Math.pow(2, x);
      case EXPM1 -> Math.expm1(x);
      case LOG -> Math.log(x);
      case LOG1P -> Math.log1p(x);
      case LOG2 -> log2(x);
      case LOG10 -> Math.log10(x);
      case SIN -> Math.sin(x);
      case COS -> Math.cos(x);
      case TAN -> Math.tan(x);
      case ASIN -> Math.asin(x);
      case ACOS -> Math.acos(x);
      case ATAN -> Math.atan(x);
      case SINH -> Math.sinh(x);
      case COSH -> Math.cosh(x);
      case TANH -> Math.tanh(x);
      case ASINH -> asinh(x);
      case ACOSH -> acosh(x);
      case ATANH -> Math.copySign(0.5 * Math.log1p(2 * Math.abs(x) / (1 - Math.abs(x))), x);
      case SIGMOID -> sigmoid(x);
      case SOFTPLUS -> Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
      case ERF -> erf(x);
      case ERFC -> erfc(x);
      case FLOOR -> Math.floor(x);
      case CEIL -> Math.ceil(x);
      case ROUND -> Math.rint(x);
      case TRUNC -> x < 0 ? Math.ceil(x) : Math.floor(x);
      case RELU -> x <= 0 ? 0 : x;
      case BIT_NOT ->
          throw new IllegalArgumentException(function + " is a function of whole numbers only");
      case LGAMMA -> Gamma.logarithm(x);
      case DIGAMMA -> Gamma.digamma(x);
      case TRIGAMMA -> Gamma.polygamma(1, x);
      case ERFINV -> Erf.inverse(x);
      case ERFCX -> erfcx(x);
      case NDTRI -> Erf.quantile(x);
      case BESSEL_J0 -> Bessel.j0(x);
      case BESSEL_J1 -> Bessel.j1(x);
      case BESSEL_Y0 -> Bessel.y0(x);
      case BESSEL_Y1 -> Bessel.y1(x);
      case BESSEL_I0 -> Bessel.i0(x);
      case BESSEL_I0E -> Bessel.i0e(x);
      case BESSEL_I1 -> Bessel.i1(x);
      case BESSEL_I1E -> Bessel.i1e(x);
      case BESSEL_K0 -> Bessel.k0(x);
      case BESSEL_K0E -> Bessel.k0e(x);
      case BESSEL_K1 -> Bessel.k1(x);
      case BESSEL_K1E -> Bessel.k1e(x);
      case AIRY -> Bessel.airy(x);
      case AIRY_PRIME -> Bessel.airyPrime(x);
    };
  }

  static long at(Function function, long x) {
    return switch (function) {
      case NEGATE -> -x;
      case ABS -> Math.abs(x);
      case SIGN -> Long.signum(x);
      case RELU -> Math.max(x, 0);
      case FLOOR, CEIL, ROUND, TRUNC -> x;
      case BIT_NOT -> ~x;
      default ->
          throw new IllegalArgumentException(
              function + " of a whole number must be computed in floating point");
    };
  }

  static double at(Arithmetic arithmetic, double a, double b) {
    return switch (arithmetic) {
      case PLUS -> a + b;
      case MINUS -> a - b;
      case TIMES -> a * b;
      case DIVIDED_BY -> a / b;
      case POWER -> a == 1 || (a == -1 && Double.isInfinite(b)) ? 1 : Math.pow(a, b);
      case MAXIMUM -> Math.max(a, b);
      case MINIMUM -> Math.min(a, b);
      case FMOD -> a % b;
      case REMAINDER -> remainder(a, b);
      case FLOOR_DIVIDE -> floorDivide(a, b);
      case ATAN2 -> Math.atan2(a, b);
      case HYPOT -> Math.hypot(a, b);
      case COPYSIGN -> Math.copySign(a, b);
      case POLYGAMMA -> Gamma.polygamma((long) a, b);
      case ZETA -> Gamma.zeta(a, b);
      case GAMMA_P -> Gamma.incomplete(a, b, false);
      case GAMMA_Q -> Gamma.incomplete(a, b, true);
      case CHEBYSHEV_T,
          CHEBYSHEV_U,
          CHEBYSHEV_V,
          CHEBYSHEV_W,
          HERMITE_H,
          HERMITE_HE,
          LAGUERRE,
          LEGENDRE ->
          polynomial(arithmetic, a, b, Double.MAX_VALUE);
      case BIT_AND, BIT_OR, BIT_XOR, SHIFT_LEFT, SHIFT_RIGHT, GCD, LCM ->
          throw new IllegalArgumentException(arithmetic + " is a function of whole numbers only");
    };
  }

  /// The value in double precision, rounded; what overflows on the way to it does so as in single precision.
  static float at(Arithmetic arithmetic, float a, float b) {
    return (float)
        switch (arithmetic) {
          case CHEBYSHEV_T,
              CHEBYSHEV_U,
              CHEBYSHEV_V,
              CHEBYSHEV_W,
              HERMITE_H,
              HERMITE_HE,
              LAGUERRE,
              LEGENDRE ->
              polynomial(arithmetic, a, b, Float.MAX_VALUE);
          default -> at(arithmetic, (double) a, (double) b);
        };
  }

  private static double polynomial(Arithmetic arithmetic, double x, double n, double largest) {
    return Orthogonal.at(Orthogonal.Kind.valueOf(arithmetic.name()), x, n, largest);
  }

  static long at(Arithmetic arithmetic, long a, long b) {
    return switch (arithmetic) {
      case PLUS -> a + b;
      case MINUS -> a - b;
      case TIMES -> a * b;
      case DIVIDED_BY -> a / divisor("div", b);
      case POWER -> power(a, b);
      case MAXIMUM -> Math.max(a, b);
      case MINIMUM -> Math.min(a, b);
      case FMOD -> a % divisor("fmod", b);
      case REMAINDER -> Math.floorMod(a, divisor("remainder", b));
      case FLOOR_DIVIDE -> Math.floorDiv(a, divisor("floorDivide", b));
      case COPYSIGN -> b < 0 ? -Math.abs(a) : Math.abs(a);
      case BIT_AND -> a & b;
      case BIT_OR -> a | b;
      case BIT_XOR -> a ^ b;
      case SHIFT_LEFT -> b < 0 || b > 63 ? 0 : a << b;
      case SHIFT_RIGHT -> b < 0 || b > 63 ? a >> 63 : a >> b;
      case GCD -> gcd(a, b);
      case LCM -> lcm(a, b);
      default ->
          throw new IllegalArgumentException(
              arithmetic + " of whole numbers must be computed in floating point");
    };
  }

  private static long divisor(String op, long b) {
    if (b == 0) {
      throw new ArgumentException(
          op
              + ": whole numbers must not be divided by 0, but a divisor is 0. Convert the tensors"
              + " with .to(DType.FLOAT32) for infinities.");
    }
    return b;
  }

  private static double log2(double x) {
    if (!(x > 0) || x == Double.POSITIVE_INFINITY) {
      return Math.log(x);
    }
    // Splitting off the exponent makes powers of two exact.
    double scaled = x < Double.MIN_NORMAL ? x * 0x1p54 : x;
    int exponent = Math.getExponent(scaled);
    double mantissa = Math.scalb(scaled, -exponent);
    if (mantissa > 1.4142135623730951) {
      mantissa /= 2;
      exponent++;
    }
    return (x < Double.MIN_NORMAL ? exponent - 54 : exponent) + Math.log(mantissa) / LN2;
  }

  private static double sigmoid(double x) {
    if (x >= 0) {
      return 1 / (1 + Math.exp(-x));
    }
    double e = Math.exp(x);
    return e / (1 + e);
  }

  private static double asinh(double x) {
    double t = Math.abs(x);
    double y = t > 1e150 ? Math.log(t) + LN2 : Math.log1p(t + t * t / (1 + Math.sqrt(t * t + 1)));
    return Math.copySign(y, x);
  }

  private static double acosh(double x) {
    double t = x - 1;
    if (x < 1) {
      return Double.NaN;
    }
    return x > 1e150 ? Math.log(x) + LN2 : Math.log1p(t + Math.sqrt(2 * t + t * t));
  }

  private static double remainder(double a, double b) {
    double r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
  }

  /// PyTorch's `div_floor`, which is Python's: exact even where `a / b` would round up to a whole number.
  private static double floorDivide(double a, double b) {
    if (b == 0) {
      return a / b;
    }
    double r = a % b;
    double quotient = (a - r) / b;
    if (r != 0 && (r < 0) != (b < 0)) {
      quotient -= 1;
    }
    if (quotient == 0) {
      return Math.copySign(0, a / b);
    }
    double floor = Math.floor(quotient);
    return quotient - floor > 0.5 ? floor + 1 : floor;
  }

  private static long gcd(long a, long b) {
    long x = Math.abs(a);
    long y = Math.abs(b);
    while (x != 0) {
      long rest = y % x;
      y = x;
      x = rest;
    }
    return y;
  }

  private static long lcm(long a, long b) {
    long divisor = gcd(a, b);
    return divisor == 0 ? 0 : Math.abs(a / divisor * b);
  }

  private static long power(long base, long exponent) {
    if (exponent < 0) {
      return base == 1 ? 1 : base == -1 ? ((exponent & 1) == 0 ? 1 : -1) : 0;
    }
    long result = 1;
    for (long e = exponent, square = base; e != 0; e >>= 1, square *= square) {
      if ((e & 1) != 0) {
        result *= square;
      }
    }
    return result;
  }

  private static final double[] PP = {
    1.28379167095512558561e-01,
    -3.25042107247001499370e-01,
    -2.84817495755985104766e-02,
    -5.77027029648944159157e-03,
    -2.37630166566501626084e-05
  };
  private static final double[] QQ = {
    1,
    3.97917223959155352819e-01,
    6.50222499887672944485e-02,
    5.08130628187576562776e-03,
    1.32494738004321644526e-04,
    -3.96022827877536812320e-06
  };
  private static final double[] PA = {
    -2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
    3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02,
    -2.16637559486879084300e-03
  };
  private static final double[] QA = {
    1,
    1.06420880400844228286e-01,
    5.40397917702171048937e-01,
    7.18286544141962662868e-02,
    1.26171219808761642112e-01,
    1.36370839120290507362e-02,
    1.19844998467991074170e-02
  };
  private static final double[] RA = {
    -9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
    -6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02,
    -8.12874355063065934246e+01, -9.81432934416914548592e+00
  };
  private static final double[] SA = {
    1,
    1.96512716674392571292e+01,
    1.37657754143519042600e+02,
    4.34565877475229228821e+02,
    6.45387271733267880336e+02,
    4.29008140027567833386e+02,
    1.08635005541779435134e+02,
    6.57024977031928170135e+00,
    -6.04244152148580987438e-02
  };
  private static final double[] RB = {
    -9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
    -1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03,
    -4.83519191608651397019e+02
  };
  private static final double[] SB = {
    1,
    3.03380607434824582924e+01,
    3.25792512996573918826e+02,
    1.53672958608443695994e+03,
    3.19985821950859553908e+03,
    2.55305040643316442583e+03,
    4.74528541206955367215e+02,
    -2.24409524465858183362e+01
  };
  private static final double ERX = 8.45062911510467529297e-01;

  private static double erf(double x) {
    double t = Math.abs(x);
    if (t < 0.84375) {
      return t < 0x1p-28 ? x + x * 1.28379167095512586316e-01 : x + x * small(x);
    }
    double y = t < 1.25 ? ERX + middle(t) : t >= 6 ? 1 : 1 - tail(t);
    return Math.copySign(Double.isNaN(x) ? x : y, x);
  }

  private static double erfc(double x) {
    double t = Math.abs(x);
    if (Double.isNaN(x)) {
      return x;
    }
    if (t < 0.84375) {
      double y = x * small(x);
      return x < 0.25 ? 1 - (x + y) : 0.5 - (x - 0.5 + y);
    }
    if (t < 1.25) {
      return x > 0 ? 1 - ERX - middle(t) : 1 + (ERX + middle(t));
    }
    return x > 0 ? (t < 28 ? tail(t) : 0) : (t < 6 ? 2 - tail(t) : 2);
  }

  private static double small(double x) {
    return Gamma.polynomial(x * x, PP) / Gamma.polynomial(x * x, QQ);
  }

  private static double middle(double t) {
    return Gamma.polynomial(t - 1, PA) / Gamma.polynomial(t - 1, QA);
  }

  /// The exponent of `t exp(t²) erfc(t)`, less 0.5625.
  private static double tailRatio(double t) {
    double s = 1 / (t * t);
    return t < 1 / 0.35
        ? Gamma.polynomial(s, RA) / Gamma.polynomial(s, SA)
        : Gamma.polynomial(s, RB) / Gamma.polynomial(s, SB);
  }

  /// `exp(x²) erfc(x)`, without overflow for large `x`.
  private static double erfcx(double x) {
    double t = Math.abs(x);
    if (x >= 26) {
      // The asymptotic series: the next term is below 1e-16.
      double s = 1 / (2 * x * x);
      double series = 1 - s * (1 - 3 * s * (1 - 5 * s * (1 - 7 * s * (1 - 9 * s))));
      return series / (x * Math.sqrt(Math.PI));
    }
    if (x >= 1.25) {
      return Math.exp(tailRatio(t) - 0.5625) / t;
    }
    // The square in two parts, so that its rounding does not show in the exponential.
    double square = x * x;
    double e = Math.exp(square);
    if (Double.isInfinite(e)) {
      return e;
    }
    double scale = e * (1 + Math.fma(x, x, -square));
    return !(x <= -1.25) ? scale * erfc(x) : 2 * scale - (x < -26 ? 0 : erfcx(t));
  }

  private static double tail(double t) {
    double ratio = tailRatio(t);
    // exp(-x²) loses bits for large x²: split x into an upper part whose square is exact
    double z = Double.longBitsToDouble(Double.doubleToRawLongBits(t) & 0xffffffff00000000L);
    return Math.exp(-z * z - 0.5625) * Math.exp((z - t) * (z + t) + ratio) / t;
  }
}
