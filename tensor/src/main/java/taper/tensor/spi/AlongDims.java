package taper.tensor.spi;

import org.jspecify.annotations.Nullable;

/// Attributes that name dimensions of an operator's first input.
///
/// Before any rule or kernel sees them, the framework refuses those that the input does not have, and those named twice.
public interface AlongDims {

  /// The dimensions, counted from 0; null for all.
  int @Nullable [] alongDims();

  /// Whether an input without dimensions passes for one of a single dimension of size 1.
  default boolean takesScalar() {
    return true;
  }

  /// Attributes of an operator whose first input must have dimensions.
  interface NoScalar extends AlongDims {
    @Override
    default boolean takesScalar() {
      return false;
    }
  }
}
