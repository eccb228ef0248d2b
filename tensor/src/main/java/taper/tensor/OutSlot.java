package taper.tensor;

import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;
import taper.tensor.spi.Strided;

/// A tensor that waits for the result of an operator: PyTorch's `out`.
///
/// The first operator whose result fits writes straight into it, and hands on a second handle on the same memory. If that
/// is what the body returns, nothing is left to do; else the result is copied. Belongs to one thread.
final class OutSlot {
  private final Tensor out;
  private @Nullable Tensor written;
  private boolean casts;

  private OutSlot(Tensor out) {
    this.out = out;
  }

  /// Runs `body`, and has its result end up in `out`.
  static Tensor fill(String op, Tensor out, Supplier<Tensor> body) {
    Context context = Context.current();
    requireTensor(op, out);
    if (context.gradMode && out.requiresGrad()) {
      throw graph(op);
    }
    Checks.ownElements(op, out);
    var slot = new OutSlot(out);
    Object before = context.out;
    context.out = slot;
    Tensor result;
    try {
      result = body.get();
    } finally {
      context.out = before;
    }
    return slot.end(op, result);
  }

  private static void requireTensor(String op, @Nullable Tensor out) {
    if (out == null || out.isNumber()) {
      throw new ArgumentException(
          "%s: out must be a tensor, but is %s."
              .formatted(op, out == null ? "null" : "the Java number " + out.data()));
    }
  }

  private Tensor end(String op, Tensor result) {
    if (result == written) {
      return out;
    }
    if (result.requiresGrad()) {
      throw graph(op);
    }
    boolean fits =
        casts ? result.dtype().category() <= out.dtype().category() : result.dtype() == out.dtype();
    if (!fits) {
      throw new DTypeException(
          "%s: the result is %s, which cannot be written into a %s tensor. Give one of type %s."
              .formatted(op, result.dtype(), out.dtype(), result.dtype()));
    }
    if (!Arrays.equals(result.sizesInternal(), out.sizesInternal())) {
      if (out.numel() != 0) {
        throw new ShapeException(
            "%s: out must have the shape of the result, %s, or no elements, but has shape %s. Use resize_(0) first."
                .formatted(op, result.shape(), out.shape()));
      }
      out.resize_(result.sizes());
    }
    Autograd.noGrad(() -> out.copy_(result));
    return out;
  }

  private static AutogradException graph(String op) {
    return new AutogradException(
        op
            + ": out must not take part in a graph, but gradients are being recorded. Leave out"
            + " away, or use Autograd.noGrad().");
  }

  /// A handle on the memory of `out` if the result of `op` may be written there at once, else null.
  static @Nullable Tensor place(
      Context context,
      Operator<?> op,
      @Nullable Tensor[] in,
      boolean grad,
      DType result,
      Strided shape) {
    return place(context, op, in, grad, result, shape.sizes());
  }

  /// A handle on the memory of `out` if the result of `op`, of the given sizes, may be written there at once, else null.
  static @Nullable Tensor place(
      Context context,
      Operator<?> op,
      @Nullable Tensor[] in,
      boolean grad,
      DType result,
      long[] sizes) {
    var slot = (OutSlot) context.out;
    assert slot != null;
    Tensor out = slot.out;
    if (grad) {
      throw graph(op.name());
    }
    boolean elementwise = op.definition() instanceof Definition.Pointwise;
    slot.casts = elementwise || op.name().equals("cat") || op.name().equals("to");
    boolean apart = true;
    for (Tensor x : in) {
      if (x == null || x.isNumber() || x == slot.written) {
        continue;
      }
      boolean same = elementwise && !Checks.overlap(x, out);
      if (!same && Checks.meet(out, x)) {
        throw new ArgumentException(
            "%s: out must not share memory with what is read, but does with a tensor of shape %s. Use clone() first."
                .formatted(op.name(), x.shape()));
      }
      apart &= slot.written == null || !x.sharesStorageWith(out);
    }
    if (!apart) {
      throw new ArgumentException(
          "%s: out must not be read once a result is in it, but is.".formatted(op.name()));
    }
    if (slot.written != null
        || out.dtype() != result
        || !out.data().hasSizes(sizes)
        || !out.isContiguous()) {
      return null;
    }
    slot.written = out.detach();
    out.written();
    return slot.written;
  }
}
