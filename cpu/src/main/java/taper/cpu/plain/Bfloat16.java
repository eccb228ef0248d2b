package taper.cpu.plain;

/// Rounding to `bfloat16`.
final class Bfloat16 {
  private Bfloat16() {}

  /// The bits of the nearest `bfloat16`, ties to even; 0x7FC0 for NaN.
  static short of(float value) {
    if (Float.isNaN(value)) {
      return 0x7FC0;
    }
    int bits = Float.floatToRawIntBits(value);
    return (short) (bits + 0x7FFF + (bits >>> 16 & 1) >>> 16);
  }
}
