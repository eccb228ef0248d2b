package taper.tensor.internal;

import taper.tensor.spi.Formula;

/// The inverse error function as PyTorch computes it, and the error function that it needs.
///
/// Stateless.
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
}
