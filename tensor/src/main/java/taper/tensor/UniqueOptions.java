package taper.tensor;

import org.jspecify.annotations.Nullable;

/// What [Sorting#unique] and [Sorting#uniqueConsecutive] return besides the distinct elements. Immutable.
///
/// @param returnInverse whether to say where each element of the input is among the distinct ones
/// @param returnCounts whether to say how often each occurs
/// @param dim the dimension whose slices are compared, or null to compare elements
public record UniqueOptions(boolean returnInverse, boolean returnCounts, @Nullable Integer dim) {

  /// The distinct elements alone.
  public static final UniqueOptions DEFAULT = new UniqueOptions(false, false, null);

  /// Says where each element of the input is among the distinct ones.
  public UniqueOptions returnInverse(boolean value) {
    return new UniqueOptions(value, returnCounts, dim);
  }

  /// Says how often each of the distinct ones occurs.
  public UniqueOptions returnCounts(boolean value) {
    return new UniqueOptions(returnInverse, value, dim);
  }

  /// Compares the slices along dimension `value` instead of elements.
  public UniqueOptions dim(int value) {
    return new UniqueOptions(returnInverse, returnCounts, value);
  }
}
