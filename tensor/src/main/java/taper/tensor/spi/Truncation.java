package taper.tensor.spi;

import taper.tensor.DType;

/// Floating-point numbers cut off towards zero, as PyTorch's x86 builds do it; threads share it.
///
/// Java's casts turn NaN into 0 and what is too large into the nearest number. The processor's conversions, which PyTorch
/// takes as they are, give the least number of the type for both, and narrow types keep the low bits of a wider one:
/// `int8` and `int16` of `int32`, `uint8` of `int64`.
public final class Truncation {
  private Truncation() {}

  /// `value` as `int64`; `Long.MIN_VALUE` for NaN and for what does not fit.
  public static long toInt64(double value) {
    return value >= -0x1p63 && value < 0x1p63 ? (long) value : Long.MIN_VALUE;
  }

  /// `value` as `int32`; `Integer.MIN_VALUE` for NaN and for what does not fit.
  public static int toInt32(double value) {
    return value > -0x1p31 - 1 && value < 0x1p31 ? (int) value : Integer.MIN_VALUE;
  }

  /// `value` as a number of `dtype`, which is an integer type or `bool`.
  public static long to(DType dtype, double value) {
    return switch (dtype) {
      case INT32 -> toInt32(value);
      case INT16 -> (short) toInt32(value);
      case INT8 -> (byte) toInt32(value);
      case UINT8 -> toInt64(value) & 255;
      case BOOL -> value != 0 ? 1 : 0;
      case INT64, FLOAT32, FLOAT64, BFLOAT16, FLOAT16, COMPLEX32, COMPLEX64, COMPLEX128 ->
          toInt64(value);
    };
  }
}
