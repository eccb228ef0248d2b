package taper.cpu.x86;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Memory;
import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula.Comparison;

/// `xʸ`, as the exponential of `y` times the logarithm of `|x|`.
///
/// Under AVX-512 the logarithm needs no division: `|x| = 2ᵏ m` with `m` in ¾ … 1½, and a permutation looks up a short number
/// near `1 / m` for one of seven intervals, around multiples of ⅛ [1]. Their product is `1 + r` with a small `r`, whose
/// logarithm is a polynomial; that of the short number comes from another table. The interval around 1 has 1, so that
/// logarithms near 0 keep their digits.
///
/// In `float32` all this is done in `float64`. In `float64` the logarithm is a sum of two numbers, since an exponent may
/// multiply its error by 700: products with the short number, the square of `r` and all sums of large terms keep what they
/// round off; only the polynomial from `r³` on does not.
///
/// Signs and special numbers (C11, F.10.4.4) are rare ([Rare]).
///
/// - [1] Tang: "Table-driven implementation of the logarithm function in IEEE floating-point arithmetic", ACM Transactions on
///   Mathematical Software 16 (1990).
final class PowerFunction {
  /// Near the reciprocals of 8/8, 9/8 … 12/8 of which the last interval is half, an unused one, 6/8 and 7/8.
  private static final double[] RECIPROCALS = {
    1, 57 / 64.0, 51 / 64.0, 93 / 128.0, 87 / 128.0, 1, 41 / 32.0, 73 / 64.0
  };

  private static final double LN2_HIGH = 6.93147180369123816490e-01;
  private static final double LN2_LOW = 1.90821492927058770002e-10;

  private PowerFunction() {}

  /// `xʸ`, or null if this type has it only in Java.
  static @Nullable Value of(Lane l, Value x, Value y) {
    Value magnitude = l.abs(x);
    if (l.program().isa() != Isa.AVX512) {
      return l.isWide() ? null : special(l, x, y, byQuotient(l, magnitude, y));
    }
    Value power;
    if (l.isWide()) {
      power = wide(l, magnitude, y);
    } else {
      var d = new Lane(l.program(), true);
      Value low = single(d, Functions.widen(l, magnitude, 0), Functions.widen(l, y, 0));
      Value high = single(d, Functions.widen(l, magnitude, 1), Functions.widen(l, y, 1));
      power = Functions.narrow(l, low, high);
    }
    // As a whole number without sign, above infinity: NaN, or the sign of x.
    Value test = l.or(power, l.and(x, l.signBit()));
    return Rare.where(
        l,
        l.isWide() ? Instruction.VPCMPUQ : Instruction.VPCMPUD,
        5, // at least
        test,
        l.bits(
            l.isWide()
                ? Double.doubleToRawLongBits(Double.POSITIVE_INFINITY) + 1
                : Float.floatToRawIntBits(Float.POSITIVE_INFINITY) + 1),
        power,
        (inner, v) -> special(inner, v[0], v[1], v[2]),
        x,
        y,
        power);
  }

  // ---- the logarithm's argument

  /// `2ᵏ m`, and the interval of `m` in the lowest bits.
  private record Split(Value k, Value m, Value interval) {}

  private static Split split(Lane l, Value x) {
    Program p = l.program();
    Value m = p.one(Instruction.VGETMANTPD, 0b01_11, x);
    Value exponent = p.one(Instruction.VGETEXPPD, x);
    Value k = l.sub(exponent, p.one(Instruction.VGETEXPPD, m));
    return new Split(k, m, l.add(m, 0x1.8p49));
  }

  private static Value lookedUp(Lane l, Value interval, DoubleUnaryOperator table) {
    long[] bits = new long[RECIPROCALS.length];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = Double.doubleToRawLongBits(table.applyAsDouble(RECIPROCALS[i]));
    }
    Program p = l.program();
    return p.custom(
        (a, d, s) ->
            a.emit(
                Instruction.VPERMPD_VECTOR,
                p.isa().vector(d),
                p.isa().vector(s[0]),
                Memory.at(a.longs(bits))),
        interval);
  }

  // ---- float32

  /// In `float64`, for a result in `float32`.
  private static Value single(Lane l, Value x, Value y) {
    Program p = l.program();
    Split split = split(l, x);
    Value r = l.fma(split.m, lookedUp(l, split.interval, c -> c), l.constant(-1));
    Value q =
        l.polynomial( // log₂(1 + r) / r, minimax, error 2⁻³⁵
            r,
            1.44269504088683,
            -0.7213475235547713,
            0.4808983568564175,
            -0.36066914604015604,
            0.2885313777179412,
            -0.24215890537506568,
            0.20805584306177552);
    Value whole = l.add(split.k, lookedUp(l, split.interval, c -> -log2(c)));
    Value e = l.clamp(l.mul(y, l.fma(r, q, whole)), -200, 200);
    Value n = l.round(e, 0);
    Value power =
        l.polynomial( // minimax, relative error 2⁻²⁹
            l.sub(e, n),
            1.0000000005541556,
            0.6931472057373329,
            0.24022646890650354,
            0.0555032877681101,
            0.00961848895567845,
            0.0013399931274398111,
            0.0001534581241236948);
    return p.two(Instruction.VSCALEFPD, power, n);
  }

  private static double log2(double x) {
    return x == 1 ? 0 : Math.log(x) / Math.log(2);
  }

  /// Without AVX-512, for `float32`.
  private static Value byQuotient(Lane l, Value x, Value y) {
    var d = new Lane(l.program(), true);
    Value[] halves = new Value[2];
    for (int i = 0; i < 2; i++) {
      Value logarithm = Functions.logWide(d, Functions.widen(l, x, i), null);
      halves[i] = Functions.exp(d, d.mul(logarithm, Functions.widen(l, y, i)));
    }
    return Functions.narrow(l, halves[0], halves[1]);
  }

  // ---- float64

  private static Value wide(Lane l, Value x, Value y) {
    Split split = split(l, x);
    Value c = lookedUp(l, split.interval, v -> v);
    Value product = l.mul(split.m, c);
    Value productRest = l.fms(split.m, c, product);
    Value r = l.sub(product, l.constant(1));
    Value square = l.mul(r, r);
    Value squareRest = l.fms(r, r, square);
    Value q =
        l.polynomial( // (log(1 + r) - r + r²/2) / r³, minimax, error 2⁻⁶⁹ of r
            r,
            0.3333333333333333,
            -0.24999999999999994,
            0.20000000000004856,
            -0.16666666666678584,
            0.14285714279835562,
            -0.12499999989151145,
            0.11111114371315088,
            -0.10000004827882608,
            0.09089997131684474,
            -0.0833220353822795,
            0.07817462785143542,
            -0.07276364026538833);
    // From large to small; each sum with what it rounds off.
    Value whole =
        l.fma(
            split.k,
            l.constant(LN2_HIGH),
            lookedUp(l, split.interval, PowerFunction::logarithmHigh));
    Value sum = l.add(whole, r);
    Value rest = l.add(l.sub(whole, sum), r);
    Value half = l.mul(square, 0.5);
    Value high = l.sub(sum, half);
    rest = l.add(rest, l.sub(l.sub(sum, high), half));
    Value low = lookedUp(l, split.interval, PowerFunction::logarithmLow);
    low = l.fma(split.k, l.constant(LN2_LOW), low);
    low = l.fnma(squareRest, l.constant(0.5), low);
    // What the product rounded off, divided by 1 + r: times (1 - r) (1 + r²).
    Value below = l.fnma(r, productRest, productRest);
    low = l.add(low, l.fma(below, square, below));
    low = l.fma(l.mul(r, square), q, l.add(low, rest));
    Value logarithm = l.add(high, low);
    Value logarithmRest = l.add(l.sub(high, logarithm), low);
    Value e = l.mul(y, logarithm);
    Value eRest = l.fma(y, logarithmRest, l.fms(y, logarithm, e));
    // Where the power is 0 or infinite, the rest may be anything, and must not matter.
    eRest = l.min(l.max(eRest, l.constant(-0.01)), l.constant(0.01));
    return Functions.exp(l, e, eRest);
  }

  /// The logarithm of a short number's reciprocal, to 40 binary places, so that multiples of ln 2 are added exactly.
  private static double logarithmHigh(double c) {
    return Math.rint(-Math.log(c) * 0x1p40) * 0x1p-40;
  }

  private static double logarithmLow(double c) {
    return exactLogarithm(c).negate().subtract(new BigDecimal(logarithmHigh(c))).doubleValue();
  }

  /// By the series of `2 artanh((c - 1) / (c + 1))`.
  private static BigDecimal exactLogarithm(double c) {
    var precision = new MathContext(50);
    var z = new BigDecimal(c - 1).divide(new BigDecimal(c + 1), precision);
    var square = z.multiply(z, precision);
    var sum = BigDecimal.ZERO;
    for (int i = 1; i < 60; i += 2) {
      sum = sum.add(z.divide(new BigDecimal(i), precision));
      z = z.multiply(square, precision);
    }
    return sum.multiply(BigDecimal.TWO);
  }

  // ---- special numbers

  /// C11, F.10.4.4, from the power of `|x|`.
  private static Value special(Lane l, Value x, Value y, Value powerOfMagnitude) {
    Value magnitude = l.abs(x);
    Value power = l.isWide() ? ends(l, magnitude, y, powerOfMagnitude) : powerOfMagnitude;
    Value one = l.constant(1);
    Value halfOfY = l.mul(y, 0.5);
    // Odd whole exponents keep the sign of x; broken ones of negative numbers are NaN.
    Value odd =
        l.select(
            l.round(y, 0),
            Comparison.EQUAL,
            y,
            l.select(l.round(halfOfY, 0), Comparison.EQUAL, halfOfY, power, l.withSign(power, x)),
            l.select(
                x,
                Comparison.LESS,
                0,
                l.select(x, Comparison.EQUAL, -Functions.INFINITY, power, l.constant(Double.NaN)),
                power));
    Value result = l.select(y, Comparison.EQUAL, 0, one, odd);
    result = l.select(x, Comparison.EQUAL, one, one, result);
    // (-1)^±∞
    Value unit = l.select(l.abs(y), Comparison.EQUAL, Functions.INFINITY, one, result);
    return l.select(magnitude, Comparison.EQUAL, one, unit, result);
  }

  /// Powers of 0 and infinity, and infinite exponents: 0 or infinity.
  private static Value ends(Lane l, Value x, Value y, Value power) {
    Value zero = l.constant(0);
    Value infinity = l.constant(Functions.INFINITY);
    Value rising = l.select(y, Comparison.GREATER, 0, infinity, zero);
    Value falling = l.select(y, Comparison.GREATER, 0, zero, infinity);
    Value byY = l.select(x, Comparison.LESS, 1, falling, rising);
    Value result = l.select(l.abs(y), Comparison.EQUAL, infinity, byY, power);
    result = l.select(x, Comparison.EQUAL, 0, falling, result);
    result = l.select(x, Comparison.EQUAL, infinity, rising, result);
    return l.ifNan(x, x, l.ifNan(y, y, result));
  }
}
