package taper.tensor.spi;

import taper.tensor.ArgumentException;

/// Numbers of elements that kernels follow as they meet them.
public final class Places {
  private Places() {}

  /// `place`, a number of one of `count` elements.
  ///
  /// @param op the operator that is asked to follow it
  /// @throws ArgumentException if there is no such element
  public static long check(String op, long place, long count) {
    if (place < 0 || place >= count) {
      throw new ArgumentException(
          "%s: indices must be in 0..%d, but one is %d.".formatted(op, count - 1, place));
    }
    return place;
  }

  /// Checks that as many elements hold as there were when the result was made.
  ///
  /// @throws ArgumentException if there are more or fewer
  public static void count(String op, long found, long expected) {
    if (found != expected) {
      throw new ArgumentException(
          "%s: the elements that hold must be as many as the result has, %d, but are %d. Another thread may have changed them."
              .formatted(op, expected, found));
    }
  }
}
