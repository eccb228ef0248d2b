package taper.tensor;

import java.util.Arrays;
import java.util.List;
import taper.tensor.spi.CheckedSizes;

/// The sizes of a tensor, outermost dimension first. Immutable.
public final class Shape {
  private static final Shape SCALAR = new Shape(new long[0]);

  private final long[] sizes;

  private Shape(long[] sizes) {
    this.sizes = sizes;
  }

  /// The shape with the given sizes; none for a tensor of rank 0.
  public static Shape of(long... sizes) {
    return sizes.length == 0 ? SCALAR : new Shape(sizes.clone());
  }

  /// The number of dimensions.
  public int rank() {
    return sizes.length;
  }

  /// The size of dimension `dim`, which counts from 0, or from the end if it is negative.
  public long size(int dim) {
    return sizes[dim < 0 ? dim + sizes.length : dim];
  }

  /// The number of elements: the product of the sizes, 1 for rank 0.
  public long numel() {
    return CheckedSizes.numel(sizes);
  }

  /// The sizes, as an array of the caller's own.
  public long[] toArray() {
    return sizes.clone();
  }

  /// The sizes, as a list.
  public List<Long> toList() {
    return Arrays.stream(sizes).boxed().toList();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Shape shape && Arrays.equals(sizes, shape.sizes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(sizes);
  }

  /// The sizes as PyTorch writes them, such as `[64, 1, 28, 28]`.
  @Override
  public String toString() {
    return Arrays.toString(sizes);
  }
}
