package taper.tensor;

import java.util.Arrays;
import taper.tensor.spi.CheckedSizes;

/// Linear equations whose unknowns are tensors: matrices whose rows and columns are several dimensions.
final class TensorEquations {
  private TensorEquations() {}

  static Tensor inverse(Tensor a, int ind) {
    if (ind <= 0 || ind > a.dim()) {
      throw new ArgumentException(
          "tensorinv: ind must be in 1..%d, but is %d.".formatted(a.dim(), ind));
    }
    long[] head = Arrays.copyOf(a.sizes(), ind);
    long[] tail = Arrays.copyOfRange(a.sizes(), ind, a.dim());
    if (CheckedSizes.numel(head) != CheckedSizes.numel(tail)) {
      throw new ShapeException(
          "tensorinv: the first %d dimensions must have as many elements as the others, but self has shape %s."
              .formatted(ind, a.shape()));
    }
    long[] shape = Arrays.copyOf(tail, a.dim());
    System.arraycopy(head, 0, shape, tail.length, head.length);
    return Linalg.inv(a.reshape(CheckedSizes.numel(head), CheckedSizes.numel(tail))).reshape(shape);
  }

  static Tensor solve(Tensor a, Tensor b, int[] dims) {
    Tensor x = a;
    if (dims.length > 0) {
      int[] ends = new int[dims.length];
      Arrays.setAll(ends, i -> a.dim() - dims.length + i);
      x = a.movedim(dims, ends);
    }
    boolean deep = x.dim() >= b.dim();
    long[] unknown = deep ? Arrays.copyOfRange(x.sizes(), b.dim(), x.dim()) : new long[0];
    if (!deep || CheckedSizes.numel(unknown) != b.numel()) {
      throw new ShapeException(
          "tensorsolve: self must have as many elements in its last dimensions as the right side, but self has shape %s and the right side %s."
              .formatted(x.shape(), b.shape()));
    }
    return Linalg.solve(x.reshape(b.numel(), CheckedSizes.numel(unknown)), b.reshape(-1))
        .reshape(unknown);
  }
}
