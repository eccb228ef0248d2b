package taper.data;

/// Samples that are reached by their number, from 0 to `size() - 1`.
///
/// Worker threads call [#get(long)] at the same time: an implementation is immutable or guards itself.
///
/// @param <T> the type of a sample, such as [Example]
public interface Dataset<T> {
  /// How many samples there are.
  long size();

  /// The sample of that number. Asked twice, it gives the same sample, unless it was told to vary it.
  ///
  /// @throws taper.tensor.ArgumentException if the index is negative or not below [#size()]
  T get(long index);

  /// Whether nobody but the caller of [#get(long)] gets hold of the tensors that it makes, so that a loader may release
  /// them as soon as they are in a batch. False unless overridden, since a data set may keep its samples.
  default boolean letsNothingEscape() {
    return false;
  }
}
