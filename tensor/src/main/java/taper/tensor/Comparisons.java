package taper.tensor;

import static taper.tensor.Operator.None.NONE;

import java.util.List;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Comparison;

/// Conditions, element by element. The results hold truth values, and no gradient flows.
public sealed interface Comparisons permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns where elements equal `other`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: operands are promoted, the result is `bool`
  default Tensor eq(Tensor other) {
    return Operators.EQ.on(NONE, self(), other);
  }

  /// Returns where elements equal `other`.
  default Tensor eq(double other) {
    return Operators.EQ.on(NONE, self(), Tensor.number(other));
  }

  /// Returns where elements equal `other`.
  default Tensor eq(long other) {
    return Operators.EQ.on(NONE, self(), Tensor.number(other));
  }

  /// Overwrites the elements with 1 where they equal `other`, with 0 elsewhere.
  default Tensor eq_(Tensor other) {
    return Operators.EQ.inPlace(NONE, self(), other);
  }

  /// As [#eq_(Tensor)].
  default Tensor eq_(double other) {
    return Operators.EQ.inPlace(NONE, self(), Tensor.number(other));
  }

  /// As [#eq_(Tensor)].
  default Tensor eq_(long other) {
    return Operators.EQ.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns where elements do not equal `other`; NaN equals nothing.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: operands are promoted, the result is `bool`
  default Tensor ne(Tensor other) {
    return Operators.NE.on(NONE, self(), other);
  }

  /// Returns where elements do not equal `other`; NaN equals nothing.
  default Tensor ne(double other) {
    return Operators.NE.on(NONE, self(), Tensor.number(other));
  }

  /// Returns where elements do not equal `other`; NaN equals nothing.
  default Tensor ne(long other) {
    return Operators.NE.on(NONE, self(), Tensor.number(other));
  }

  /// Overwrites the elements with 1 where they do not equal `other`; NaN equals nothing, with 0 elsewhere.
  default Tensor ne_(Tensor other) {
    return Operators.NE.inPlace(NONE, self(), other);
  }

  /// As [#ne_(Tensor)].
  default Tensor ne_(double other) {
    return Operators.NE.inPlace(NONE, self(), Tensor.number(other));
  }

  /// As [#ne_(Tensor)].
  default Tensor ne_(long other) {
    return Operators.NE.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns where elements are below `other`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: operands are promoted, the result is `bool`
  default Tensor lt(Tensor other) {
    return Operators.LT.on(NONE, self(), other);
  }

  /// Returns where elements are below `other`.
  default Tensor lt(double other) {
    return Operators.LT.on(NONE, self(), Tensor.number(other));
  }

  /// Returns where elements are below `other`.
  default Tensor lt(long other) {
    return Operators.LT.on(NONE, self(), Tensor.number(other));
  }

  /// Overwrites the elements with 1 where they are below `other`, with 0 elsewhere.
  default Tensor lt_(Tensor other) {
    return Operators.LT.inPlace(NONE, self(), other);
  }

  /// As [#lt_(Tensor)].
  default Tensor lt_(double other) {
    return Operators.LT.inPlace(NONE, self(), Tensor.number(other));
  }

  /// As [#lt_(Tensor)].
  default Tensor lt_(long other) {
    return Operators.LT.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns where elements are at most `other`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: operands are promoted, the result is `bool`
  default Tensor le(Tensor other) {
    return Operators.LE.on(NONE, self(), other);
  }

  /// Returns where elements are at most `other`.
  default Tensor le(double other) {
    return Operators.LE.on(NONE, self(), Tensor.number(other));
  }

  /// Returns where elements are at most `other`.
  default Tensor le(long other) {
    return Operators.LE.on(NONE, self(), Tensor.number(other));
  }

  /// Overwrites the elements with 1 where they are at most `other`, with 0 elsewhere.
  default Tensor le_(Tensor other) {
    return Operators.LE.inPlace(NONE, self(), other);
  }

  /// As [#le_(Tensor)].
  default Tensor le_(double other) {
    return Operators.LE.inPlace(NONE, self(), Tensor.number(other));
  }

  /// As [#le_(Tensor)].
  default Tensor le_(long other) {
    return Operators.LE.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns where elements are above `other`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: operands are promoted, the result is `bool`
  default Tensor gt(Tensor other) {
    return Operators.GT.on(NONE, self(), other);
  }

  /// Returns where elements are above `other`.
  default Tensor gt(double other) {
    return Operators.GT.on(NONE, self(), Tensor.number(other));
  }

  /// Returns where elements are above `other`.
  default Tensor gt(long other) {
    return Operators.GT.on(NONE, self(), Tensor.number(other));
  }

  /// Overwrites the elements with 1 where they are above `other`, with 0 elsewhere.
  default Tensor gt_(Tensor other) {
    return Operators.GT.inPlace(NONE, self(), other);
  }

  /// As [#gt_(Tensor)].
  default Tensor gt_(double other) {
    return Operators.GT.inPlace(NONE, self(), Tensor.number(other));
  }

  /// As [#gt_(Tensor)].
  default Tensor gt_(long other) {
    return Operators.GT.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns where elements are at least `other`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: operands are promoted, the result is `bool`
  default Tensor ge(Tensor other) {
    return Operators.GE.on(NONE, self(), other);
  }

  /// Returns where elements are at least `other`.
  default Tensor ge(double other) {
    return Operators.GE.on(NONE, self(), Tensor.number(other));
  }

  /// Returns where elements are at least `other`.
  default Tensor ge(long other) {
    return Operators.GE.on(NONE, self(), Tensor.number(other));
  }

  /// Overwrites the elements with 1 where they are at least `other`, with 0 elsewhere.
  default Tensor ge_(Tensor other) {
    return Operators.GE.inPlace(NONE, self(), other);
  }

  /// As [#ge_(Tensor)].
  default Tensor ge_(double other) {
    return Operators.GE.inPlace(NONE, self(), Tensor.number(other));
  }

  /// As [#ge_(Tensor)].
  default Tensor ge_(long other) {
    return Operators.GE.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns where both elements are not 0.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  default Tensor logicalAnd(Tensor other) {
    return Operators.LOGICAL_AND.on(NONE, self(), other);
  }

  /// Overwrites the elements with 1 where both elements are not 0, with 0 elsewhere.
  default Tensor logicalAnd_(Tensor other) {
    return Operators.LOGICAL_AND.inPlace(NONE, self(), other);
  }

  /// Returns where at least one of both elements is not 0.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  default Tensor logicalOr(Tensor other) {
    return Operators.LOGICAL_OR.on(NONE, self(), other);
  }

  /// Overwrites the elements with 1 where at least one of both elements is not 0, with 0 elsewhere.
  default Tensor logicalOr_(Tensor other) {
    return Operators.LOGICAL_OR.inPlace(NONE, self(), other);
  }

  /// Returns where exactly one of both elements is not 0.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  default Tensor logicalXor(Tensor other) {
    return Operators.LOGICAL_XOR.on(NONE, self(), other);
  }

  /// Overwrites the elements with 1 where exactly one of both elements is not 0, with 0 elsewhere.
  default Tensor logicalXor_(Tensor other) {
    return Operators.LOGICAL_XOR.inPlace(NONE, self(), other);
  }

  /// Returns where elements are 0.
  default Tensor logicalNot() {
    return Operators.LOGICAL_NOT.on(NONE, self());
  }

  /// Overwrites the elements with 1 where they are 0, with 0 elsewhere.
  default Tensor logicalNot_() {
    return Operators.LOGICAL_NOT.inPlace(NONE, self());
  }

  /// Returns where elements are not a number.
  default Tensor isnan() {
    return Operators.ISNAN.on(NONE, self());
  }

  /// Returns where elements are infinite.
  default Tensor isinf() {
    return Operators.ISINF.on(NONE, self());
  }

  /// Returns where elements are neither infinite nor NaN.
  default Tensor isfinite() {
    return Operators.ISFINITE.on(NONE, self());
  }

  /// Returns where elements are positive infinity.
  default Tensor isposinf() {
    return Operators.ISPOSINF.on(NONE, self());
  }

  /// Returns where elements are negative infinity.
  default Tensor isneginf() {
    return Operators.ISNEGINF.on(NONE, self());
  }

  /// Returns where elements have a minus sign, negative zeros included.
  default Tensor signbit() {
    return Operators.SIGNBIT.on(NONE, self());
  }

  /// Returns where elements are within `1e-8 + 1e-5 · |other|` of those of `other`.
  default Tensor isclose(Tensor other) {
    return isclose(other, 1e-5, 1e-8, false);
  }

  /// Returns whether both have the same shape and equal elements.
  default boolean equal(Tensor other) {
    return self().shape().equals(other.shape())
        && Autograd.noGrad(() -> eq(other).all().itemBoolean());
  }

  /// Returns where elements are within `atol + rtol · |other|` of those of `other`.
  ///
  /// @param equalNan whether NaN is close to NaN
  /// @throws DTypeException if the types differ
  /// @throws ArgumentException if `rtol` or `atol` is negative
  default Tensor isclose(Tensor other, double rtol, double atol, boolean equalNan) {
    if (self().dtype() != other.dtype()) {
      throw new DTypeException(
          "isclose: both tensors must have one dtype, but self is %s and other is %s. Convert one of them with .to(dtype)."
              .formatted(self().dtype(), other.dtype()));
    }
    if (rtol < 0 || atol < 0) {
      throw new ArgumentException(
          "isclose: rtol and atol must be at least 0, but are %s and %s.".formatted(rtol, atol));
    }
    return Operators.ISCLOSE.on(new Close(rtol, atol, equalNan ? 1 : 0), self(), other);
  }

  /// Returns whether all elements are within `atol + rtol · |other|` of those of `other`.
  default boolean allclose(Tensor other, double rtol, double atol) {
    return allclose(other, rtol, atol, false);
  }

  /// Returns whether all elements are within `atol + rtol · |other|` of those of `other`.
  ///
  /// @param equalNan whether NaN is close to NaN
  default boolean allclose(Tensor other, double rtol, double atol, boolean equalNan) {
    return Autograd.noGrad(() -> isclose(other, rtol, atol, equalNan).all().itemBoolean());
  }

  /// Returns whether all elements are within `1e-8 + 1e-5 · |other|` of those of `other`.
  default boolean allclose(Tensor other) {
    return allclose(other, 1e-5, 1e-8);
  }

  /// How close is close.
  ///
  /// @param rtol relative to the other element
  /// @param atol absolute
  /// @param equalNan 1 if NaN is close to NaN, else 0
  record Close(double rtol, double atol, double equalNan) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("comparisons");

    private static final Formula ZERO = Formula.constant(0);
    private static final Formula ONE = Formula.constant(1);

    static final Operator<Operator.None> EQ =
        FAMILY
            .pointwise2("eq", (a, b) -> Formula.compare(a, Comparison.EQUAL, b))
            .dtypes(DTypes.COMPARISON.complexWithHalf())
            .notDifferentiable()
            .torch("aten::eq.Tensor(Tensor self, Tensor other) -> Tensor")
            .torch("aten::eq.Scalar(Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "i64[3 4] in 0..2, i64[3 1] in 0..2")
            .sample(NONE, "i64[3], 1.5")
            .sample(NONE, "f32[3 4], 0")
            .sample(NONE, "c64[3 4], c64[4]")
            .declare();

    static final Operator<Operator.None> NE =
        FAMILY
            .pointwise2("ne", (a, b) -> Formula.compare(a, Comparison.NOT_EQUAL, b))
            .dtypes(DTypes.COMPARISON.complexWithHalf())
            .notDifferentiable()
            .torch("aten::ne.Tensor(Tensor self, Tensor other) -> Tensor")
            .torch("aten::ne.Scalar(Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "i64[3 4] in 0..2, i64[3 1] in 0..2")
            .sample(NONE, "i64[3], 1.5")
            .sample(NONE, "f32[3 4], 0")
            .sample(NONE, "c64[3 4], c64[4]")
            .declare();

    static final Operator<Operator.None> LT =
        FAMILY
            .pointwise2("lt", (a, b) -> Formula.compare(a, Comparison.LESS, b))
            .dtypes(DTypes.COMPARISON)
            .notDifferentiable()
            .torch("aten::lt.Tensor(Tensor self, Tensor other) -> Tensor")
            .torch("aten::lt.Scalar(Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "i64[3 4] in 0..2, i64[3 1] in 0..2")
            .sample(NONE, "i64[3], 1.5")
            .sample(NONE, "f32[3 4], 0")
            .declare();

    static final Operator<Operator.None> LE =
        FAMILY
            .pointwise2("le", (a, b) -> Formula.compare(a, Comparison.LESS_EQUAL, b))
            .dtypes(DTypes.COMPARISON)
            .notDifferentiable()
            .torch("aten::le.Tensor(Tensor self, Tensor other) -> Tensor")
            .torch("aten::le.Scalar(Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "i64[3 4] in 0..2, i64[3 1] in 0..2")
            .sample(NONE, "i64[3], 1.5")
            .sample(NONE, "f32[3 4], 0")
            .declare();

    static final Operator<Operator.None> GT =
        FAMILY
            .pointwise2("gt", (a, b) -> Formula.compare(a, Comparison.GREATER, b))
            .dtypes(DTypes.COMPARISON)
            .notDifferentiable()
            .torch("aten::gt.Tensor(Tensor self, Tensor other) -> Tensor")
            .torch("aten::gt.Scalar(Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "i64[3 4] in 0..2, i64[3 1] in 0..2")
            .sample(NONE, "i64[3], 1.5")
            .sample(NONE, "f32[3 4], 0")
            .declare();

    static final Operator<Operator.None> GE =
        FAMILY
            .pointwise2("ge", (a, b) -> Formula.compare(a, Comparison.GREATER_EQUAL, b))
            .dtypes(DTypes.COMPARISON)
            .notDifferentiable()
            .torch("aten::ge.Tensor(Tensor self, Tensor other) -> Tensor")
            .torch("aten::ge.Scalar(Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "i64[3 4] in 0..2, i64[3 1] in 0..2")
            .sample(NONE, "i64[3], 1.5")
            .sample(NONE, "f32[3 4], 0")
            .declare();

    static final Operator<Operator.None> LOGICAL_AND =
        FAMILY
            .pointwise2(
                "logicalAnd",
                (a, b) -> Formula.select(a, Comparison.NOT_EQUAL, ZERO, truth(b), ZERO))
            .dtypes(DTypes.COMPARISON.complex())
            .notDifferentiable()
            .torch("aten::logical_and(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "bool[3 4], bool[4]")
            .sample(NONE, "f32[3 4], i64[4] in 0..1")
            .sample(NONE, "c64[3 4], c64[4]")
            .declare();

    static final Operator<Operator.None> LOGICAL_OR =
        FAMILY
            .pointwise2(
                "logicalOr", (a, b) -> Formula.select(a, Comparison.NOT_EQUAL, ZERO, ONE, truth(b)))
            .dtypes(DTypes.COMPARISON.complex())
            .notDifferentiable()
            .torch("aten::logical_or(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "bool[3 4], bool[4]")
            .sample(NONE, "f32[3 4], i64[4] in 0..1")
            .declare();

    static final Operator<Operator.None> LOGICAL_XOR =
        FAMILY
            .pointwise2(
                "logicalXor",
                (a, b) -> Formula.select(a, Comparison.NOT_EQUAL, ZERO, falsehood(b), truth(b)))
            .dtypes(DTypes.COMPARISON.complex())
            .notDifferentiable()
            .torch("aten::logical_xor(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "bool[3 4], bool[4]")
            .sample(NONE, "f32[3 4], i64[4] in 0..1")
            .declare();

    static final Operator<Operator.None> LOGICAL_NOT =
        FAMILY
            .pointwise("logicalNot", Comparisons.Operators::falsehood)
            .dtypes(DTypes.COMPARISON.complex())
            .notDifferentiable()
            .torch("aten::logical_not(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "i64[3] in 0..1")
            .declare();

    static final Operator<Operator.None> ISNAN =
        FAMILY
            .pointwise("isnan", x -> Formula.compare(x, Comparison.NOT_EQUAL, x))
            .dtypes(DTypes.COMPARISON.complex())
            .notDifferentiable()
            .torch("aten::isnan(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "i64[3] in 0..1")
            .declare();

    static final Operator<Operator.None> ISINF =
        FAMILY
            .pointwise(
                "isinf",
                x ->
                    Formula.compare(
                        Formula.abs(x),
                        Comparison.EQUAL,
                        Formula.constant(Double.POSITIVE_INFINITY)))
            .dtypes(DTypes.FLOATING.results(DTypes.Result.BOOL).complex())
            .notDifferentiable()
            .torch("aten::isinf(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "i64[3] in 0..1")
            .declare();

    static final Operator<Operator.None> ISFINITE =
        FAMILY
            .pointwise(
                "isfinite",
                x ->
                    Formula.compare(
                        Formula.abs(x),
                        Comparison.LESS,
                        Formula.constant(Double.POSITIVE_INFINITY)))
            .dtypes(DTypes.FLOATING.results(DTypes.Result.BOOL).complex())
            .notDifferentiable()
            .torch("aten::isfinite(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "i64[3] in 0..1")
            .declare();

    static final Operator<Operator.None> ISPOSINF =
        FAMILY
            .pointwise(
                "isposinf",
                x ->
                    Formula.compare(
                        x, Comparison.EQUAL, Formula.constant(Double.POSITIVE_INFINITY)))
            .dtypes(DTypes.FLOATING.results(DTypes.Result.BOOL))
            .notDifferentiable()
            .torch("aten::isposinf(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "i64[3]")
            .declare();

    static final Operator<Operator.None> ISNEGINF =
        FAMILY
            .pointwise(
                "isneginf",
                x ->
                    Formula.compare(
                        x, Comparison.EQUAL, Formula.constant(Double.NEGATIVE_INFINITY)))
            .dtypes(DTypes.FLOATING.results(DTypes.Result.BOOL))
            .notDifferentiable()
            .torch("aten::isneginf(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "i64[3]")
            .declare();

    static final Operator<Operator.None> SIGNBIT =
        FAMILY
            .pointwise(
                "signbit",
                x ->
                    Formula.compare(
                        Formula.apply(Formula.Arithmetic.COPYSIGN, ONE, x), Comparison.LESS, ZERO))
            .dtypes(DTypes.COMPARISON)
            .notDifferentiable()
            .torch("aten::signbit(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "i64[3]")
            .declare();

    // Equal elements first: the difference of infinities would be NaN. Infinite others are close to
    // nothing else.
    static final Operator<Close> ISCLOSE =
        FAMILY
            .<Close>pointwise(
                "isclose",
                List.of("self", "other"),
                close(Formula.input(0), Formula.input(1)),
                a -> Parameters.of(a.rtol(), a.atol(), a.equalNan()))
            .dtypes(DTypes.FLOATING.results(DTypes.Result.BOOL).complex())
            .notDifferentiable()
            .torch(
                "aten::isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool"
                    + " equal_nan=False) -> Tensor")
            .sample(new Close(0.1, 0.01, 0), "f32[3 4], f32[4]")
            .declare();

    private static Formula close(Formula a, Formula b) {
      Formula distance = Formula.abs(a.minus(b));
      Formula allowed = Formula.parameter(1).plus(Formula.parameter(0).times(Formula.abs(b)));
      Formula near =
          Formula.select(
              distance,
              Comparison.LESS,
              Formula.constant(Double.POSITIVE_INFINITY),
              Formula.compare(distance, Comparison.LESS_EQUAL, allowed),
              ZERO);
      Formula bothNan =
          Formula.select(
              a,
              Comparison.NOT_EQUAL,
              a,
              Formula.select(b, Comparison.NOT_EQUAL, b, Formula.parameter(2), ZERO),
              near);
      return Formula.select(a, Comparison.EQUAL, b, ONE, bothNan);
    }

    private static Formula truth(Formula x) {
      return Formula.compare(x, Comparison.NOT_EQUAL, ZERO);
    }

    private static Formula falsehood(Formula x) {
      return Formula.compare(x, Comparison.EQUAL, ZERO);
    }

    private Operators() {}
  }
}
