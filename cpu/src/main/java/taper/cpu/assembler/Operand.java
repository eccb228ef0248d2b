package taper.cpu.assembler;

/// What an instruction may take in its register-or-memory place.
public sealed interface Operand permits Register, Vector, Mask, Memory {
  /// The number of the register, or 0 for memory.
  int number();
}
