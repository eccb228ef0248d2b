package taper.golden;

import taper.golden.Bindings.Precision;
import taper.tensor.DType;

/// How far a number may lie from the expected one: `absolute + relative · |expected|`.
///
/// @param relative a factor
/// @param absolute in the unit of the numbers
public record Tolerance(double relative, double absolute) {
  private static final Tolerance EXACT = new Tolerance(0, 0);

  /// The tolerance for numbers of type `dtype`; whole numbers and truth values must be equal.
  static Tolerance of(DType dtype, Precision precision) {
    return switch (dtype.toString()) {
      case "float64", "complex128" -> precision == Precision.LOOSE ? both(1e-9) : both(1e-12);
      case "float32", "complex64" ->
          switch (precision) {
            case ELEMENTWISE -> both(1e-6);
            case GENERAL -> new Tolerance(1e-4, 1e-5);
            case LOOSE -> new Tolerance(1e-3, 1e-4);
          };
      case "bfloat16" -> new Tolerance(1.6e-2, 1e-2);
      case "float16" -> new Tolerance(2e-3, 1e-3);
      default -> EXACT;
    };
  }

  private static Tolerance both(double bound) {
    return new Tolerance(bound, bound);
  }

  /// Whether `ours` is near enough to `expected`. NaN equals NaN.
  public boolean accepts(double ours, double expected) {
    if (ours == expected || Double.isNaN(ours) && Double.isNaN(expected)) {
      return true;
    }
    return Math.abs(ours - expected) <= absolute + relative * Math.abs(expected)
        && !Double.isInfinite(expected);
  }
}
