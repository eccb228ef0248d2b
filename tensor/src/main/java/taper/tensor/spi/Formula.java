package taper.tensor.spi;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/// A scalar function of some inputs and parameters: what a pointwise operator computes per element.
///
/// A closed algebra. One formula gives the double-precision reference ([#at(double[], double[])]), the
/// integer semantics ([#at(long[], long[])]), the gradient ([#derivative(int)]) and, compiled by a
/// [KernelLibrary], the kernel. Numerically delicate functions (`sigmoid`, `expm1`, `softplus`, …) belong
/// to the algebra, so that neither values nor derivatives overflow where the function itself does not.
///
/// Immutable; two formulas are equal if they have the same structure. The fluent methods simplify what
/// is exact (constants, `x * 1`), and nothing that could hide a NaN.
///
/// ```java
/// Formula silu = input(0).times(sigmoid(input(0)));
/// silu.at(new double[] {-800}, new double[0]);                // -0.0
/// silu.derivative(0).at(new double[] {-800}, new double[0]);  // 0.0, not NaN
/// ```
public sealed interface Formula {

  /// The operand at `position`, counted from 0.
  record Input(int position) implements Formula {
    @Override
    public String toString() {
      return "x" + position;
    }
  }

  /// A number that is known when the kernel is called, such as the slope of `leakyRelu`.
  record Parameter(int position) implements Formula {
    @Override
    public String toString() {
      return "p" + position;
    }
  }

  /// A number that is part of the formula.
  record Constant(double value) implements Formula {
    @Override
    public String toString() {
      return Double.toString(value);
    }
  }

  /// A function of one argument, applied to `of`.
  record Unary(Function function, Formula of) implements Formula {
    @Override
    public String toString() {
      return function.name().toLowerCase(Locale.ROOT) + "(" + of + ")";
    }
  }

  /// `left` and `right`, joined by `arithmetic`.
  record Binary(Arithmetic arithmetic, Formula left, Formula right) implements Formula {
    @Override
    public String toString() {
      return switch (arithmetic) {
        case PLUS -> "(" + left + " + " + right + ")";
        case MINUS -> "(" + left + " - " + right + ")";
        case TIMES -> "(" + left + " * " + right + ")";
        case DIVIDED_BY -> "(" + left + " / " + right + ")";
        default -> arithmetic.name().toLowerCase(Locale.ROOT) + "(" + left + ", " + right + ")";
      };
    }
  }

  /// `then` where the comparison holds, `otherwise` elsewhere. Comparisons with NaN do not hold, except
  /// [Comparison#NOT_EQUAL].
  record Select(Formula left, Comparison comparison, Formula right, Formula then, Formula otherwise)
      implements Formula {
    @Override
    public String toString() {
      return "(" + left + " " + comparison + " " + right + " ? " + then + " : " + otherwise + ")";
    }
  }

  /// A function of one argument.
  enum Function {
    /// `-x`.
    NEGATE,
    /// `|x|`; the derivative at 0 is 0.
    ABS,
    /// -1, 0 or 1; 0 of NaN, as in PyTorch.
    SIGN,
    /// `1 / x`.
    RECIPROCAL,
    /// The square root.
    SQRT,
    /// `1 / √x`.
    RSQRT,
    /// `eˣ`.
    EXP,
    /// `2ˣ`.
    EXP2,
    /// `eˣ - 1`, exact near 0.
    EXPM1,
    /// The natural logarithm.
    LOG,
    /// `log(1 + x)`, exact near 0.
    LOG1P,
    /// The logarithm to base 2.
    LOG2,
    /// The logarithm to base 10.
    LOG10,
    /// The sine of an angle in radians.
    SIN,
    /// The cosine of an angle in radians.
    COS,
    /// The tangent of an angle in radians.
    TAN,
    /// The inverse of the sine.
    ASIN,
    /// The inverse of the cosine.
    ACOS,
    /// The inverse of the tangent.
    ATAN,
    /// The hyperbolic sine.
    SINH,
    /// The hyperbolic cosine.
    COSH,
    /// The hyperbolic tangent.
    TANH,
    /// The inverse of the hyperbolic sine.
    ASINH,
    /// The inverse of the hyperbolic cosine.
    ACOSH,
    /// The inverse of the hyperbolic tangent.
    ATANH,
    /// `1 / (1 + e⁻ˣ)`.
    SIGMOID,
    /// `log(1 + eˣ)`, without overflow.
    SOFTPLUS,
    /// The error function.
    ERF,
    /// `1 - erf(x)`, exact for large `x`.
    ERFC,
    /// The largest whole number that is not above `x`.
    FLOOR,
    /// The smallest whole number that is not below `x`.
    CEIL,
    /// The nearest whole number, ties to even.
    ROUND,
    /// The whole number next to `x` towards 0.
    TRUNC,
    /// `x` where positive, else 0; NaN of NaN. The derivative at 0 is 0.
    RELU,
    /// The bits that a whole number has not.
    BIT_NOT,
    /// The logarithm of `|Γ(x)|`.
    LGAMMA,
    /// The derivative of `log Γ(x)`.
    DIGAMMA,
    /// The second derivative of `log Γ(x)`.
    TRIGAMMA,
    /// The inverse of the error function.
    ERFINV,
    /// `exp(x²) · erfc(x)`, without overflow for large `x`.
    ERFCX,
    /// The quantile of the standard normal distribution.
    NDTRI,
    /// The Bessel function of the first kind, of order 0.
    BESSEL_J0,
    /// The Bessel function of the first kind, of order 1.
    BESSEL_J1,
    /// The Bessel function of the second kind, of order 0.
    BESSEL_Y0,
    /// The Bessel function of the second kind, of order 1.
    BESSEL_Y1,
    /// The modified Bessel function of the first kind, of order 0.
    BESSEL_I0,
    /// The modified Bessel function of the first kind, of order 0, times `exp(-|x|)`.
    BESSEL_I0E,
    /// The modified Bessel function of the first kind, of order 1.
    BESSEL_I1,
    /// The modified Bessel function of the first kind, of order 1, times `exp(-|x|)`.
    BESSEL_I1E,
    /// The modified Bessel function of the second kind, of order 0.
    BESSEL_K0,
    /// The modified Bessel function of the second kind, of order 0, times `exp(x)`.
    BESSEL_K0E,
    /// The modified Bessel function of the second kind, of order 1.
    BESSEL_K1,
    /// The modified Bessel function of the second kind, of order 1, times `exp(x)`.
    BESSEL_K1E,
    /// The Airy function Ai.
    AIRY,
    /// The derivative of the Airy function Ai.
    AIRY_PRIME;

    /// The value at `x`, in double precision.
    public double at(double x) {
      return Scalars.at(this, x);
    }

    /// The value at the whole number `x`.
    ///
    /// @throws IllegalArgumentException if the function does not map whole numbers to whole numbers
    public long at(long x) {
      return Scalars.at(this, x);
    }
  }

  /// A function of two arguments.
  enum Arithmetic {
    /// `a + b`.
    PLUS,
    /// `a - b`.
    MINUS,
    /// `a · b`.
    TIMES,
    /// `a / b`; whole numbers are cut off towards 0.
    DIVIDED_BY,
    /// `aᵇ`, with C's conventions (`pow(1, NaN)` is 1).
    POWER,
    /// The larger; NaN if either is NaN. Equal arguments share the gradient.
    MAXIMUM,
    /// The smaller; NaN if either is NaN. Equal arguments share the gradient.
    MINIMUM,
    /// The remainder of a division that is cut off towards 0: it has the sign of `a`.
    FMOD,
    /// The remainder of a division that is rounded down: it has the sign of `b`, as in Python.
    REMAINDER,
    /// The quotient, rounded down, as in Python.
    FLOOR_DIVIDE,
    /// The angle of the point (b, a): `atan2(a, b)`.
    ATAN2,
    /// The length of the vector (a, b), without overflow.
    HYPOT,
    /// `|a|` with the sign of `b`.
    COPYSIGN,
    /// The bits that both whole numbers have.
    BIT_AND,
    /// The bits that one of both whole numbers has.
    BIT_OR,
    /// The bits that exactly one of both whole numbers has.
    BIT_XOR,
    /// `a · 2ᵇ` of whole numbers; 0 where `b` is negative or beyond the width.
    SHIFT_LEFT,
    /// `a / 2ᵇ` of whole numbers, rounded down; only the sign where `b` is negative or beyond the width.
    SHIFT_RIGHT,
    /// The greatest common divisor of whole numbers.
    GCD,
    /// The least common multiple of whole numbers.
    LCM,
    /// The derivative of order `a`, a whole number, of the digamma function at `b`.
    POLYGAMMA,
    /// Hurwitz' zeta function, the sum of `(k + b)⁻ᵃ` over `k`.
    ZETA,
    /// The regularized lower incomplete gamma function of `b`, with the parameter `a`.
    GAMMA_P,
    /// The regularized upper incomplete gamma function of `b`, with the parameter `a`.
    GAMMA_Q,
    /// Chebyshev's polynomial of the first kind, of degree `b`, at `a`.
    CHEBYSHEV_T,
    /// Chebyshev's polynomial of the second kind, of degree `b`, at `a`.
    CHEBYSHEV_U,
    /// Chebyshev's polynomial of the third kind, of degree `b`, at `a`.
    CHEBYSHEV_V,
    /// Chebyshev's polynomial of the fourth kind, of degree `b`, at `a`.
    CHEBYSHEV_W,
    /// Hermite's polynomial of the physicists, of degree `b`, at `a`.
    HERMITE_H,
    /// Hermite's polynomial of the statisticians, of degree `b`, at `a`.
    HERMITE_HE,
    /// Laguerre's polynomial, of degree `b`, at `a`.
    LAGUERRE,
    /// Legendre's polynomial, of degree `b`, at `a`.
    LEGENDRE;

    /// The value at `a` and `b`, in double precision.
    public double at(double a, double b) {
      return Scalars.at(this, a, b);
    }

    /// The value at `a` and `b`, in single precision.
    public float at(float a, float b) {
      return Scalars.at(this, a, b);
    }

    /// The value at whole numbers, wrapping around.
    ///
    /// @throws taper.tensor.ArgumentException if a division is by 0
    /// @throws IllegalArgumentException if the function does not map whole numbers to whole numbers
    public long at(long a, long b) {
      return Scalars.at(this, a, b);
    }
  }

  /// A condition on two numbers.
  enum Comparison {
    /// `a < b`.
    LESS("<"),
    /// `a <= b`.
    LESS_EQUAL("<="),
    /// `a == b`.
    EQUAL("=="),
    /// `a != b`; holds if either is NaN.
    NOT_EQUAL("!="),
    /// `a > b`.
    GREATER(">"),
    /// `a >= b`.
    GREATER_EQUAL(">=");

    private final String sign;

    Comparison(String sign) {
      this.sign = sign;
    }

    /// Whether the condition holds.
    public boolean holds(double a, double b) {
      return switch (this) {
        case LESS -> a < b;
        case LESS_EQUAL -> a <= b;
        case EQUAL -> a == b;
        case NOT_EQUAL -> a != b;
        case GREATER -> a > b;
        case GREATER_EQUAL -> a >= b;
      };
    }

    /// Whether the condition holds.
    public boolean holds(long a, long b) {
      return switch (this) {
        case LESS -> a < b;
        case LESS_EQUAL -> a <= b;
        case EQUAL -> a == b;
        case NOT_EQUAL -> a != b;
        case GREATER -> a > b;
        case GREATER_EQUAL -> a >= b;
      };
    }

    /// The condition that holds of `(b, a)` exactly where this one holds of `(a, b)`.
    public Comparison swapped() {
      return switch (this) {
        case LESS -> GREATER;
        case LESS_EQUAL -> GREATER_EQUAL;
        case EQUAL, NOT_EQUAL -> this;
        case GREATER -> LESS;
        case GREATER_EQUAL -> LESS_EQUAL;
      };
    }

    @Override
    public String toString() {
      return sign;
    }
  }

  /// The operand at `position`.
  static Formula input(int position) {
    return new Input(position);
  }

  /// The parameter at `position`.
  static Formula parameter(int position) {
    return new Parameter(position);
  }

  /// The number `value`.
  static Formula constant(double value) {
    return new Constant(value);
  }

  /// `function` of `x`.
  static Formula apply(Function function, Formula x) {
    return new Unary(function, x);
  }

  /// `arithmetic` of `a` and `b`.
  static Formula apply(Arithmetic arithmetic, Formula a, Formula b) {
    return switch (arithmetic) {
      case PLUS -> a.plus(b);
      case MINUS -> a.minus(b);
      case TIMES -> a.times(b);
      case DIVIDED_BY -> a.dividedBy(b);
      default -> new Binary(arithmetic, a, b);
    };
  }

  /// `then` where `left comparison right` holds, `otherwise` elsewhere.
  static Formula select(
      Formula left, Comparison comparison, Formula right, Formula then, Formula otherwise) {
    return then.equals(otherwise) ? then : new Select(left, comparison, right, then, otherwise);
  }

  /// 1 where `left comparison right` holds, 0 elsewhere.
  static Formula compare(Formula left, Comparison comparison, Formula right) {
    return new Select(left, comparison, right, new Constant(1), new Constant(0));
  }

  /// `|x|`.
  static Formula abs(Formula x) {
    return new Unary(Function.ABS, x);
  }

  /// -1, 0 or 1.
  static Formula sign(Formula x) {
    return new Unary(Function.SIGN, x);
  }

  /// The square root of `x`.
  static Formula sqrt(Formula x) {
    return new Unary(Function.SQRT, x);
  }

  /// `1 / √x`.
  static Formula rsqrt(Formula x) {
    return new Unary(Function.RSQRT, x);
  }

  /// `eˣ`.
  static Formula exp(Formula x) {
    return new Unary(Function.EXP, x);
  }

  /// `eˣ - 1`.
  static Formula expm1(Formula x) {
    return new Unary(Function.EXPM1, x);
  }

  /// The natural logarithm of `x`.
  static Formula log(Formula x) {
    return new Unary(Function.LOG, x);
  }

  /// `log(1 + x)`.
  static Formula log1p(Formula x) {
    return new Unary(Function.LOG1P, x);
  }

  /// The sine of `x`.
  static Formula sin(Formula x) {
    return new Unary(Function.SIN, x);
  }

  /// The cosine of `x`.
  static Formula cos(Formula x) {
    return new Unary(Function.COS, x);
  }

  /// The hyperbolic sine of `x`.
  static Formula sinh(Formula x) {
    return new Unary(Function.SINH, x);
  }

  /// The hyperbolic cosine of `x`.
  static Formula cosh(Formula x) {
    return new Unary(Function.COSH, x);
  }

  /// The hyperbolic tangent of `x`.
  static Formula tanh(Formula x) {
    return new Unary(Function.TANH, x);
  }

  /// `1 / (1 + e⁻ˣ)`.
  static Formula sigmoid(Formula x) {
    return new Unary(Function.SIGMOID, x);
  }

  /// `log(1 + eˣ)`.
  static Formula softplus(Formula x) {
    return new Unary(Function.SOFTPLUS, x);
  }

  /// The error function of `x`.
  static Formula erf(Formula x) {
    return new Unary(Function.ERF, x);
  }

  /// `x` where positive, else 0.
  static Formula relu(Formula x) {
    return new Unary(Function.RELU, x);
  }

  /// The larger of both; NaN if either is.
  static Formula maximum(Formula a, Formula b) {
    return new Binary(Arithmetic.MAXIMUM, a, b);
  }

  /// The smaller of both; NaN if either is.
  static Formula minimum(Formula a, Formula b) {
    return new Binary(Arithmetic.MINIMUM, a, b);
  }

  /// `base` to the power of `exponent`.
  static Formula pow(Formula base, Formula exponent) {
    return exponent instanceof Constant(var e) && e == 1
        ? base
        : new Binary(Arithmetic.POWER, base, exponent);
  }

  /// `this + other`.
  default Formula plus(Formula other) {
    return this instanceof Constant(var a) && other instanceof Constant(var b)
        ? new Constant(a + b)
        : new Binary(Arithmetic.PLUS, this, other);
  }

  /// `this + other`.
  default Formula plus(double other) {
    return plus(new Constant(other));
  }

  /// `this - other`.
  default Formula minus(Formula other) {
    return this instanceof Constant(var a) && other instanceof Constant(var b)
        ? new Constant(a - b)
        : new Binary(Arithmetic.MINUS, this, other);
  }

  /// `this - other`.
  default Formula minus(double other) {
    return minus(new Constant(other));
  }

  /// `this · other`.
  default Formula times(Formula other) {
    if (this instanceof Constant(var a)) {
      if (other instanceof Constant(var b)) {
        return new Constant(a * b);
      }
      return a == 1 ? other : a == -1 ? other.negate() : new Binary(Arithmetic.TIMES, this, other);
    }
    if (other instanceof Constant(var b) && Math.abs(b) == 1) {
      return b == 1 ? this : negate();
    }
    return new Binary(Arithmetic.TIMES, this, other);
  }

  /// `this · other`.
  default Formula times(double other) {
    return times(new Constant(other));
  }

  /// `this / other`.
  default Formula dividedBy(Formula other) {
    return other instanceof Constant(var b) && b == 1
        ? this
        : new Binary(Arithmetic.DIVIDED_BY, this, other);
  }

  /// `this / other`.
  default Formula dividedBy(double other) {
    return dividedBy(new Constant(other));
  }

  /// `-this`.
  default Formula negate() {
    return switch (this) {
      case Constant(var value) -> new Constant(-value);
      case Unary(var function, var of) when function == Function.NEGATE -> of;
      default -> new Unary(Function.NEGATE, this);
    };
  }

  /// `1 / this`.
  default Formula reciprocal() {
    return new Unary(Function.RECIPROCAL, this);
  }

  /// `this²`.
  default Formula squared() {
    return times(this);
  }

  /// The value in double precision.
  ///
  /// @param inputs the operands, by position
  /// @param parameters the parameters, by position
  default double at(double[] inputs, double[] parameters) {
    return switch (this) {
      case Input(var i) -> inputs[i];
      case Parameter(var i) -> parameters[i];
      case Constant(var value) -> value;
      case Unary(var function, var of) -> function.at(of.at(inputs, parameters));
      case Binary(var arithmetic, var a, var b) ->
          arithmetic.at(a.at(inputs, parameters), b.at(inputs, parameters));
      case Select(var a, var comparison, var b, var then, var otherwise) ->
          comparison.holds(a.at(inputs, parameters), b.at(inputs, parameters))
              ? then.at(inputs, parameters)
              : otherwise.at(inputs, parameters);
    };
  }

  /// The value in whole numbers, exact modulo 2⁶⁴. Constants are cut off towards 0.
  ///
  /// @throws taper.tensor.ArgumentException if a division is by 0
  /// @throws IllegalArgumentException if a function does not map whole numbers to whole numbers
  default long at(long[] inputs, long[] parameters) {
    return switch (this) {
      case Input(var i) -> inputs[i];
      case Parameter(var i) -> parameters[i];
      case Constant(var value) -> Truncation.toInt64(value);
      case Unary(var function, var of) -> function.at(of.at(inputs, parameters));
      case Binary(var arithmetic, var a, var b) ->
          arithmetic.at(a.at(inputs, parameters), b.at(inputs, parameters));
      case Select(var a, var comparison, var b, var then, var otherwise) ->
          comparison.holds(a.at(inputs, parameters), b.at(inputs, parameters))
              ? then.at(inputs, parameters)
              : otherwise.at(inputs, parameters);
    };
  }

  /// The partial derivative by the operand at `input`, with PyTorch's conventions where none exists.
  ///
  /// It is finite wherever PyTorch's is, and is written with the result of a function where that is
  /// possible (`1 - tanh(x)²`), so that [#replace(Formula, Formula)] of this formula by an operand shows
  /// whether the gradient can be had from the output alone.
  default Formula derivative(int input) {
    return Calculus.derivative(this, input);
  }

  /// This formula with `by` in the place of every occurrence of `part`.
  default Formula replace(Formula part, Formula by) {
    if (equals(part)) {
      return by;
    }
    return switch (this) {
      case Input _, Parameter _, Constant _ -> this;
      case Unary(var function, var of) -> new Unary(function, of.replace(part, by));
      case Binary(var arithmetic, var a, var b) ->
          new Binary(arithmetic, a.replace(part, by), b.replace(part, by));
      case Select(var a, var comparison, var b, var then, var otherwise) ->
          new Select(
              a.replace(part, by),
              comparison,
              b.replace(part, by),
              then.replace(part, by),
              otherwise.replace(part, by));
    };
  }

  /// The positions of the operands that occur, in ascending order.
  default Set<Integer> inputs() {
    var found = new TreeSet<Integer>();
    Calculus.forEachPart(
        this,
        part -> {
          if (part instanceof Input(var position)) {
            found.add(position);
          }
        });
    return found;
  }

  /// The positions of the parameters that occur, in ascending order.
  default Set<Integer> parameters() {
    var found = new TreeSet<Integer>();
    Calculus.forEachPart(
        this,
        part -> {
          if (part instanceof Parameter(var position)) {
            found.add(position);
          }
        });
    return found;
  }

  /// Whether `part` occurs in this formula.
  default boolean contains(Formula part) {
    if (equals(part)) {
      return true;
    }
    return switch (this) {
      case Input _, Parameter _, Constant _ -> false;
      case Unary(_, var of) -> of.contains(part);
      case Binary(_, var a, var b) -> a.contains(part) || b.contains(part);
      case Select(var a, _, var b, var then, var otherwise) ->
          a.contains(part) || b.contains(part) || then.contains(part) || otherwise.contains(part);
    };
  }
}
