package taper.cpu.assembler;

/// An AVX-512 mask register, `k0` to `k7`; `k0` cannot mask.
public enum Mask implements Operand {
  K0,
  K1,
  K2,
  K3,
  K4,
  K5,
  K6,
  K7;

  @Override
  public int number() {
    return ordinal();
  }
}
