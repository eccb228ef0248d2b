package taper.tensor;

import static taper.tensor.Operator.None.NONE;

/// The static methods of [Tensor] for operators whose first operand is a Java number: Python's `3 / x`, `torch.pow(2, x)`.
abstract sealed class NumbersFirst permits RandomFactory {

  /// The type to which both operands are promoted: PyTorch's `result_type`.
  public static DType resultType(Tensor self, Tensor other) {
    return DTypes.resultType(self, other);
  }

  /// The type to which both operands are promoted: PyTorch's `result_type`.
  public static DType resultType(Tensor self, double other) {
    return DTypes.resultType(self, Tensor.number(other));
  }

  /// The type to which both operands are promoted: PyTorch's `result_type`.
  public static DType resultType(Tensor self, long other) {
    return DTypes.resultType(self, Tensor.number(other));
  }

  /// The type to which both operands are promoted: PyTorch's `result_type`.
  public static DType resultType(double self, Tensor other) {
    return DTypes.resultType(Tensor.number(self), other);
  }

  /// The type to which both operands are promoted: PyTorch's `result_type`.
  public static DType resultType(long self, Tensor other) {
    return DTypes.resultType(Tensor.number(self), other);
  }

  /// Returns `self / other`.
  ///
  /// - Types: whole numbers become `float32`
  public static Tensor div(double self, Tensor other) {
    return other.reciprocal().mul(self);
  }

  /// Returns `self / other`.
  public static Tensor div(long self, Tensor other) {
    return other.reciprocal().mul(self);
  }

  /// Returns the quotients `self / other`, rounded down.
  public static Tensor floorDivide(double self, Tensor other) {
    return Pointwise.Operators.FLOOR_DIVIDE.on(NONE, Tensor.number(self), other);
  }

  /// Returns the quotients `self / other`, rounded down.
  public static Tensor floorDivide(long self, Tensor other) {
    return Pointwise.Operators.FLOOR_DIVIDE.on(NONE, Tensor.number(self), other);
  }

  /// Returns the remainders of `self / other`, with the sign of `other`.
  public static Tensor remainder(double self, Tensor other) {
    return Pointwise.Operators.REMAINDER.on(NONE, Tensor.number(self), other);
  }

  /// Returns the remainders of `self / other`, with the sign of `other`.
  public static Tensor remainder(long self, Tensor other) {
    return Pointwise.Operators.REMAINDER.on(NONE, Tensor.number(self), other);
  }

  /// Returns `self` to the power of every element.
  public static Tensor pow(double self, Tensor exponent) {
    return Pointwise.Operators.POW.on(NONE, Tensor.number(self), exponent);
  }

  /// Returns `self` to the power of every element.
  public static Tensor pow(long self, Tensor exponent) {
    return Pointwise.Operators.POW.on(NONE, Tensor.number(self), exponent);
  }

  /// Returns `self` to the power of every element, computed in `float64`.
  public static Tensor floatPower(double self, Tensor exponent) {
    return pow(self, exponent.to(exponent.dtype().isComplex() ? DType.COMPLEX128 : DType.FLOAT64));
  }

  /// Returns `self · log(other)`, and 0 if `self` is 0.
  public static Tensor xlogy(double self, Tensor other) {
    return SpecialFunctions.Operators.XLOGY.on(NONE, Tensor.number(self), other);
  }

  /// Returns `self · log(other)`, and 0 if `self` is 0.
  public static Tensor xlogy(long self, Tensor other) {
    return SpecialFunctions.Operators.XLOGY.on(NONE, Tensor.number(self), other);
  }

  /// As [Tensor#bitwiseAnd(Tensor)], with a number as the first operand.
  public static Tensor bitwiseAnd(long self, Tensor other) {
    return Bits.Operators.BITWISE_AND.on(NONE, Tensor.number(self), other);
  }

  /// As [Tensor#bitwiseOr(Tensor)], with a number as the first operand.
  public static Tensor bitwiseOr(long self, Tensor other) {
    return Bits.Operators.BITWISE_OR.on(NONE, Tensor.number(self), other);
  }

  /// As [Tensor#bitwiseXor(Tensor)], with a number as the first operand.
  public static Tensor bitwiseXor(long self, Tensor other) {
    return Bits.Operators.BITWISE_XOR.on(NONE, Tensor.number(self), other);
  }

  /// As [Tensor#bitwiseLeftShift(Tensor)], with a number as the first operand.
  public static Tensor bitwiseLeftShift(long self, Tensor other) {
    return Bits.Operators.BITWISE_LEFT_SHIFT.on(NONE, Tensor.number(self), other);
  }

  /// As [Tensor#bitwiseRightShift(Tensor)], with a number as the first operand.
  public static Tensor bitwiseRightShift(long self, Tensor other) {
    return Bits.Operators.BITWISE_RIGHT_SHIFT.on(NONE, Tensor.number(self), other);
  }

  /// Returns `self` where `condition` holds, `other` elsewhere.
  ///
  /// - Shape: `[*b], [*b], [*b] -> [*b]`
  ///
  /// @throws DTypeException if `condition` is not `bool`
  public static Tensor where(Tensor condition, Tensor self, Tensor other) {
    return Pointwise.Operators.WHERE.on(NONE, condition, self, other);
  }

  /// Returns `self` where `condition` holds, `other` elsewhere.
  public static Tensor where(Tensor condition, double self, Tensor other) {
    return Pointwise.Operators.WHERE.on(NONE, condition, Tensor.number(self), other);
  }

  /// Returns `self` where `condition` holds, `other` elsewhere.
  public static Tensor where(Tensor condition, long self, Tensor other) {
    return Pointwise.Operators.WHERE.on(NONE, condition, Tensor.number(self), other);
  }

  /// Returns `self` where `condition` holds, `other` elsewhere.
  public static Tensor where(Tensor condition, double self, double other) {
    return Pointwise.Operators.WHERE.on(NONE, condition, Tensor.number(self), Tensor.number(other));
  }

  /// Returns `self` where `condition` holds, `other` elsewhere.
  public static Tensor where(Tensor condition, long self, long other) {
    return Pointwise.Operators.WHERE.on(NONE, condition, Tensor.number(self), Tensor.number(other));
  }
}
