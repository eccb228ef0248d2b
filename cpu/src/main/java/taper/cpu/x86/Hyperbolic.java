package taper.cpu.x86;

import taper.cpu.assembler.Instruction;
import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula.Comparison;

/// The hyperbolic functions and their inverses. In `float64`, and for `asinh` and `acosh` in both types, they follow [1]:
/// sums of exponentials that do not cancel, and logarithms of `1 + …`. The others have polynomials in `float32`.
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

  // ---- float32

  /// Near 0 a polynomial, further out half of the difference of the exponentials.
  static Value sinhSingle(Lane l, Value x) {
    Value magnitude = l.abs(x);
    Value half = Functions.halfExp(l, magnitude);
    Value far = l.sub(half, l.div(l.constant(0.25), half));
    Value z = l.mul(magnitude, magnitude);
    // Minimax, relative error 2⁻³⁴.
    Value p = l.polynomial(z, 0.166666672, 0.0083333496, 0.000198361595, 2.81695134e-06);
    Value near = l.fma(l.mul(magnitude, z), p, magnitude);
    return l.withSign(l.select(magnitude, Comparison.LESS, 1, near, far), x);
  }

  static Value coshSingle(Lane l, Value x) {
    Value half = Functions.halfExp(l, l.abs(x));
    return l.add(half, l.div(l.constant(0.25), half));
  }

  /// Up to ½ a polynomial. Beyond, half of the logarithm of `q = (1 + x) / (1 - x)`, with a power of two near `q` taken
  /// off: what is left is twice the inverse hyperbolic tangent of `(q - 2ᵏ) / (q + 2ᵏ)`, which is small.
  static Value atanhSingle(Lane l, Value x) {
    Program p = l.program();
    Value magnitude = l.abs(x);
    Value one = l.constant(1);
    Value rest = l.sub(one, magnitude);
    Value offset = l.subBits(rest, l.constant(1.25));
    Value k = p.one(Instruction.VCVTDQ2PS, p.one(Instruction.VPSRAD, 23, offset));
    Value scaled = l.subBits(rest, l.and(offset, l.bits(0xFF800000))); // 2ᵏ (1 - x), in 1¼ … 2½
    Value quotient =
        l.div(l.add(magnitude, l.sub(one, scaled)), l.add(magnitude, l.add(one, scaled)));
    Value far = l.constant(0.5);
    Value t = l.select(magnitude, Comparison.LESS, far, magnitude, quotient);
    k = l.select(magnitude, Comparison.LESS, far, l.constant(0), k);
    Value z = l.mul(t, t);
    Value series =
        l.polynomial( // minimax, relative error 2⁻²⁹
            z, 0.333333015, 0.200025186, 0.14222762, 0.118237294, 0.0513582528, 0.176691175);
    Value y = l.fma(l.mul(t, z), series, t);
    y = l.fnma(k, l.constant(Functions.LN2 / 2), y);
    Value beyond =
        l.select(
            magnitude,
            Comparison.EQUAL,
            one,
            l.constant(Functions.INFINITY),
            l.constant(Double.NaN));
    return l.withSign(l.select(magnitude, Comparison.LESS, one, y, beyond), x);
  }
}
