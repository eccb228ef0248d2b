package taper.cpu.x86;

import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Condition;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;
import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Comparison;

/// Division with remainder of whole numbers, in lanes of 64 bits, by way of `float64`.
///
/// A quotient of numbers rounded to 53 digits, cut to a whole number, is off by 2¹¹ at most. What is left then, calculated
/// modulo 2⁶⁴, is a number of few digits if the quotient was large, and less than twice the divisor if not: a second
/// quotient brings it below the divisor, or just beyond 0, which the correction of the sign, that divisions which round down
/// need anyway, sets right. Quotients beyond 64 bits wrap around.
///
/// A divisor of 0 is noted in the argument block, in place of the number of rows.
final class WholeDivisions {
  private WholeDivisions() {}

  /// The division that `formula` is, of an input by an input or parameter; null if it is another formula.
  static @Nullable Arithmetic division(Formula formula) {
    return formula instanceof Formula.Binary(var arithmetic, var x, var y)
            && isDivision(arithmetic)
            && x instanceof Formula.Input
            && (y instanceof Formula.Input || y instanceof Formula.Parameter)
        ? arithmetic
        : null;
  }

  /// Whether there is a division somewhere in `formula`.
  static boolean divides(Formula formula) {
    return switch (formula) {
      case Formula.Input _, Formula.Parameter _, Formula.Constant _ -> false;
      case Formula.Unary(_, var x) -> divides(x);
      case Formula.Binary(var arithmetic, var x, var y) ->
          isDivision(arithmetic) || divides(x) || divides(y);
      case Formula.Select(var x, _, var y, var then, var otherwise) ->
          divides(x) || divides(y) || divides(then) || divides(otherwise);
    };
  }

  static boolean isDivision(Arithmetic arithmetic) {
    return switch (arithmetic) {
      case FLOOR_DIVIDE, REMAINDER, FMOD -> true;
      default -> false;
    };
  }

  static Value of(Program p, WholeLane l, Arithmetic arithmetic, Value x, Value y) {
    noteZero(p, l, y);
    Value divisor = p.one(Instruction.VCVTQQ2PD, y);
    Value quotient = quotient(p, x, divisor);
    Value rest = l.fnma(quotient, y, x);
    Value more = quotient(p, rest, divisor);
    rest = l.fnma(more, y, rest);
    quotient = l.add(quotient, more);
    return switch (arithmetic) {
      case FLOOR_DIVIDE -> {
        Value step = step(l, rest, y, l.constant(1));
        yield l.sub(quotient, step);
      }
      case REMAINDER -> l.add(rest, step(l, rest, y, y));
      default -> {
        Value opposite =
            l.select(l.xor(x, y), Comparison.LESS, l.constant(0), l.sub(l.constant(0), y), y);
        yield l.add(rest, step(l, rest, x, opposite));
      }
    };
  }

  private static Value quotient(Program p, Value x, Value divisor) {
    Value quotient = p.two(Instruction.VDIVPD, p.one(Instruction.VCVTQQ2PD, x), divisor);
    return p.one(Instruction.VCVTTPD2QQ, quotient);
  }

  /// `size` where `rest` is not 0 and has another sign than `sign`, else 0.
  private static Value step(WholeLane l, Value rest, Value sign, Value size) {
    Value zero = l.constant(0);
    Value other = l.select(l.xor(rest, sign), Comparison.LESS, zero, size, zero);
    return l.select(rest, Comparison.EQUAL, zero, zero, other);
  }

  private static void noteZero(Program p, WholeLane l, Value y) {
    p.effect(
        (a, _, s) -> {
          var end = new Label();
          var y0 = p.isa().vector(s[0]);
          a.emit(Instruction.VPCMPQ, 0, Program.SCRATCH_MASK, y0, p.isa().vector(s[1]));
          a.emit(Instruction.KORTESTW, Program.SCRATCH_MASK, Program.SCRATCH_MASK);
          a.jump(Condition.EQUAL, end);
          a.mov(Register.R11, -1L);
          a.mov(Memory.at(Register.RDI, VectorRows.ROWS), Register.R11);
          a.bind(end);
        },
        y,
        l.constant(0));
  }
}
