package taper.tensor.internal;

import java.util.Locale;
import taper.tensor.DTypeException;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Comparison;
import taper.tensor.spi.Formula.Function;

/// The functions of the scalar algebra over complex numbers, block by block.
///
/// Inverse functions and square roots are Kahan's, which keep the sign of zeros along branch cuts and do not cancel near
/// branch points [1]; quotients are Smith's, which do not overflow where the result does not [2].
///
/// [1] Kahan 1987, Branch cuts for complex elementary functions, or much ado about nothing's sign bit
///
/// [2] Smith 1962, Algorithm 116: Complex division
final class ComplexScalars {
  private static final double LN2 = 0.6931471805599453;
  private static final double LN10 = 2.302585092994046;

  private ComplexScalars() {}

  /// A place for the result of a function of one number.
  private static final class Cell {
    double re;
    double im;

    void set(double real, double imaginary) {
      re = real;
      im = imaginary;
    }
  }

  static boolean holds(Comparison comparison, double are, double aim, double bre, double bim) {
    return switch (comparison) {
      case EQUAL -> are == bre && aim == bim;
      case NOT_EQUAL -> are != bre || aim != bim;
      case LESS, LESS_EQUAL, GREATER, GREATER_EQUAL -> comparison.holds(are, bre);
    };
  }

  static void apply(
      Arithmetic arithmetic,
      double[] are,
      double[] aim,
      double[] bre,
      double[] bim,
      double[] re,
      double[] im,
      int count) {
    switch (arithmetic) {
      case PLUS -> {
        for (int i = 0; i < count; i++) {
          re[i] = are[i] + bre[i];
          im[i] = aim[i] + bim[i];
        }
      }
      case MINUS -> {
        for (int i = 0; i < count; i++) {
          re[i] = are[i] - bre[i];
          im[i] = aim[i] - bim[i];
        }
      }
      case TIMES -> {
        for (int i = 0; i < count; i++) {
          double real = are[i] * bre[i] - aim[i] * bim[i];
          im[i] = are[i] * bim[i] + aim[i] * bre[i];
          re[i] = real;
        }
      }
      case DIVIDED_BY -> {
        var cell = new Cell();
        for (int i = 0; i < count; i++) {
          quotient(are[i], aim[i], bre[i], bim[i], cell);
          re[i] = cell.re;
          im[i] = cell.im;
        }
      }
      case POWER -> {
        var cell = new Cell();
        for (int i = 0; i < count; i++) {
          power(are[i], aim[i], bre[i], bim[i], cell);
          re[i] = cell.re;
          im[i] = cell.im;
        }
      }
      default -> throw undefined(arithmetic);
    }
  }

  static void apply(
      Function function, double[] xre, double[] xim, double[] re, double[] im, int count) {
    if (function == Function.NEGATE) {
      for (int i = 0; i < count; i++) {
        re[i] = -xre[i];
        im[i] = -xim[i];
      }
      return;
    }
    if (function == Function.ABS) {
      for (int i = 0; i < count; i++) {
        re[i] = ReferenceComplex.abs(xre[i], xim[i]);
        im[i] = 0;
      }
      return;
    }
    var cell = new Cell();
    for (int i = 0; i < count; i++) {
      apply(function, xre[i], xim[i], cell);
      re[i] = cell.re;
      im[i] = cell.im;
    }
  }

  private static DTypeException undefined(Enum<?> function) {
    return new DTypeException(
        "%s: the numbers must be real, but are complex. Use real(), imag() or abs()."
            .formatted(function.name().toLowerCase(Locale.ROOT)));
  }

  private static void apply(Function function, double x, double y, Cell to) {
    switch (function) {
      case NEGATE -> to.set(-x, -y);
      case ABS -> to.set(ReferenceComplex.abs(x, y), 0);
      case SIGN -> {
        double size = ReferenceComplex.abs(x, y);
        if (size == 0) {
          to.set(0, 0);
        } else {
          to.set(x / size, y / size);
        }
      }
      case RECIPROCAL -> quotient(1, 0, x, y, to);
      case SQRT -> sqrt(x, y, to);
      case RSQRT -> {
        sqrt(x, y, to);
        quotient(1, 0, to.re, to.im, to);
      }
      case EXP -> exp(x, y, to);
      case EXP2 -> exp(x * LN2, y * LN2, to);
      case EXPM1 -> {
        double half = Math.sin(y / 2);
        double real = Math.expm1(x) * Math.cos(y) - 2 * half * half;
        to.set(real, Math.exp(x) * Math.sin(y));
      }
      case LOG -> log(x, y, to);
      case LOG1P -> {
        double angle = Math.atan2(y, 1 + x);
        to.set(0.5 * Math.log1p(x * x + 2 * x + y * y), angle);
        if (!(Math.abs(x) < 1e150 && Math.abs(y) < 1e150)) {
          log(1 + x, y, to);
        }
      }
      case LOG2 -> {
        log(x, y, to);
        to.set(to.re / LN2, to.im / LN2);
      }
      case LOG10 -> {
        log(x, y, to);
        to.set(to.re / LN10, to.im / LN10);
      }
      case SIN -> to.set(Math.sin(x) * Math.cosh(y), Math.cos(x) * Math.sinh(y));
      case COS -> to.set(Math.cos(x) * Math.cosh(y), -Math.sin(x) * Math.sinh(y));
      case TAN -> {
        tanh(-y, x, to);
        to.set(to.im, -to.re);
      }
      case SINH -> to.set(Math.sinh(x) * Math.cos(y), Math.cosh(x) * Math.sin(y));
      case COSH -> to.set(Math.cosh(x) * Math.cos(y), Math.sinh(x) * Math.sin(y));
      case TANH -> tanh(x, y, to);
      case ASIN -> asin(x, y, to);
      case ACOS -> acos(x, y, to);
      case ATAN -> {
        atanh(-y, x, to);
        to.set(to.im, -to.re);
      }
      case ASINH -> {
        asin(-y, x, to);
        to.set(to.im, -to.re);
      }
      case ACOSH -> acosh(x, y, to);
      case ATANH -> atanh(x, y, to);
      case SIGMOID -> {
        exp(x >= 0 ? -x : x, x >= 0 ? -y : y, to);
        double re = to.re;
        double im = to.im;
        if (x >= 0) {
          quotient(1, 0, 1 + re, im, to);
        } else {
          quotient(re, im, 1 + re, im, to);
        }
      }
      default -> throw undefined(function);
    }
  }

  private static void quotient(double a, double b, double c, double d, Cell to) {
    if (Math.abs(c) >= Math.abs(d)) {
      if (c == 0 && d == 0) {
        to.set(a / Math.abs(c), b / Math.abs(d));
        return;
      }
      double ratio = d / c;
      double scale = 1 / (c + d * ratio);
      to.set((a + b * ratio) * scale, (b - a * ratio) * scale);
    } else {
      double ratio = c / d;
      double scale = 1 / (c * ratio + d);
      to.set((a * ratio + b) * scale, (b * ratio - a) * scale);
    }
  }

  private static void exp(double x, double y, Cell to) {
    double size = Math.exp(x);
    if (y == 0) {
      to.set(size, y);
    } else if (size == 0 && !Double.isFinite(y)) {
      to.set(0, 0);
    } else {
      to.set(size * Math.cos(y), size * Math.sin(y));
    }
  }

  private static void log(double x, double y, Cell to) {
    double angle = Math.atan2(y, x);
    double big = Math.max(Math.abs(x), Math.abs(y));
    double small = Math.min(Math.abs(x), Math.abs(y));
    double squares = big * big + small * small;
    if (squares > 0.5 && squares < 3) {
      to.set(0.5 * Math.log1p((big - 1) * (big + 1) + small * small), angle);
    } else if (squares > 1e-280 && squares < 1e280) {
      to.set(0.5 * Math.log(squares), angle);
    } else {
      to.set(Math.log(Math.hypot(x, y)), angle);
    }
  }

  private static void sqrt(double x, double y, Cell to) {
    if (x == 0 && y == 0) {
      to.set(0, y);
    } else if (Double.isInfinite(y)) {
      to.set(Double.POSITIVE_INFINITY, y);
    } else {
      boolean large = Math.abs(x) > 1e300 || Math.abs(y) > 1e300;
      double scale = large ? 0.25 : 1;
      double root = Math.sqrt((Math.hypot(x * scale, y * scale) + Math.abs(x * scale)) / 2);
      double other = y * scale / (2 * root);
      double back = large ? 2 : 1;
      if (x >= 0) {
        to.set(root * back, other * back);
      } else {
        to.set(Math.abs(other) * back, Math.copySign(root, y) * back);
      }
    }
  }

  private static void tanh(double x, double y, Cell to) {
    if (Math.abs(x) > 22) { // tanh(x) is 1 in double precision
      double e = Math.exp(-2 * Math.abs(x));
      to.set(Math.copySign(1, x), 4 * Math.sin(y) * Math.cos(y) * e);
      return;
    }
    double t = Math.tan(y);
    double s = Math.sinh(x);
    double beta = 1 + t * t;
    double rho = Math.sqrt(1 + s * s);
    if (Double.isInfinite(t)) {
      to.set(rho / s, 1 / t);
    } else {
      double below = 1 + beta * s * s;
      to.set(beta * rho * s / below, t / below);
    }
  }

  private static double asinh(double x) {
    return Function.ASINH.at(x);
  }

  private static void asin(double x, double y, Cell to) {
    sqrt(1 - x, -y, to);
    double mre = to.re;
    double mim = to.im;
    sqrt(1 + x, y, to);
    double pre = to.re;
    double pim = to.im;
    to.set(Math.atan2(x, mre * pre - mim * pim), asinh(mre * pim - mim * pre));
  }

  private static void acos(double x, double y, Cell to) {
    sqrt(1 - x, -y, to);
    double mre = to.re;
    double mim = to.im;
    sqrt(1 + x, y, to);
    double pre = to.re;
    double pim = to.im;
    to.set(2 * Math.atan2(mre, pre), asinh(pre * mim - pim * mre));
  }

  private static void acosh(double x, double y, Cell to) {
    sqrt(x - 1, y, to);
    double mre = to.re;
    double mim = to.im;
    sqrt(x + 1, y, to);
    double pre = to.re;
    double pim = to.im;
    to.set(asinh(mre * pre + mim * pim), 2 * Math.atan2(mim, pre));
  }

  private static void atanh(double x, double y, Cell to) {
    double away = 1 - Math.abs(x);
    double size = Math.abs(x) < 1e150 && Math.abs(y) < 1e150 ? away * away + y * y : 0;
    double real =
        size == 0 && !(x == 0 && y == 0) && away != 0
            ? 0
            : Math.copySign(0.25 * Math.log1p(4 * Math.abs(x) / size), x);
    double imaginary =
        size == 0 && away != 0
            ? Math.copySign(Math.PI / 2, y)
            : 0.5 * Math.atan2(2 * y, (1 - x) * (1 + x) - y * y);
    to.set(real, imaginary);
  }

  private static void power(double are, double aim, double bre, double bim, Cell to) {
    if (bre == 0 && bim == 0) {
      to.set(1, 0);
    } else if (are == 0 && aim == 0) {
      to.set(bre > 0 || Double.isNaN(bre) ? 0 : Double.NaN, bre > 0 ? 0 : Double.NaN);
    } else if (bim == 0 && bre == Math.rint(bre) && Math.abs(bre) <= 64) {
      whole(are, aim, (int) bre, to);
    } else if (bim == 0 && aim == 0 && are > 0) {
      to.set(Math.pow(are, bre), 0);
    } else {
      log(are, aim, to);
      double re = to.re * bre - to.im * bim;
      double im = to.re * bim + to.im * bre;
      exp(re, im, to);
    }
  }

  private static void whole(double re, double im, int exponent, Cell to) {
    double sre = re;
    double sim = im;
    double rre = 1;
    double rim = 0;
    for (int e = Math.abs(exponent); e != 0; e >>= 1) {
      if ((e & 1) != 0) {
        double real = rre * sre - rim * sim;
        rim = rre * sim + rim * sre;
        rre = real;
      }
      double real = sre * sre - sim * sim;
      sim = 2 * sre * sim;
      sre = real;
    }
    if (exponent < 0) {
      quotient(1, 0, rre, rim, to);
    } else {
      to.set(rre, rim);
    }
  }
}
