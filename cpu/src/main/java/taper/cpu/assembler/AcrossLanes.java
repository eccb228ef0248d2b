package taper.cpu.assembler;

/// Joins the lanes of a register: halves first, then quarters and so on.
public final class AcrossLanes {
  private AcrossLanes() {}

  /// Joins the parts of `register` of 128 bits by `join` in the lowest of them. Overwrites `spare`.
  public static void parts(Assembler a, Isa isa, Instruction join, int register, int spare) {
    if (isa == Isa.AVX512) {
      Vector upper = Vector.ymm(spare);
      a.emit(Instruction.VEXTRACTF64X4, 1, upper, Vector.zmm(register));
      a.emit(join, Vector.ymm(register), Vector.ymm(register), upper);
      a.emit(Instruction.VEXTRACTF32X4, 1, Vector.xmm(spare), Vector.ymm(register));
    } else {
      a.emit(Instruction.VEXTRACTF128, 1, Vector.xmm(spare), Vector.ymm(register));
    }
    a.emit(join, Vector.xmm(register), Vector.xmm(register), Vector.xmm(spare));
  }

  /// Joins the lanes of `register`, of 64 bits if `wide`, else of 32, by `join` in each of the lowest 128 bits. Overwrites
  /// `spare`.
  public static void all(
      Assembler a, Isa isa, Instruction join, boolean wide, int register, int spare) {
    parts(a, isa, join, register, spare);
    Vector x = Vector.xmm(register);
    Vector y = Vector.xmm(spare);
    a.emit(Instruction.VPSHUFD, 0x4E, y, x);
    a.emit(join, x, x, y);
    if (!wide) {
      a.emit(Instruction.VPSHUFD, 0xB1, y, x);
      a.emit(join, x, x, y);
    }
  }
}
