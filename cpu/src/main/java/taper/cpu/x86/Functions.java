package taper.cpu.x86;

import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Vector;
import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Comparison;
import taper.tensor.spi.Formula.Function;

/// The functions of the scalar algebra as vector programs.
///
/// In `float32` every function is within 2 ulp of the true value on all inputs (most within 1), denormal
/// numbers, infinities and NaN included. Two ways lead there. The frequent ones are polynomials in `float32`. The others
/// are computed in `float64` on both halves of the vector and rounded once, which needs no care for the last bit. What
/// [#one] and [#two] answer null for runs in Java. Circular functions and their inverses, hyperbolic and error functions
/// (that of `float32` under AVX-512, too), powers, and divisions with remainder have classes of their own.
///
/// Exponentials reduce the argument to `r = x - n ln 2` with `ln 2` in two parts [1] and multiply by `2ⁿ` in
/// two steps, so that results below the normal range are rounded once and not cut off. `n` is found by
/// adding `1.5 · 2²³` (or `2⁵²`), which leaves it in the low bits. Logarithms split off the exponent such
/// that the rest lies around 1.
///
/// - [1] Cody, Waite: Software Manual for the Elementary Functions, 1980, chapter 6.
/// - [2] Moshier: Cephes mathematical library, `logf.c`, `tanhf.c`: coefficients in `float32`.
/// - [3] Sun Microsystems: fdlibm, `e_log.c`, `s_log1p.c`: coefficients in `float64`.
/// - [4] Juffa: `my_expf`, `my_erff`, `my_log1pf` (Stack Overflow 29381117, 35148198): coefficients in `float32`, and how
///   `log1p` is scaled. Polynomials that are called minimax were found by Remez' exchange of extremes.
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
      case LOG1P -> log1pOf(l, x);
      case EXP2 -> inDouble(l, x, Functions::exp2);
      case LOG2 -> inDouble(l, x, (d, y) -> logWide(d, y, INVERSE_LN2));
      case LOG10 -> inDouble(l, x, (d, y) -> logWide(d, y, 0.4342944819032518));
      case SIN -> Circular.sine(l, x, false);
      case COS -> Circular.sine(l, x, true);
      case TAN -> l.isWide() ? Circular.tangentWide(l, x) : Circular.tangentSingle(l, x);
      case ASIN -> inDouble(l, x, Inverses::asin);
      case ACOS -> inDouble(l, x, Inverses::acos);
      case ATAN -> l.isWide() ? Inverses.atan(l, x) : Inverses.atanSingle(l, x);
      case SINH -> l.isWide() ? Hyperbolic.sinh(l, x) : Hyperbolic.sinhSingle(l, x);
      case COSH -> l.isWide() ? Hyperbolic.cosh(l, x) : Hyperbolic.coshSingle(l, x);
      case ASINH -> inDouble(l, x, Hyperbolic::asinh);
      case ACOSH -> inDouble(l, x, Hyperbolic::acosh);
      case ATANH -> l.isWide() ? Hyperbolic.atanh(l, x) : Hyperbolic.atanhSingle(l, x);
      case TANH -> l.isWide() ? tanhWide(l, x) : tanh(l, x);
      case SIGMOID -> sigmoid(l, x);
      case SOFTPLUS -> l.add(l.max(l.constant(0), x), log1pOf(l, exp(l, l.negate(l.abs(x)))));
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
      case POWER -> PowerFunction.of(l, x, y);
      case COPYSIGN -> l.withSign(l.abs(x), y);
      case FMOD -> Divisions.fmod(l, x, y);
      case REMAINDER -> Divisions.remainder(l, x, y);
      case FLOOR_DIVIDE -> Divisions.floorDivide(l, x, y);
      case ATAN2 -> l.isWide() ? Inverses.atan2(l, x, y) : inDouble(l, x, y, Inverses::atan2Single);
      case HYPOT -> l.isWide() ? Inverses.hypotWide(l, x, y) : inDouble(l, x, y, Inverses::hypot);
      default -> null;
    };
  }

  interface Wide {
    Value of(Lane l, Value x);
  }

  /// Computes in `float64`, on both halves of a `float32` vector.
  static Value inDouble(Lane l, Value x, Wide function) {
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
    return reduce(l, x, null);
  }

  /// `rest` is a small number to be added to `x`.
  private static Reduced reduce(Lane l, Value x, @Nullable Value rest) {
    Value shifted = l.fma(x, l.constant(INVERSE_LN2), l.constant(magic(l)));
    Value n = l.sub(shifted, l.constant(magic(l)));
    Value r;
    Value q;
    if (l.isWide()) {
      r = l.fnma(n, l.constant(6.93147180369123816490e-01), x);
      r = l.fnma(n, l.constant(1.90821492927058770002e-10), r);
      r = rest == null ? r : l.add(r, rest);
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
    return exp(l, x, null);
  }

  /// The exponential of `x` and a small number `rest`, which `float64` only has.
  static Value exp(Lane l, Value x, @Nullable Value rest) {
    Value clamped = l.isWide() ? l.clamp(x, -746, 710) : l.clamp(x, -104.5, 89);
    Reduced reduced = reduce(l, clamped, rest);
    return scaled(l, l.add(reduced.expm1, 1), reduced.n);
  }

  /// `eˣ / 2` of a number `x` that is not negative, in `float32`, beyond the range of `eˣ`.
  static Value halfExp(Lane l, Value x) {
    Reduced reduced = reduce(l, l.min(l.constant(90), x));
    return scaled(l, l.add(reduced.expm1, 1), l.sub(reduced.n, l.constant(1)));
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

  private static Value log1pOf(Lane l, Value x) {
    return l.isWide() ? log1p(l, x) : log1pSingle(l, x);
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

  /// As [#log1p], in `float32`: `1 + x = 2ᵏ (1 + f)`, with `1 + f` in ¾ … 1½. Scaling `x` itself keeps its last bits [4].
  private static Value log1pSingle(Lane l, Value x) {
    Program p = l.program();
    Value one = l.constant(1);
    Value offset = l.subBits(l.add(x, one), l.bits(0x3F400000));
    Value exponent = l.and(offset, l.bits(0xFF800000));
    Value scaled = l.subBits(x, exponent);
    // 2⁻ᵏ may be too small for a float, a quarter of four times that is not.
    Value inverse = l.subBits(l.constant(4), exponent);
    Value f = l.add(scaled, l.fma(inverse, l.constant(0.25), l.constant(-1)));
    Value k = p.one(Instruction.VCVTDQ2PS, p.one(Instruction.VPSRAD, 23, offset));
    Value q =
        l.polynomial( // minimax, relative error 2⁻²⁹
            f,
            -0.49999997,
            0.333333313,
            -0.25000456,
            0.200008273,
            -0.166489944,
            0.142374501,
            -0.127255261,
            0.120261699,
            -0.098115541,
            0.0421656594);
    Value y = l.fma(k, l.constant(LN2), l.fma(l.mul(f, f), q, f));
    return l.select(
        x,
        Comparison.LESS,
        INFINITY,
        l.select(
            x,
            Comparison.GREATER,
            -1,
            l.select(x, Comparison.EQUAL, 0, x, y),
            l.select(x, Comparison.EQUAL, -1, l.constant(-INFINITY), l.constant(Double.NaN))),
        x);
  }
}
