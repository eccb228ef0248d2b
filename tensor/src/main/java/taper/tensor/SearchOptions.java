package taper.tensor;

import org.jspecify.annotations.Nullable;

/// How to search a sorted line. Immutable.
///
/// @param right whether the place is behind elements equal to the value, not before them
/// @param outInt32 whether places are `int32`, not `int64`
/// @param sorter the order in which the line is sorted, as [Sorting#argsort()] gives it, or null if the line itself is
public record SearchOptions(boolean right, boolean outInt32, @Nullable Tensor sorter) {

  /// The place before equal elements, `int64`.
  public static final SearchOptions DEFAULT = new SearchOptions(false, false, null);

  /// Whether the place is behind equal elements.
  public SearchOptions right(boolean value) {
    return new SearchOptions(value, outInt32, sorter);
  }

  /// On which side of equal elements the place is: `left` or `right`.
  ///
  /// @throws ArgumentException if `value` is something else
  public SearchOptions side(String value) {
    return switch (value) {
      case "left" -> right(false);
      case "right" -> right(true);
      default ->
          throw new ArgumentException(
              "searchsorted: side must be left or right, but is " + value + ".");
    };
  }

  /// Whether places are `int32`.
  public SearchOptions outInt32(boolean value) {
    return new SearchOptions(right, value, sorter);
  }

  /// The order in which the line is sorted.
  public SearchOptions sorter(@Nullable Tensor value) {
    return new SearchOptions(right, outInt32, value);
  }
}
