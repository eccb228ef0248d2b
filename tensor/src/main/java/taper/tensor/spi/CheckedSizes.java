package taper.tensor.spi;

import java.util.Arrays;
import taper.tensor.DType;
import taper.tensor.ShapeException;

/// Products and sums of sizes, which never overflow unnoticed.
///
/// Each method has a last argument that the message names: the shape, or what it is computed for. No text is made unless
/// something does not fit.
public final class CheckedSizes {
  private CheckedSizes() {}

  /// How many elements a tensor of these sizes has.
  ///
  /// @throws ShapeException if a size is negative, or there are 2^63 elements or more
  public static long numel(long... sizes) {
    return numel(sizes, 0, sizes.length);
  }

  /// The product of the sizes of dimensions `from` (inclusive) to `to` (exclusive).
  ///
  /// @throws ShapeException if one of them is negative, or the product is 2^63 or more
  public static long numel(long[] sizes, int from, int to) {
    boolean empty = false;
    for (int d = from; d < to; d++) {
      if (sizes[d] < 0) {
        throw negative(sizes);
      }
      empty |= sizes[d] == 0;
    }
    long numel = empty ? 0 : 1;
    for (int d = from; d < to && !empty; d++) {
      numel = times(numel, sizes[d], sizes);
    }
    return numel;
  }

  /// How many bytes the elements of a contiguous tensor of these sizes take.
  ///
  /// @throws ShapeException if a size is negative, or there are 2^63 bytes or more
  public static long bytes(DType dtype, long... sizes) {
    return bytes(dtype, numel(sizes), sizes);
  }

  /// How many bytes `numel` elements take, which have the shape `sizes`.
  ///
  /// @throws ShapeException if there are 2^63 bytes or more
  public static long bytes(DType dtype, long numel, long[] sizes) {
    long bytes = numel * dtype.byteSize();
    if (numel > Long.MAX_VALUE / dtype.byteSize()) {
      throw new ShapeException(
          "tensor: the number of bytes must be below 2^63, but the shape is "
              + Arrays.toString(sizes)
              + ".");
    }
    return bytes;
  }

  /// `a · b`, as a number of elements of the shape `sizes`.
  ///
  /// @throws ShapeException if the product is 2^63 or more, or less than -2^63
  public static long times(long a, long b, long[] sizes) {
    long product = a * b;
    if (Math.multiplyHigh(a, b) != product >> 63) {
      throw tooMany(sizes);
    }
    return product;
  }

  /// `a + b`, as a number of elements of the shape `sizes`.
  public static long plus(long a, long b, long[] sizes) {
    long sum = a + b;
    if (((a ^ sum) & (b ^ sum)) < 0) {
      throw tooMany(sizes);
    }
    return sum;
  }

  static ShapeException negative(long[] sizes) {
    return new ShapeException(
        "tensor: sizes must not be negative, but the shape is " + Arrays.toString(sizes) + ".");
  }

  static ShapeException tooMany(long[] sizes) {
    return new ShapeException(
        "tensor: the number of elements must be below 2^63, but the shape is "
            + Arrays.toString(sizes)
            + ".");
  }
}
