package taper.cpu.assembler;

/// A general-purpose register, 64 bits wide.
///
/// System V: arguments arrive in `RDI, RSI, RDX, RCX, R8, R9`; `RBX, RBP, R12`–`R15` belong to the caller.
public enum Register implements Operand {
  RAX,
  RCX,
  RDX,
  RBX,
  RSP,
  RBP,
  RSI,
  RDI,
  R8,
  R9,
  R10,
  R11,
  R12,
  R13,
  R14,
  R15;

  /// The argument at `position`, from 0 to 5, on entry to a function.
  public static Register argument(int position) {
    return switch (position) {
      case 0 -> RDI;
      case 1 -> RSI;
      case 2 -> RDX;
      case 3 -> RCX;
      case 4 -> R8;
      case 5 -> R9;
      default -> throw new IllegalArgumentException("argument " + position + " is on the stack");
    };
  }

  @Override
  public int number() {
    return ordinal();
  }
}
