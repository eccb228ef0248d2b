package taper.cpu.x86;

import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula.Comparison;

/// The error function and its complement in `float64`.
///
/// `erfc(a) = exp(-a²) · g(q) / (1 + 2a)` for `a ≥ 0`, with `q = (a - 4) / (a + 4)`, which maps the half-line onto an
/// interval where `g` is smooth [1]. `g`, and `erf(x) / x` in `x²` near 0, are Chebyshev fits of our own: computed in 40
/// digits, with errors below 3e-10 (for `float32` results), 5e-19 and 2e-19.
///
/// - [1] Schonfelder: "Chebyshev Expansions for the Error and Related Functions", Mathematics of Computation 32 (1978).
final class ErrorFunctions {
  private static final double[] SCALED = {
    1.2329951187910768, -0.13962111731636637, 0.015379622201310499, 0.06809707505355217,
    -0.10103817757095751, 0.09373301427143942, -0.06633988384131533, 0.03715919524373238,
    -0.016156469703912713, 0.00509394220809932, -0.0008071551753261303, -0.00033916778843843734,
    8.988720457554115e-05
  };

  private static final double[] SCALED_WIDE = {
    1.2329951186255526, -0.13962111684056253, 0.015379652102620111, 0.06809705425469303,
    -0.10103906603632955, 0.09373283499833329, -0.06633036581154421, 0.03716751553787908,
    -0.016197734067039865, 0.005031969972225688, -0.0007577732147971718, -0.00019925664291065565,
    0.00015062131217624512, -2.4399505458525544e-05, -1.1220902504340601e-05, 5.710769473216913e-06,
    2.916445562939141e-07, -8.277591913537945e-07, 7.703495881102781e-08, 1.1328048304274549e-07,
    -1.9106294487779176e-08, -1.660879467182853e-08, 1.6868082625932292e-09, 2.1031095817570338e-09,
    2.9111659955327447e-10
  };

  private static final double[] NEAR_ZERO = {
    1.1283791670955126, -0.3761263890318375, 0.11283791670954879, -0.026866170645076792,
    0.0052239776248180145, -0.000854832698083379, 0.0001205533111164271, -1.4925595266831182e-05,
    1.6461000484121368e-06, -1.6350312701054695e-07, 1.4659775274047436e-08,
        -1.1372848856791674e-09,
    5.957176147748911e-11
  };

  private ErrorFunctions() {}

  static Value erf(Lane l, Value x) {
    Value magnitude = l.abs(x);
    Value small = l.mul(x, l.polynomial(l.mul(x, x), NEAR_ZERO));
    Value large = l.withSign(l.sub(l.constant(1), complement(l, magnitude, SCALED_WIDE, true)), x);
    return l.select(magnitude, Comparison.LESS, 1, small, l.ifNan(x, x, large));
  }

  /// To the digits of `float32`.
  static Value erfc(Lane l, Value x) {
    Value tail = complement(l, l.abs(x), SCALED, false);
    Value y = l.select(x, Comparison.LESS, 0, l.sub(l.constant(2), tail), tail);
    return l.ifNan(x, x, y);
  }

  /// `erfc(a)` for `a ≥ 0`.
  ///
  /// @param exact whether all digits are wanted, not only those of `float32`
  private static Value complement(Lane l, Value magnitude, double[] fit, boolean exact) {
    Value a = l.min(l.constant(28), magnitude);
    Value q = l.div(l.add(a, -4), l.add(a, 4));
    Value square = l.mul(a, a);
    Value e = Functions.exp(l, l.negate(square));
    if (exact) { // what the rounding of a² lost
      Value lost = l.fms(a, a, square);
      e = l.fnma(e, lost, e);
    }
    return l.mul(l.div(l.polynomial(q, fit), l.add(l.add(a, a), 1)), e);
  }
}
