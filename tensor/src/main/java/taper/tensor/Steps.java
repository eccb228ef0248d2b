package taper.tensor;

/// One number for each dimension of a volume. Immutable.
///
/// @param depth along the depth
/// @param height along the rows
/// @param width along the columns
public record Steps(int depth, int height, int width) {

  /// The same number for all dimensions.
  public static Steps all(int n) {
    return new Steps(n, n, n);
  }

  int least() {
    return Math.min(depth, Math.min(height, width));
  }

  @Override
  public String toString() {
    return depth + " × " + height + " × " + width;
  }
}
