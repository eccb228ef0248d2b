package taper.tensor;

import java.lang.ref.Reference;
import taper.tensor.internal.Context;
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
    raw(target.data(), from.data());
    Reference.reachabilityFence(target);
    Reference.reachabilityFence(from);
  }

  /// Writes `from` into `to`, which has the same sizes.
  static void raw(Strided to, Strided from) {
    if (to.numel() == 0) {
      return;
    }
    Creation.Operators.TO
        .kernel(from.dtype(), to.dtype())
        .run(new Creation.To(to.dtype()), new Strided[] {to}, new Strided[] {from});
  }

  /// Writes the number into every element.
  static void fill(Strided to, Strided number) {
    if (to.numel() == 0) {
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
