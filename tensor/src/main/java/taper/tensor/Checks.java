package taper.tensor;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;
import taper.tensor.spi.AlongDims;
import taper.tensor.spi.Strided;

/// What must hold before an operator runs, whatever the operator.
final class Checks {
  private Checks() {}

  /// The device of the inputs.
  ///
  /// @throws DeviceException if they live on two
  static Device oneDevice(Operator<?> op, @Nullable Tensor[] in) {
    Device device = null;
    int first = 0;
    for (int i = 0; i < in.length; i++) {
      Tensor x = in[i];
      if (x == null || x.isNumber()) {
        continue;
      }
      if (device == null) {
        device = x.device();
        first = i;
      } else if (device != x.device() && !device.equals(x.device())) {
        throw new DeviceException(
            "%s: inputs must be on one device, but %s is on %s and %s is on %s. Move one of them with .to(device)."
                .formatted(
                    op.name(),
                    op.signature().nameOf(first, in.length),
                    device,
                    op.signature().nameOf(i, in.length),
                    x.device()));
      }
    }
    return device == null ? Device.CPU : device;
  }

  /// Checks what every call needs, before any rule of the operator sees it: all inputs, attributes that name dimensions
  /// of the first input, and memory to write into.
  static void call(
      Operator<?> op, @Nullable Record attributes, @Nullable Tensor[] in, @Nullable Tensor target) {
    Signature signature = op.signature();
    if (!signature.takes(in.length)) {
      throw new ArgumentException(
          "%s: the inputs must be %s, but %d were given."
              .formatted(op.name(), signature, in.length));
    }
    signature.requirePresent(op.name(), in);
    if (attributes == null) {
      throw new ArgumentException(op.name() + ": attributes must be a record, but are null.");
    }
    Tensor first = in.length == 0 ? null : in[0];
    if (attributes instanceof AlongDims along && first != null) {
      dims(op.name(), along, first.data().rank());
    }
    if (target != null && target.isNumber()) {
      throw new ArgumentException(
          "%s_: self must be a tensor, but is the Java number %s, which cannot be written. Use %s."
              .formatted(op.name(), target.data(), op.name()));
    }
  }

  private static void dims(String op, AlongDims attributes, int rank) {
    int[] dims = attributes.alongDims();
    if (dims == null) {
      return;
    }
    int bound = rank == 0 && attributes.takesScalar() ? 1 : rank;
    for (int i = 0; i < dims.length; i++) {
      if (dims[i] < 0 || dims[i] >= bound) {
        throw new ArgumentException(
            "%s: dims must lie in an input of %d dimensions, counted from 0, but are %s."
                .formatted(op, rank, Arrays.toString(dims)));
      }
      for (int j = 0; j < i; j++) {
        if (dims[i] == dims[j]) {
          throw new ArgumentException(
              "%s: dims must be different, but are %s.".formatted(op, Arrays.toString(dims)));
        }
      }
    }
  }

  /// Checks the shape of an input.
  ///
  /// @throws ShapeException if it is another one than `wanted`
  static void shape(String op, String name, long @Nullable [] shape, long... wanted) {
    if (!Arrays.equals(shape, wanted)) {
      throw new ShapeException(
          "%s: %s must have shape %s, but has %s."
              .formatted(op, name, Arrays.toString(wanted), Arrays.toString(shape)));
    }
  }

  /// Checks that `target` may be overwritten by the result of `op`.
  static void mayWrite(Context context, Operator<?> op, Tensor target, boolean grad, DType result) {
    boolean onlyInPlace = op.name().endsWith("_");
    String name = onlyInPlace ? op.name() : op.name() + "_";
    String instead = onlyInPlace ? "clone() first" : op.name();
    if (result.category() > target.dtype().category()) {
      throw new DTypeException(
          "%s: the result is %s, which cannot be written into a %s tensor. Use %s, or convert the tensor with .to(DType.%s) first."
              .formatted(name, result, target.dtype(), instead, result.name()));
    }
    if (target.isInference() && !context.inferenceMode) {
      throw new AutogradException(
          "%s: a tensor made in inference mode must not be changed in place outside of it, but this %s tensor of shape %s is one. Use %s, or clone() it first."
              .formatted(name, target.dtype(), target.shape(), instead));
    }
    if (context.gradMode && target.isLeaf() && target.requiresGrad()) {
      throw new AutogradException(
          "%s: a leaf that requires grad must not be changed in place while gradients are recorded, but this %s tensor of shape %s is one. Use %s, or wrap the change in Autograd.noGrad()."
              .formatted(name, target.dtype(), target.shape(), instead));
    }
    if (context.gradMode
        && (grad || target.requiresGrad())
        && target.isViewOfLeafThatRequiresGrad()) {
      throw new AutogradException(
          "%s: a view of a leaf that requires grad must not be changed in place while gradients are recorded, but this %s tensor of shape %s is one. Use %s, or wrap the change in Autograd.noGrad()."
              .formatted(name, target.dtype(), target.shape(), instead));
    }
    if (context.gradMode && (grad || target.requiresGrad() || target.isViewOfWhatRequiresGrad())) {
      recordable(name, instead, target);
    }
    if (op != Creation.Operators.FILL) { // which writes the same value everywhere
      ownElements(name, target);
    }
  }

  /// Checks that every element of `target` has memory of its own.
  ///
  /// @throws ArgumentException if a dimension is expanded
  static void ownElements(String name, Tensor target) {
    Strided data = target.data();
    for (int d = 0; d < data.rank() && data.numel() > 0; d++) {
      if (data.stride(d) == 0 && data.size(d) > 1) {
        throw new ArgumentException(
            "%s: every element must have memory of its own, but dimension %d of shape %s is expanded. Use clone() or contiguous() first."
                .formatted(name, d, target.shape()));
      }
    }
  }

  /// Checks that a write into a view can be recorded.
  private static void recordable(String name, String instead, Tensor target) {
    String why =
        switch (target.origin()) {
          case PLAIN -> null;
          case ONE_OF_SEVERAL ->
              "is one of several that a single call returned, such as unbind, split or chunk";
          case NOT_RECORDED ->
              "was made while nothing was recorded, in noGrad() or inferenceMode()";
          case CUSTOM_FUNCTION -> "was returned by a custom function";
        };
    if (why != null) {
      throw new AutogradException(
          "%s: a view must have been made by a recorded operator of one output to be changed in place while gradients are recorded, but this %s view of shape %s %s. Use %s, or make the view with select or narrow."
              .formatted(name, target.dtype(), target.shape(), why, instead));
    }
  }

  /// What a hook made of `grad`, or null if it left it as it was.
  ///
  /// @throws ShapeException if it can be no gradient of the same tensor
  static @Nullable Tensor hooked(String what, Tensor grad, @Nullable Tensor replaced) {
    if (replaced != null
        && (!replaced.shape().equals(grad.shape()) || replaced.dtype() != grad.dtype())) {
      throw new ShapeException(
          "%s: a hook must return a gradient of the same shape and dtype, but was given %s of %s and returned %s of %s. Return the gradient itself to leave it as it is."
              .formatted(what, grad.shape(), grad.dtype(), replaced.shape(), replaced.dtype()));
    }
    return replaced;
  }

  /// `value`, which a caller may have left out in spite of its type.
  static <T> T given(String op, String name, @Nullable T value) {
    if (value == null) {
      throw new ArgumentException("%s: %s must be given, but is null.".formatted(op, name));
    }
    return value;
  }

  /// Whether writing `target` may change `x` before it has been read: they share memory, but not element by element.
  static boolean overlap(Tensor x, Tensor target) {
    if (x.isNumber() || x.storage() != target.storage()) {
      return false;
    }
    Strided a = x.data();
    Strided b = target.data();
    return a.byteOffset() != b.byteOffset()
        || !a.sameSizes(b)
        || !Arrays.equals(a.strides(), b.strides());
  }

  /// Checks that a tensor that is written shares no memory with those that are read.
  ///
  /// @throws ArgumentException if it does
  static void apart(String op, Tensor target, Tensor... others) {
    for (Tensor other : others) {
      if (meet(target, other)) {
        throw new ArgumentException(
            "%s: what is written must not share memory with what is read, but a tensor of shape %s does with one of shape %s. Use clone() first."
                .formatted(op, target.shape(), other.shape()));
      }
    }
  }

  /// Whether the spans of memory from the first to the last element of both meet.
  static boolean meet(Tensor a, Tensor b) {
    if (b.isNumber() || !a.sharesStorageWith(b) || a.numel() == 0 || b.numel() == 0) {
      return false;
    }
    return a.data().byteOffset() < end(b.data()) && b.data().byteOffset() < end(a.data());
  }

  private static long end(Strided x) {
    long last = 0;
    for (int d = 0; d < x.rank(); d++) {
      last += (x.size(d) - 1) * x.stride(d);
    }
    return x.byteOffset() + (last + 1) * x.dtype().byteSize();
  }

  /// Checks that `x` holds numbers.
  ///
  /// @throws DTypeException if it holds truth values
  static void numbers(String op, Tensor x) {
    if (x.dtype() == DType.BOOL) {
      throw new DTypeException(
          op + ": self must hold numbers, but is bool. Convert it with .to(DType.INT64).");
    }
  }

  /// The dimension that `dim` names, counted from 0.
  ///
  /// @throws ArgumentException if there is no such dimension
  static int dim(String op, int dim, int rank) {
    int bound = Math.max(rank, 1);
    if (dim < -bound || dim >= bound) {
      throw new ArgumentException(
          "%s: dim must be in %d..%d, but is %d.".formatted(op, -bound, bound - 1, dim));
    }
    return dim < 0 ? dim + bound : dim;
  }

  static void assignedGradient(Tensor x, @Nullable Tensor grad) {
    if (grad == null) {
      return;
    }
    if (!grad.shape().equals(x.shape())) {
      throw new ShapeException(
          "setGrad: the gradient must have the shape of the tensor, %s, but has %s."
              .formatted(x.shape(), grad.shape()));
    }
    if (grad.dtype() != x.dtype()) {
      throw new DTypeException(
          "setGrad: the gradient must have the dtype of the tensor, %s, but has %s. Convert it with .to(dtype)."
              .formatted(x.dtype(), grad.dtype()));
    }
  }

  /// Checks that gradients may flow to `x`, or no longer do.
  ///
  /// @throws AutogradException if it is no leaf, or its type is neither floating nor complex
  static void mayRequireGrad(Tensor x, boolean on) {
    if (on && !x.dtype().isDifferentiable()) {
      throw new AutogradException(
          "requiresGrad_: only floating and complex tensors have gradients, but this one is "
              + x.dtype()
              + ".");
    }
    if (!on && x.gradFn() != null) {
      throw new AutogradException(
          "requiresGrad_: only leaves can be taken out of the graph, but this tensor is the result"
              + " of "
              + x.gradFn()
              + ". Use detach().");
    }
    if (on && x.isInference() && !Autograd.isInferenceMode()) {
      throw new AutogradException(
          "requiresGrad_: a tensor made in inference mode cannot ask for gradients outside of it, but this %s tensor of shape %s was made there. Use clone() on it first."
              .formatted(x.dtype(), x.shape()));
    }
  }

  /// Why a view is not taken out of the graph.
  static AutogradException viewStays(Tensor x) {
    return new AutogradException(
        "detach_: a view cannot be taken out of the graph in place, but this %s tensor of shape %s is one. Use detach()."
            .formatted(x.dtype(), x.shape()));
  }

  /// Checks that the elements of `x` are real.
  ///
  /// @throws DTypeException if they are complex
  static void real(String op, String remedy, Tensor x) {
    if (x.dtype().isComplex()) {
      throw new DTypeException(
          "%s: the elements must be real numbers, but are %s. Use %s, real() or imag()."
              .formatted(op, x.dtype(), remedy));
    }
  }

  /// Checks that `x` is a single number.
  ///
  /// @throws ShapeException if it has more elements or none
  static void oneElement(Tensor x) {
    if (x.numel() != 1) {
      throw new ShapeException(
          "item: the tensor must have one element, but has shape %s. Use toFloatArray() or an index."
              .formatted(x.shape()));
    }
  }

  static void assignedData(Tensor x, Tensor other) {
    if (x.gradFn() != null) {
      throw new AutogradException(
          "setData: the tensor must be a leaf, but is the result of "
              + x.gradFn()
              + ". Use detach() first.");
    }
    DType dtype = other.dtype();
    if (x.requiresGrad() && !dtype.isFloatingPoint() && !dtype.isComplex()) {
      throw new DTypeException(
          "setData: a tensor that requires grad must be floating or complex, but the other is %s. Convert it with .to(DType.FLOAT32)."
              .formatted(dtype));
    }
  }

  /// Refuses a value that `dtype` cannot hold. Negative ones are counted from the end of an unsigned dtype; infinities and
  /// NaN are values of every floating one.
  static void fits(String op, DType dtype, double value) {
    double max =
        switch (dtype) {
          case UINT8 -> 255;
          case INT8 -> Byte.MAX_VALUE;
          case INT16 -> Short.MAX_VALUE;
          case INT32 -> Integer.MAX_VALUE;
          case INT64 -> Math.nextDown(0x1p63);
          case FLOAT32, COMPLEX64 -> Float.MAX_VALUE;
          case BFLOAT16 -> 0x1.FEp127;
          case FLOAT16, COMPLEX32 -> 65504;
          case FLOAT64, COMPLEX128, BOOL -> Double.POSITIVE_INFINITY;
        };
    boolean whole = dtype.isIntegral();
    double min = dtype == DType.INT64 ? -0x1p63 : whole && dtype != DType.UINT8 ? -max - 1 : -max;
    boolean fits =
        whole ? value >= min && value <= max : !Double.isFinite(value) || Math.abs(value) <= max;
    if (!fits && dtype != DType.BOOL) {
      throw new ArgumentException(
          "%s: the value must be in %s..%s to fit into %s, but is %s. Use a wider dtype%s."
              .formatted(
                  op,
                  limit(dtype, min),
                  limit(dtype, max),
                  dtype,
                  value,
                  whole ? "" : ", or an infinity"));
    }
  }

  /// Refuses a value that `dtype` cannot hold.
  static void fits(String op, DType dtype, long value) {
    if (dtype != DType.INT64) {
      fits(op, dtype, (double) value);
    }
  }

  private static String limit(DType dtype, double value) {
    return !dtype.isIntegral()
        ? String.valueOf((float) value)
        : String.valueOf(
            dtype != DType.INT64 ? (long) value : value < 0 ? Long.MIN_VALUE : Long.MAX_VALUE);
  }

  /// `value` as an operand that limits or replaces elements of `x`.
  ///
  /// @throws ArgumentException if the type of the result cannot hold it
  static Tensor fitting(String op, Tensor x, long value) {
    fits(op, x.dtype(), value);
    return Tensor.number(value);
  }

  /// `value` as an operand that limits or replaces elements of `x`, which it makes floating.
  ///
  /// @throws ArgumentException if the type of the result cannot hold it
  static Tensor fitting(String op, Tensor x, double value) {
    if (x.dtype().isDifferentiable()) {
      fits(op, x.dtype(), value);
    }
    return Tensor.number(value);
  }
}
