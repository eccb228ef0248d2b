package taper.cpu.assembler;

/// The instruction sets that code is assembled for.
public enum Isa {
  /// AVX2 with FMA, F16C and BMI2: 16 registers of 256 bits.
  AVX2(256, 16),
  /// AVX-512 F, BW, DQ and VL: 32 registers of 512 bits, masks.
  AVX512(512, 32);

  private final int bits;
  private final int registers;

  Isa(int bits, int registers) {
    this.bits = bits;
    this.registers = registers;
  }

  /// The width of a vector register in bits.
  public int bits() {
    return bits;
  }

  /// The number of vector registers.
  public int registers() {
    return registers;
  }

  /// The number of elements of `elementBytes` bytes in a vector register.
  public int lanes(int elementBytes) {
    return bits / 8 / elementBytes;
  }

  /// The vector register `number`.
  public Vector vector(int number) {
    return Vector.of(number, bits);
  }
}
