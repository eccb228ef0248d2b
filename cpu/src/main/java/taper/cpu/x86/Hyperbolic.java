package taper.cpu.x86;

import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula.Comparison;

/// The hyperbolic functions and their inverses, in `float64`, after [1]: sums of exponentials that do not cancel, and
/// logarithms of `1 + …`.
///
/// - [1] Sun Microsystems: fdlibm, `e_sinh.c`, `e_cosh.c`, `s_asinh.c`, `e_acosh.c`, `e_atanh.c`.
final class Hyperbolic {
  /// Above it `eˣ / 2` is the result, and may only be built from the root of it.
  private static final double LARGE = 709;

  /// Above it the square is all that counts under the root.
  private static final double HUGE = 0x1p28;

  private Hyperbolic() {}

  static Value sinh(Lane l, Value x) {
    Value magnitude = l.abs(x);
    Value t = Functions.expm1(l, l.min(l.constant(LARGE), magnitude));
    Value y = l.mul(l.add(t, l.div(t, l.add(t, 1))), 0.5);
    y = l.select(magnitude, Comparison.GREATER, LARGE, large(l, magnitude), y);
    return l.ifNan(x, x, l.withSign(y, x));
  }

  static Value cosh(Lane l, Value x) {
    Value magnitude = l.abs(x);
    Value e = Functions.exp(l, l.min(l.constant(LARGE), magnitude));
    Value y = l.mul(l.add(e, l.div(l.constant(1), e)), 0.5);
    y = l.select(magnitude, Comparison.GREATER, LARGE, large(l, magnitude), y);
    return l.ifNan(x, magnitude, y);
  }

  private static Value large(Lane l, Value magnitude) {
    Value root = Functions.exp(l, l.mul(magnitude, 0.5));
    return l.mul(l.mul(root, 0.5), root);
  }

  static Value asinh(Lane l, Value x) {
    Value magnitude = l.abs(x);
    Value capped = l.min(l.constant(HUGE), magnitude);
    Value square = l.mul(capped, capped);
    Value root = l.sqrt(l.add(square, 1));
    Value y = Functions.log1p(l, l.add(capped, l.div(square, l.add(root, 1))));
    return l.ifNan(x, x, l.withSign(orLogarithm(l, magnitude, y), x));
  }

  static Value acosh(Lane l, Value x) {
    Value t = l.sub(l.min(l.constant(HUGE), x), l.constant(1));
    Value y = Functions.log1p(l, l.add(t, l.sqrt(l.fma(t, t, l.add(t, t)))));
    y = orLogarithm(l, x, y);
    return l.select(x, Comparison.LESS, 1, l.constant(Double.NaN), l.ifNan(x, x, y));
  }

  /// `log 2x` where `x` is large.
  private static Value orLogarithm(Lane l, Value x, Value y) {
    Value logarithm = l.add(Functions.logWide(l, x, null), Functions.LN2);
    return l.select(x, Comparison.GREATER, HUGE, logarithm, y);
  }

  static Value atanh(Lane l, Value x) {
    Value magnitude = l.abs(x);
    Value quotient = l.div(l.add(magnitude, magnitude), l.sub(l.constant(1), magnitude));
    Value y = l.mul(Functions.log1p(l, quotient), 0.5);
    return l.ifNan(x, x, l.withSign(y, x));
  }
}
