package taper.cpu.x86;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;
import taper.cpu.assembler.Vector;
import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula.Comparison;

/// Sine, cosine and tangent.
///
/// **Ordinary angles** are reduced by subtracting a multiple of π/2 in three parts by fused steps [1], of which the first is
/// exact. Polynomials cover an eighth of a turn on each side. In `float64` (those of [2]) the angle is a sum of two numbers;
/// its second part of π/2 is short, so that its multiples, and the second part of the angle, are exact.
///
/// **Large angles** are rare ([Rare]), and reduced by Payne's and Hanek's method [3]. With `x = m · 2ᵉ`, the digits of 2/π
/// that make multiples of 4 times `x` are left out, and four groups of 52 of the digits that follow are multiplied with `x`
/// exactly, as sums of two numbers each. Groups begin at any multiple of 26 digits, so that one table of some 50 numbers
/// serves all exponents. The sum of the products is distilled by passes of exact additions [4], because angles near a
/// multiple of π/2 cancel almost all of it.
///
/// - [1] Cody, Waite: Software Manual for the Elementary Functions, 1980, chapter 8.
/// - [2] Sun Microsystems: fdlibm, `k_sin.c`, `k_cos.c`: coefficients in `float64`.
/// - [3] Payne, Hanek: "Radian reduction for trigonometric functions", SIGNUM 18 (1983).
/// - [4] Ogita, Rump, Oishi: "Accurate sum and dot product", SIAM Journal on Scientific Computing 26 (2005), algorithm 4.3.
final class Circular {
  /// Where larger angles begin.
  private static final double LARGE = 0x1p16;

  private static final double LARGE_WIDE = 0x1p20;

  private Circular() {}

  static Value sine(Lane l, Value x, boolean cosine) {
    return l.isWide() ? sineWide(l, x, cosine) : sineSingle(l, x, cosine);
  }

  // ---- float32

  private static Value sineSingle(Lane l, Value x, boolean cosine) {
    Value magnitude = l.abs(x);
    Value magic = l.constant(0x1.8p23);
    Value quarter = l.fma(magnitude, l.constant(2 / Math.PI), magic);
    Value n = l.sub(quarter, magic);
    Value r = magnitude;
    for (double part : Parts.SINGLE) {
      r = l.fnma(n, l.constant(part), r);
    }
    Value z = l.mul(r, r);
    // Minimax polynomials, up to 0.8.
    Value sin = l.polynomial(z, -0.166666538, 0.00833207089, -0.000195030691);
    sin = l.fma(l.mul(r, z), sin, r);
    Value cos =
        l.fma(
            z, l.polynomial(z, -0.5, 0.0416666195, -0.00138866017, 2.43751438e-05), l.constant(1));
    Value y = signed(l, x, quarter, sin, cos, cosine);
    return Rare.fromOn(
        l,
        magnitude,
        LARGE,
        y,
        (inner, inputs) ->
            Functions.inDouble(
                inner, inputs[0], (d, angle) -> signed(d, angle, large(d, angle), cosine)),
        x);
  }

  // ---- float64

  /// An angle less the nearest multiple of π/2, as a sum of two numbers; the number of the quarter in the lowest bits.
  private record Angle(Value quarter, Value high, Value low) {}

  private static Value sineWide(Lane l, Value x, boolean cosine) {
    return Rare.fromOn(
        l,
        l.abs(x),
        LARGE_WIDE,
        signed(l, x, ordinary(l, x), cosine),
        (inner, inputs) -> signed(inner, inputs[0], large(inner, inputs[0]), cosine),
        x);
  }

  /// The tangent in `float64`.
  static Value tangentWide(Lane l, Value x) {
    return Rare.fromOn(
        l,
        l.abs(x),
        LARGE_WIDE,
        quotient(l, x, ordinary(l, x)),
        (inner, inputs) -> quotient(inner, inputs[0], large(inner, inputs[0])),
        x);
  }

  /// The tangent in `float32`, by way of `float64`.
  static Value tangentSingle(Lane l, Value x) {
    Value y = Functions.inDouble(l, x, (d, angle) -> quotient(d, angle, brief(d, angle)));
    return Rare.fromOn(
        l,
        l.abs(x),
        LARGE,
        y,
        (inner, inputs) ->
            Functions.inDouble(inner, inputs[0], (d, angle) -> quotient(d, angle, large(d, angle))),
        x);
  }

  private static Angle ordinary(Lane l, Value x) {
    Value magnitude = l.abs(x);
    Value magic = l.constant(0x1.8p52);
    Value quarter = l.fma(magnitude, l.constant(2 / Math.PI), magic);
    Value n = l.sub(quarter, magic);
    Value first = l.fnma(n, l.constant(Parts.WHOLE[0]), magnitude);
    Value second = l.constant(Parts.ORDINARY[1]);
    Value high = l.fnma(n, second, first);
    Value low = l.fnma(n, second, l.sub(first, high));
    return new Angle(quarter, high, l.fnma(n, l.constant(Parts.ORDINARY[2]), low));
  }

  /// As [#ordinary], but in one number: enough for a result in `float32`.
  private static Angle brief(Lane l, Value x) {
    Value magic = l.constant(0x1.8p52);
    Value quarter = l.fma(l.abs(x), l.constant(2 / Math.PI), magic);
    Value n = l.sub(quarter, magic);
    Value first = l.fnma(n, l.constant(Parts.WHOLE[0]), l.abs(x));
    Value high = l.fnma(n, l.constant(Parts.WHOLE[1]), first);
    return new Angle(quarter, high, l.constant(0));
  }

  /// The sign of `x` and the quarter choose between sine and cosine of the angle that is left, and the sign.
  private static Value signed(
      Lane l, Value x, Value quarter, Value sin, Value cos, boolean cosine) {
    int top = l.isWide() ? 63 : 31;
    Value shifted = cosine ? l.addBits(quarter, l.bits(1)) : quarter;
    Value choice = l.or(l.shiftLeft(shifted, top), l.constant(1));
    Value y = l.select(choice, Comparison.LESS, 0, cos, sin);
    Value sign = l.shiftLeft(shifted, top - 1);
    return l.xor(y, l.and(cosine ? sign : l.xor(sign, x), l.signBit()));
  }

  private static Value signed(Lane l, Value x, Angle angle, boolean cosine) {
    return signed(l, x, angle.quarter, sin(l, angle), cos(l, angle), cosine);
  }

  /// `sin / cos`, in odd quarters `-cos / sin`.
  private static Value quotient(Lane l, Value x, Angle angle) {
    Value sin = sin(l, angle);
    Value cos = cos(l, angle);
    Value odd = l.shiftLeft(angle.quarter, 63);
    Value choice = l.or(odd, l.constant(1));
    Value above = l.select(choice, Comparison.LESS, 0, cos, sin);
    Value below = l.select(choice, Comparison.LESS, 0, sin, cos);
    return l.xor(l.div(above, below), l.xor(odd, l.and(x, l.signBit())));
  }

  /// [2]
  private static Value sin(Lane l, Angle angle) {
    Value r = angle.high;
    Value z = l.mul(r, r);
    Value p =
        l.polynomial(
            z,
            -1.66666666666666324348e-01,
            8.33333333332248946124e-03,
            -1.98412698298579493134e-04,
            2.75573137070700676789e-06,
            -2.50507602534068634195e-08,
            1.58969099521155010221e-10);
    // The second part of the angle, times the cosine.
    Value low = l.fnma(l.mul(z, 0.5), angle.low, angle.low);
    return l.add(r, l.fma(l.mul(z, r), p, low));
  }

  /// [2]
  private static Value cos(Lane l, Angle angle) {
    Value r = angle.high;
    Value z = l.mul(r, r);
    Value p =
        l.polynomial(
            z,
            4.16666666666666019037e-02,
            -1.38888888888741095749e-03,
            2.48015872894767294178e-05,
            -2.75573143513906633035e-07,
            2.08757232129817482790e-09,
            -1.13596475577881948265e-11);
    Value half = l.mul(z, 0.5);
    Value one = l.constant(1);
    Value near = l.sub(one, half);
    Value lost = l.sub(l.sub(one, near), half);
    return l.add(near, l.fma(l.mul(z, z), p, l.fnma(r, angle.low, lost)));
  }

  // ---- large angles

  private static final int PRODUCTS = 4;

  /// How many passes of exact additions leave a sum that is right to the last bit whatever cancels.
  private static final int PASSES = 3;

  /// [3]
  private static Angle large(Lane l, Value x) {
    Value magnitude = l.abs(x);
    // The exponent as a number: put into the low bits of 2⁵².
    Value biased = l.or(l.shiftRight(magnitude, 52), l.constant(0x1p52));
    Value exponent = l.sub(biased, l.constant(0x1p52 + 1023));
    Value skipped = l.round(l.mul(l.sub(exponent, l.constant(53.5)), 1.0 / 26), 1);
    skipped = l.clamp(skipped, 0, 37);
    Value scaled = l.mul(magnitude, Functions.power(l, l.mul(skipped, -26)));
    Value index = l.and(l.add(skipped, 0x1p52), l.bits(63));
    var terms = new Value[2 * PRODUCTS - 1]; // from small to large
    for (int i = 0; i < PRODUCTS; i++) {
      Value digits = digits(l, index, 2 * i);
      Value product = l.mul(scaled, digits);
      Value rest = l.fms(scaled, digits, product);
      if (i == 0) {
        product = modulo4(l, product);
        rest = modulo4(l, rest);
      }
      int at = terms.length - 1 - 2 * i;
      terms[at] = product;
      if (at > 0) {
        terms[at - 1] = rest;
      }
      scaled = l.mul(scaled, 0x1p-52);
    }
    distil(l, terms);
    int last = terms.length - 1;
    Value quarter = l.add(terms[last], 0x1.8p52);
    terms[last] = l.sub(terms[last], l.sub(quarter, l.constant(0x1.8p52)));
    for (int i = 0; i < PASSES; i++) {
      distil(l, terms);
    }
    Value low = terms[0];
    for (int i = 1; i < last; i++) {
      low = l.add(low, terms[i]);
    }
    Value high = terms[last];
    Value right = l.constant(Parts.WHOLE[0]);
    Value r = l.mul(high, right);
    Value rest = l.fma(high, l.constant(Parts.WHOLE[1]), l.fms(high, right, r));
    return new Angle(quarter, r, l.fma(low, right, rest));
  }

  private static Value modulo4(Lane l, Value x) {
    return l.fnma(l.round(l.mul(x, 0.25), 0), l.constant(4), x);
  }

  /// Leaves the sum as it is, and most of it in the last term [4].
  private static void distil(Lane l, Value[] terms) {
    for (int i = 1; i < terms.length; i++) {
      Value x = terms[i];
      Value y = terms[i - 1];
      Value sum = l.add(x, y);
      Value back = l.sub(sum, x);
      terms[i - 1] = l.add(l.sub(x, l.sub(sum, back)), l.sub(y, back));
      terms[i] = sum;
    }
  }

  /// The group of digits that is `further` places after that of `index`.
  private static Value digits(Lane l, Value index, int further) {
    Program p = l.program();
    Isa isa = p.isa();
    return p.custom(
        (a, d, s) -> {
          Vector into = isa.vector(d);
          a.lea(Register.R11, a.longs(Parts.TWO_OVER_PI));
          Memory from = Memory.gather(Register.R11, isa.vector(s[0]), 8, 8 * further);
          if (isa == Isa.AVX512) {
            var all = Program.SCRATCH_MASK;
            a.emit(Instruction.KXNORW, all, all, all);
            a.emit(Instruction.VGATHERQPD, into.masked(all), from);
          } else {
            Vector all = isa.vector(p.scratch());
            a.emit(Instruction.VPCMPEQD, all, all, all);
            a.emit(Instruction.VGATHERQPD, into, from, all);
          }
        },
        index);
  }

  /// π and 2/π in parts.
  private static final class Parts {
    private static final MathContext PRECISION = new MathContext(420);
    private static final BigDecimal EXACT = machin();

    /// π/2, in `float32`.
    static final double[] SINGLE = parts(24, 24, 24);

    /// The second part leaves room for multiples up to 2²¹.
    static final double[] ORDINARY = parts(53, 32, 53);

    static final double[] WHOLE = parts(53, 53);

    /// Groups of 52 binary digits of 2/π, from every 26th on, as numbers below 1.
    static final long[] TWO_OVER_PI = groups();

    /// π/2 as numbers of so many bits.
    private static double[] parts(int... bits) {
      double[] parts = new double[bits.length];
      var rest = EXACT.divide(BigDecimal.TWO);
      for (int i = 0; i < parts.length; i++) {
        double nearest = rest.doubleValue();
        double unit = Math.scalb(1.0, Math.getExponent(nearest) + 1 - bits[i]);
        parts[i] = Math.rint(nearest / unit) * unit;
        rest = rest.subtract(new BigDecimal(parts[i]));
      }
      return parts;
    }

    private static long[] groups() {
      var ratio = BigDecimal.TWO.divide(EXACT, PRECISION);
      long[] groups = new long[64 + 2 * PRODUCTS];
      for (int i = 0; i < groups.length && i < 46; i++) {
        var shifted = ratio.multiply(new BigDecimal(BigInteger.TWO.pow(26 * i + 52)));
        long digits = shifted.toBigInteger().longValue() & (1L << 52) - 1;
        groups[i] = Double.doubleToRawLongBits(digits * 0x1p-52);
      }
      return groups;
    }

    /// π = 16 arctan(1/5) - 4 arctan(1/239).
    private static BigDecimal machin() {
      return arcTangent(5)
          .multiply(new BigDecimal(16))
          .subtract(arcTangent(239).multiply(new BigDecimal(4)));
    }

    private static BigDecimal arcTangent(int inverse) {
      var x = BigDecimal.ONE.divide(new BigDecimal(inverse), PRECISION);
      var square = x.multiply(x, PRECISION);
      var term = x;
      var sum = x;
      for (int i = 1; term.precision() - term.scale() > -PRECISION.getPrecision(); i++) {
        term = term.multiply(square, PRECISION).negate();
        sum = sum.add(term.divide(new BigDecimal(2 * i + 1), PRECISION));
      }
      return sum;
    }
  }
}
