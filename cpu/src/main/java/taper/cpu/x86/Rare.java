package taper.cpu.x86;

import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Condition;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;
import taper.cpu.x86.Program.Value;

/// Lanes that are out of the ordinary, such as the sine of a million: the vector goes on with the usual result, unless a
/// test holds in a lane of it. Then another computation is run on the whole vector, and gives the result of those lanes.
///
/// That keeps special cases out of the usual way, where they would cost a comparison and a choice each. The other
/// computation is a program of its own: all registers wait on the stack meanwhile.
final class Rare {
  /// The other computation, in a program of its own.
  interface Computation {
    Value of(Lane l, Value... inputs);
  }

  private Rare() {}

  /// `usual`, but where the predicate of `x` and `bound` holds, what `other` makes of the inputs.
  static Value where(
      Lane l,
      Instruction compare,
      int predicate,
      Value x,
      Value bound,
      Value usual,
      Computation other,
      Value... inputs) {
    Value[] operands = new Value[inputs.length + 3];
    operands[0] = x;
    operands[1] = bound;
    operands[2] = usual;
    System.arraycopy(inputs, 0, operands, 3, inputs.length);
    Program p = l.program();
    Isa isa = p.isa();
    return p.custom(
        (a, d, s) -> {
          Label end = new Label();
          a.emit(Instruction.VMOVAPS, isa.vector(d), isa.vector(s[2]));
          test(a, p, l.isWide(), compare, predicate, s);
          a.jump(Condition.EQUAL, end);
          aside(
              a,
              isa,
              d,
              inner -> {
                var lane = new Lane(inner.program, l.isWide());
                Value[] given = new Value[inputs.length];
                for (int i = 0; i < given.length; i++) {
                  given[i] = inner.saved(s[3 + i]);
                }
                Value result = other.of(lane, given);
                return inner.program.select(
                    compare,
                    predicate,
                    inner.saved(s[0]),
                    inner.saved(s[1]),
                    result,
                    inner.saved(s[2]));
              });
          a.bind(end);
        },
        operands);
  }

  /// `usual`, but where `x` is `bound` or more, what `other` makes of the inputs. NaN is usual.
  static Value fromOn(
      Lane l, Value x, double bound, Value usual, Computation other, Value... inputs) {
    Instruction compare = l.isWide() ? Instruction.VCMPPD : Instruction.VCMPPS;
    return where(
        l, compare, Assembler.CMP_GREATER_EQUAL, x, l.constant(bound), usual, other, inputs);
  }

  /// Clears the zero flag if the test holds in a lane.
  private static void test(
      Assembler a, Program p, boolean wide, Instruction compare, int predicate, int[] s) {
    Isa isa = p.isa();
    if (isa == Isa.AVX512) {
      a.emit(compare, predicate, Program.SCRATCH_MASK, isa.vector(s[0]), isa.vector(s[1]));
      a.emit(Instruction.KORTESTW, Program.SCRATCH_MASK, Program.SCRATCH_MASK);
    } else {
      var holds = isa.vector(p.scratch());
      a.emit(compare, predicate, holds, isa.vector(s[0]), isa.vector(s[1]));
      a.emit(wide ? Instruction.VMOVMSKPD : Instruction.VMOVMSKPS, Register.R11, holds);
      a.test(Register.R11, Register.R11);
    }
  }

  private interface Inner {
    Value result(Aside aside);
  }

  /// A program that runs while the registers of another are on the stack.
  private record Aside(Assembler a, Isa isa, Program program) {
    Memory slot(int register) {
      return Memory.at(Register.RSP, Program.stackBytes(isa) + register * isa.bits() / 8);
    }

    /// What the other program has in `register`.
    Value saved(int register) {
      return program.custom(
          (_, d, _) -> a.emit(Instruction.VMOVUPS, isa.vector(d), slot(register)));
    }
  }

  /// Leaves the result of `inner` in `d`, and all other registers as they were.
  private static void aside(Assembler a, Isa isa, int d, Inner inner) {
    var aside = new Aside(a, isa, new Program(a, isa, 0, 0));
    int bytes = Program.stackBytes(isa) + isa.registers() * isa.bits() / 8;
    a.sub(Register.RSP, bytes);
    for (int i = 0; i < isa.registers(); i++) {
      a.emit(Instruction.VMOVUPS_STORE, aside.slot(i), isa.vector(i));
    }
    aside.program.effect(
        (_, _, s) -> a.emit(Instruction.VMOVUPS_STORE, aside.slot(d), isa.vector(s[0])),
        inner.result(aside));
    aside.program.emit();
    for (int i = 0; i < isa.registers(); i++) {
      a.emit(Instruction.VMOVUPS, isa.vector(i), aside.slot(i));
    }
    a.add(Register.RSP, bytes);
  }
}
