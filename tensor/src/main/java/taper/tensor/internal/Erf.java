package taper.tensor.internal;

/// The inverse error function as PyTorch computes it, and the error function that it needs.
///
/// Stateless.
public final class Erf {
  /*
   * erf follows fdlibm's s_erf.c [1], error below 1 ulp: four ranges of |x| with a rational
   * approximation each. erfinv is PyTorch's calc_erfinv: a rational first guess and two steps of
   * Newton's method, in the precision of the type.
   *
   * [1] Sun Microsystems 1993, fdlibm, s_erf.c.
   */
  private static final double ERX = 8.45062911510467529297e-01;
  private static final double EFX = 1.28379167095512586316e-01;
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

  private static final double TWO_OVER_SQRT_PI = 2.0 / Math.sqrt(Math.PI);
  private static final float TWO_OVER_SQRT_PI_FLOAT = 2f / (float) Math.sqrt(Math.PI);

  private Erf() {}

  /// The error function of `x`.
  public static double erf(double x) {
    if (Double.isNaN(x)) {
      return x;
    }
    double abs = Math.abs(x);
    if (abs < 0.84375) {
      if (abs < 0x1p-28) {
        return x + EFX * x;
      }
      double z = x * x;
      return x + x * (polynomial(PP, z) / polynomial(QQ, z));
    }
    double value;
    if (abs < 1.25) {
      double s = abs - 1;
      value = ERX + polynomial(PA, s) / polynomial(QA, s);
    } else if (abs >= 6) {
      value = 1;
    } else {
      double s = 1 / (abs * abs);
      double ratio =
          abs < 1 / 0.35
              ? polynomial(RA, s) / polynomial(SA, s)
              : polynomial(RB, s) / polynomial(SB, s);
      // exp(-x²) loses bits for large x²: split x into an upper part whose square is exact
      double z = Double.longBitsToDouble(Double.doubleToRawLongBits(abs) & 0xffffffff00000000L);
      double r = Math.exp(-z * z - 0.5625) * Math.exp((z - abs) * (z + abs) + ratio);
      value = 1 - r / abs;
    }
    return Math.copySign(value, x);
  }

  private static double polynomial(double[] coefficients, double x) {
    double sum = coefficients[coefficients.length - 1];
    for (int i = coefficients.length - 2; i >= 0; i--) {
      sum = sum * x + coefficients[i];
    }
    return sum;
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
}
