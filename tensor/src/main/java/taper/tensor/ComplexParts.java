package taper.tensor;

import static taper.tensor.Operator.None.NONE;

import java.util.Arrays;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceComplex;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Comparison;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Complex numbers: their parts, conjugates and views as pairs of real numbers.
///
/// The gradient of a complex tensor is `∂L/∂Re + i · ∂L/∂Im`, as in PyTorch: a step against it makes `L` smaller.
public sealed interface ComplexParts permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Whether the elements are complex numbers.
  default boolean isComplex() {
    return self().dtype().isComplex();
  }

  /// Whether the elements are floating-point numbers.
  default boolean isFloatingPoint() {
    return self().dtype().isFloatingPoint();
  }

  // Parts

  /// Returns the real parts, as a view; a real tensor itself.
  ///
  /// - Shape: `[*] -> [*]`
  default Tensor real() {
    return isComplex() ? Operators.REAL.on(NONE, self()) : self();
  }

  /// Returns the imaginary parts, as a view.
  ///
  /// - Shape: `[*] -> [*]`
  ///
  /// @throws DTypeException if this tensor is not complex
  default Tensor imag() {
    requireComplex("imag");
    return Operators.IMAG.on(NONE, self());
  }

  /// Returns real and imaginary parts along a new last dimension, as a view.
  ///
  /// - Shape: `[*] -> [* 2]`
  ///
  /// @throws DTypeException if this tensor is not complex
  default Tensor viewAsReal() {
    requireComplex("viewAsReal");
    return Operators.VIEW_AS_REAL.on(NONE, self());
  }

  /// Returns the complex numbers whose real and imaginary parts are the two elements of the last dimension, as a view.
  ///
  /// - Shape: `[* 2] -> [*]`
  ///
  /// @throws DTypeException if this tensor is neither `float16`, `float32` nor `float64`
  /// @throws ShapeException if the last dimension has another size than 2, or pairs do not lie side by side
  default Tensor viewAsComplex() {
    Tensor x = self();
    if (!x.isFloatingPoint() || x.dtype() == DType.BFLOAT16) {
      throw new DTypeException(
          "viewAsComplex: self must be float16, float32 or float64, but is %s. Convert it with .to(DType.FLOAT32)."
              .formatted(x.dtype()));
    }
    if (x.dim() == 0 || x.size(-1) != 2) {
      throw new ShapeException(
          "viewAsComplex: the last dimension must have size 2, but self has shape %s."
              .formatted(x.shape()));
    }
    boolean paired = x.stride(-1) == 1 && x.storageOffset() % 2 == 0;
    for (int d = 0; d < x.dim() - 1; d++) {
      paired &= x.stride(d) % 2 == 0;
    }
    if (!paired && x.numel() > 0) {
      throw new ShapeException(
          "viewAsComplex: pairs must lie side by side at even places, but the strides are %s and the offset is %d. Use contiguous() first."
              .formatted(Arrays.toString(x.strides()), x.storageOffset()));
    }
    return Operators.VIEW_AS_COMPLEX.on(NONE, x);
  }

  private void requireComplex(String op) {
    if (!isComplex()) {
      throw new DTypeException(
          "%s: self must be complex, but is %s. Convert it with .to(DType.COMPLEX64)."
              .formatted(op, self().dtype()));
    }
  }

  // Conjugates

  /// Returns the conjugate of every element, a copy; a real tensor itself.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Gradient: the conjugate of that of the result
  default Tensor conj() {
    return isComplex() ? Operators.CONJ.on(NONE, self()) : self();
  }

  /// Returns the conjugate of every element; a real tensor itself. The same as [#conj()].
  default Tensor conjPhysical() {
    return conj();
  }

  /// Makes every element its conjugate.
  default Tensor conjPhysical_() {
    return isComplex() ? Operators.CONJ.inPlace(NONE, self()) : self();
  }

  /// Returns this tensor: conjugates are never put off.
  default Tensor resolveConj() {
    return self();
  }

  /// Returns this tensor: changes of sign are never put off.
  default Tensor resolveNeg() {
    return self();
  }

  /// Whether elements would have to be conjugated when they are read: never.
  default boolean isConj() {
    return false;
  }

  /// Whether elements would have to be negated when they are read: never.
  default boolean isNeg() {
    return false;
  }

  /// Returns the conjugate of a matrix with rows and columns exchanged.
  ///
  /// - Shape: `[n m] -> [m n]`, `[] -> []`
  ///
  /// @throws ShapeException if there are neither two dimensions nor none
  default Tensor H() {
    if (self().dim() != 2 && self().dim() != 0) {
      throw new ShapeException(
          "H: self must be a matrix, but has shape %s. Use mH() for batches of matrices."
              .formatted(self().shape()));
    }
    return mH();
  }

  /// Returns the conjugates of matrices with rows and columns exchanged.
  ///
  /// - Shape: `[*b n m] -> [*b m n]`, `[] -> []`
  ///
  /// @throws ShapeException if there is one dimension
  default Tensor mH() {
    return self().dim() == 0 ? conj() : self().mT().conj();
  }

  /// Returns the conjugates of matrices with rows and columns exchanged: [#mH()].
  default Tensor adjoint() {
    return mH();
  }

  // Polar coordinates

  /// Returns the angle of every element in radians, from -π to π; of real numbers π where negative, else 0.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`, complex ones the type of their parts
  /// - Gradient: 0 at 0, and of real numbers
  default Tensor angle() {
    return isComplex()
        ? Operators.COMPLEX_ANGLE.on(NONE, self())
        : Operators.ANGLE.on(NONE, self());
  }

  /// Returns `z / |z|`, and 0 of 0; the sign of real numbers.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Gradient: 0 at 0
  default Tensor sgn() {
    return isComplex() ? Operators.SGN.on(NONE, self()) : self().sign();
  }

  /// Makes every element `z / |z|`, and 0 of 0; the sign of real numbers.
  default Tensor sgn_() {
    return isComplex() ? Operators.SGN.inPlace(NONE, self()) : self().sign_();
  }

  /// Returns whether each element is a real number.
  ///
  /// - Types: any -> `bool`
  default Tensor isreal() {
    return isComplex() ? imag().eq(0) : Tensor.ones(DType.BOOL, self().sizes());
  }

  // Complex operands

  /// Returns `self + other`.
  default Tensor add(Complex other) {
    return self().add(Tensor.number(other));
  }

  /// Makes this tensor `self + other`.
  default Tensor add_(Complex other) {
    return self().add_(Tensor.number(other));
  }

  /// Returns `self - other`.
  default Tensor sub(Complex other) {
    return self().sub(Tensor.number(other));
  }

  /// Makes this tensor `self - other`.
  default Tensor sub_(Complex other) {
    return self().sub_(Tensor.number(other));
  }

  /// Returns `self · other`.
  default Tensor mul(Complex other) {
    return self().mul(Tensor.number(other));
  }

  /// Makes this tensor `self · other`.
  default Tensor mul_(Complex other) {
    return self().mul_(Tensor.number(other));
  }

  /// Returns `self / other`.
  default Tensor div(Complex other) {
    return self().div(Tensor.number(other));
  }

  /// Makes this tensor `self / other`.
  default Tensor div_(Complex other) {
    return self().div_(Tensor.number(other));
  }

  /// Returns `self` to the power of `exponent`.
  default Tensor pow(Complex exponent) {
    return self().pow(Tensor.number(exponent));
  }

  /// Returns `base` to the power of every element: PyTorch's `pow(base, self)`.
  default Tensor powOf(Complex base) {
    return Pointwise.Operators.POW.on(NONE, Tensor.number(base), self());
  }

  /// Returns whether the elements equal `other`.
  default Tensor eq(Complex other) {
    return self().eq(Tensor.number(other));
  }

  /// Returns whether the elements differ from `other`.
  default Tensor ne(Complex other) {
    return self().ne(Tensor.number(other));
  }

  /// Returns the elements, but `value` where `mask` is true.
  ///
  /// - Shape: `self[*b], mask[*b] -> [*b]`
  default Tensor maskedFill(Tensor mask, Complex value) {
    return self().where(mask.logicalNot(), Tensor.number(value));
  }

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("complex parts");

    private static final DTypes TO_REAL =
        DTypes.SAME_FLOATING.complex().results(DTypes.Result.REAL);
    private static final DTypes TO_COMPLEX =
        DTypes.SAME_FLOATING.withoutHalf().results(DTypes.Result.COMPLEX);

    static final Operator<Operator.None> REAL =
        FAMILY
            .<Operator.None>view("real", (a, x) -> x.part(0))
            .gradient("self", Keeps.NOTHING, Backward::grad)
            .torch("aten::real(Tensor(a) self) -> Tensor(a)")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> IMAG =
        FAMILY
            .<Operator.None>view("imag", (a, x) -> x.part(1))
            .gradient("self", Keeps.NOTHING, b -> b.grad().mul(Complex.I))
            .torch("aten::imag(Tensor(a) self) -> Tensor(a)")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> VIEW_AS_REAL =
        FAMILY
            .<Operator.None>view("viewAsReal", (a, x) -> x.parts())
            .gradient("self", Keeps.NOTHING, b -> b.grad().contiguous().viewAsComplex())
            .torch("aten::view_as_real(Tensor(a) self) -> Tensor(a)")
            .sample(NONE, "c64[3 4]")
            .sample(NONE, "c64[]")
            .declare();

    static final Operator<Operator.None> VIEW_AS_COMPLEX =
        FAMILY
            .<Operator.None>view("viewAsComplex", (a, x) -> x.pairs())
            .dtypes(DTypes.ANY.real().withoutHalf())
            .gradient("self", Keeps.NOTHING, b -> b.grad().viewAsReal())
            .torch("aten::view_as_complex(Tensor(a) self) -> Tensor(a)")
            .sample(NONE, "f32[3 4 2]")
            .declare();

    static final Operator<Operator.None> CONJ =
        FAMILY
            .<Operator.None>structured("conj", "self[*b] -> [*b]", conjugate())
            .dtypes(DTypes.SAME.complexWithHalf())
            .gradient("self", Keeps.NOTHING, b -> b.grad().conj())
            .gradientName("ConjBackward0")
            .torch("aten::conj(Tensor(a) self) -> Tensor(a)")
            .torch("aten::conj_physical(Tensor self) -> Tensor")
            .sample(NONE, "c64[3 4]")
            .declare();

    private static Kernel conjugate() {
      return Kernel.ofAnyStrides((attributes, out, in) -> {
        if (!in[0].dtype().isComplex()) {
          Copies.raw(out[0], in[0]);
          return;
        }
        DType real = in[0].dtype().toReal();
        Copies.raw(out[0].part(0), in[0].part(0));
        Pointwise.Operators.NEG
            .kernel(real, real)
            .run(Parameters.NONE, new Strided[] {out[0].part(1)}, new Strided[] {in[0].part(1)});
      });
    }

    static final Operator<Operator.None> COMPLEX =
        FAMILY
            .<Operator.None>structured(
                "complex",
                "real[*b], imag[*b] -> [*b]",
                Kernel.ofAnyStrides((attributes, out, in) -> {
                  long[] sizes = out[0].sizes();
                  Copies.raw(out[0].part(0), Views.expand(in[0], sizes));
                  Copies.raw(out[0].part(1), Views.expand(in[1], sizes));
                }))
            .dtypes(TO_COMPLEX)
            .gradient("real", Keeps.NOTHING, b -> b.grad().real())
            .gradient("imag", Keeps.NOTHING, b -> b.grad().imag())
            .torch("aten::complex(Tensor real, Tensor imag) -> Tensor")
            .sample(NONE, "f32[3 4], f32[3 4]")
            .sample(NONE, "f32[3 1], f32[4]")
            .declare();

    static final Operator<Operator.None> POLAR =
        FAMILY
            .<Operator.None>structured(
                "polar",
                "abs[*b], angle[*b] -> [*b]",
                Kernel.ofAnyStrides((attributes, out, in) -> {
                  long[] sizes = out[0].sizes();
                  ReferenceComplex.polar(
                      out[0], Views.expand(in[0], sizes), Views.expand(in[1], sizes));
                }))
            .dtypes(TO_COMPLEX)
            .gradient(
                "abs",
                Keeps.NOTHING.andOutputs(0),
                b -> b.grad().conj().mul(b.output().sgn()).real())
            .gradient(
                "angle",
                Keeps.NOTHING.andOutputs(0),
                b -> b.grad().conj().mul(b.output().mul(Complex.I)).real())
            .torch("aten::polar(Tensor abs, Tensor angle) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.5..2, f32[3 4]")
            .sample(NONE, "f32[3 1] in 0.5..2, f32[4]")
            .declare();

    static final Operator<Operator.None> COMPLEX_ABS =
        FAMILY
            .<Operator.None>structured(
                "complexAbs",
                "self[*b] -> [*b]",
                Kernel.ofAnyStrides((attributes, out, in) ->
                    ofParts(Pointwise.Operators.HYPOT, out[0], in[0].part(0), in[0].part(1))))
            .dtypes(TO_REAL)
            .gradient("self", Keeps.inputs("self"), b -> b.grad().mul(b.input("self").sgn()))
            .gradientName("AbsBackward0")
            .own()
            .sample(NONE, "c64[3 4]")
            .declare();

    /// The real numbers that `function` makes of two parts.
    private static void ofParts(Operator<?> function, Strided out, Strided a, Strided b) {
      function
          .kernel(a.dtype(), out.dtype())
          .run(Parameters.NONE, new Strided[] {out}, new Strided[] {a, b});
    }

    static final Operator<Operator.None> ANGLE =
        FAMILY
            .pointwise(
                "angle",
                x ->
                    Formula.select(
                        x,
                        Comparison.NOT_EQUAL,
                        x,
                        x,
                        Formula.select(
                            x,
                            Comparison.LESS,
                            Formula.constant(0),
                            Formula.constant(Math.PI),
                            Formula.constant(0))))
            .derivative("self", Formula.constant(0))
            .dtypes(DTypes.FLOATING)
            .torch("aten::angle(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "i64[3]")
            .declare();

    static final Operator<Operator.None> COMPLEX_ANGLE =
        FAMILY
            .<Operator.None>structured(
                "complexAngle",
                "self[*b] -> [*b]",
                Kernel.ofAnyStrides((attributes, out, in) ->
                    ofParts(Pointwise.Operators.ATAN2, out[0], in[0].part(1), in[0].part(0))))
            .dtypes(TO_REAL)
            .gradient("self", Keeps.inputs("self"), b -> angleGradient(b.grad(), b.input("self")))
            .gradientName("AngleBackward0")
            .own()
            .sample(NONE, "c64[3 4]")
            .declare();

    /// `i z / |z|²`, and 0 at 0: the direction in which the angle grows.
    private static Tensor angleGradient(Tensor grad, Tensor z) {
      Tensor size = z.abs();
      Tensor slope = z.mul(Complex.I).div(size.mul(size));
      return grad.mul(slope.maskedFill(size.eq(0), 0));
    }

    static final Operator<Operator.None> SGN =
        FAMILY
            .pointwise("sgn", Formula::sign)
            .dtypes(DTypes.SAME_FLOATING.complex())
            .gradient(
                "self",
                Keeps.inputs("self").andOutputs(0),
                b -> sgnGradient(b.grad(), b.input("self"), b.output()))
            .torch("aten::sgn(Tensor self) -> Tensor")
            .sample(NONE, "c64[3 4]")
            .declare();

    /// The part of the gradient that is at right angles to the number, over its size (arXiv:1701.00392, section 4.20).
    private static Tensor sgnGradient(Tensor grad, Tensor z, Tensor sgn) {
      Tensor size = z.abs();
      Tensor along = grad.mul(sgn.conj()).real();
      return grad.sub(sgn.mul(along)).div(size).maskedFill(size.eq(0), 0);
    }

    private Operators() {}
  }
}
