package taper.tensor;

import org.jspecify.annotations.Nullable;

/// One part of an index into a tensor, as between the brackets of `x[0, 1:5, ..., mask]` in Python. Immutable.
///
/// ```java
/// x.get(at(0), range(1, 5), ellipsis(), of(mask)); // with static imports
/// ```
public sealed interface Index {

  /// One index of one dimension, which goes away.
  ///
  /// @param index counts from the end if it is negative
  record At(long index) implements Index {}

  /// Every `step`-th index of one dimension. Bounds beyond the dimension are moved to its ends.
  ///
  /// @param from the first index, which counts from the end if it is negative; null for the beginning
  /// @param to the index behind the last, which counts from the end if it is negative; null for the end
  /// @param step the distance between neighbours, at least 1
  record Range(@Nullable Long from, @Nullable Long to, long step) implements Index {
    /// Checks the step.
    ///
    /// @throws ArgumentException if `step` is not positive
    public Range {
      if (step < 1) {
        throw new ArgumentException(
            "range: step must be at least 1, but is %d. Use flip for the reverse order."
                .formatted(step));
      }
    }
  }

  /// All indices of one dimension.
  record All() implements Index {}

  /// All indices of as many dimensions as the other parts leave over.
  record Ellipsis() implements Index {}

  /// A new dimension of size 1.
  record NewAxis() implements Index {}

  /// The places at which `mask` is true, in order; takes up as many dimensions as the mask has.
  ///
  /// @param mask of type `bool`, with the sizes of those dimensions
  record Mask(Tensor mask) implements Index {}

  /// The indices of one dimension that `indices` holds, in its shape. Several such parts broadcast against each other
  /// and pick element by element.
  ///
  /// @param indices of a whole-number type; they count from the end if they are negative
  record Indices(Tensor indices) implements Index {}

  /// One index, which counts from the end if it is negative.
  static Index at(long index) {
    return new At(index);
  }

  /// The indices from `from` to `to`, which is excluded: `from:to`.
  static Index range(long from, long to) {
    return new Range(from, to, 1);
  }

  /// Every `step`-th index from `from` to `to`, which is excluded: `from:to:step`.
  ///
  /// @throws ArgumentException if `step` is not positive
  static Index range(long from, long to, long step) {
    return new Range(from, to, step);
  }

  /// The indices from `from` on: `from:`.
  static Index from(long from) {
    return new Range(from, null, 1);
  }

  /// The indices before `to`: `:to`.
  static Index upTo(long to) {
    return new Range(null, to, 1);
  }

  /// Every `step`-th index: `::step`.
  ///
  /// @throws ArgumentException if `step` is not positive
  static Index every(long step) {
    return new Range(null, null, step);
  }

  /// All indices of a dimension: `:`.
  static Index all() {
    return new All();
  }

  /// All dimensions that the other parts leave over: `...`.
  static Index ellipsis() {
    return new Ellipsis();
  }

  /// A new dimension of size 1: `None`.
  static Index newAxis() {
    return new NewAxis();
  }

  /// The places at which a `bool` tensor is true, or the indices that a tensor of whole numbers holds. A `uint8` tensor is a
  /// mask, as in PyTorch.
  ///
  /// @throws DTypeException if the tensor is of another type
  static Index of(Tensor tensor) {
    if (tensor.dtype() == DType.BOOL) {
      return new Mask(tensor);
    }
    if (tensor.dtype() == DType.UINT8) {
      return new Mask(tensor.to(DType.BOOL)); // PyTorch's older type of masks
    }
    if (!tensor.dtype().isIntegral()) {
      throw new DTypeException(
          "index: a tensor used as an index must hold whole numbers or truth values, but is %s. Convert it with .to(DType.INT64)."
              .formatted(tensor.dtype()));
    }
    return new Indices(tensor);
  }

  /// The given indices of one dimension, in this order: `[[2, 0]]`.
  static Index of(long... indices) {
    return new Indices(Tensor.of(indices, indices.length));
  }
}
