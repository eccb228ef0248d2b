package taper.tensor;

import static taper.tensor.Operator.None.NONE;

import java.lang.foreign.MemorySegment;
import java.util.List;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.Context;
import taper.tensor.internal.ReferencePointwise;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;
import taper.tensor.spi.Truncation;

/// Copies, conversions and fillings.
public sealed interface Creation permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the elements as another type; this tensor itself if it is of that type already.
  default Tensor to(DType dtype) {
    return self().dtype() == dtype ? self() : Operators.TO.on(new To(dtype), self());
  }

  /// Returns the elements on another device; this tensor itself if it is there already.
  ///
  /// @throws DeviceException if there is no backend for the device
  default Tensor to(Device device) {
    if (self().device().equals(device)) {
      return self();
    }
    return Tensor.allocate(Context.current(), self().dtype(), self().sizesInternal(), device)
        .copy_(self());
  }

  /// Returns the elements as another type, on another device; this tensor itself if it is both already.
  ///
  /// @throws DeviceException if there is no backend for the device
  default Tensor to(DType dtype, Device device) {
    return to(dtype).to(device);
  }

  /// Returns the elements as `float32`: PyTorch's `float()`.
  default Tensor toFloat32() {
    return to(DType.FLOAT32);
  }

  /// Returns the elements as `float64`: PyTorch's `double()`.
  default Tensor toFloat64() {
    return to(DType.FLOAT64);
  }

  /// Returns the elements as `float16`: PyTorch's `half()`.
  default Tensor toFloat16() {
    return to(DType.FLOAT16);
  }

  /// Returns the elements as `bfloat16`.
  default Tensor toBfloat16() {
    return to(DType.BFLOAT16);
  }

  /// Returns the elements as `int64`, cut off towards zero: PyTorch's `long()`.
  default Tensor toInt64() {
    return to(DType.INT64);
  }

  /// Returns the elements as `int32`, cut off towards zero: PyTorch's `int()`.
  default Tensor toInt32() {
    return to(DType.INT32);
  }

  /// Returns the elements as `int16`, cut off towards zero: PyTorch's `short()`.
  default Tensor toInt16() {
    return to(DType.INT16);
  }

  /// Returns the elements as `int8`, cut off towards zero: PyTorch's `char()`.
  default Tensor toInt8() {
    return to(DType.INT8);
  }

  /// Returns the elements as `uint8`, cut off towards zero: PyTorch's `byte()`.
  default Tensor toUint8() {
    return to(DType.UINT8);
  }

  /// Returns the elements as `complex32`: PyTorch's `chalf()`.
  default Tensor toComplex32() {
    return to(DType.COMPLEX32);
  }

  /// Returns the elements as `complex64`: PyTorch's `cfloat()`.
  default Tensor toComplex64() {
    return to(DType.COMPLEX64);
  }

  /// Returns the elements as `complex128`: PyTorch's `cdouble()`.
  default Tensor toComplex128() {
    return to(DType.COMPLEX128);
  }

  /// Returns whether the elements are not 0: PyTorch's `bool()`.
  default Tensor toBool() {
    return to(DType.BOOL);
  }

  /// Returns the elements as another type: [#to(DType)] under PyTorch's older name.
  default Tensor type(DType dtype) {
    return to(dtype);
  }

  /// Returns the elements in the type of `other`.
  default Tensor typeAs(Tensor other) {
    return to(other.dtype());
  }

  // New tensors of the same type

  /// Returns a tensor of zeros, of the type and on the device of this one.
  default Tensor newZeros(long... sizes) {
    return newFull(sizes, 0L);
  }

  /// Returns a tensor of ones, of the type and on the device of this one.
  default Tensor newOnes(long... sizes) {
    return newFull(sizes, 1L);
  }

  /// Returns a tensor whose elements all are `value`, of the type and on the device of this one.
  ///
  /// @throws ShapeException if a size is negative
  default Tensor newFull(long[] sizes, double value) {
    return newEmpty(sizes).fill_(value);
  }

  /// Returns a tensor whose elements all are `value`, of the type and on the device of this one.
  ///
  /// @throws ShapeException if a size is negative
  default Tensor newFull(long[] sizes, long value) {
    return newEmpty(sizes).fill_(value);
  }

  /// Returns a tensor whose elements are whatever the memory holds, of the type and on the device of this one.
  ///
  /// @throws ShapeException if a size is negative
  default Tensor newEmpty(long... sizes) {
    return Tensor.allocate(Context.current(), self().dtype(), sizes, self().device());
  }

  /// Returns a tensor of zeros, on the device of this one.
  default Tensor newZeros(DType dtype, long... sizes) {
    return newFull(dtype, sizes, 0);
  }

  /// Returns a tensor of ones, on the device of this one.
  default Tensor newOnes(DType dtype, long... sizes) {
    return newFull(dtype, sizes, 1);
  }

  /// Returns a tensor whose elements all are `value`, on the device of this one.
  ///
  /// @throws ShapeException if a size is negative
  default Tensor newFull(DType dtype, long[] sizes, double value) {
    return newEmpty(dtype, sizes).fill_(value);
  }

  /// Returns a tensor whose elements all are the complex number `value`, on the device of this one.
  ///
  /// @throws DTypeException if `dtype` is not complex
  default Tensor newFull(DType dtype, long[] sizes, Complex value) {
    return newEmpty(dtype, sizes).fill_(value);
  }

  /// Returns a tensor whose elements are whatever the memory holds, on the device of this one.
  ///
  /// @throws ShapeException if a size is negative
  default Tensor newEmpty(DType dtype, long... sizes) {
    return Tensor.allocate(Context.current(), dtype, sizes, self().device());
  }

  /// Returns a tensor with the elements of nested arrays, as [Tensor#of(Object)], in the type of this one.
  default Tensor newTensor(Object nested) {
    return Tensor.of(nested).to(self().dtype(), self().device());
  }

  /// Overwrites the elements with those of `source`, which broadcasts and is converted.
  default Tensor copy_(Tensor source) {
    return Operators.COPY.inPlace(NONE, self(), source.expand(self().sizes()));
  }

  /// Overwrites every element with `value`.
  default Tensor fill_(double value) {
    Checks.fits("fill_", self().dtype(), value);
    return Operators.FILL.inPlace(new Fill(value, Truncation.toInt64(value)), self());
  }

  /// Overwrites every element with `value`.
  default Tensor fill_(long value) {
    Checks.fits("fill_", self().dtype(), value);
    return Operators.FILL.inPlace(new Fill(value, value), self());
  }

  /// Overwrites every element with the complex number `value`.
  ///
  /// @throws DTypeException if the elements are not complex numbers and `value` is no real one
  default Tensor fill_(Complex value) {
    if (value.im() != 0 && !self().dtype().isComplex()) {
      throw new DTypeException(
          "fill_: a %s tensor must be filled with a real number, but the value is %s. Convert the tensor with .to(DType.COMPLEX64) first."
              .formatted(self().dtype(), value));
    }
    return Operators.FILL.inPlace(
        new Fill(value.re(), Truncation.toInt64(value.re()), value.im()), self());
  }

  /// Overwrites every element with 0.
  default Tensor zero_() {
    return fill_(0);
  }

  /// Returns the elements as nested arrays of Java's type: `float[][]` for a `float32` matrix, `short` for `uint8`, and a
  /// boxed number for rank 0.
  ///
  /// @throws ShapeException if a dimension is larger than a Java array
  default Object toArray() {
    return NestedArrays.write(self());
  }

  /// Writes the elements in row-major order, converted, to the beginning of `target`.
  ///
  /// @throws ArgumentException if it is too short
  default void copyTo(float[] target) {
    NestedArrays.copyTo(self(), DType.FLOAT32, MemorySegment.ofArray(target));
  }

  /// Writes the elements in row-major order, converted, to the beginning of `target`.
  ///
  /// @throws ArgumentException if it is too short
  default void copyTo(double[] target) {
    NestedArrays.copyTo(self(), DType.FLOAT64, MemorySegment.ofArray(target));
  }

  /// Writes the elements in row-major order, converted, to the beginning of `target`.
  ///
  /// @throws ArgumentException if it is too short
  default void copyTo(long[] target) {
    NestedArrays.copyTo(self(), DType.INT64, MemorySegment.ofArray(target));
  }

  /// Writes the elements in row-major order, converted, to the beginning of `target`.
  ///
  /// @throws ArgumentException if it is too short
  default void copyTo(int[] target) {
    NestedArrays.copyTo(self(), DType.INT32, MemorySegment.ofArray(target));
  }

  /// Writes the elements in row-major order, in their own type and the byte order of the machine, to the beginning of
  /// `target`.
  ///
  /// @throws ArgumentException if it is too short
  default void copyTo(MemorySegment target) {
    NestedArrays.copyTo(self(), self().dtype(), target);
  }

  /// The type of a conversion.
  ///
  /// @param dtype the type of the result
  record To(DType dtype) implements DTypes.Chosen {}

  /// The value of a filling.
  ///
  /// @param value as a floating-point number
  /// @param whole as a whole number
  /// @param imaginary the imaginary part, for complex types
  record Fill(double value, long whole, double imaginary) {
    /// A real number.
    public Fill(double value, long whole) {
      this(value, whole, 0);
    }
  }

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("creation");

    static final Operator<To> TO =
        FAMILY
            .<To>structured("to", "self[*b] -> [*b]", new Convert())
            .dtypes(DTypes.ANY)
            .gradient("self", Keeps.NOTHING, Backward::grad)
            .gradientName("ToCopyBackward0")
            .torch(
                "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool"
                    + " copy=False) -> Tensor(a)")
            .sample(new To(DType.FLOAT64), "f32[3 4]")
            .sample(new To(DType.FLOAT64), "c64[3 4]")
            .sample(new To(DType.COMPLEX128), "f32[3 4]")
            .declare();

    static final Operator<Operator.None> CLONE =
        FAMILY
            .<Operator.None>structured(
                "clone",
                "self[*b] -> [*b]",
                Kernel.ofAnyStrides((a, out, in) -> Copies.raw(out[0], in[0])))
            .dtypes(DTypes.ANY)
            .gradient("self", Keeps.NOTHING, Backward::grad)
            .torch("aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "c64[3 4]")
            .declare();

    /// The gradient of what was overwritten: one 0 for all elements, not none, so that leaves get theirs as in PyTorch.
    private static Tensor nothing(Backward<?> b) {
      return Tensor.zeros(b.grad().dtype()).expand(b.sizes("self"));
    }

    static final Operator<Operator.None> COPY =
        FAMILY
            .<Operator.None>structured(
                "copy_",
                "self[*a], source[*b] -> [*a]",
                Kernel.ofAnyStrides((a, out, in) -> Copies.raw(out[0], in[1])))
            .shape((a, in) -> {
              long[] self = in.get(0);
              assert self != null;
              Checks.shape("copy_", "source", in.get(1), self);
              return List.of(self.clone());
            })
            .dtypes(DTypes.ANY)
            .gradient("self", Keeps.NOTHING, Operators::nothing)
            .gradient("source", Keeps.NOTHING, Backward::grad)
            .gradientName("CopyBackwards")
            .torch(
                "aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)")
            .sample(NONE, "f32[3 4], f32[3 4]")
            .declare();

    static final Operator<Fill> FILL =
        FAMILY
            .<Fill>structured("fill_", "self[*b] -> [*b]", new FillKernel())
            .dtypes(DTypes.ANY)
            .gradient("self", Keeps.NOTHING, Operators::nothing)
            .torch("aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)")
            .sample(new Fill(2, 2), "f32[3 4]")
            .declare();

    private Operators() {}
  }

  /// Converts element by element.
  final class Convert implements Kernel {
    private final ReferencePointwise identity = new ReferencePointwise(new Formula.Input(0));

    Convert() {}

    @Override
    public boolean anyStrides() {
      return true;
    }

    @Override
    public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
      if (outputs[0].dtype().isComplex() || inputs[0].dtype().isComplex()) {
        Copies.raw(outputs[0], inputs[0]);
      } else {
        identity.run(Parameters.NONE, outputs, inputs);
      }
    }
  }

  /// Writes one number everywhere.
  final class FillKernel implements Kernel {
    FillKernel() {}

    @Override
    public boolean anyStrides() {
      return true;
    }

    @Override
    public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
      var fill = (Fill) attributes;
      if (outputs[0].dtype().isComplex()) {
        Copies.fill(outputs[0], Strided.number(new Complex(fill.value(), fill.imaginary())));
        return;
      }
      boolean whole = outputs[0].dtype().isIntegral();
      var formula = new ReferencePointwise(new Formula.Parameter(0));
      var parameters = new Parameters(new double[] {fill.value()}, new long[] {fill.whole()});
      Strided[] none = whole ? new Strided[] {Strided.number(fill.whole())} : new Strided[0];
      formula.run(parameters, outputs, none);
    }
  }
}
