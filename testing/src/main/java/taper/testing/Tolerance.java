package taper.testing;

import taper.tensor.DType;

/// How far a result may be from the right one: `|a - b| <= absolute + relative · |b|`. Immutable.
///
/// @param relative the part that grows with the value
/// @param absolute the part that does not
public record Tolerance(double relative, double absolute) {

  /// Exactly equal.
  public static final Tolerance EXACT = new Tolerance(0, 0);

  /// The table of the project: what a sum, product or gradient of the type may lose.
  public static Tolerance of(DType dtype) {
    return switch (dtype) {
      case FLOAT64, COMPLEX128 -> new Tolerance(1e-9, 1e-9);
      case FLOAT32, COMPLEX64 -> new Tolerance(1e-4, 1e-5);
      case BFLOAT16 -> new Tolerance(1.6e-2, 1e-2);
      case FLOAT16, COMPLEX32 -> new Tolerance(2e-3, 1e-3);
      case INT64, INT32, INT16, INT8, UINT8, BOOL -> EXACT;
    };
  }

  /// Whether `actual` is near enough. NaN equals NaN.
  public boolean accepts(double actual, double expected) {
    if (Double.isNaN(expected) || Double.isNaN(actual)) {
      return Double.isNaN(expected) && Double.isNaN(actual);
    }
    return actual == expected
        || Math.abs(actual - expected) <= absolute + relative * Math.abs(expected);
  }
}
