package taper.tensor;

import static taper.tensor.Operator.None.NONE;

import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Function;

/// Bitwise operations and divisors of whole numbers. No gradient flows.
public sealed interface Bits permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the elements with all bits turned over; of truth values, the opposite.
  ///
  /// @throws DTypeException if the elements are floating-point numbers
  default Tensor bitwiseNot() {
    return self().dtype() == DType.BOOL
        ? self().logicalNot()
        : Operators.BITWISE_NOT.on(NONE, self());
  }

  /// As [#bitwiseNot()], in place.
  default Tensor bitwiseNot_() {
    return self().dtype() == DType.BOOL
        ? self().logicalNot_()
        : Operators.BITWISE_NOT.inPlace(NONE, self());
  }

  /// Returns the bits that both elements have.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: whole numbers and truth values
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor bitwiseAnd(Tensor other) {
    return truths(other) ? self().logicalAnd(other) : Operators.BITWISE_AND.on(NONE, self(), other);
  }

  /// Returns the bits that both elements have.
  default Tensor bitwiseAnd(long other) {
    return Operators.BITWISE_AND.on(NONE, self(), Tensor.number(other));
  }

  /// As [#bitwiseAnd(Tensor)], in place.
  default Tensor bitwiseAnd_(Tensor other) {
    return truths(other)
        ? self().logicalAnd_(other)
        : Operators.BITWISE_AND.inPlace(NONE, self(), other);
  }

  /// As [#bitwiseAnd(long)], in place.
  default Tensor bitwiseAnd_(long other) {
    return Operators.BITWISE_AND.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns the bits that at least one of both elements has.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: whole numbers and truth values
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor bitwiseOr(Tensor other) {
    return truths(other) ? self().logicalOr(other) : Operators.BITWISE_OR.on(NONE, self(), other);
  }

  /// Returns the bits that at least one of both elements has.
  default Tensor bitwiseOr(long other) {
    return Operators.BITWISE_OR.on(NONE, self(), Tensor.number(other));
  }

  /// As [#bitwiseOr(Tensor)], in place.
  default Tensor bitwiseOr_(Tensor other) {
    return truths(other)
        ? self().logicalOr_(other)
        : Operators.BITWISE_OR.inPlace(NONE, self(), other);
  }

  /// As [#bitwiseOr(long)], in place.
  default Tensor bitwiseOr_(long other) {
    return Operators.BITWISE_OR.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns the bits that exactly one of both elements has.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: whole numbers and truth values
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor bitwiseXor(Tensor other) {
    return truths(other) ? self().logicalXor(other) : Operators.BITWISE_XOR.on(NONE, self(), other);
  }

  /// Returns the bits that exactly one of both elements has.
  default Tensor bitwiseXor(long other) {
    return Operators.BITWISE_XOR.on(NONE, self(), Tensor.number(other));
  }

  /// As [#bitwiseXor(Tensor)], in place.
  default Tensor bitwiseXor_(Tensor other) {
    return truths(other)
        ? self().logicalXor_(other)
        : Operators.BITWISE_XOR.inPlace(NONE, self(), other);
  }

  /// As [#bitwiseXor(long)], in place.
  default Tensor bitwiseXor_(long other) {
    return Operators.BITWISE_XOR.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns `self · 2^other`, modulo the width of the type; 0 where `other` is negative.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: whole numbers
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor bitwiseLeftShift(Tensor other) {
    return Operators.BITWISE_LEFT_SHIFT.on(NONE, self(), other);
  }

  /// Returns `self · 2^other`, modulo the width of the type; 0 where `other` is negative.
  default Tensor bitwiseLeftShift(long other) {
    return Operators.BITWISE_LEFT_SHIFT.on(NONE, self(), Tensor.number(other));
  }

  /// As [#bitwiseLeftShift(Tensor)], in place.
  default Tensor bitwiseLeftShift_(Tensor other) {
    return Operators.BITWISE_LEFT_SHIFT.inPlace(NONE, self(), other);
  }

  /// As [#bitwiseLeftShift(long)], in place.
  default Tensor bitwiseLeftShift_(long other) {
    return Operators.BITWISE_LEFT_SHIFT.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns `self / 2^other`, rounded down; only the sign where `other` is negative.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: whole numbers
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor bitwiseRightShift(Tensor other) {
    return Operators.BITWISE_RIGHT_SHIFT.on(NONE, self(), other);
  }

  /// Returns `self / 2^other`, rounded down; only the sign where `other` is negative.
  default Tensor bitwiseRightShift(long other) {
    return Operators.BITWISE_RIGHT_SHIFT.on(NONE, self(), Tensor.number(other));
  }

  /// As [#bitwiseRightShift(Tensor)], in place.
  default Tensor bitwiseRightShift_(Tensor other) {
    return Operators.BITWISE_RIGHT_SHIFT.inPlace(NONE, self(), other);
  }

  /// As [#bitwiseRightShift(long)], in place.
  default Tensor bitwiseRightShift_(long other) {
    return Operators.BITWISE_RIGHT_SHIFT.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns the greatest common divisors, at least 0.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: whole numbers
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor gcd(Tensor other) {
    return Operators.GCD.on(NONE, self(), other);
  }

  /// As [#gcd(Tensor)], in place.
  default Tensor gcd_(Tensor other) {
    return Operators.GCD.inPlace(NONE, self(), other);
  }

  /// Returns the least common multiples, at least 0.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: whole numbers
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor lcm(Tensor other) {
    return Operators.LCM.on(NONE, self(), other);
  }

  /// As [#lcm(Tensor)], in place.
  default Tensor lcm_(Tensor other) {
    return Operators.LCM.inPlace(NONE, self(), other);
  }

  /// Whether both operands hold truth values, of which the logical operators are the bitwise ones.
  private boolean truths(Tensor other) {
    return self().dtype() == DType.BOOL && other.dtype() == DType.BOOL;
  }

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("bits");

    private static Formula of(Arithmetic arithmetic, Formula a, Formula b) {
      return Formula.apply(arithmetic, a, b);
    }

    static final Operator<Operator.None> BITWISE_NOT =
        FAMILY
            .pointwise("bitwiseNot", x -> Formula.apply(Function.BIT_NOT, x))
            .dtypes(DTypes.WHOLE)
            .notDifferentiable()
            .torch("aten::bitwise_not(Tensor self) -> Tensor")
            .sample(NONE, "i64[3 4]")
            .sample(NONE, "i32[3]")
            .declare();

    static final Operator<Operator.None> BITWISE_AND =
        FAMILY
            .pointwise2("bitwiseAnd", (a, b) -> of(Arithmetic.BIT_AND, a, b))
            .dtypes(DTypes.BITS)
            .notDifferentiable()
            .torch("aten::bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor")
            .torch("aten::bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "i64[3 4], i64[4]")
            .sample(NONE, "i32[3], i64[3]")
            .sample(NONE, "bool[3 4], bool[4]")
            .sample(NONE, "i64[3 4], 5")
            .declare();

    static final Operator<Operator.None> BITWISE_OR =
        FAMILY
            .pointwise2("bitwiseOr", (a, b) -> of(Arithmetic.BIT_OR, a, b))
            .dtypes(DTypes.BITS)
            .notDifferentiable()
            .torch("aten::bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor")
            .torch("aten::bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "i64[3 4], i64[4]")
            .sample(NONE, "i32[3], i64[3]")
            .sample(NONE, "bool[3 4], bool[4]")
            .sample(NONE, "i64[3 4], 5")
            .declare();

    static final Operator<Operator.None> BITWISE_XOR =
        FAMILY
            .pointwise2("bitwiseXor", (a, b) -> of(Arithmetic.BIT_XOR, a, b))
            .dtypes(DTypes.BITS)
            .notDifferentiable()
            .torch("aten::bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor")
            .torch("aten::bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "i64[3 4], i64[4]")
            .sample(NONE, "i32[3], i64[3]")
            .sample(NONE, "bool[3 4], bool[4]")
            .sample(NONE, "i64[3 4], 5")
            .declare();

    static final Operator<Operator.None> BITWISE_LEFT_SHIFT =
        FAMILY
            .pointwise2("bitwiseLeftShift", (a, b) -> of(Arithmetic.SHIFT_LEFT, a, b))
            .dtypes(DTypes.WHOLE)
            .notDifferentiable()
            .torch("aten::bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor")
            .torch("aten::bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "i64[3 4], i64[4] in 0..9")
            .sample(NONE, "i64[3], 3")
            .declare();

    static final Operator<Operator.None> BITWISE_RIGHT_SHIFT =
        FAMILY
            .pointwise2("bitwiseRightShift", (a, b) -> of(Arithmetic.SHIFT_RIGHT, a, b))
            .dtypes(DTypes.WHOLE)
            .notDifferentiable()
            .torch("aten::bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor")
            .torch("aten::bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "i64[3 4], i64[4] in 0..9")
            .sample(NONE, "i64[3], 3")
            .declare();

    static final Operator<Operator.None> GCD =
        FAMILY
            .pointwise2("gcd", (a, b) -> of(Arithmetic.GCD, a, b))
            .dtypes(DTypes.WHOLE)
            .notDifferentiable()
            .torch("aten::gcd(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "i64[3 4], i64[4]")
            .sample(NONE, "i32[3], i64[3]")
            .declare();

    static final Operator<Operator.None> LCM =
        FAMILY
            .pointwise2("lcm", (a, b) -> of(Arithmetic.LCM, a, b))
            .dtypes(DTypes.WHOLE)
            .notDifferentiable()
            .torch("aten::lcm(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "i64[3 4], i64[4]")
            .sample(NONE, "i32[3], i64[3]")
            .declare();

    private Operators() {}
  }
}
