package taper.cpu.x86;

import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Memory;
import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula.Function;

/// The error function in `float32` by a table that lies in vectors, for AVX-512.
///
/// `erf(t) / t` is smooth on all of 0 … 4, where `erf` reaches 1. In each of 16 intervals it is a polynomial of degree 5
/// in the distance from a centre, and a permutation looks up the coefficient of all 16 lanes at once. The centres are
/// those near the middle at which the function is almost a `float32` number [1], so that the leading coefficient is exact
/// and only the last addition and the product with `t` are rounded. The polynomials pass through the function at the
/// Chebyshev nodes of their interval.
///
/// - [1] Gal: "Computing elementary functions: a new approach for achieving high accuracy and good performance", Accurate
///   Scientific Computations, Lecture Notes in Computer Science 235 (1986).
final class ErrorTable {
  private static final int INTERVALS = 16;
  private static final int COEFFICIENTS = 6;
  private static final double SCALE = 3.8; // intervals per unit: those around 0/3.8 … 15/3.8
  private static final double END = 4;

  /// How far from a `float32` number the function may be at a centre, in units of its last place.
  private static final double NEAR = 1.0 / 64;

  private static final float[] CENTRES = new float[INTERVALS];
  private static final float[][] TABLE = new float[COEFFICIENTS][INTERVALS];

  static {
    for (int i = 0; i < INTERVALS; i++) {
      double low = Math.max(0, (i - 0.5) / SCALE);
      fit(i, low, (i + 0.5) / SCALE);
    }
  }

  private ErrorTable() {}

  private static double quotient(double t) {
    return Function.ERF.at(t) / t;
  }

  private static void fit(int interval, double low, double high) {
    float centre = (float) ((low + high) / 2);
    double there = quotient(centre);
    while (Math.abs((float) there - there) > NEAR * Math.ulp((float) there)) {
      centre = Math.nextUp(centre);
      there = quotient(centre);
    }
    double[] at = new double[COEFFICIENTS];
    double[] values = new double[COEFFICIENTS];
    for (int i = 0; i < COEFFICIENTS; i++) {
      double node = Math.cos((i + 0.5) * Math.PI / COEFFICIENTS);
      double t = (low + high + (high - low) * node) / 2;
      at[i] = t - centre;
      values[i] = quotient(t);
    }
    CENTRES[interval] = centre;
    double[] coefficients = interpolate(at, values);
    for (int i = 0; i < COEFFICIENTS; i++) {
      TABLE[i][interval] = (float) (i == 0 ? there : coefficients[i]);
    }
  }

  /// The coefficients of the polynomial through the points, from Newton's form. Overwrites `values`.
  private static double[] interpolate(double[] at, double[] values) {
    int n = at.length;
    for (int order = 1; order < n; order++) {
      for (int i = n - 1; i >= order; i--) {
        values[i] = (values[i] - values[i - 1]) / (at[i] - at[i - order]);
      }
    }
    double[] coefficients = new double[n];
    for (int i = n - 1; i >= 0; i--) {
      for (int j = n - 1; j > 0; j--) {
        coefficients[j] = coefficients[j - 1] - at[i] * coefficients[j];
      }
      coefficients[0] = values[i] - at[i] * coefficients[0];
    }
    return coefficients;
  }

  static Value erf(Lane l, Value x) {
    Value t = l.min(l.constant(END), l.abs(x));
    // The number of the interval, in the lowest bits.
    Value index = l.fma(t, l.constant(SCALE), l.constant(0x1.8p23));
    Value distance = l.sub(t, lookedUp(l, CENTRES, index));
    Value y = lookedUp(l, TABLE[COEFFICIENTS - 1], index);
    for (int i = COEFFICIENTS - 2; i >= 0; i--) {
      y = l.fma(y, distance, lookedUp(l, TABLE[i], index));
    }
    return l.withSign(l.min(l.constant(1), l.mul(y, t)), x);
  }

  private static Value lookedUp(Lane l, float[] table, Value index) {
    int[] bits = new int[table.length];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = Float.floatToRawIntBits(table[i]);
    }
    Program p = l.program();
    return p.custom(
        (a, d, s) ->
            a.emit(
                Instruction.VPERMPS,
                p.isa().vector(d),
                p.isa().vector(s[0]),
                Memory.at(a.ints(bits))),
        index);
  }
}
