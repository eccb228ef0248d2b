package taper.tensor.internal;

/// The 16-bit floating types as Java numbers. `float16` is the JDK's; this is `bfloat16`.
public final class Halves {
  private Halves() {}

  /// The value of a `bfloat16`.
  public static float fromBfloat16(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }

  /// The nearest `bfloat16`, ties to even; NaN stays NaN.
  public static short toBfloat16(float value) {
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return (short)
          (bits >>> 16 | 0x40); // quiet, so that cutting off bits cannot make it infinite
    }
    return (short) (bits + 0x7FFF + (bits >>> 16 & 1) >>> 16);
  }
}
