package taper.tensor;

import java.lang.ref.Reference;
import java.util.Arrays;
import taper.tensor.internal.Context;
import taper.tensor.internal.Elements;
import taper.tensor.spi.Strided;

/// Copies between tensors of any type and strides, without a record.
final class Copies {
  private Copies() {}

  /// A contiguous copy of `x`, of type `dtype`.
  static Tensor converted(Tensor x, DType dtype) {
    Tensor out = Tensor.allocate(Context.current(), dtype, x.sizesInternal(), x.device());
    if (x.isNumber()) {
      fill(out.data(), x.data());
    } else {
      convertInto(out, x);
    }
    return out;
  }

  /// Writes the elements of `from` into `target`, which has the same sizes.
  static void convertInto(Tensor target, Tensor from) {
    Context context = Context.current();
    int before = context.held();
    try {
      Strided to = target.hold(context);
      Strided source = from.hold(context);
      if (!to.sameSizes(source)) {
        throw new ShapeException(
            "copy: both tensors must keep their shapes while one is copied into the other, but one has become %s, the other %s."
                .formatted(Arrays.toString(to.sizes()), Arrays.toString(source.sizes())));
      }
      raw(to, source);
    } finally {
      context.letGo(before);
      Reference.reachabilityFence(target);
      Reference.reachabilityFence(from);
    }
  }

  /// Writes `from` into `to`, which has the same sizes.
  static void raw(Strided to, Strided from) {
    if (to.numel() == 0) {
      return;
    }
    if (from.dtype().isComplex() || to.dtype().isComplex()) {
      complex(to, from);
      return;
    }
    Creation.Operators.TO
        .kernel(from.dtype(), to.dtype())
        .run(new Creation.To(to.dtype()), new Strided[] {to}, new Strided[] {from});
  }

  /// Copies parts as real numbers: a real type loses the imaginary parts, a complex one gets zeros.
  private static void complex(Strided to, Strided from) {
    if (from.dtype() == DType.COMPLEX64 && to.dtype() == DType.COMPLEX64) {
      raw(wholes(to), wholes(from)); // both parts at once
    } else if (!from.dtype().isComplex()) {
      raw(to.part(0), from);
      fill(to.part(1), Strided.number(0.0));
    } else if (to.dtype().isComplex()) {
      raw(to.parts(), from.parts());
    } else if (to.dtype() == DType.BOOL) {
      var truths = new Elements(to);
      var numbers = new Elements(from);
      for (long i = 0, n = to.numel(); i < n; i++) {
        truths.copy(i, numbers, i);
      }
    } else {
      raw(to, from.part(0));
    }
  }

  /// Elements of 8 bytes, to be moved as they are.
  private static Strided wholes(Strided x) {
    return Strided.of(x.memory(), x.byteOffset(), DType.INT64, x.sizes(), x.strides());
  }

  /// Writes the number into every element.
  static void fill(Strided to, Strided number) {
    if (to.numel() == 0) {
      return;
    }
    if (to.dtype().isComplex()) {
      fill(to.part(0), Strided.number(number.doubleValue()));
      fill(to.part(1), Strided.number(number.imaginaryValue()));
      return;
    }
    Creation.Operators.FILL
        .kernel(to.dtype(), to.dtype())
        .run(
            new Creation.Fill(number.doubleValue(), number.longValue()),
            new Strided[] {to},
            new Strided[0]);
  }
}
