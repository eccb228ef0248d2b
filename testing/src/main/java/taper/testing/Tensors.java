package taper.testing;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.Arrays;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;
import taper.tensor.spi.Strided;

/// Tensors for tests.
public final class Tensors {
  private Tensors() {}

  /// A tensor of the given type, from values in row-major order.
  ///
  /// @throws ShapeException if there are more or fewer values than elements
  public static Tensor of(DType dtype, double[] values, long... sizes) {
    return Autograd.noGrad(() -> {
      Tensor exact = Tensor.empty(DType.FLOAT64, sizes);
      if (values.length != exact.numel()) {
        throw new ShapeException(
            "tensor: there must be a value for each element of shape %s, but there are %d."
                .formatted(exact.shape(), values.length));
      }
      Strided x = exact.strided();
      MemorySegment.copy(
          values, 0, x.memory(), ValueLayout.JAVA_DOUBLE_UNALIGNED, x.byteOffset(), values.length);
      Reference.reachabilityFence(exact);
      return exact.to(dtype);
    });
  }

  /// A tensor of the given complex type, from pairs of real and imaginary parts in row-major order.
  public static Tensor ofParts(DType dtype, double[] parts, long... sizes) {
    long[] paired = Arrays.copyOf(sizes, sizes.length + 1);
    paired[sizes.length] = 2;
    return Autograd.noGrad(
        () -> of(DType.FLOAT64, parts, paired).viewAsComplex().to(dtype).clone().detach());
  }

  /// `x`, or its real and imaginary parts along a last dimension if it is complex.
  static Tensor parts(Tensor x) {
    return x.isComplex() ? x.viewAsReal() : x;
  }

  /// The same values, every second element of memory twice as large, starting at an odd offset: not contiguous if it has
  /// more than one element.
  public static Tensor scattered(Tensor x) {
    long[] sizes = x.shape().toArray();
    int rank = sizes.length;
    long numel = x.numel();
    Tensor memory = Tensor.zeros(x.dtype(), 2 * numel + 3);
    long[] strides = new long[rank];
    long step = 2;
    for (int d = 0; d < rank; d++) { // first dimension innermost: transposed as well
      strides[d] = step;
      step *= Math.max(sizes[d], 1);
    }
    Tensor view = memory.asStrided(sizes, strides, 3);
    view.copy_(x);
    return view;
  }
}
