package taper.tensor;

import static taper.tensor.Operator.None.NONE;
import static taper.tensor.spi.Formula.input;
import static taper.tensor.spi.Formula.parameter;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.ReferenceElements;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Comparison;
import taper.tensor.spi.Formula.Function;
import taper.tensor.spi.Truncation;

/// Arithmetic and elementary functions, element by element.
///
/// Operands broadcast, and are promoted to one type as in PyTorch. Where an operand may be a Java number, it counts as
/// PyTorch's Python numbers do: it does not widen the type of a tensor of its category.
public sealed interface Pointwise permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns `self + other`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor add(Tensor other) {
    return Operators.ADD.on(NONE, self(), other);
  }

  /// Returns `self + other`.
  default Tensor add(double other) {
    return Operators.ADD.on(NONE, self(), Tensor.number(other));
  }

  /// Returns `self + other`.
  default Tensor add(long other) {
    return Operators.ADD.on(NONE, self(), Tensor.number(other));
  }

  /// Makes this tensor `self + other`.
  default Tensor add_(Tensor other) {
    return Operators.ADD.inPlace(NONE, self(), other);
  }

  /// Makes this tensor `self + other`.
  default Tensor add_(double other) {
    return Operators.ADD.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Makes this tensor `self + other`.
  default Tensor add_(long other) {
    return Operators.ADD.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns `self + alpha · other`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  default Tensor add(Tensor other, double alpha) {
    return Operators.ADD_SCALED.on(new Scale(alpha), self(), other);
  }

  /// Adds `alpha · other` to this tensor.
  default Tensor add_(Tensor other, double alpha) {
    return Operators.ADD_SCALED.inPlace(new Scale(alpha), self(), other);
  }

  /// Returns `self - other`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor sub(Tensor other) {
    return Operators.SUB.on(NONE, self(), other);
  }

  /// Returns `self - other`.
  default Tensor sub(double other) {
    return Operators.SUB.on(NONE, self(), Tensor.number(other));
  }

  /// Returns `self - other`.
  default Tensor sub(long other) {
    return Operators.SUB.on(NONE, self(), Tensor.number(other));
  }

  /// Makes this tensor `self - other`.
  default Tensor sub_(Tensor other) {
    return Operators.SUB.inPlace(NONE, self(), other);
  }

  /// Makes this tensor `self - other`.
  default Tensor sub_(double other) {
    return Operators.SUB.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Makes this tensor `self - other`.
  default Tensor sub_(long other) {
    return Operators.SUB.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns `self - alpha · other`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  default Tensor sub(Tensor other, double alpha) {
    return Operators.SUB_SCALED.on(new Scale(alpha), self(), other);
  }

  /// Subtracts `alpha · other` from this tensor.
  default Tensor sub_(Tensor other, double alpha) {
    return Operators.SUB_SCALED.inPlace(new Scale(alpha), self(), other);
  }

  /// Returns `other - self`.
  default Tensor rsub(Tensor other) {
    return Operators.RSUB.on(NONE, self(), other);
  }

  /// Returns `other - self`.
  default Tensor rsub(double other) {
    return Operators.RSUB.on(NONE, self(), Tensor.number(other));
  }

  /// Returns `other - self`.
  default Tensor rsub(long other) {
    return Operators.RSUB.on(NONE, self(), Tensor.number(other));
  }

  /// Returns `self · other`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor mul(Tensor other) {
    return Operators.MUL.on(NONE, self(), other);
  }

  /// Returns `self · other`.
  default Tensor mul(double other) {
    return Operators.MUL.on(NONE, self(), Tensor.number(other));
  }

  /// Returns `self · other`.
  default Tensor mul(long other) {
    return Operators.MUL.on(NONE, self(), Tensor.number(other));
  }

  /// Makes this tensor `self · other`.
  default Tensor mul_(Tensor other) {
    return Operators.MUL.inPlace(NONE, self(), other);
  }

  /// Makes this tensor `self · other`.
  default Tensor mul_(double other) {
    return Operators.MUL.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Makes this tensor `self · other`.
  default Tensor mul_(long other) {
    return Operators.MUL.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns `self / other`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: whole numbers are divided as `float32`
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor div(Tensor other) {
    return Operators.DIV.on(NONE, self(), other);
  }

  /// Returns `self / other`.
  default Tensor div(double other) {
    return Operators.DIV.on(NONE, self(), Tensor.number(other));
  }

  /// Returns `self / other`.
  default Tensor div(long other) {
    return Operators.DIV.on(NONE, self(), Tensor.number(other));
  }

  /// Makes this tensor `self / other`.
  default Tensor div_(Tensor other) {
    return Operators.DIV.inPlace(NONE, self(), other);
  }

  /// Makes this tensor `self / other`.
  default Tensor div_(double other) {
    return Operators.DIV.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Makes this tensor `self / other`.
  default Tensor div_(long other) {
    return Operators.DIV.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns `self / other`, rounded.
  ///
  /// - Types: whole numbers stay whole
  /// - Gradient: 0 everywhere
  default Tensor div(Tensor other, Rounding rounding) {
    return rounding.operator().on(NONE, self(), other);
  }

  /// Returns `self / other`, rounded.
  default Tensor div(double other, Rounding rounding) {
    return rounding.operator().on(NONE, self(), Tensor.number(other));
  }

  /// Returns `self / other`, rounded.
  default Tensor div(long other, Rounding rounding) {
    return rounding.operator().on(NONE, self(), Tensor.number(other));
  }

  /// Makes this tensor `self / other`, rounded.
  default Tensor div_(Tensor other, Rounding rounding) {
    return rounding.operator().inPlace(NONE, self(), other);
  }

  /// Makes this tensor `self / other`, rounded.
  default Tensor div_(double other, Rounding rounding) {
    return rounding.operator().inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns the quotients `self / other`, rounded down.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: 0 everywhere
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor floorDivide(Tensor other) {
    return Operators.FLOOR_DIVIDE.on(NONE, self(), other);
  }

  /// Returns the quotients `self / other`, rounded down.
  default Tensor floorDivide(double other) {
    return Operators.FLOOR_DIVIDE.on(NONE, self(), Tensor.number(other));
  }

  /// Returns the quotients `self / other`, rounded down.
  default Tensor floorDivide(long other) {
    return Operators.FLOOR_DIVIDE.on(NONE, self(), Tensor.number(other));
  }

  /// Makes this tensor the quotients `self / other`, rounded down.
  default Tensor floorDivide_(Tensor other) {
    return Operators.FLOOR_DIVIDE.inPlace(NONE, self(), other);
  }

  /// Makes this tensor the quotients `self / other`, rounded down.
  default Tensor floorDivide_(double other) {
    return Operators.FLOOR_DIVIDE.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Makes this tensor the quotients `self / other`, rounded down.
  default Tensor floorDivide_(long other) {
    return Operators.FLOOR_DIVIDE.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns the remainders of the division `self / other` that is rounded down: they have the sign
  /// of `other`, as in Python.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor remainder(Tensor other) {
    return Operators.REMAINDER.on(NONE, self(), other);
  }

  /// Returns the remainders of the division `self / other` that is rounded down: they have the sign
  /// of `other`, as in Python.
  default Tensor remainder(double other) {
    return Operators.REMAINDER.on(NONE, self(), Tensor.number(other));
  }

  /// Returns the remainders of the division `self / other` that is rounded down: they have the sign
  /// of `other`, as in Python.
  default Tensor remainder(long other) {
    return Operators.REMAINDER.on(NONE, self(), Tensor.number(other));
  }

  /// Makes this tensor the remainders of the division `self / other` that is rounded down: they
  /// have the sign of `other`, as in Python.
  default Tensor remainder_(Tensor other) {
    return Operators.REMAINDER.inPlace(NONE, self(), other);
  }

  /// Makes this tensor the remainders of the division `self / other` that is rounded down: they
  /// have the sign of `other`, as in Python.
  default Tensor remainder_(double other) {
    return Operators.REMAINDER.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Makes this tensor the remainders of the division `self / other` that is rounded down: they
  /// have the sign of `other`, as in Python.
  default Tensor remainder_(long other) {
    return Operators.REMAINDER.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns the remainders of the division `self / other` that is cut off towards 0: they have the
  /// sign of `self`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor fmod(Tensor other) {
    return Operators.FMOD.on(NONE, self(), other);
  }

  /// Returns the remainders of the division `self / other` that is cut off towards 0: they have the
  /// sign of `self`.
  default Tensor fmod(double other) {
    return Operators.FMOD.on(NONE, self(), Tensor.number(other));
  }

  /// Returns the remainders of the division `self / other` that is cut off towards 0: they have the
  /// sign of `self`.
  default Tensor fmod(long other) {
    return Operators.FMOD.on(NONE, self(), Tensor.number(other));
  }

  /// Makes this tensor the remainders of the division `self / other` that is cut off towards 0:
  /// they have the sign of `self`.
  default Tensor fmod_(Tensor other) {
    return Operators.FMOD.inPlace(NONE, self(), other);
  }

  /// Makes this tensor the remainders of the division `self / other` that is cut off towards 0:
  /// they have the sign of `self`.
  default Tensor fmod_(double other) {
    return Operators.FMOD.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Makes this tensor the remainders of the division `self / other` that is cut off towards 0:
  /// they have the sign of `self`.
  default Tensor fmod_(long other) {
    return Operators.FMOD.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns the larger of both elements; NaN if either is.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: half to each where both are equal
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor maximum(Tensor other) {
    return Operators.MAXIMUM.on(NONE, self(), other);
  }

  /// Returns the smaller of both elements; NaN if either is.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: half to each where both are equal
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor minimum(Tensor other) {
    return Operators.MINIMUM.on(NONE, self(), other);
  }

  /// Returns the angles of the points `(other, self)`, in radians.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor atan2(Tensor other) {
    return Operators.ATAN2.on(NONE, self(), other);
  }

  /// Makes this tensor the angles of the points `(other, self)`, in radians.
  default Tensor atan2_(Tensor other) {
    return Operators.ATAN2.inPlace(NONE, self(), other);
  }

  /// Returns `log(eˣ + eʸ)` of every pair of elements `x` and `y`, without overflow.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: at least one must be floating
  /// - Gradient: finite, also where both are the same infinity
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor logaddexp(Tensor other) {
    return Operators.LOGADDEXP.on(NONE, self(), other);
  }

  /// Returns `self` to the power of `exponent`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: 0 to the base where the exponent is 0
  default Tensor pow(Tensor exponent) {
    requireExponent(exponent);
    return Operators.POW.on(NONE, self(), exponent);
  }

  /// Returns `self` to the power of `exponent`.
  default Tensor pow(double exponent) {
    return exponent == 2 && self().dtype().isDifferentiable()
        ? square()
        : Operators.POW.on(NONE, self(), Tensor.number(exponent));
  }

  /// Returns `self` to the power of `exponent`.
  ///
  /// @throws ArgumentException if the exponent is negative and the elements are whole numbers
  default Tensor pow(long exponent) {
    if (exponent == 2) {
      return square();
    }
    requireExponent(Tensor.number(exponent));
    return Operators.POW.on(NONE, self(), Tensor.number(exponent));
  }

  private void requireExponent(Tensor exponent) {
    if (exponent.isNumber()
        && exponent.dtype() == DType.INT64
        && exponent.data().longValue() < 0
        && !self().dtype().isDifferentiable()) {
      throw new ArgumentException(
          "pow: whole numbers must have an exponent of at least 0, but it is %d. Convert the base with .to(DType.FLOAT32)."
              .formatted(exponent.data().longValue()));
    }
  }

  /// Makes this tensor `self` to the power of `exponent`.
  default Tensor pow_(Tensor exponent) {
    requireExponent(exponent);
    return Operators.POW.inPlace(NONE, self(), exponent);
  }

  /// Makes this tensor `self` to the power of `exponent`.
  default Tensor pow_(double exponent) {
    return Operators.POW.inPlace(NONE, self(), Tensor.number(exponent));
  }

  /// Makes this tensor `self` to the power of `exponent`.
  default Tensor pow_(long exponent) {
    requireExponent(Tensor.number(exponent));
    return Operators.POW.inPlace(NONE, self(), Tensor.number(exponent));
  }

  /// Returns `base` to the power of every element: PyTorch's `pow(base, self)`.
  default Tensor powOf(double base) {
    return Operators.POW.on(NONE, Tensor.number(base), self());
  }

  /// Returns `base` to the power of every element: PyTorch's `pow(base, self)`.
  default Tensor powOf(long base) {
    return Operators.POW.on(NONE, Tensor.number(base), self());
  }

  /// Returns `-self`.
  default Tensor neg() {
    return Operators.NEG.on(NONE, self());
  }

  /// Makes this tensor `-self`.
  default Tensor neg_() {
    return Operators.NEG.inPlace(NONE, self());
  }

  /// Returns `|self|`.
  ///
  /// - Gradient: 0 at 0
  default Tensor abs() {
    return self().isComplex()
        ? ComplexParts.Operators.COMPLEX_ABS.on(NONE, self())
        : Operators.ABS.on(NONE, self());
  }

  /// Makes this tensor `|self|`.
  default Tensor abs_() {
    return Operators.ABS.inPlace(NONE, self());
  }

  /// Returns -1, 0 or 1, the sign of every element.
  ///
  /// - Gradient: 0 everywhere
  default Tensor sign() {
    return Operators.SIGN.on(NONE, self());
  }

  /// Makes this tensor -1, 0 or 1, the sign of every element.
  default Tensor sign_() {
    return Operators.SIGN.inPlace(NONE, self());
  }

  /// Returns `self²`.
  default Tensor square() {
    return Operators.SQUARE.on(
        NONE, self().dtype() == DType.BOOL ? self().to(DType.INT64) : self());
  }

  /// Makes this tensor `self²`.
  default Tensor square_() {
    return Operators.SQUARE.inPlace(NONE, self());
  }

  /// Returns `1 / self`.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor reciprocal() {
    return Operators.RECIPROCAL.on(NONE, self());
  }

  /// Makes this tensor `1 / self`.
  default Tensor reciprocal_() {
    return Operators.RECIPROCAL.inPlace(NONE, self());
  }

  /// Returns the square root of every element; NaN of negative ones.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor sqrt() {
    return Operators.SQRT.on(NONE, self());
  }

  /// As [#sqrt()], in place.
  default Tensor sqrt_() {
    return Operators.SQRT.inPlace(NONE, self());
  }

  /// Returns `1 / √self`.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor rsqrt() {
    return Operators.RSQRT.on(NONE, self());
  }

  /// Makes this tensor `1 / √self`.
  default Tensor rsqrt_() {
    return Operators.RSQRT.inPlace(NONE, self());
  }

  /// Returns `eˣ`.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor exp() {
    return Operators.EXP.on(NONE, self());
  }

  /// Makes this tensor `eˣ`.
  default Tensor exp_() {
    return Operators.EXP.inPlace(NONE, self());
  }

  /// Returns `2ˣ`.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor exp2() {
    return Operators.EXP2.on(NONE, self());
  }

  /// Makes this tensor `2ˣ`.
  default Tensor exp2_() {
    return Operators.EXP2.inPlace(NONE, self());
  }

  /// Returns `eˣ - 1`, exact near 0.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor expm1() {
    return Operators.EXPM1.on(NONE, self());
  }

  /// Makes this tensor `eˣ - 1`, exact near 0.
  default Tensor expm1_() {
    return Operators.EXPM1.inPlace(NONE, self());
  }

  /// Returns the natural logarithm of every element.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor log() {
    return Operators.LOG.on(NONE, self());
  }

  /// As [#log()], in place.
  default Tensor log_() {
    return Operators.LOG.inPlace(NONE, self());
  }

  /// Returns `log(1 + self)`, exact near 0.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor log1p() {
    return Operators.LOG1P.on(NONE, self());
  }

  /// Makes this tensor `log(1 + self)`, exact near 0.
  default Tensor log1p_() {
    return Operators.LOG1P.inPlace(NONE, self());
  }

  /// Returns the logarithm to base 2.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor log2() {
    return Operators.LOG2.on(NONE, self());
  }

  /// As [#log2()], in place.
  default Tensor log2_() {
    return Operators.LOG2.inPlace(NONE, self());
  }

  /// Returns the logarithm to base 10.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor log10() {
    return Operators.LOG10.on(NONE, self());
  }

  /// As [#log10()], in place.
  default Tensor log10_() {
    return Operators.LOG10.inPlace(NONE, self());
  }

  /// Returns the sine of angles in radians.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor sin() {
    return Operators.SIN.on(NONE, self());
  }

  /// As [#sin()], in place.
  default Tensor sin_() {
    return Operators.SIN.inPlace(NONE, self());
  }

  /// Returns the cosine of angles in radians.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor cos() {
    return Operators.COS.on(NONE, self());
  }

  /// As [#cos()], in place.
  default Tensor cos_() {
    return Operators.COS.inPlace(NONE, self());
  }

  /// Returns the tangent of angles in radians.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor tan() {
    return Operators.TAN.on(NONE, self());
  }

  /// As [#tan()], in place.
  default Tensor tan_() {
    return Operators.TAN.inPlace(NONE, self());
  }

  /// Returns the inverse of the sine, in radians.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor asin() {
    return Operators.ASIN.on(NONE, self());
  }

  /// As [#asin()], in place.
  default Tensor asin_() {
    return Operators.ASIN.inPlace(NONE, self());
  }

  /// Returns the inverse of the cosine, in radians.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor acos() {
    return Operators.ACOS.on(NONE, self());
  }

  /// As [#acos()], in place.
  default Tensor acos_() {
    return Operators.ACOS.inPlace(NONE, self());
  }

  /// Returns the inverse of the tangent, in radians.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor atan() {
    return Operators.ATAN.on(NONE, self());
  }

  /// As [#atan()], in place.
  default Tensor atan_() {
    return Operators.ATAN.inPlace(NONE, self());
  }

  /// Returns the hyperbolic sine.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor sinh() {
    return Operators.SINH.on(NONE, self());
  }

  /// As [#sinh()], in place.
  default Tensor sinh_() {
    return Operators.SINH.inPlace(NONE, self());
  }

  /// Returns the hyperbolic cosine.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor cosh() {
    return Operators.COSH.on(NONE, self());
  }

  /// As [#cosh()], in place.
  default Tensor cosh_() {
    return Operators.COSH.inPlace(NONE, self());
  }

  /// Returns the inverse of the hyperbolic sine.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor asinh() {
    return Operators.ASINH.on(NONE, self());
  }

  /// As [#asinh()], in place.
  default Tensor asinh_() {
    return Operators.ASINH.inPlace(NONE, self());
  }

  /// Returns the inverse of the hyperbolic cosine.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor acosh() {
    return Operators.ACOSH.on(NONE, self());
  }

  /// As [#acosh()], in place.
  default Tensor acosh_() {
    return Operators.ACOSH.inPlace(NONE, self());
  }

  /// Returns the inverse of the hyperbolic tangent.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor atanh() {
    return Operators.ATANH.on(NONE, self());
  }

  /// As [#atanh()], in place.
  default Tensor atanh_() {
    return Operators.ATANH.inPlace(NONE, self());
  }

  /// Returns the error function `2/√π ∫₀ˣ exp(-t²) dt`.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor erf() {
    return Operators.ERF.on(NONE, self());
  }

  /// As [#erf()], in place.
  default Tensor erf_() {
    return Operators.ERF.inPlace(NONE, self());
  }

  /// Returns `1 - erf(self)`, exact for large elements.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor erfc() {
    return Operators.ERFC.on(NONE, self());
  }

  /// Makes this tensor `1 - erf(self)`, exact for large elements.
  default Tensor erfc_() {
    return Operators.ERFC.inPlace(NONE, self());
  }

  /// Returns the largest whole numbers that are not above the elements.
  ///
  /// - Gradient: 0 everywhere
  default Tensor floor() {
    return Operators.FLOOR.on(NONE, self());
  }

  /// As [#floor()], in place.
  default Tensor floor_() {
    return Operators.FLOOR.inPlace(NONE, self());
  }

  /// Returns the smallest whole numbers that are not below the elements.
  ///
  /// - Gradient: 0 everywhere
  default Tensor ceil() {
    return Operators.CEIL.on(NONE, self());
  }

  /// As [#ceil()], in place.
  default Tensor ceil_() {
    return Operators.CEIL.inPlace(NONE, self());
  }

  /// Returns the nearest whole numbers, ties to even.
  ///
  /// - Gradient: 0 everywhere
  default Tensor round() {
    return Operators.ROUND.on(NONE, self());
  }

  /// As [#round()], in place.
  default Tensor round_() {
    return Operators.ROUND.inPlace(NONE, self());
  }

  /// Returns the elements without their fractions.
  ///
  /// - Gradient: 0 everywhere
  default Tensor trunc() {
    return Operators.TRUNC.on(NONE, self());
  }

  /// As [#trunc()], in place.
  default Tensor trunc_() {
    return Operators.TRUNC.inPlace(NONE, self());
  }

  /// Returns the fractions of the elements, with their sign.
  ///
  /// - Gradient: 1 everywhere
  default Tensor frac() {
    return Operators.FRAC.on(NONE, self());
  }

  /// As [#frac()], in place.
  default Tensor frac_() {
    return Operators.FRAC.inPlace(NONE, self());
  }

  /// Returns the elements limited to `min..max`; NaN stays. Where `min` is above `max`, the result is `max`.
  ///
  /// - Gradient: flows where `min <= self <= max`
  default Tensor clamp(double min, double max) {
    return Operators.CLAMP.on(
        NONE, self(), Checks.fitting("clamp", self(), min), Checks.fitting("clamp", self(), max));
  }

  /// Returns the elements limited to `min..max`.
  default Tensor clamp(long min, long max) {
    return Operators.CLAMP.on(
        NONE, self(), Checks.fitting("clamp", self(), min), Checks.fitting("clamp", self(), max));
  }

  /// Returns the elements limited to `min..max`, which broadcast; null is no limit.
  ///
  /// - Shape: `[*b], [*b], [*b] -> [*b]`
  /// - Gradient: to the limits where they are the result
  ///
  /// @throws ArgumentException if both are null
  default Tensor clamp(@Nullable Tensor min, @Nullable Tensor max) {
    if (min != null && max != null) {
      return Operators.CLAMP.on(NONE, self(), min, max);
    }
    if (min != null) {
      return Operators.CLAMP_MIN.on(NONE, self(), min);
    }
    if (max == null) {
      throw new ArgumentException(
          "clamp: at least one of min and max must be given, but both are null.");
    }
    return Operators.CLAMP_MAX.on(NONE, self(), max);
  }

  /// Limits the elements to `min..max` in place.
  default Tensor clamp_(double min, double max) {
    return Operators.CLAMP.inPlace(
        NONE, self(), Checks.fitting("clamp_", self(), min), Checks.fitting("clamp_", self(), max));
  }

  /// Limits the elements to `min..max` in place.
  default Tensor clamp_(long min, long max) {
    return Operators.CLAMP.inPlace(
        NONE, self(), Checks.fitting("clamp_", self(), min), Checks.fitting("clamp_", self(), max));
  }

  /// Returns the elements, none below `min`; NaN stays.
  default Tensor clampMin(double min) {
    return Operators.CLAMP_MIN.on(NONE, self(), Checks.fitting("clampMin", self(), min));
  }

  /// Returns the elements, none below `min`.
  default Tensor clampMin(long min) {
    return Operators.CLAMP_MIN.on(NONE, self(), Checks.fitting("clampMin", self(), min));
  }

  /// Raises elements below `min` to it, in place.
  default Tensor clampMin_(double min) {
    return Operators.CLAMP_MIN.inPlace(NONE, self(), Checks.fitting("clampMin_", self(), min));
  }

  /// Returns the elements, none above `max`; NaN stays.
  default Tensor clampMax(double max) {
    return Operators.CLAMP_MAX.on(NONE, self(), Checks.fitting("clampMax", self(), max));
  }

  /// Returns the elements, none above `max`.
  default Tensor clampMax(long max) {
    return Operators.CLAMP_MAX.on(NONE, self(), Checks.fitting("clampMax", self(), max));
  }

  /// Lowers elements above `max` to it, in place.
  default Tensor clampMax_(double max) {
    return Operators.CLAMP_MAX.inPlace(NONE, self(), Checks.fitting("clampMax_", self(), max));
  }

  /// Returns `self + weight · (end - self)`.
  ///
  /// - Shape: `[*b], [*b], [*b] -> [*b]`
  default Tensor lerp(Tensor end, Tensor weight) {
    return Operators.LERP.on(NONE, self(), end, weight);
  }

  /// Returns `self + weight · (end - self)`.
  default Tensor lerp(Tensor end, double weight) {
    return Operators.LERP.on(NONE, self(), end, Tensor.number(weight));
  }

  /// Moves this tensor to `self + weight · (end - self)`.
  default Tensor lerp_(Tensor end, Tensor weight) {
    return Operators.LERP.inPlace(NONE, self(), end, weight);
  }

  /// Moves this tensor to `self + weight · (end - self)`.
  default Tensor lerp_(Tensor end, double weight) {
    return Operators.LERP.inPlace(NONE, self(), end, Tensor.number(weight));
  }

  /// Returns `self + value · tensor1 · tensor2`.
  ///
  /// - Shape: `[*b], [*b], [*b] -> [*b]`
  default Tensor addcmul(Tensor tensor1, Tensor tensor2, double value) {
    return Operators.ADDCMUL.on(new Scale(value), self(), tensor1, tensor2);
  }

  /// Returns `self + tensor1 · tensor2`.
  default Tensor addcmul(Tensor tensor1, Tensor tensor2) {
    return addcmul(tensor1, tensor2, 1);
  }

  /// Adds `value · tensor1 · tensor2` to this tensor.
  default Tensor addcmul_(Tensor tensor1, Tensor tensor2, double value) {
    return Operators.ADDCMUL.inPlace(new Scale(value), self(), tensor1, tensor2);
  }

  /// Returns `self + value · tensor1 / tensor2`.
  ///
  /// - Shape: `[*b], [*b], [*b] -> [*b]`
  default Tensor addcdiv(Tensor tensor1, Tensor tensor2, double value) {
    return Operators.ADDCDIV.on(new Scale(value), self(), tensor1, tensor2);
  }

  /// Returns `self + tensor1 / tensor2`.
  default Tensor addcdiv(Tensor tensor1, Tensor tensor2) {
    return addcdiv(tensor1, tensor2, 1);
  }

  /// Adds `value · tensor1 / tensor2` to this tensor.
  default Tensor addcdiv_(Tensor tensor1, Tensor tensor2, double value) {
    return Operators.ADDCDIV.inPlace(new Scale(value), self(), tensor1, tensor2);
  }

  /// Returns the elements of this tensor where `condition` holds, those of `other` elsewhere.
  ///
  /// - Shape: `[*b], [*b], [*b] -> [*b]`
  /// - Types: `condition` is `bool`
  ///
  /// @throws DTypeException if `condition` is not `bool`
  default Tensor where(Tensor condition, Tensor other) {
    return Operators.WHERE.on(NONE, condition, self(), other);
  }

  /// Returns the elements of this tensor where `condition` holds, `other` elsewhere.
  default Tensor where(Tensor condition, double other) {
    return Operators.WHERE.on(NONE, condition, self(), Checks.fitting("where", self(), other));
  }

  /// Returns the elements of this tensor where `condition` holds, `other` elsewhere.
  default Tensor where(Tensor condition, long other) {
    return Operators.WHERE.on(NONE, condition, self(), Checks.fitting("where", self(), other));
  }

  /// Returns this tensor with `value` where `mask` holds.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: `mask` is `bool`
  ///
  /// @throws DTypeException if `mask` is not `bool`
  default Tensor maskedFill(Tensor mask, double value) {
    Checks.fits("maskedFill", self().dtype(), value);
    return Operators.MASKED_FILL.on(new Value(value, Truncation.toInt64(value)), self(), mask);
  }

  /// Returns this tensor with `value` where `mask` holds.
  default Tensor maskedFill(Tensor mask, long value) {
    Checks.fits("maskedFill", self().dtype(), value);
    return Operators.MASKED_FILL.on(new Value(value, value), self(), mask);
  }

  /// Returns this tensor with the one element of `value` where `mask` holds.
  ///
  /// @throws ShapeException if `value` has more than one element
  default Tensor maskedFill(Tensor mask, Tensor value) {
    if (value.dim() != 0) {
      throw new ShapeException(
          "maskedFill: value must have 0 dimensions, but has shape %s. Use where."
              .formatted(value.shape()));
    }
    return Operators.WHERE.on(NONE, mask, value.to(self().dtype()), self());
  }

  /// Writes `value` where `mask`, which broadcasts, holds.
  default Tensor maskedFill_(Tensor mask, double value) {
    Checks.fits("maskedFill_", self().dtype(), value);
    return Operators.MASKED_FILL.inPlace(new Value(value, Truncation.toInt64(value)), self(), mask);
  }

  /// Writes `value` where `mask`, which broadcasts, holds.
  default Tensor maskedFill_(Tensor mask, long value) {
    Checks.fits("maskedFill_", self().dtype(), value);
    return Operators.MASKED_FILL.inPlace(new Value(value, value), self(), mask);
  }

  // More arithmetic

  /// Returns `other - alpha · self`.
  default Tensor rsub(Tensor other, double alpha) {
    return Operators.SUB_SCALED.on(new Scale(alpha), other, self());
  }

  /// Returns `self` to the power of `exponent`, computed in `float64`.
  ///
  /// - Types: everything becomes `float64`, complex numbers `complex128`
  default Tensor floatPower(Tensor exponent) {
    return doubled(self(), exponent)
        .pow(exponent.isNumber() ? exponent : doubled(exponent, self()));
  }

  /// Returns `self` to the power of `exponent`, computed in `float64`.
  default Tensor floatPower(double exponent) {
    return doubled(self(), self()).pow(exponent);
  }

  /// As [#floatPower(Tensor)], in place.
  ///
  /// @throws DTypeException if this tensor is not of the type of the result
  default Tensor floatPower_(Tensor exponent) {
    requireDouble(exponent);
    return pow_(exponent.isNumber() ? exponent : doubled(exponent, self()));
  }

  /// As [#floatPower(double)], in place.
  default Tensor floatPower_(double exponent) {
    return floatPower_(Tensor.number(exponent));
  }

  private static Tensor doubled(Tensor x, Tensor other) {
    boolean complex = x.dtype().isComplex() || other.dtype().isComplex() && x.isNumber();
    return x.isNumber() ? x : x.to(complex ? DType.COMPLEX128 : DType.FLOAT64);
  }

  private void requireDouble(Tensor exponent) {
    boolean complex = self().dtype().isComplex() || exponent.dtype().isComplex();
    DType result = complex ? DType.COMPLEX128 : DType.FLOAT64;
    if (self().dtype() != result) {
      throw new DTypeException(
          "floatPower_: self must be %s, the dtype of the result, but is %s. Use floatPower instead."
              .formatted(result, self().dtype()));
    }
  }

  /// Returns the magnitudes of the elements with the signs of those of `other`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: whole numbers become `float32`
  /// - Gradient: 0 where an element is 0, and to `other`
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor copysign(Tensor other) {
    return Operators.COPYSIGN.on(NONE, self(), other);
  }

  /// Returns the magnitudes of the elements with the signs of those of `other`.
  default Tensor copysign(double other) {
    return Operators.COPYSIGN.on(NONE, self(), Tensor.number(other));
  }

  /// As [#copysign(Tensor)], in place.
  default Tensor copysign_(Tensor other) {
    return Operators.COPYSIGN.inPlace(NONE, self(), other);
  }

  /// As [#copysign(double)], in place.
  default Tensor copysign_(double other) {
    return Operators.COPYSIGN.inPlace(NONE, self(), Tensor.number(other));
  }

  /// Returns the next numbers after the elements in the direction of those of `other`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: floating
  ///
  /// @throws DTypeException if an element is no floating-point number
  default Tensor nextafter(Tensor other) {
    Tensor x = self();
    DType dtype = x.dtype() == other.dtype() ? x.dtype() : Tensor.resultType(x, other);
    return Operators.NEXTAFTER.on(NONE, x.to(dtype), other.to(dtype));
  }

  /// As [#nextafter(Tensor)], in place.
  default Tensor nextafter_(Tensor other) {
    return self().copy_(nextafter(other));
  }

  /// Returns `√(self² + other²)`, without overflow.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: at least one must be floating
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor hypot(Tensor other) {
    return Operators.HYPOT.on(NONE, self(), other);
  }

  /// As [#hypot(Tensor)], in place.
  default Tensor hypot_(Tensor other) {
    return Operators.HYPOT.inPlace(NONE, self(), other);
  }

  /// Returns 0 where elements are negative, 1 where they are positive, and `values` where they are 0.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: both of one type
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor heaviside(Tensor values) {
    return Operators.HEAVISIDE.on(NONE, self(), values);
  }

  /// As [#heaviside(Tensor)], in place.
  default Tensor heaviside_(Tensor values) {
    return Operators.HEAVISIDE.inPlace(NONE, self(), values);
  }

  /// Returns mantissas between ½ and 1 and exponents, such that `self = mantissa · 2^exponent`.
  ///
  /// - Shape: `[*] -> [*], [*]`
  /// - Types: floating; exponents are `int32`
  ///
  /// @throws DTypeException if the elements are whole numbers
  default Frexp frexp() {
    Tensor[] parts = Operators.FREXP.all(NONE, self());
    return new Frexp(parts[0], parts[1]);
  }

  /// Mantissas and exponents.
  ///
  /// @param mantissa 0, or of a magnitude from ½ to 1
  /// @param exponent of 2, `int32`
  record Frexp(Tensor mantissa, Tensor exponent) {}

  /// Returns `self · 2^other`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: whole numbers become `float32`
  default Tensor ldexp(Tensor other) {
    return self().mul(Tensor.pow(2.0, other));
  }

  /// As [#ldexp(Tensor)], in place.
  default Tensor ldexp_(Tensor other) {
    return self().mul_(Tensor.pow(2.0, other));
  }

  /// Returns `log₂(2ˣ + 2ʸ)` of every pair of elements `x` and `y`, without overflow.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: at least one must be floating
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor logaddexp2(Tensor other) {
    return Operators.LOGADDEXP2.on(NONE, self(), other);
  }

  /// Returns the larger of both elements; where one is NaN, the other.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: to `self` where both are equal
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor fmax(Tensor other) {
    return Operators.FMAX.on(NONE, self(), other);
  }

  /// Returns the smaller of both elements; where one is NaN, the other.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: to `self` where both are equal
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor fmin(Tensor other) {
    return Operators.FMIN.on(NONE, self(), other);
  }

  /// Returns the elements, with 0 for NaN and the largest finite numbers for infinities.
  ///
  /// - Gradient: 0 where an element was replaced
  default Tensor nanToNum() {
    return nanToNum(0.0, null, null);
  }

  /// Returns the elements, with `nan`, `posinf` and `neginf` in the place of NaN and the infinities.
  ///
  /// @param posinf null for the largest finite number of the type
  /// @param neginf null for the lowest finite number of the type
  default Tensor nanToNum(double nan, @Nullable Double posinf, @Nullable Double neginf) {
    return Operators.NAN_TO_NUM.on(replacements(nan, posinf, neginf), self());
  }

  /// As [#nanToNum()], in place.
  default Tensor nanToNum_() {
    return nanToNum_(0.0, null, null);
  }

  /// As [#nanToNum(double, Double, Double)], in place.
  default Tensor nanToNum_(double nan, @Nullable Double posinf, @Nullable Double neginf) {
    return Operators.NAN_TO_NUM.inPlace(replacements(nan, posinf, neginf), self());
  }

  private Replacements replacements(double nan, @Nullable Double posinf, @Nullable Double neginf) {
    DType dtype = self().dtype();
    double largest =
        switch (dtype.isComplex() ? dtype.toReal() : dtype) {
          case FLOAT64 -> Double.MAX_VALUE;
          case BFLOAT16 -> 0x1.FEp127;
          case FLOAT16 -> 65504;
          default -> Float.MAX_VALUE;
        };
    return new Replacements(
        nan, posinf == null ? largest : posinf, neginf == null ? -largest : neginf);
  }

  /// What stands in the place of NaN and the infinities.
  ///
  /// @param nan for NaN
  /// @param posinf for ∞
  /// @param neginf for -∞
  record Replacements(double nan, double posinf, double neginf) {}

  /// Returns angles in radians that are given in degrees.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor deg2rad() {
    return Operators.DEG2RAD.on(NONE, self());
  }

  /// As [#deg2rad()], in place.
  default Tensor deg2rad_() {
    return Operators.DEG2RAD.inPlace(NONE, self());
  }

  /// Returns angles in degrees that are given in radians.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor rad2deg() {
    return Operators.RAD2DEG.on(NONE, self());
  }

  /// As [#rad2deg()], in place.
  default Tensor rad2deg_() {
    return Operators.RAD2DEG.inPlace(NONE, self());
  }

  /// Returns this tensor.
  ///
  /// @throws DTypeException if the elements are truth values
  default Tensor positive() {
    if (self().dtype() == DType.BOOL) {
      throw new DTypeException(
          "positive: self must hold numbers, but is bool. Convert it with .to(DType.INT64).");
    }
    return self();
  }

  /// Returns the nearest numbers with `decimals` decimal places, ties to even; of tens, hundreds … if it is negative.
  ///
  /// - Gradient: 0 everywhere
  default Tensor round(int decimals) {
    return decimals == 0
        ? round()
        : Operators.ROUND_DECIMALS.on(Decimals.of(self(), decimals), self());
  }

  /// As [#round(int)], in place.
  default Tensor round_(int decimals) {
    return decimals == 0
        ? round_()
        : Operators.ROUND_DECIMALS.inPlace(Decimals.of(self(), decimals), self());
  }

  /// A power of ten.
  ///
  /// @param power its value, at least 1
  /// @param above 1 if tens and hundreds are meant, else 0
  record Decimals(double power, double above) {
    static Decimals of(Tensor self, int decimals) {
      if (!self.dtype().isFloatingPoint()) {
        throw new DTypeException(
            "round: self must hold floating-point numbers to be rounded to decimals, but is %s. Convert it with .to(DType.FLOAT32)."
                .formatted(self.dtype()));
      }
      return new Decimals(Math.pow(10, Math.abs(decimals)), decimals < 0 ? 1 : 0);
    }
  }

  /// Raises elements below those of `min` to them, in place.
  default Tensor clampMin_(Tensor min) {
    return Operators.CLAMP_MIN.inPlace(NONE, self(), min);
  }

  /// Lowers elements above those of `max` to them, in place.
  default Tensor clampMax_(Tensor max) {
    return Operators.CLAMP_MAX.inPlace(NONE, self(), max);
  }

  /// Returns the elements, none below those of `min`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  default Tensor clampMin(Tensor min) {
    return Operators.CLAMP_MIN.on(NONE, self(), min);
  }

  /// Returns the elements, none above those of `max`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  default Tensor clampMax(Tensor max) {
    return Operators.CLAMP_MAX.on(NONE, self(), max);
  }

  /// As [#clamp(Tensor, Tensor)], in place.
  default Tensor clamp_(@Nullable Tensor min, @Nullable Tensor max) {
    if (min != null && max != null) {
      return Operators.CLAMP.inPlace(NONE, self(), min, max);
    }
    if (min != null) {
      return clampMin_(min);
    }
    if (max == null) {
      throw new ArgumentException(
          "clamp_: at least one of min and max must be given, but both are null.");
    }
    return clampMax_(max);
  }

  /// How a quotient is rounded.
  enum Rounding {
    /// Towards 0, as in C and Java.
    TRUNC,
    /// Down, as in Python.
    FLOOR;

    Operator<Operator.None> operator() {
      return this == TRUNC ? Operators.DIV_TRUNC : Operators.FLOOR_DIVIDE;
    }
  }

  /// The factor of an operand.
  ///
  /// @param alpha the factor
  record Scale(double alpha) {}

  /// A number to write.
  ///
  /// @param value as a floating-point number
  /// @param whole as a whole number
  record Value(double value, long whole) {
    Parameters parameters() {
      return new Parameters(new double[] {value}, new long[] {whole});
    }
  }

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("pointwise");

    private static final Formula ONE = Formula.constant(1);
    private static final Formula ZERO = Formula.constant(0);
    private static final double LN2 = Math.log(2);

    static final Operator<Operator.None> ADD =
        FAMILY
            .pointwise2("add", Formula::plus)
            .dtypes(DTypes.PROMOTE.complexWithHalf())
            .torch("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
            .sample(NONE, "f32[3 4], f32[3 4]")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "i64[3 1], f32[1 4]")
            .sample(NONE, "f32[], f32[3]")
            .sample(NONE, "f32[0 4], f32[4]")
            .sample(NONE, "f32[3], 2.5")
            .sample(NONE, "i64[3], 2")
            .sample(NONE, "c64[3 4], c64[4]")
            .sample(NONE, "f32[3 4], c64[4]")
            .sample(NONE, "c64[3], 1.5-2j")
            .rejects(
                NONE,
                "f32[2 3], f32[5 4]",
                "add: shapes must broadcast, but dimension -1 is 3 in self [2, 3] and 4 in other"
                    + " [5, 4]. Sizes must be equal or 1; see unsqueeze and expand.")
            .declare();

    static final Operator<Scale> ADD_SCALED =
        FAMILY
            .<Scale>pointwise(
                "addScaled",
                List.of("self", "other"),
                input(0).plus(parameter(0).times(input(1))),
                a -> Parameters.of(a.alpha()))
            .gradientName("AddBackward0")
            .dtypes(DTypes.PROMOTE.complexWithHalf())
            .torch("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
            .sample(new Scale(-0.5), "f32[3 4], f32[4]")
            .sample(new Scale(3), "i64[3 4], i64[4]")
            .declare();

    static final Operator<Operator.None> SUB =
        FAMILY
            .pointwise2("sub", Formula::minus)
            .dtypes(DTypes.NO_TRUTH.complexWithHalf())
            .torch("aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
            .sample(NONE, "f32[3 4], f32[3 4]")
            .sample(NONE, "f32[3 1], f32[4]")
            .sample(NONE, "i64[3], i64[3]")
            .sample(NONE, "f32[3], 2.5")
            .sample(NONE, "c64[3 4], c64[4]")
            .sample(NONE, "f32[3 4], c64[4]")
            .sample(NONE, "c64[3], 1.5-2j")
            .declare();

    static final Operator<Scale> SUB_SCALED =
        FAMILY
            .<Scale>pointwise(
                "subScaled",
                List.of("self", "other"),
                input(0).minus(parameter(0).times(input(1))),
                a -> Parameters.of(a.alpha()))
            .dtypes(DTypes.NO_TRUTH.complexWithHalf())
            .gradientName("SubBackward0")
            .torch("aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
            .sample(new Scale(-0.5), "f32[3 4], f32[4]")
            .declare();

    static final Operator<Operator.None> RSUB =
        FAMILY
            .pointwise2("rsub", (a, b) -> b.minus(a))
            .dtypes(DTypes.NO_TRUTH.complexWithHalf())
            .gradientName("RsubBackward0")
            .torch("aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
            .torch("aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "f32[3 4], 1")
            .declare();

    static final Operator<Operator.None> MUL =
        FAMILY
            .pointwise2("mul", Formula::times)
            .dtypes(DTypes.PROMOTE.complexWithHalf())
            .torch("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[3 4]")
            .sample(NONE, "f32[3 1], f32[4]")
            .sample(NONE, "i64[3], i64[3]")
            .sample(NONE, "f32[3], 2.5")
            .sample(NONE, "c64[3 4], c64[4]")
            .sample(NONE, "f32[3 4], c64[4]")
            .sample(NONE, "c64[3], 1.5-2j")
            .declare();

    static final Operator<Operator.None> DIV =
        FAMILY
            .pointwise2("div", Formula::dividedBy)
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::div.Tensor(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[3 4] in 1..2")
            .sample(NONE, "f32[3 1], f32[4] in 1..2")
            .sample(NONE, "i64[3], i64[3] in 1..5")
            .sample(NONE, "f32[3], 2.5")
            .sample(NONE, "c64[3 4], c64[4]")
            .sample(NONE, "f32[3 4], c64[4]")
            .sample(NONE, "c64[3], 1.5-2j")
            .declare();

    static final Operator<Operator.None> DIV_TRUNC =
        FAMILY
            .pointwise2("divTrunc", (a, b) -> Formula.apply(Function.TRUNC, a.dividedBy(b)))
            .dtypes(DTypes.NUMBERS)
            .gradientName("DivBackward1")
            .torch(
                "aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor")
            .sample(NONE, "f32[3 4] in -9..9, f32[3 4] in 1..2")
            .sample(NONE, "i64[3 4] in -9..9, i64[3 4] in 1..5")
            .declare();

    static final Operator<Operator.None> FLOOR_DIVIDE =
        FAMILY
            .pointwise2("floorDivide", (a, b) -> Formula.apply(Arithmetic.FLOOR_DIVIDE, a, b))
            .dtypes(DTypes.NUMBERS)
            .gradientName("DivBackward1")
            .torch("aten::floor_divide(Tensor self, Tensor other) -> Tensor")
            .torch(
                "aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor")
            .sample(NONE, "f32[3 4] in -9..9, f32[3 4] in 1..2")
            .sample(NONE, "i64[3 4] in -9..9, i64[3 4] in 1..5")
            .declare();

    static final Operator<Operator.None> REMAINDER =
        FAMILY
            .pointwise2("remainder", (a, b) -> Formula.apply(Arithmetic.REMAINDER, a, b))
            .dtypes(DTypes.NUMBERS)
            .torch("aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4] in -9..9, f32[3 4] in 1..2")
            .sample(NONE, "i64[3 4] in -9..9, i64[3 4] in 1..5")
            .declare();

    static final Operator<Operator.None> FMOD =
        FAMILY
            .pointwise2("fmod", (a, b) -> Formula.apply(Arithmetic.FMOD, a, b))
            .dtypes(DTypes.NUMBERS)
            .torch("aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4] in -9..9, f32[3 4] in 1..2")
            .sample(NONE, "i64[3 4] in -9..9, i64[3 4] in 1..5")
            .declare();

    static final Operator<Operator.None> MAXIMUM =
        FAMILY
            .pointwise2("maximum", Formula::maximum)
            .torch("aten::maximum(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "i64[3], i64[3]")
            .declare();

    static final Operator<Operator.None> MINIMUM =
        FAMILY
            .pointwise2("minimum", Formula::minimum)
            .torch("aten::minimum(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "i64[3], i64[3]")
            .declare();

    static final Operator<Operator.None> ATAN2 =
        FAMILY
            .pointwise2("atan2", (a, b) -> Formula.apply(Arithmetic.ATAN2, a, b))
            .dtypes(DTypes.FLOATING)
            .torch("aten::atan2(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.5..2, f32[4] in 0.5..2")
            .declare();

    static final Operator<Operator.None> LOGADDEXP =
        FAMILY
            .pointwise2(
                "logaddexp",
                (a, b) ->
                    Formula.maximum(a, b)
                        .plus(Formula.softplus(Formula.abs(difference(a, b)).negate())))
            .derivative("self", Formula.sigmoid(difference(input(0), input(1))))
            .derivative("other", Formula.sigmoid(difference(input(1), input(0))))
            .dtypes(DTypes.PROMOTE_FLOATING)
            .torch("aten::logaddexp(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "f32[7], f32[1] in 0.5..0.5")
            .sample(NONE, "f32[7] in -800..800, f32[7] in -800..800")
            .sample(NONE, "f32[3] in 1..1, f32[3] in 1..1")
            .sample(NONE, "f32[3] in -800..-800, f32[3] in 800..800")
            .declare();

    /// `a - b`, but 0 where both are the same infinity.
    private static Formula difference(Formula a, Formula b) {
      return Formula.select(
          Formula.abs(a),
          Comparison.EQUAL,
          Formula.constant(Double.POSITIVE_INFINITY),
          Formula.select(a, Comparison.EQUAL, b, Formula.constant(0), a.minus(b)),
          a.minus(b));
    }

    static final Operator<Operator.None> POW =
        FAMILY
            .pointwise2("pow", Formula::pow)
            .dtypes(DTypes.NUMBERS.complex())
            .torch("aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor")
            .torch("aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor")
            .torch("aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.5..2, f32[4] in -2..2")
            .sample(NONE, "f32[3 4], 3")
            .sample(NONE, "f32[3 4] in 0.5..2, -0.5")
            .sample(NONE, "2.0, f32[3 4]")
            .sample(NONE, "i64[3 4], i64[4] in 0..4")
            .sample(NONE, "c64[3 4], c64[4]")
            .sample(NONE, "c64[3], 1.5-2j")
            .sample(NONE, "c64[3], 3")
            .declare();

    static final Operator<Operator.None> NEG =
        FAMILY
            .pointwise("neg", Formula::negate)
            .dtypes(DTypes.NO_TRUTH.complexWithHalf())
            .torch("aten::neg(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "i64[3]")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> ABS =
        FAMILY
            .pointwise("abs", Formula::abs)
            .dtypes(DTypes.NUMBERS)
            .torch("aten::abs(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "i32[3]")
            .declare();

    static final Operator<Operator.None> SIGN =
        FAMILY
            .pointwise("sign", Formula::sign)
            .torch("aten::sign(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "i64[3]")
            .declare();

    static final Operator<Operator.None> SQUARE =
        FAMILY
            .pointwise("square", Formula::squared)
            .gradientName("PowBackward0")
            .dtypes(DTypes.PROMOTE.complex())
            .torch("aten::square(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "i64[3]")
            .sample(NONE, "f32[5] in -800..800")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> RECIPROCAL =
        FAMILY
            .pointwise("reciprocal", Formula::reciprocal)
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::reciprocal(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.5..2")
            .sample(NONE, "f32[3 4] in -2..-0.5")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> SQRT =
        FAMILY
            .pointwise("sqrt", Formula::sqrt)
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::sqrt(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.1..4")
            .sample(NONE, "f32[3] in 1..800")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> RSQRT =
        FAMILY
            .pointwise("rsqrt", Formula::rsqrt)
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::rsqrt(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.1..4")
            .sample(NONE, "f32[3] in 1..800")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> EXP =
        FAMILY
            .pointwise("exp", Formula::exp)
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::exp(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -20..20")
            .sample(NONE, "f32[5] in -800..0")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> EXP2 =
        FAMILY
            .pointwise("exp2", x -> Formula.apply(Function.EXP2, x))
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::exp2(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -20..20")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> EXPM1 =
        FAMILY
            .pointwise("expm1", Formula::expm1)
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::expm1(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -2..2")
            .sample(NONE, "f32[5] in -800..0")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> LOG =
        FAMILY
            .pointwise("log", Formula::log)
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::log(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.1..4")
            .sample(NONE, "f32[5] in 1..800")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> LOG1P =
        FAMILY
            .pointwise("log1p", Formula::log1p)
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::log1p(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -0.5..4")
            .sample(NONE, "f32[5] in 1..800")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> LOG2 =
        FAMILY
            .pointwise("log2", x -> Formula.apply(Function.LOG2, x))
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::log2(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.1..4")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> LOG10 =
        FAMILY
            .pointwise("log10", x -> Formula.apply(Function.LOG10, x))
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::log10(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.1..4")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> SIN =
        FAMILY
            .pointwise("sin", Formula::sin)
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::sin(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "f32[5] in -800..800")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> COS =
        FAMILY
            .pointwise("cos", Formula::cos)
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::cos(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "f32[5] in -800..800")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> TAN =
        FAMILY
            .pointwise("tan", x -> Formula.apply(Function.TAN, x))
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::tan(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -1.2..1.2")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> ASIN =
        FAMILY
            .pointwise("asin", x -> Formula.apply(Function.ASIN, x))
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::asin(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -0.9..0.9")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> ACOS =
        FAMILY
            .pointwise("acos", x -> Formula.apply(Function.ACOS, x))
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::acos(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -0.9..0.9")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> ATAN =
        FAMILY
            .pointwise("atan", x -> Formula.apply(Function.ATAN, x))
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::atan(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "f32[5] in -800..800")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> SINH =
        FAMILY
            .pointwise("sinh", Formula::sinh)
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::sinh(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -4..4")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> COSH =
        FAMILY
            .pointwise("cosh", Formula::cosh)
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::cosh(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -4..4")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> ASINH =
        FAMILY
            .pointwise("asinh", x -> Formula.apply(Function.ASINH, x))
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::asinh(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -4..4")
            .sample(NONE, "f32[5] in -800..800")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> ACOSH =
        FAMILY
            .pointwise("acosh", x -> Formula.apply(Function.ACOSH, x))
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::acosh(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 1.1..4")
            .sample(NONE, "f32[5] in 2..800")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> ATANH =
        FAMILY
            .pointwise("atanh", x -> Formula.apply(Function.ATANH, x))
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::atanh(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -0.9..0.9")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> ERF =
        FAMILY
            .pointwise("erf", Formula::erf)
            .dtypes(DTypes.FLOATING)
            .torch("aten::erf(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "f32[5] in -800..800")
            .declare();

    static final Operator<Operator.None> ERFC =
        FAMILY
            .pointwise("erfc", x -> Formula.apply(Function.ERFC, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::erfc(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "f32[5] in -800..800")
            .declare();

    static final Operator<Operator.None> FLOOR =
        FAMILY
            .pointwise("floor", x -> Formula.apply(Function.FLOOR, x))
            .dtypes(DTypes.NUMBERS)
            .torch("aten::floor(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -3..3")
            .sample(NONE, "i64[3]")
            .declare();

    static final Operator<Operator.None> CEIL =
        FAMILY
            .pointwise("ceil", x -> Formula.apply(Function.CEIL, x))
            .dtypes(DTypes.NUMBERS)
            .torch("aten::ceil(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -3..3")
            .sample(NONE, "i64[3]")
            .declare();

    static final Operator<Operator.None> ROUND =
        FAMILY
            .pointwise("round", x -> Formula.apply(Function.ROUND, x))
            .dtypes(DTypes.NUMBERS)
            .torch("aten::round(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -3..3")
            .sample(NONE, "i64[3]")
            .declare();

    static final Operator<Operator.None> TRUNC =
        FAMILY
            .pointwise("trunc", x -> Formula.apply(Function.TRUNC, x))
            .dtypes(DTypes.NUMBERS)
            .torch("aten::trunc(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -3..3")
            .sample(NONE, "i64[3]")
            .declare();

    static final Operator<Operator.None> FRAC =
        FAMILY
            .pointwise("frac", x -> x.minus(Formula.apply(Function.TRUNC, x)))
            .dtypes(DTypes.SAME_FLOATING)
            .torch("aten::frac(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -3..3")
            .declare();

    // At a limit itself the gradient passes whole, as in PyTorch; the formulas' own derivative
    // would be half.
    static final Operator<Operator.None> CLAMP =
        FAMILY
            .pointwise(
                "clamp",
                List.of("self", "min", "max"),
                Formula.minimum(Formula.maximum(input(0), input(1)), input(2)))
            .derivative(
                "self",
                where(
                    input(0),
                    Comparison.GREATER_EQUAL,
                    input(1),
                    where(input(0), Comparison.LESS_EQUAL, input(2), ONE)))
            .derivative(
                "min",
                where(
                    input(1),
                    Comparison.LESS,
                    input(2),
                    where(input(0), Comparison.LESS, input(1), ONE)))
            .derivative(
                "max",
                Formula.select(
                    input(0),
                    Comparison.GREATER,
                    input(2),
                    ONE,
                    where(input(2), Comparison.LESS, input(1), ONE)))
            .torch("aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor")
            .torch("aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor")
            .sample(NONE, "f32[3 4], -0.5, 0.5")
            .sample(NONE, "f32[3 4], f32[4] in -1..0, f32[3 1] in 0..1")
            .sample(NONE, "f32[3 4], f32[4] in 0..1, f32[3 1] in -1..0")
            .sample(NONE, "i64[3 4], -1, 2")
            .sample(NONE, "f32[5] in -800..800, -0.5, 0.5")
            .declare();

    static final Operator<Operator.None> CLAMP_MIN =
        FAMILY
            .pointwise("clampMin", List.of("self", "min"), Formula.maximum(input(0), input(1)))
            .derivative("self", where(input(0), Comparison.GREATER_EQUAL, input(1), ONE))
            .derivative("min", where(input(0), Comparison.LESS, input(1), ONE))
            .torch("aten::clamp_min(Tensor self, Scalar min) -> Tensor")
            .torch("aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor")
            .sample(NONE, "f32[3 4], 0.5")
            .sample(NONE, "f32[3 4], f32[4]")
            .declare();

    static final Operator<Operator.None> CLAMP_MAX =
        FAMILY
            .pointwise("clampMax", List.of("self", "max"), Formula.minimum(input(0), input(1)))
            .derivative("self", where(input(0), Comparison.LESS_EQUAL, input(1), ONE))
            .derivative("max", where(input(0), Comparison.GREATER, input(1), ONE))
            .torch("aten::clamp_max(Tensor self, Scalar max) -> Tensor")
            .torch("aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor")
            .sample(NONE, "f32[3 4], 0.5")
            .sample(NONE, "f32[3 4], f32[4]")
            .declare();

    /// `then` where the condition holds, 0 elsewhere.
    private static Formula where(Formula a, Comparison comparison, Formula b, Formula then) {
      return Formula.select(a, comparison, b, then, Formula.constant(0));
    }

    // From the nearer end, so that a weight of 0 or 1 gives exactly that end.
    static final Operator<Operator.None> LERP =
        FAMILY
            .pointwise(
                "lerp",
                List.of("self", "end", "weight"),
                Formula.select(
                    Formula.abs(input(2)),
                    Comparison.LESS,
                    Formula.constant(0.5),
                    input(0).plus(input(2).times(input(1).minus(input(0)))),
                    input(1)
                        .minus(
                            input(1).minus(input(0)).times(Formula.constant(1).minus(input(2))))))
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor")
            .torch("aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor")
            .sample(NONE, "f32[3 4], f32[3 4], 0.3")
            .sample(NONE, "f32[3 4], f32[4], f32[3 1] in 0..1")
            .sample(NONE, "c64[3 4], c64[4], c64[3 1]")
            .declare();

    static final Operator<Scale> ADDCMUL =
        FAMILY
            .<Scale>pointwise(
                "addcmul",
                List.of("self", "tensor1", "tensor2"),
                input(0).plus(parameter(0).times(input(1)).times(input(2))),
                a -> Parameters.of(a.alpha()))
            .dtypes(DTypes.PROMOTE.complex())
            .torch(
                "aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) ->"
                    + " Tensor")
            .sample(new Scale(0.5), "f32[3 4], f32[4], f32[3 1]")
            .sample(new Scale(2), "i64[3 4], i64[4], i64[3 1]")
            .declare();

    static final Operator<Scale> ADDCDIV =
        FAMILY
            .<Scale>pointwise(
                "addcdiv",
                List.of("self", "tensor1", "tensor2"),
                input(0).plus(parameter(0).times(input(1)).dividedBy(input(2))),
                a -> Parameters.of(a.alpha()))
            .dtypes(DTypes.FLOATING.complex())
            .torch(
                "aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) ->"
                    + " Tensor")
            .sample(new Scale(0.5), "f32[3 4], f32[4], f32[3 1] in 1..2")
            .declare();

    static final Operator<Operator.None> WHERE =
        FAMILY
            .pointwise(
                "where",
                List.of("condition", "self", "other"),
                Formula.select(
                    input(0), Comparison.NOT_EQUAL, Formula.constant(0), input(1), input(2)))
            .dtypes(DTypes.PROMOTE.fixed("condition", DType.BOOL).complexWithHalf())
            .torch("aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor")
            .torch("aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "bool[3 4], f32[3 4], f32[4]")
            .sample(NONE, "bool[4], f32[3 4], 2.5")
            .sample(NONE, "bool[3 1], i64[4], f32[3 4]")
            .sample(NONE, "bool[3 4], c64[3 4], f32[4]")
            .rejects(
                NONE,
                "f32[3], f32[3], f32[3]",
                "where: condition must be bool, but is float32. Convert it with .to(DType.BOOL).")
            .declare();

    static final Operator<Value> MASKED_FILL =
        FAMILY
            .<Value>pointwise(
                "maskedFill",
                List.of("self", "mask"),
                Formula.select(
                    input(1), Comparison.NOT_EQUAL, Formula.constant(0), parameter(0), input(0)),
                Value::parameters)
            .dtypes(DTypes.PROMOTE.fixed("mask", DType.BOOL).complexWithHalf())
            .torch("aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor")
            .torch("aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor")
            .sample(new Value(-5, -5), "f32[3 4], bool[3 4]")
            .sample(new Value(7, 7), "i64[2 3 4], bool[3 1]")
            .rejects(
                new Value(0, 0),
                "f32[3], i64[3]",
                "maskedFill: mask must be bool, but is int64. Convert it with .to(DType.BOOL).")
            .declare();

    static final Operator<Operator.None> COPYSIGN =
        FAMILY
            .pointwise2("copysign", (a, b) -> Formula.apply(Arithmetic.COPYSIGN, a, b))
            .dtypes(DTypes.FLOATING)
            .torch("aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor")
            .torch("aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "i64[3], i64[3]")
            .sample(NONE, "f32[3], -2.0")
            .declare();

    static final Operator<Operator.None> NEXTAFTER =
        FAMILY
            .<Operator.None>structured(
                "nextafter", "self[*b], other[*b] -> [*b]", ReferenceElements::nextAfter)
            .dtypes(DTypes.ANY.real())
            .check((a, in) -> requireFloating("nextafter", in))
            .notDifferentiable()
            .torch("aten::nextafter(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .declare();

    static final Operator<Operator.None> HYPOT =
        FAMILY
            .pointwise2("hypot", (a, b) -> Formula.apply(Arithmetic.HYPOT, a, b))
            .dtypes(DTypes.PROMOTE_FLOATING)
            .torch("aten::hypot(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.5..2, f32[4] in 0.5..2")
            .declare();

    static final Operator<Operator.None> HEAVISIDE =
        FAMILY
            .pointwise(
                "heaviside",
                List.of("self", "values"),
                Formula.select(
                    input(0),
                    Comparison.EQUAL,
                    Formula.constant(0),
                    input(1),
                    Formula.compare(input(0), Comparison.GREATER, Formula.constant(0))))
            .dtypes(DTypes.SAME)
            .notDifferentiable()
            .torch("aten::heaviside(Tensor self, Tensor values) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "i64[3 4] in -1..1, i64[4]")
            .declare();

    static final Operator<Operator.None> FREXP =
        FAMILY
            .<Operator.None>structured("frexp", "self[*] -> [*], [*]", ReferenceElements::frexp)
            .shape((a, shapes) -> Collections.nCopies(2, shapes.getFirst()))
            .dtypes(DTypes.SAME_FLOATING.results(DTypes.Result.COMPUTED, DTypes.Result.INT32))
            .gradient(
                "self",
                Gradient.Keeps.NOTHING.andOutputs(1),
                b -> b.grad().div(Tensor.pow(2.0, b.output(1))))
            .torch("aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)")
            .sample(NONE, "f32[3 4] in -9..9")
            .sample(NONE, "f32[5] in -800..800")
            .declare();

    static final Operator<Operator.None> LOGADDEXP2 =
        FAMILY
            .pointwise2(
                "logaddexp2",
                (a, b) ->
                    Formula.maximum(a, b)
                        .plus(
                            Formula.softplus(Formula.abs(difference(a, b)).times(-LN2))
                                .times(1 / LN2)))
            .dtypes(DTypes.PROMOTE_FLOATING)
            .derivative("self", Formula.sigmoid(difference(input(0), input(1)).times(LN2)))
            .derivative("other", Formula.sigmoid(difference(input(1), input(0)).times(LN2)))
            .torch("aten::logaddexp2(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "f32[7] in -800..800, f32[7] in -800..800")
            .sample(NONE, "f32[3] in 1..1, f32[3] in 1..1")
            .declare();

    static final Operator<Operator.None> FMAX =
        FAMILY
            .pointwise2("fmax", (a, b) -> oneIsNan(a, b, Formula.maximum(a, b)))
            .derivative(
                "self",
                unlessNan(
                    input(1), ONE, Formula.compare(input(0), Comparison.GREATER_EQUAL, input(1))))
            .derivative(
                "other",
                unlessNan(
                    input(1),
                    ZERO,
                    Formula.select(input(0), Comparison.GREATER_EQUAL, input(1), ZERO, ONE)))
            .torch("aten::fmax(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "i64[3], i64[3]")
            .declare();

    static final Operator<Operator.None> FMIN =
        FAMILY
            .pointwise2("fmin", (a, b) -> oneIsNan(a, b, Formula.minimum(a, b)))
            .derivative(
                "self",
                unlessNan(
                    input(1), ONE, Formula.compare(input(0), Comparison.LESS_EQUAL, input(1))))
            .derivative(
                "other",
                unlessNan(
                    input(1),
                    ZERO,
                    Formula.select(input(0), Comparison.LESS_EQUAL, input(1), ZERO, ONE)))
            .torch("aten::fmin(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "i64[3], i64[3]")
            .declare();

    /// `b` where `a` is NaN, `a` where `b` is, else `regular`.
    private static Formula oneIsNan(Formula a, Formula b, Formula regular) {
      return unlessNan(a, b, unlessNan(b, a, regular));
    }

    /// `then` where `x` is NaN, else `otherwise`.
    private static Formula unlessNan(Formula x, Formula then, Formula otherwise) {
      return Formula.select(x, Comparison.NOT_EQUAL, x, then, otherwise);
    }

    static final Operator<Replacements> NAN_TO_NUM =
        FAMILY
            .<Replacements>pointwise(
                "nanToNum",
                List.of("self"),
                unlessNan(
                    input(0),
                    parameter(0),
                    Formula.select(
                        input(0),
                        Comparison.EQUAL,
                        Formula.constant(Double.POSITIVE_INFINITY),
                        parameter(1),
                        Formula.select(
                            input(0),
                            Comparison.EQUAL,
                            Formula.constant(Double.NEGATIVE_INFINITY),
                            parameter(2),
                            input(0)))),
                a -> Parameters.of(a.nan(), a.posinf(), a.neginf()))
            .torch(
                "aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float?"
                    + " neginf=None) -> Tensor")
            .sample(new Replacements(0, 1, -1), "f32[3 4]")
            .declare();

    static final Operator<Operator.None> DEG2RAD =
        FAMILY
            .pointwise("deg2rad", x -> x.times(Math.PI / 180))
            .dtypes(DTypes.FLOATING)
            .torch("aten::deg2rad(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .declare();

    static final Operator<Operator.None> RAD2DEG =
        FAMILY
            .pointwise("rad2deg", x -> x.times(180 / Math.PI))
            .dtypes(DTypes.FLOATING)
            .torch("aten::rad2deg(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .declare();

    static final Operator<Decimals> ROUND_DECIMALS =
        FAMILY
            .<Decimals>pointwise(
                "roundDecimals",
                List.of("self"),
                Formula.select(
                    parameter(1),
                    Comparison.EQUAL,
                    ZERO,
                    Formula.apply(Function.ROUND, input(0).times(parameter(0)))
                        .dividedBy(parameter(0)),
                    Formula.apply(Function.ROUND, input(0).dividedBy(parameter(0)))
                        .times(parameter(0))),
                a -> Parameters.of(a.power(), a.above()))
            .gradientName("RoundBackward1")
            .torch("aten::round.decimals(Tensor self, *, int decimals) -> Tensor")
            .sample(new Decimals(100, 0), "f32[3 4] in -3..3")
            .sample(new Decimals(10, 1), "f32[3 4] in -300..300")
            .declare();

    private static void requireFloating(String op, @Nullable Tensor[] in) {
      for (Tensor x : in) {
        if (x != null && !x.dtype().isFloatingPoint()) {
          throw new DTypeException(
              "%s: the inputs must hold floating-point numbers, but are %s. Convert them with .to(DType.FLOAT32)."
                  .formatted(op, x.dtype()));
        }
      }
    }

    private Operators() {}
  }
}
