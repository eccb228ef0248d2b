package taper.tensor.spi;

import java.util.function.Consumer;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Binary;
import taper.tensor.spi.Formula.Comparison;
import taper.tensor.spi.Formula.Constant;
import taper.tensor.spi.Formula.Function;
import taper.tensor.spi.Formula.Input;
import taper.tensor.spi.Formula.Parameter;
import taper.tensor.spi.Formula.Select;
import taper.tensor.spi.Formula.Unary;

/// Derivatives of formulas.
///
/// Sums and products of derivatives absorb an exact 0: unlike a product that a user wrote, a part that
/// does not depend on the input contributes nothing even where its factor is infinite.
final class Calculus {
  private static final Formula ZERO = new Constant(0);
  private static final Formula ONE = new Constant(1);

  private Calculus() {}

  static Formula derivative(Formula formula, int input) {
    return switch (formula) {
      case Input(var position) -> position == input ? ONE : ZERO;
      case Parameter _, Constant _ -> ZERO;
      case Unary(var function, var x) -> {
        Formula inner = derivative(x, input);
        yield isZero(inner) ? ZERO : product(ofFunction(function, x, formula), inner);
      }
      case Binary(var arithmetic, var a, var b) -> {
        Formula da = derivative(a, input);
        Formula db = derivative(b, input);
        yield isZero(da) && isZero(db) ? ZERO : ofArithmetic(arithmetic, a, b, da, db, formula);
      }
      case Select(var a, var comparison, var b, var then, var otherwise) ->
          Formula.select(a, comparison, b, derivative(then, input), derivative(otherwise, input));
    };
  }

  private static Formula ofFunction(Function function, Formula x, Formula y) {
    return switch (function) {
      case NEGATE -> new Constant(-1);
      case ABS -> Formula.sign(x);
      case SIGN, FLOOR, CEIL, ROUND, TRUNC -> ZERO;
      case RECIPROCAL -> y.times(y).negate();
      case SQRT -> new Constant(0.5).dividedBy(y);
      case RSQRT -> new Constant(-0.5).times(y.times(y).times(y));
      case EXP -> y;
      case EXP2 -> y.times(Math.log(2));
      case EXPM1 -> y.plus(1);
      case LOG -> x.reciprocal();
      case LOG1P -> x.plus(1).reciprocal();
      case LOG2 -> x.times(Math.log(2)).reciprocal();
      case LOG10 -> x.times(Math.log(10)).reciprocal();
      case SIN -> Formula.cos(x);
      case COS -> Formula.sin(x).negate();
      case TAN -> y.times(y).plus(1);
      case ASIN -> Formula.rsqrt(ONE.minus(x.squared()));
      case ACOS -> Formula.rsqrt(ONE.minus(x.squared())).negate();
      case ATAN -> x.squared().plus(1).reciprocal();
      case SINH -> Formula.cosh(x);
      case COSH -> Formula.sinh(x);
      case TANH -> ONE.minus(y.squared());
      case ASINH -> Formula.rsqrt(x.squared().plus(1));
      case ACOSH ->
          Formula.rsqrt(x.minus(1)).times(Formula.rsqrt(x.plus(1))); // as is right left of 0
      case ATANH -> ONE.minus(x.squared()).reciprocal();
      case SIGMOID -> y.times(ONE.minus(y));
      case SOFTPLUS -> Formula.sigmoid(x);
      case ERF -> new Constant(2 / Math.sqrt(Math.PI)).times(Formula.exp(x.squared().negate()));
      case ERFC -> new Constant(-2 / Math.sqrt(Math.PI)).times(Formula.exp(x.squared().negate()));
      // `y <= 0` rather than `y > 0`: the gradient passes where y is NaN, as in PyTorch.
      case RELU -> Formula.select(y, Comparison.LESS_EQUAL, ZERO, ZERO, ONE);
      case BIT_NOT -> ZERO;
      default -> ofSpecial(function, x, y);
    };
  }

  private static Formula ofSpecial(Function function, Formula x, Formula y) {
    return switch (function) {
      case LGAMMA -> special(Function.DIGAMMA, x);
      case DIGAMMA -> special(Function.TRIGAMMA, x);
      case TRIGAMMA -> polygamma(new Constant(2), x);
      case ERFINV -> new Constant(Math.sqrt(Math.PI) / 2).times(Formula.exp(y.squared()));
      case ERFCX -> x.times(2).times(y).minus(2 / Math.sqrt(Math.PI));
      case NDTRI -> new Constant(Math.sqrt(2 * Math.PI)).times(Formula.exp(y.squared().times(0.5)));
      case BESSEL_J0 -> special(Function.BESSEL_J1, x).negate();
      case BESSEL_J1 -> halfAtZero(x, special(Function.BESSEL_J0, x).minus(y.dividedBy(x)));
      case BESSEL_Y0 -> special(Function.BESSEL_Y1, x).negate();
      case BESSEL_Y1 -> special(Function.BESSEL_Y0, x).minus(y.dividedBy(x));
      case BESSEL_I0 -> special(Function.BESSEL_I1, x);
      case BESSEL_I0E -> special(Function.BESSEL_I1E, x).minus(Formula.sign(x).times(y));
      case BESSEL_I1 -> halfAtZero(x, special(Function.BESSEL_I0, x).minus(y.dividedBy(x)));
      case BESSEL_I1E ->
          halfAtZero(
              x,
              special(Function.BESSEL_I0E, x).minus(y.times(Formula.sign(x).plus(x.reciprocal()))));
      case BESSEL_K0 -> special(Function.BESSEL_K1, x).negate();
      case BESSEL_K0E -> y.minus(special(Function.BESSEL_K1E, x));
      case BESSEL_K1 -> special(Function.BESSEL_K0, x).plus(y.dividedBy(x)).negate();
      case BESSEL_K1E -> y.minus(special(Function.BESSEL_K0E, x)).minus(y.dividedBy(x));
      case AIRY -> special(Function.AIRY_PRIME, x);
      case AIRY_PRIME -> x.times(special(Function.AIRY, x));
      default -> throw new IllegalArgumentException(function + " is no special function");
    };
  }

  private static Formula special(Function function, Formula x) {
    return new Unary(function, x);
  }

  private static Formula polygamma(Formula order, Formula x) {
    return new Binary(Arithmetic.POLYGAMMA, order, x);
  }

  /// `regular`, but ½ where `x` is 0: the slope of functions of order 1.
  private static Formula halfAtZero(Formula x, Formula regular) {
    return Formula.select(x, Comparison.EQUAL, ZERO, new Constant(0.5), regular);
  }

  private static Formula ofArithmetic(
      Arithmetic arithmetic, Formula a, Formula b, Formula da, Formula db, Formula y) {
    return switch (arithmetic) {
      case PLUS -> sum(da, db);
      case MINUS -> sum(da, product(new Constant(-1), db));
      case TIMES -> sum(product(da, b), product(a, db));
      case DIVIDED_BY ->
          sum(quotient(da, b), isZero(db) ? ZERO : product(y.dividedBy(b).negate(), db));
      case POWER ->
          sum(
              isZero(da) ? ZERO : product(byBase(a, b), da),
              isZero(db) ? ZERO : product(byExponent(a, b, y), db));
      case MAXIMUM -> extreme(a, b, da, db, Comparison.LESS);
      case MINIMUM -> extreme(a, b, da, db, Comparison.GREATER);
      case FMOD -> sum(da, isZero(db) ? ZERO : product(whole(Function.TRUNC, a, b), db));
      case REMAINDER -> sum(da, isZero(db) ? ZERO : product(whole(Function.FLOOR, a, b), db));
      case FLOOR_DIVIDE -> ZERO;
      case ATAN2 -> {
        Formula square = a.squared().plus(b.squared());
        Formula zeroAtOrigin = Formula.select(square, Comparison.EQUAL, ZERO, ONE, square);
        yield sum(
            product(b.dividedBy(zeroAtOrigin), da),
            product(a.negate().dividedBy(zeroAtOrigin), db));
      }
      case HYPOT -> sum(product(a.dividedBy(y), da), product(b.dividedBy(y), db));
      // 0 where a is 0, as in PyTorch
      case COPYSIGN -> product(Formula.select(a, Comparison.EQUAL, ZERO, ZERO, y.dividedBy(a)), da);
      case POLYGAMMA -> product(polygamma(a.plus(1), b), known(arithmetic, da, db));
      case ZETA ->
          product(
              a.negate().times(new Binary(Arithmetic.ZETA, a.plus(1), b)),
              known(arithmetic, da, db));
      case GAMMA_P -> product(gammaDensity(a, b), known(arithmetic, da, db));
      case GAMMA_Q -> product(gammaDensity(a, b).negate(), known(arithmetic, da, db));
      default -> throw new IllegalArgumentException(arithmetic + " has no derivative here");
    };
  }

  /// `xᵃ⁻¹ e⁻ˣ / Γ(a)`.
  private static Formula gammaDensity(Formula a, Formula x) {
    return Formula.exp(
        a.minus(1).times(Formula.log(x)).minus(x).minus(special(Function.LGAMMA, a)));
  }

  /// The derivative of the second argument, where that of the function by the first is not in the algebra.
  private static Formula known(Arithmetic arithmetic, Formula da, Formula db) {
    if (!isZero(da)) {
      throw new IllegalArgumentException(arithmetic + " has no derivative by its first argument");
    }
    return db;
  }

  private static Formula whole(Function rounding, Formula a, Formula b) {
    return new Unary(rounding, a.dividedBy(b)).negate();
  }

  private static Formula byBase(Formula base, Formula exponent) {
    if (exponent instanceof Constant(var e)) {
      return e == 0
          ? ZERO
          : e == 2 ? base.times(2) : new Constant(e).times(Formula.pow(base, new Constant(e - 1)));
    }
    return Formula.select(
        exponent,
        Comparison.EQUAL,
        ZERO,
        ZERO,
        exponent.times(Formula.pow(base, exponent.minus(1))));
  }

  private static Formula byExponent(Formula base, Formula exponent, Formula power) {
    Formula regular = power.times(Formula.log(base));
    return Formula.select(
        base,
        Comparison.EQUAL,
        ZERO,
        Formula.select(exponent, Comparison.GREATER_EQUAL, ZERO, ZERO, regular),
        regular);
  }

  /// PyTorch's gradient of `maximum` (`lost` is LESS) and `minimum`: half each where both are equal; all
  /// of it to both where one is NaN, since neither is then seen to lose.
  private static Formula extreme(Formula a, Formula b, Formula da, Formula db, Comparison lost) {
    Formula half = new Constant(0.5);
    Formula first =
        Formula.select(a, Comparison.EQUAL, b, half, Formula.select(a, lost, b, ZERO, ONE));
    Formula second =
        Formula.select(
            a, Comparison.EQUAL, b, half, Formula.select(a, lost.swapped(), b, ZERO, ONE));
    return sum(product(first, da), product(second, db));
  }

  private static boolean isZero(Formula formula) {
    return formula instanceof Constant(var value) && value == 0;
  }

  private static Formula sum(Formula a, Formula b) {
    if (isZero(a)) {
      return b;
    }
    if (isZero(b)) {
      return a;
    }
    return b instanceof Unary(var function, var x) && function == Function.NEGATE
        ? a.minus(x)
        : a.plus(b);
  }

  private static Formula product(Formula a, Formula b) {
    return isZero(a) || isZero(b) ? ZERO : a.times(b);
  }

  private static Formula quotient(Formula a, Formula b) {
    if (isZero(a)) {
      return ZERO;
    }
    return a.equals(ONE) ? b.reciprocal() : a.dividedBy(b);
  }

  static void forEachPart(Formula formula, Consumer<Formula> visitor) {
    visitor.accept(formula);
    switch (formula) {
      case Input _, Parameter _, Constant _ -> {}
      case Unary(_, var of) -> forEachPart(of, visitor);
      case Binary(_, var a, var b) -> {
        forEachPart(a, visitor);
        forEachPart(b, visitor);
      }
      case Select(var a, _, var b, var then, var otherwise) -> {
        forEachPart(a, visitor);
        forEachPart(b, visitor);
        forEachPart(then, visitor);
        forEachPart(otherwise, visitor);
      }
    }
  }
}
