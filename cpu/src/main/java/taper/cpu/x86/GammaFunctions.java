package taper.cpu.x86;

import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula.Comparison;

/// The logarithm of the gamma function and its derivatives, in `float64` for `float32` results.
///
/// From 8 on they are Stirling's series. Arguments below 8 are moved up by eight steps of `Γ(a + 1) = a Γ(a)` at once: with
/// `q = a (a + 7)` the product of `a … a + 7` is `q (q + 6) (q + 10) (q + 12)`, and the sum of the reciprocals is its
/// derivative divided by it. The logarithm is reduced to 2 … 3 below 3 instead, so that it keeps its digits around its zeros
/// at 1 and 2. Negative arguments are reflected; sine and cosine of `π t`, for `t` in -½ … ½, are Taylor series.
///
/// Source: Sun Microsystems: fdlibm, `e_lgamma_r.c`: coefficients; Abramowitz, Stegun, 6.1, 6.3.
final class GammaFunctions {
  private static final double[] STIRLING = {
    8.33333333333329678849e-02, -2.77777777728775536470e-03, 7.93650558643019558500e-04,
    -5.95187557450339963135e-04, 8.36339918996282139126e-04, -1.63092934096575273989e-03
  };
  private static final double[] FROM_2_ABOVE = {
    -7.72156649015328655494e-02, 2.14982415960608852501e-01, 3.25778796408930981787e-01,
    1.46350472652464452805e-01, 2.66422703033638609560e-02, 1.84028451407337715652e-03,
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
  private static final double[] DIGAMMA = {
    1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12, -3617.0 / 8160
  };
  private static final double[] TRIGAMMA = {
    1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510
  };
  private static final double[] SINE = circular(1);
  private static final double[] COSINE = circular(0);

  private GammaFunctions() {}

  /// The Taylor series of `sin(π t) / t` or `cos(π t)` in `t²`.
  private static double[] circular(int first) {
    double[] c = new double[12];
    double term = first == 0 ? 1 : Math.PI;
    for (int k = 0; k < c.length; k++) {
      c[k] = term;
      int n = 2 * k + first;
      term *= -Math.PI * Math.PI / ((n + 1) * (n + 2));
    }
    return c;
  }

  static Value lgamma(Lane l, Value x) {
    Value a = l.abs(x);
    Value one = l.constant(1);
    // a ≥ 3
    Value q = l.mul(a, l.add(a, 7));
    Value product = l.mul(l.mul(q, l.add(q, 6)), l.mul(l.add(q, 10), l.add(q, 12)));
    Value y = l.select(a, Comparison.LESS, 8, l.add(a, 8), a);
    Value z = l.div(one, y);
    Value series = l.polynomial(l.mul(z, z), STIRLING);
    Value rest = l.fma(z, series, l.constant(4.18938533204672725052e-01));
    Value stirling = l.fma(l.add(y, -0.5), l.add(Functions.logWide(l, y, null), -1), rest);
    // a < 3
    Value below1 = l.select(a, Comparison.LESS, 1, a, l.add(a, -1));
    Value s = l.select(a, Comparison.LESS, 2, below1, l.add(a, -2));
    Value ratio = l.div(l.polynomial(s, FROM_2_ABOVE), l.polynomial(s, FROM_2_BELOW));
    Value near = l.mul(s, l.add(ratio, 0.5));
    Value steps = l.select(a, Comparison.LESS, 1, l.mul(a, l.add(a, 1)), a);
    steps = l.select(a, Comparison.LESS, 2, steps, one);
    Value factor =
        l.select(a, Comparison.LESS, 3, steps, l.select(a, Comparison.LESS, 8, product, one));
    Value value =
        l.sub(l.select(a, Comparison.LESS, 3, near, stirling), Functions.logWide(l, factor, null));
    // x < 0
    Value t = l.sub(a, l.round(a, 0));
    Value sine = l.abs(l.mul(t, l.polynomial(l.mul(t, t), SINE)));
    Value reflected =
        l.sub(Functions.logWide(l, l.div(l.constant(Math.PI), l.mul(sine, a)), null), value);
    Value result = l.select(x, Comparison.LESS, 0, reflected, value);
    return l.select(a, Comparison.EQUAL, Double.POSITIVE_INFINITY, a, result);
  }

  static Value digamma(Lane l, Value x) {
    Value a = l.abs(x);
    Value one = l.constant(1);
    Value zero = l.constant(0);
    Value q = l.mul(a, l.add(a, 7));
    Value product = l.mul(l.mul(q, l.add(q, 6)), l.mul(l.add(q, 10), l.add(q, 12)));
    Value slope = l.mul(l.polynomial(q, 720, 504, 84, 4), l.add(l.add(a, a), 7));
    Value steps = l.select(a, Comparison.LESS, 8, l.div(slope, product), zero);
    Value y = l.select(a, Comparison.LESS, 8, l.add(a, 8), a);
    Value z = l.div(one, y);
    Value square = l.mul(z, z);
    Value series = l.fma(square, l.polynomial(square, DIGAMMA), l.mul(z, 0.5));
    Value value = l.sub(l.sub(Functions.logWide(l, y, null), series), steps);
    // x < 0: ψ(x) = ψ(a) + 1/a + π / tan(π a)
    Value t = l.sub(a, l.round(a, 0));
    Value tt = l.mul(t, t);
    Value cotangent = l.div(l.polynomial(tt, COSINE), l.mul(t, l.polynomial(tt, SINE)));
    Value reflected = l.fma(cotangent, l.constant(Math.PI), l.add(value, l.div(one, a)));
    reflected = l.select(t, Comparison.EQUAL, 0, l.constant(Double.NaN), reflected);
    Value result = l.select(x, Comparison.LESS, 0, reflected, value);
    Value pole = l.withSign(l.constant(Double.POSITIVE_INFINITY), l.negate(x));
    return l.select(x, Comparison.EQUAL, 0, pole, result);
  }

  /// The sum of the squares of the reciprocals is the square of their sum less `P'' / P`.
  static Value trigamma(Lane l, Value x) {
    Value a = l.abs(x);
    Value one = l.constant(1);
    Value zero = l.constant(0);
    Value q = l.mul(a, l.add(a, 7));
    Value product = l.mul(l.mul(q, l.add(q, 6)), l.mul(l.add(q, 10), l.add(q, 12)));
    Value inner = l.add(l.add(a, a), 7);
    Value outer = l.polynomial(q, 720, 504, 84, 4);
    Value sum = l.div(l.mul(outer, inner), product);
    Value second = l.fma(l.mul(inner, inner), l.polynomial(q, 504, 168, 12), l.add(outer, outer));
    Value steps = l.select(a, Comparison.LESS, 8, l.fms(sum, sum, l.div(second, product)), zero);
    Value y = l.select(a, Comparison.LESS, 8, l.add(a, 8), a);
    Value z = l.div(one, y);
    Value square = l.mul(z, z);
    Value series = l.fma(z, l.polynomial(square, TRIGAMMA), l.constant(0.5));
    Value value = l.add(l.fma(square, series, z), steps);
    // x < 0: ψ'(x) = π² / sin²(π a) + 1/a² - ψ'(a)
    Value t = l.sub(a, l.round(a, 0));
    Value sine = l.mul(t, l.polynomial(l.mul(t, t), SINE));
    Value ratio = l.div(l.constant(Math.PI), sine);
    Value inverse = l.div(one, a);
    Value reflected = l.fma(ratio, ratio, l.fms(inverse, inverse, value));
    Value result = l.select(x, Comparison.LESS, 0, reflected, value);
    return l.select(x, Comparison.EQUAL, 0, l.constant(Double.POSITIVE_INFINITY), result);
  }
}
