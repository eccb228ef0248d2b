package taper.cpu.x86;

import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Condition;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Register;
import taper.cpu.assembler.Vector;
import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula.Comparison;

/// Division with remainder of floating-point numbers, exact as in C and Python.
///
/// The remainder of `x` by `y` is found by subtracting multiples. The quotient, rounded to the nearest number and then
/// towards 0, times `y`, taken off in one fused step, leaves a number again: it is a multiple of the last bits of both,
/// and smaller than half of the last bit of the quotient times `y`, so that it has no more digits than the type holds. It
/// may be negative. Ordinary quotients need one such step; the loop runs while a lane of the vector is not done. Quotients
/// beyond the range of the type come down by way of multiples of `y` by large powers of two.
final class Divisions {
  private Divisions() {}

  /// C's `fmod`: the remainder has the sign of `x`.
  static Value fmod(Lane l, Value x, Value y) {
    Value size = l.abs(y);
    Value magnitude = l.abs(x);
    Value nan = l.constant(Double.NaN);
    // Neither an infinite dividend nor a divisor 0 has a remainder; an infinite divisor leaves all.
    Value dividend = l.select(magnitude, Comparison.EQUAL, Functions.INFINITY, nan, magnitude);
    Value divisor = l.select(size, Comparison.EQUAL, 0, nan, size);
    Value most = l.constant(l.isWide() ? Double.MAX_VALUE : Float.MAX_VALUE);
    Value finite = l.select(divisor, Comparison.EQUAL, Functions.INFINITY, most, divisor);
    Value larger = larger(l, finite);
    Value rest = reduced(l, dividend, larger(l, larger));
    rest = reduced(l, reduced(l, rest, larger), finite);
    rest = l.select(rest, Comparison.LESS, 0, l.add(rest, finite), rest);
    rest = l.select(divisor, Comparison.EQUAL, Functions.INFINITY, dividend, rest);
    return l.ifNan(divisor, divisor, l.withSign(l.abs(rest), x));
  }

  /// A multiple of `divisor` by a power of two, where that is in the range of the type.
  private static Value larger(Lane l, Value divisor) {
    double power = l.isWide() ? 0x1p700 : 0x1p96;
    double bound = l.isWide() ? 0x1p322 : 0x1p30;
    return l.select(divisor, Comparison.LESS, bound, l.mul(divisor, power), divisor);
  }

  /// A number, perhaps negative, that is smaller than `divisor` and differs from `dividend` by a multiple of it. The
  /// quotient must be in the range of the type.
  private static Value reduced(Lane l, Value dividend, Value divisor) {
    boolean wide = l.isWide();
    Value digits = l.bits(wide ? Long.MAX_VALUE : Integer.MAX_VALUE);
    Program p = l.program();
    Isa isa = p.isa();
    return p.custom(
        (a, d, s) -> {
          Vector rest = isa.vector(p.secondScratch());
          Vector t = isa.vector(p.scratch());
          Vector y = isa.vector(s[1]);
          Label top = new Label();
          Label end = new Label();
          a.emit(Instruction.VMOVAPS, rest, isa.vector(s[0]));
          a.bind(top);
          a.emit(wide ? Instruction.VANDPD : Instruction.VANDPS, t, rest, isa.vector(s[2]));
          Label more = new Label();
          jumpIfAny(a, isa, wide, t, y, more);
          a.jump(end);
          a.bind(more);
          a.emit(wide ? Instruction.VDIVPD : Instruction.VDIVPS, t, rest, y);
          Instruction round =
              isa == Isa.AVX512
                  ? wide ? Instruction.VRNDSCALEPD : Instruction.VRNDSCALEPS
                  : wide ? Instruction.VROUNDPD : Instruction.VROUNDPS;
          a.emit(round, 3 | 8, t, t);
          a.emit(wide ? Instruction.VFNMADD231PD : Instruction.VFNMADD231PS, rest, t, y);
          a.jump(top);
          a.bind(end);
          a.emit(Instruction.VMOVAPS, isa.vector(d), rest);
        },
        dividend,
        divisor,
        digits);
  }

  /// Jumps to `target` if a lane of `x` is at least that of `y`. Overwrites `x`.
  static void jumpIfAny(Assembler a, Isa isa, boolean wide, Vector x, Vector y, Label target) {
    Instruction compare = wide ? Instruction.VCMPPD : Instruction.VCMPPS;
    if (isa == Isa.AVX512) {
      a.emit(compare, Assembler.CMP_GREATER_EQUAL, Program.SCRATCH_MASK, x, y);
      a.emit(Instruction.KORTESTW, Program.SCRATCH_MASK, Program.SCRATCH_MASK);
    } else {
      a.emit(compare, Assembler.CMP_GREATER_EQUAL, x, x, y);
      a.emit(wide ? Instruction.VMOVMSKPD : Instruction.VMOVMSKPS, Register.R11, x);
      a.test(Register.R11, Register.R11);
    }
    a.jump(Condition.NOT_EQUAL, target);
  }

  /// Python's `%`: the remainder has the sign of `y`.
  static Value remainder(Lane l, Value x, Value y) {
    Value rest = fmod(l, x, y);
    return l.select(differ(l, rest, y), Comparison.LESS, 0, l.add(rest, y), rest);
  }

  /// Negative where `rest` is not 0 and has another sign than `y`.
  private static Value differ(Lane l, Value rest, Value y) {
    Value signs = l.withSign(l.constant(1), l.xor(rest, y));
    return l.select(rest, Comparison.EQUAL, 0, l.constant(1), signs);
  }

  /// The quotient rounded down, of numbers whose remainder is exact.
  static Value floorDivide(Lane l, Value x, Value y) {
    Value rest = fmod(l, x, y);
    Value exact = l.div(x, y);
    Value quotient = l.div(l.sub(x, rest), y);
    quotient = l.select(differ(l, rest, y), Comparison.LESS, 0, l.add(quotient, -1), quotient);
    Value floor = l.round(quotient, 1);
    Value above = l.sub(quotient, floor);
    floor = l.select(above, Comparison.GREATER, 0.5, l.add(floor, 1), floor);
    Value zero = l.withSign(l.constant(0), exact);
    floor = l.select(quotient, Comparison.EQUAL, 0, zero, floor);
    return l.select(y, Comparison.EQUAL, 0, exact, floor);
  }
}
