package taper.cpu.x86;

import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Operand;
import taper.cpu.assembler.Register;
import taper.cpu.assembler.Vector;
import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Comparison;
import taper.tensor.spi.Formula.Function;

/// The functions of the scalar algebra as vector programs.
///
/// In `float32` every function is within 2 ulp of the true value on all inputs (most within 1), denormal
/// numbers, infinities and NaN included. Two ways lead there. The frequent ones (`exp`, `tanh`, `sigmoid`,
/// `erf`, `log`) are polynomials in `float32`. The others are computed in `float64` on both halves of the
/// vector and rounded once, which needs no care for the last bit. In `float64` the circular functions and
/// powers are missing; [#one] and [#two] answer null for them, and they run in Java. Inverse circular,
/// hyperbolic and error functions (that of `float32` under AVX-512, too) and divisions with remainder have classes of
/// their own.
///
/// Exponentials reduce the argument to `r = x - n ln 2` with `ln 2` in two parts [1] and multiply by `2ⁿ` in
/// two steps, so that results below the normal range are rounded once and not cut off. `n` is found by
/// adding `1.5 · 2²³` (or `2⁵²`), which leaves it in the low bits. Logarithms split off the exponent such
/// that the rest lies around 1.
///
/// - [1] Cody, Waite: Software Manual for the Elementary Functions, 1980, chapter 6.
/// - [2] Moshier: Cephes mathematical library, `logf.c`, `tanhf.c`: coefficients in `float32`.
/// - [3] Sun Microsystems: fdlibm, `e_log.c`, `s_log1p.c`, `k_sinf.c` (FreeBSD): coefficients in `float64`.
/// - [4] Juffa: `my_expf`, `my_erff` (Stack Overflow 29381117, 35148198): coefficients in `float32`.
/// - [5] Payne, Hanek: "Radian reduction for trigonometric functions", SIGNUM 18 (1983): reduction of large
///   angles with as many bits of 2/π as the exponent asks for; here a table with one entry an exponent.
final class Functions {
  static final double LN2 = 0.6931471805599453;
  private static final double INVERSE_LN2 = 1.4426950408889634;
  static final double INFINITY = Double.POSITIVE_INFINITY;

  private Functions() {}

  /// `function` of `x`, or null if this type has it only in Java.
  static @Nullable Value one(Lane l, Function function, Value x) {
    return switch (function) {
      case NEGATE -> l.negate(x);
      case ABS -> l.abs(x);
      case SIGN ->
          l.select(
              x,
              Comparison.GREATER,
              0,
              l.constant(1),
              l.select(x, Comparison.LESS, 0, l.constant(-1), l.constant(0)));
      case RECIPROCAL -> l.div(l.constant(1), x);
      case SQRT -> l.sqrt(x);
      case RSQRT -> l.div(l.constant(1), l.sqrt(x));
      case EXP -> exp(l, x);
      case EXPM1 -> expm1(l, x);
      case LOG -> l.isWide() ? logWide(l, x, null) : log(l, x);
      case LOG1P -> inDouble(l, x, Functions::log1p);
      case EXP2 -> inDouble(l, x, Functions::exp2);
      case LOG2 -> inDouble(l, x, (d, y) -> logWide(d, y, INVERSE_LN2));
      case LOG10 -> inDouble(l, x, (d, y) -> logWide(d, y, 0.4342944819032518));
      case SIN -> l.isWide() ? null : inDouble(l, x, (d, y) -> sine(d, y, false));
      case COS -> l.isWide() ? null : inDouble(l, x, (d, y) -> sine(d, y, true));
      case TAN -> l.isWide() ? null : inDouble(l, x, Functions::tangent);
      case ASIN -> inDouble(l, x, Inverses::asin);
      case ACOS -> inDouble(l, x, Inverses::acos);
      case ATAN -> inDouble(l, x, Inverses::atan);
      case SINH -> inDouble(l, x, Hyperbolic::sinh);
      case COSH -> inDouble(l, x, Hyperbolic::cosh);
      case ASINH -> inDouble(l, x, Hyperbolic::asinh);
      case ACOSH -> inDouble(l, x, Hyperbolic::acosh);
      case ATANH -> inDouble(l, x, Hyperbolic::atanh);
      case TANH -> l.isWide() ? tanhWide(l, x) : tanh(l, x);
      case SIGMOID -> sigmoid(l, x);
      case SOFTPLUS ->
          l.add(l.max(l.constant(0), x), inDouble(l, exp(l, l.negate(l.abs(x))), Functions::log1p));
      case ERF -> l.isWide() ? ErrorFunctions.erf(l, x) : erf(l, x);
      case ERFC -> l.isWide() ? null : inDouble(l, x, ErrorFunctions::erfc);
      case FLOOR -> l.round(x, 1);
      case CEIL -> l.round(x, 2);
      case ROUND -> l.round(x, 0);
      case TRUNC -> l.round(x, 3);
      case RELU -> l.max(l.constant(0), x);
      case LGAMMA -> l.isWide() ? null : inDouble(l, x, GammaFunctions::lgamma);
      case DIGAMMA -> l.isWide() ? null : inDouble(l, x, GammaFunctions::digamma);
      case TRIGAMMA -> l.isWide() ? null : inDouble(l, x, GammaFunctions::trigamma);
      default -> null;
    };
  }

  /// `arithmetic` of `x` and `y`, or null if this type has it only in Java.
  static @Nullable Value two(Lane l, Arithmetic arithmetic, Value x, Value y) {
    return switch (arithmetic) {
      case PLUS -> l.add(x, y);
      case MINUS -> l.sub(x, y);
      case TIMES -> l.mul(x, y);
      case DIVIDED_BY -> l.div(x, y);
      // The instructions answer their second operand if either is NaN.
      case MAXIMUM -> l.ifNan(x, x, l.max(x, y));
      case MINIMUM -> l.ifNan(x, x, l.min(x, y));
      case POWER -> l.isWide() ? null : pow(l, x, y);
      case COPYSIGN -> l.withSign(l.abs(x), y);
      case FMOD -> Divisions.fmod(l, x, y);
      case REMAINDER -> Divisions.remainder(l, x, y);
      case FLOOR_DIVIDE -> Divisions.floorDivide(l, x, y);
      case ATAN2 -> l.isWide() ? null : inDouble(l, x, y, Inverses::atan2);
      case HYPOT -> l.isWide() ? null : inDouble(l, x, y, Inverses::hypot);
      default -> null;
    };
  }

  private interface Wide {
    Value of(Lane l, Value x);
  }

  /// Computes in `float64`, on both halves of a `float32` vector.
  private static Value inDouble(Lane l, Value x, Wide function) {
    if (l.isWide()) {
      return function.of(l, x);
    }
    var d = new Lane(l.program(), true);
    return narrow(l, function.of(d, widen(l, x, 0)), function.of(d, widen(l, x, 1)));
  }

  private interface WideOfTwo {
    Value of(Lane l, Value x, Value y);
  }

  /// Computes in `float64`, on both halves of two `float32` vectors.
  private static Value inDouble(Lane l, Value x, Value y, WideOfTwo function) {
    var d = new Lane(l.program(), true);
    Value low = function.of(d, widen(l, x, 0), widen(l, y, 0));
    return narrow(l, low, function.of(d, widen(l, x, 1), widen(l, y, 1)));
  }

  static Value widen(Lane l, Value x, int half) {
    Program p = l.program();
    if (half == 0) {
      return p.one(Instruction.VCVTPS2PD, x);
    }
    Isa isa = p.isa();
    return p.custom(
        (a, d, s) -> {
          Vector upper = Vector.of(d, isa.bits() / 2);
          if (isa == Isa.AVX512) {
            a.emit(Instruction.VEXTRACTF64X4, 1, upper, isa.vector(s[0]));
          } else {
            a.emit(Instruction.VEXTRACTF128, 1, upper, isa.vector(s[0]));
          }
          a.emit(Instruction.VCVTPS2PD, isa.vector(d), upper);
        },
        x);
  }

  static Value narrow(Lane l, Value low, Value high) {
    Program p = l.program();
    Isa isa = p.isa();
    return p.custom(
        (a, d, s) -> {
          Vector upper = Vector.of(p.scratch(), isa.bits() / 2);
          a.emit(Instruction.VCVTPD2PS, upper, isa.vector(s[1]));
          a.emit(Instruction.VCVTPD2PS, Vector.of(d, isa.bits() / 2), isa.vector(s[0]));
          if (isa == Isa.AVX512) {
            a.emit(Instruction.VINSERTF64X4, 1, isa.vector(d), isa.vector(d), upper);
          } else {
            a.emit(Instruction.VINSERTF128, 1, isa.vector(d), isa.vector(d), upper);
          }
        },
        low,
        high);
  }

  // ---- exponentials

  /// `x = n ln 2 + r`: `n` as a number, `r`, and `eʳ - 1`.
  record Reduced(Value n, Value r, Value expm1) {}

  private static double magic(Lane l) {
    return l.isWide() ? 0x1.8p52 : 0x1.8p23;
  }

  static Reduced reduce(Lane l, Value x) {
    Value shifted = l.fma(x, l.constant(INVERSE_LN2), l.constant(magic(l)));
    Value n = l.sub(shifted, l.constant(magic(l)));
    Value r;
    Value q;
    if (l.isWide()) {
      r = l.fnma(n, l.constant(6.93147180369123816490e-01), x);
      r = l.fnma(n, l.constant(1.90821492927058770002e-10), r);
      // The Taylor series: its remainder is 4e-18 at the ends of the interval.
      double[] c = new double[12];
      double factorial = 1;
      for (int i = 0; i < c.length; i++) {
        factorial *= i + 2;
        c[i] = 1 / factorial;
      }
      q = l.polynomial(r, c);
    } else {
      r = l.fnma(n, l.constant(6.93145752e-1), x);
      r = l.fnma(n, l.constant(1.42860677e-6), r);
      q =
          l.polynomial( // [4]
              r, 4.99999851e-1, 1.66664720e-1, 4.16695364e-2, 8.37312452e-3, 1.37805939e-3);
    }
    return new Reduced(n, r, l.fma(l.mul(r, r), q, r));
  }

  /// `2ⁿ` for a whole number `n` whose power is a normal number.
  static Value power(Lane l, Value n) {
    Value shifted = l.add(n, magic(l));
    int bits = l.isWide() ? 52 : 23;
    return l.addBits(l.shiftLeft(shifted, bits), l.constant(1));
  }

  static Value exp(Lane l, Value x) {
    Value clamped = l.isWide() ? l.clamp(x, -746, 710) : l.clamp(x, -104.5, 89);
    Reduced reduced = reduce(l, clamped);
    return scaled(l, l.add(reduced.expm1, 1), reduced.n);
  }

  /// `y · 2ⁿ`, rounded once: by an instruction if there is one, else in two steps.
  private static Value scaled(Lane l, Value y, Value n) {
    if (l.program().isa() == Isa.AVX512) {
      return l.program().two(l.isWide() ? Instruction.VSCALEFPD : Instruction.VSCALEFPS, y, n);
    }
    Value half = l.round(l.mul(n, 0.5), 1);
    return l.mul(l.mul(y, power(l, half)), power(l, l.sub(n, half)));
  }

  /// `2ˣ` in `float64`.
  private static Value exp2(Lane l, Value x) {
    Value clamped = l.clamp(x, -1100, 1100);
    Value n = l.round(clamped, 0);
    return scaled(l, l.add(reduce(l, l.mul(l.sub(clamped, n), LN2)).expm1, 1), n);
  }

  static Value expm1(Lane l, Value x) {
    Value clamped = l.isWide() ? l.clamp(x, -38, 710) : l.clamp(x, -18, 89);
    Reduced reduced = reduce(l, clamped);
    // Half of the result, since 2ⁿ itself may be beyond the range: 2ⁿ⁻¹ (eʳ - 1) + (2ⁿ⁻¹ - ½).
    Value scale = power(l, l.sub(reduced.n, l.constant(1)));
    Value half = l.fma(scale, reduced.expm1, l.sub(scale, l.constant(0.5)));
    return l.add(half, half);
  }

  private static Value sigmoid(Lane l, Value x) {
    Value one = l.constant(1);
    Value e = exp(l, l.negate(l.abs(x)));
    Value sum = l.add(e, one);
    Value y = l.div(l.select(x, Comparison.LESS, 0, e, one), sum);
    // What the rounding of 1 + e lost would be the larger part of the error: y - y · lost / (1 +
    // e).
    Value lost = l.sub(e, l.sub(sum, one));
    Value inverse = l.select(x, Comparison.LESS, 0, l.sub(one, y), y);
    return l.fnma(l.mul(y, lost), inverse, y);
  }

  private static Value tanh(Lane l, Value x) {
    Value magnitude = l.abs(x);
    Value square = l.mul(x, x);
    Value small =
        l.polynomial( // [2]
            square,
            -3.33332819422e-1,
            1.33314422036e-1,
            -5.37397155531e-2,
            2.06390887954e-2,
            -5.70498872745e-3);
    small = l.fma(l.mul(small, square), x, x);
    Value e = exp(l, l.add(magnitude, magnitude));
    Value large = l.sub(l.constant(1), l.div(l.constant(2), l.add(e, 1)));
    return l.select(magnitude, Comparison.LESS, 0.625, small, l.withSign(large, x));
  }

  private static Value tanhWide(Lane l, Value x) {
    Value magnitude = l.min(l.constant(22), l.abs(x));
    Value t = expm1(l, l.add(magnitude, magnitude));
    return l.ifNan(x, x, l.withSign(l.div(t, l.add(t, 2)), x));
  }

  private static Value erf(Lane l, Value x) {
    if (l.program().isa() == Isa.AVX512) {
      return ErrorTable.erf(l, x);
    }
    Value t = l.abs(x);
    Value s = l.mul(x, x);
    Value small =
        l.polynomial( // [4]
            s,
            1.28379166e-1,
            -3.76125336e-1,
            1.12819925e-1,
            -2.67681349e-2,
            4.99119423e-3,
            -5.96761703e-4);
    small = l.fma(small, x, x);
    Value r = l.fma(l.constant(-1.72853470e-5), t, l.constant(3.83197126e-4));
    Value u = l.fma(l.constant(-3.88396438e-3), t, l.constant(2.42546219e-2));
    r = l.fma(r, s, u);
    r = l.fma(r, t, l.constant(-1.06777877e-1));
    r = l.fma(r, t, l.constant(-6.34846687e-1));
    r = l.fma(r, t, l.constant(-1.28717512e-1));
    r = l.fms(r, t, t);
    Value large = l.withSign(l.sub(l.constant(1), exp(l, r)), x);
    Value y = l.select(t, Comparison.GREATER, 0.927734375, large, small);
    return l.select(t, Comparison.GREATER, 4, l.withSign(l.constant(1), x), y);
  }

  // ---- logarithms

  static Value log(Lane l, Value x) {
    Value tiny = l.constant(0x1p-126);
    Value zero = l.constant(0);
    Value scaled = l.select(x, Comparison.LESS, tiny, l.mul(x, 0x1p23), x);
    Value correction = l.select(x, Comparison.LESS, tiny, l.constant(-23), zero);
    Program p = l.program();
    Value offset = l.subBits(scaled, l.bits(0x3F3504F3)); // √½: the rest lies in √½ … √2
    Value exponent = p.one(Instruction.VCVTDQ2PS, p.one(Instruction.VPSRAD, 23, offset));
    exponent = l.add(exponent, correction);
    Value mantissa = l.addBits(l.and(offset, l.bits(0x7FFFFF)), l.bits(0x3F3504F3));
    Value f = l.sub(mantissa, l.constant(1));
    Value z = l.mul(f, f);
    Value y =
        l.polynomial( // [2]
            f,
            3.3333331174e-1,
            -2.4999993993e-1,
            2.0000714765e-1,
            -1.6668057665e-1,
            1.4249322787e-1,
            -1.2420140846e-1,
            1.1676998740e-1,
            -1.1514610310e-1,
            7.0376836292e-2);
    y = l.mul(l.mul(f, z), y);
    y = l.fma(exponent, l.constant(-2.12194440e-4), y);
    y = l.fnma(z, l.constant(0.5), y);
    y = l.fma(exponent, l.constant(0.693359375), l.add(f, y));
    return ends(l, x, y);
  }

  /// What logarithms are outside the positive finite numbers.
  private static Value ends(Lane l, Value x, Value regular) {
    Value outside = l.select(x, Comparison.EQUAL, 0, l.constant(-INFINITY), l.constant(Double.NaN));
    Value positive = l.select(x, Comparison.LESS, INFINITY, regular, x);
    return l.select(x, Comparison.GREATER, 0, positive, outside);
  }

  /// `x = 2ᵏ (1 + f)`, with `1 + f` in √½ … √2.
  private record Split(Value k, Value f) {}

  private static Split split(Lane l, Value x) {
    Value tiny = l.constant(0x1p-1022);
    Value scaled = l.select(x, Comparison.LESS, tiny, l.mul(x, 0x1p54), x);
    Value correction = l.select(x, Comparison.LESS, tiny, l.constant(-54), l.constant(0));
    long root = 0x3FE6A09E00000000L;
    Value offset = l.addBits(scaled, l.bits(0x3FF0000000000000L - root));
    // The biased exponent as a number: put into the low bits of 2⁵².
    Value biased = l.or(l.shiftRight(offset, 52), l.constant(0x1p52));
    Value k = l.add(l.sub(biased, l.constant(0x1p52 + 1023)), correction);
    Value mantissa = l.addBits(l.and(offset, l.bits(0xFFFFFFFFFFFFFL)), l.bits(root));
    return new Split(k, l.sub(mantissa, l.constant(1)));
  }

  /// [3]: `s (f²/2 + R)` and `f²/2` of `log(1 + f) = f - f²/2 + s (f²/2 + R)`.
  private record Series(Value product, Value half) {}

  private static Series series(Lane l, Value f) {
    Value s = l.div(f, l.add(f, 2));
    Value z = l.mul(s, s);
    Value r =
        l.polynomial(
            z,
            6.666666666666735130e-01,
            3.999999999940941908e-01,
            2.857142874366239149e-01,
            2.222219843214978396e-01,
            1.818357216161805012e-01,
            1.531383769920937332e-01,
            1.479819860511658591e-01);
    Value half = l.mul(l.mul(f, f), 0.5);
    return new Series(l.mul(s, l.fma(z, r, half)), half);
  }

  /// The logarithm in `float64`: natural, or times `factor` with exact powers of two for base 2.
  static Value logWide(Lane l, Value x, @Nullable Double factor) {
    Split split = split(l, x);
    Series series = series(l, split.f);
    Value y;
    if (factor == null) {
      Value low = l.fma(split.k, l.constant(1.90821492927058770002e-10), series.product);
      Value rest = l.sub(split.f, l.sub(series.half, low));
      y = l.fma(split.k, l.constant(6.93147180369123816490e-01), rest);
    } else {
      Value rest = l.sub(split.f, l.sub(series.half, series.product));
      double perOctave = factor == INVERSE_LN2 ? 1 : factor * LN2;
      y = l.fma(split.k, l.constant(perOctave), l.mul(rest, factor));
    }
    return ends(l, x, y);
  }

  static Value log1p(Lane l, Value x) {
    Value one = l.constant(1);
    Value u = l.add(x, one);
    // What the rounding of 1 + x lost, exactly (Knuth's two-sum), relative to u.
    Value back = l.sub(u, one);
    Value lost = l.add(l.sub(one, l.sub(u, back)), l.sub(x, back));
    Split split = split(l, u);
    Series series = series(l, split.f);
    Value c = l.div(lost, u);
    Value low = l.fma(split.k, l.constant(1.90821492927058770002e-10), l.add(c, series.product));
    Value rest = l.add(l.sub(low, series.half), split.f);
    Value y = l.fma(split.k, l.constant(6.93147180369123816490e-01), rest);
    return ends(l, u, l.select(x, Comparison.EQUAL, 0, x, y));
  }

  /// `xʸ` for `float32`: `2^(y log₂|x|)` in `float64`, then C's special cases (C11, F.10.4.4).
  private static Value pow(Lane l, Value x, Value y) {
    var d = new Lane(l.program(), true);
    Value magnitude = l.abs(x);
    Value[] halves = new Value[2];
    for (int i = 0; i < 2; i++) {
      Value logarithm = logWide(d, widen(l, magnitude, i), null);
      halves[i] = exp(d, d.mul(logarithm, widen(l, y, i)));
    }
    Value power = narrow(l, halves[0], halves[1]);
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
                l.select(x, Comparison.EQUAL, -INFINITY, power, l.constant(Double.NaN)),
                power));
    Value result = l.select(y, Comparison.EQUAL, 0, one, odd);
    result = l.select(x, Comparison.EQUAL, one, one, result);
    // (-1)^±∞
    Value unit = l.select(l.abs(y), Comparison.EQUAL, INFINITY, one, result);
    return l.select(magnitude, Comparison.EQUAL, one, unit, result);
  }

  // ---- circular functions

  private static final int LOWEST = -30;
  private static final int ENTRIES = 127 - LOWEST + 1;

  /// `2ᵏ⁻²³ · 2/π` modulo 4 for every exponent `k`, in two parts: times a whole mantissa of 24 bits it gives
  /// the quadrant and the angle in it.
  private static long[] turns() {
    var precision = new java.math.MathContext(160);
    var pi = machin(precision);
    var ratio = java.math.BigDecimal.TWO.divide(pi, precision);
    var four = new java.math.BigDecimal(4);
    long[] table = new long[2 * ENTRIES];
    for (int i = 0; i < ENTRIES; i++) {
      int k = LOWEST + i - 23;
      var power =
          k >= 0
              ? new java.math.BigDecimal(java.math.BigInteger.TWO.pow(k))
              : java.math.BigDecimal.ONE.divide(
                  new java.math.BigDecimal(java.math.BigInteger.TWO.pow(-k)));
      var value = ratio.multiply(power).remainder(four);
      double high = value.doubleValue();
      double low = value.subtract(new java.math.BigDecimal(high)).doubleValue();
      table[2 * i] = Double.doubleToRawLongBits(high);
      table[2 * i + 1] = Double.doubleToRawLongBits(low);
    }
    return table;
  }

  /// π = 16 arctan(1/5) - 4 arctan(1/239).
  private static java.math.BigDecimal machin(java.math.MathContext precision) {
    return arcTangent(5, precision)
        .multiply(new java.math.BigDecimal(16))
        .subtract(arcTangent(239, precision).multiply(new java.math.BigDecimal(4)));
  }

  private static java.math.BigDecimal arcTangent(int inverse, java.math.MathContext precision) {
    var x = java.math.BigDecimal.ONE.divide(new java.math.BigDecimal(inverse), precision);
    var square = x.multiply(x, precision);
    var term = x;
    var sum = x;
    for (int i = 1; term.precision() - term.scale() > -precision.getPrecision(); i++) {
      term = term.multiply(square, precision).negate();
      sum = sum.add(term.divide(new java.math.BigDecimal(2 * i + 1), precision));
    }
    return sum;
  }

  private static final class Table {
    static final long[] TURNS = turns();
  }

  /// An angle less the nearest multiple of π/2, which is in its lowest bits, with sine and cosine.
  private record Quarters(Value angle, Value sin, Value cos) {}

  private static final double TINY = 0x1p-30;

  /// Reduces `float64` numbers that were `float32`, [5] and [3].
  private static Quarters quarters(Lane l, Value x) {
    Value t = reducedAngle(l, x);
    Value z = l.mul(t, t);
    Value sin =
        l.polynomial(
            z,
            -0.16666666641626524,
            0.008333329385889463,
            -0.00019839334836096632,
            0.0000027183114939898219064);
    sin = l.fma(l.mul(z, t), sin, t);
    Value cos =
        l.fma(
            z,
            l.polynomial(
                z,
                -0.499999997251031003120,
                0.0416666233237390631894,
                -0.00138867637746099294692,
                0.0000243904487962774090654),
            l.constant(1));
    return new Quarters(t, sin, cos);
  }

  /// Where larger angles begin, for which two parts of π/2 are not enough.
  private static final double LARGE = 0x1p30;

  /// The angle less the nearest multiple of π/2, with the number of that, modulo 4, in its two lowest bits, which
  /// `float32` results do not need.
  ///
  /// Almost always all lanes are small enough for two fused steps [1]; the table [5] is consulted only where one is not.
  private static Value reducedAngle(Lane l, Value x) {
    Program p = l.program();
    Isa isa = p.isa();
    return p.custom(
        (a, d, s) -> {
          Vector magnitude = isa.vector(p.scratch());
          Label large = new Label();
          Label end = new Label();
          a.emit(Instruction.VANDPD, magnitude, isa.vector(s[0]), isa.vector(s[6]));
          Divisions.jumpIfAny(a, isa, true, magnitude, isa.vector(s[5]), large);
          small(p, isa, a, d, s);
          a.jump(end);
          a.bind(large);
          large(p, isa, a, d, s);
          a.bind(end);
        },
        x,
        l.constant(2 / Math.PI),
        l.constant(0x1.8p52),
        l.constant(1.57079632679489655800e+00),
        l.constant(6.12323399573676603587e-17),
        l.constant(LARGE),
        l.bits(Long.MAX_VALUE),
        l.bits(~3L));
  }

  private static void small(Program p, Isa isa, Assembler a, int d, int[] s) {
    Vector n = isa.vector(p.scratch());
    Vector r = isa.vector(p.secondScratch());
    Vector magic = isa.vector(s[2]);
    a.emit(Instruction.VMOVUPD, n, isa.vector(s[0]));
    a.emit(Instruction.VFMADD213PD, n, isa.vector(s[1]), magic);
    a.emit(Instruction.VSUBPD, n, n, magic);
    a.emit(Instruction.VMOVUPD, r, isa.vector(s[0]));
    a.emit(Instruction.VFNMADD231PD, r, n, isa.vector(s[3]));
    a.emit(Instruction.VFNMADD231PD, r, n, isa.vector(s[4]));
    a.emit(Instruction.VADDPD, n, n, magic); // the number of quarters, in the lowest bits
    marked(isa, a, d, s, r, n);
  }

  /// Leaves `r` with the lowest bits of `n` in register `d`. Overwrites both.
  private static void marked(Isa isa, Assembler a, int d, int[] s, Vector r, Vector n) {
    Vector mask = isa.vector(s[7]);
    a.emit(Instruction.VANDNPD, n, mask, n);
    a.emit(Instruction.VANDPD, r, r, mask);
    a.emit(Instruction.VORPD, isa.vector(d), r, n);
  }

  /// As [#small], by the table. Infinite numbers and NaN may give anything, as may tiny ones.
  private static void large(Program p, Isa isa, Assembler a, int d, int[] s) {
    int[] borrowed = others(4, d, s);
    int bytes = isa.bits() / 8;
    a.sub(Register.RSP, 4 * bytes);
    for (int i = 0; i < 4; i++) {
      a.emit(
          Instruction.VMOVUPS_STORE, Memory.at(Register.RSP, i * bytes), isa.vector(borrowed[i]));
    }
    Vector index = isa.vector(borrowed[0]);
    Vector high = isa.vector(borrowed[1]);
    Vector low = isa.vector(borrowed[2]);
    Vector mantissa = isa.vector(borrowed[3]);
    Vector product = isa.vector(p.scratch());
    Vector rest = isa.vector(p.secondScratch());
    // Exponents that the table lacks are brought to its ends.
    a.emit(Instruction.VANDPD, index, isa.vector(s[0]), isa.vector(s[6]));
    a.emit(Instruction.VMAXPD, index, index, constant(isa, a, high, (1023L + LOWEST) << 52));
    long highest = (1023L + LOWEST + ENTRIES - 1) << 52;
    a.emit(Instruction.VMINPD, index, index, constant(isa, a, high, highest));
    a.emit(Instruction.VPSRLQ, 52, index, index);
    a.emit(Instruction.VPSUBQ, index, index, constant(isa, a, high, 1023L + LOWEST));
    a.emit(Instruction.VPSLLQ, 4, index, index);
    a.push(Register.RAX);
    a.lea(Register.RAX, a.longs(Table.TURNS));
    gather(isa, a, high, index, 0, product);
    gather(isa, a, low, index, 8, product);
    a.pop(Register.RAX);
    Operand digits = constant(isa, a, product, 0x800FFFFFFFFFFFFFL);
    a.emit(Instruction.VANDPD, mantissa, isa.vector(s[0]), digits);
    Operand unit = constant(isa, a, product, Double.doubleToRawLongBits(0x1p23));
    a.emit(Instruction.VORPD, mantissa, mantissa, unit);
    a.emit(Instruction.VMULPD, product, mantissa, high);
    a.emit(Instruction.VMOVUPD, rest, product);
    a.emit(Instruction.VFMSUB231PD, rest, mantissa, high);
    a.emit(Instruction.VFMADD231PD, rest, mantissa, low);
    Vector magic = isa.vector(s[2]);
    a.emit(Instruction.VADDPD, index, product, magic); // the number of quarters
    a.emit(Instruction.VSUBPD, high, index, magic);
    a.emit(Instruction.VSUBPD, product, product, high);
    a.emit(Instruction.VADDPD, rest, rest, product);
    a.emit(Instruction.VMULPD, rest, rest, isa.vector(s[3]));
    a.emit(Instruction.VMOVUPD, product, index);
    for (int i = 0; i < 4; i++) {
      a.emit(Instruction.VMOVUPS, isa.vector(borrowed[i]), Memory.at(Register.RSP, i * bytes));
    }
    a.add(Register.RSP, 4 * bytes);
    marked(isa, a, d, s, rest, product);
  }

  /// `count` vector registers that are neither `d` nor among `s`.
  private static int[] others(int count, int d, int[] s) {
    return IntStream.range(0, 14)
        .filter(r -> r != d && IntStream.of(s).noneMatch(used -> used == r))
        .limit(count)
        .toArray();
  }

  /// A constant as an operand; under AVX-512 by way of `register`.
  private static Operand constant(Isa isa, Assembler a, Vector register, long bits) {
    if (isa != Isa.AVX512) {
      return Memory.at(a.longs(bits, bits, bits, bits));
    }
    a.emit(Instruction.VBROADCASTSD, register, Memory.at(a.longs(bits)));
    return register;
  }

  private static void gather(
      Isa isa, Assembler a, Vector into, Vector index, int offset, Vector mask) {
    Memory from = Memory.gather(Register.RAX, index, 1, offset);
    if (isa == Isa.AVX512) {
      a.emit(Instruction.KXNORW, Program.SCRATCH_MASK, Program.SCRATCH_MASK, Program.SCRATCH_MASK);
      a.emit(Instruction.VGATHERQPD, into.masked(Program.SCRATCH_MASK), from);
    } else {
      a.emit(Instruction.VPCMPEQD, mask, mask, mask);
      a.emit(Instruction.VGATHERQPD, into, from, mask);
    }
  }

  /// Sine or cosine in `float64` of numbers that were `float32`.
  private static Value sine(Lane l, Value x, boolean cosine) {
    Quarters quarters = quarters(l, x);
    Value one = l.constant(1);
    Value magnitude = l.abs(x);
    Value quadrant = cosine ? l.addBits(quarters.angle, l.bits(1)) : quarters.angle;
    // Bit 0 of the quadrant chooses the function, bit 1 the sign: both as sign bits.
    Value choice = l.or(l.shiftLeft(quadrant, 63), one);
    Value y = l.select(choice, Comparison.LESS, 0, quarters.cos, quarters.sin);
    y = l.xor(y, l.and(l.shiftLeft(quadrant, 62), l.signBit()));
    y = l.select(magnitude, Comparison.LESS, TINY, cosine ? one : x, y);
    return l.select(magnitude, Comparison.LESS, INFINITY, y, l.sub(x, x));
  }

  /// The tangent in `float64` of numbers that were `float32`: in odd quarters it is `-cos / sin` of the rest.
  private static Value tangent(Lane l, Value x) {
    Quarters quarters = quarters(l, x);
    Value magnitude = l.abs(x);
    Value odd = l.or(l.shiftLeft(quarters.angle, 63), l.constant(1));
    Value above = l.select(odd, Comparison.LESS, 0, quarters.cos, quarters.sin);
    Value below = l.select(odd, Comparison.LESS, 0, l.negate(quarters.sin), quarters.cos);
    Value y = l.select(magnitude, Comparison.LESS, TINY, x, l.div(above, below));
    return l.select(magnitude, Comparison.LESS, INFINITY, y, l.sub(x, x));
  }
}
