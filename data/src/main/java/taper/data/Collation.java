package taper.data;

import java.util.List;

/// Makes one batch of several samples.
///
/// @param <T> the type of a sample, and of a batch
@FunctionalInterface
public interface Collation<T> {

  /// The batch of `samples`, of which there is at least one.
  T collate(List<T> samples);

  /// Stacks tensors along a new first dimension; of records, every component that is a tensor or a record; of lists, what
  /// stands at the same place. The shapes must agree.
  static <T> Collation<T> stacking() {
    return Stacking::stack;
  }
}
