package taper.cpu.assembler;

/// A vector register, 128, 256 or 512 bits wide, perhaps with the mask under which it is written.
public record Vector(int number, int bits, Mask mask, boolean zeroing) implements Operand {
  /// Checks the number.
  public Vector {
    assert number >= 0 && number < 32 && (bits == 128 || bits == 256 || bits == 512);
  }

  /// A register of 128 bits; also the place of scalars.
  public static Vector xmm(int number) {
    return of(number, 128);
  }

  /// A register of 256 bits.
  public static Vector ymm(int number) {
    return of(number, 256);
  }

  /// A register of 512 bits.
  public static Vector zmm(int number) {
    return of(number, 512);
  }

  /// A register of `bits` bits.
  public static Vector of(int number, int bits) {
    return new Vector(number, bits, Mask.K0, false);
  }

  /// This register, of which an instruction writes only the masked lanes.
  public Vector masked(Mask by) {
    return new Vector(number, bits, by, false);
  }

  /// This register, in which an instruction clears the lanes that are not masked.
  public Vector zeroed(Mask by) {
    return new Vector(number, bits, by, true);
  }

  /// The same register, `other` bits wide.
  public Vector as(int other) {
    return of(number, other);
  }

  /// The size in bytes.
  public int bytes() {
    return bits / 8;
  }
}
