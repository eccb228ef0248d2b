package taper.cpu.x86;

import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Instruction;
import taper.cpu.x86.Program.Value;
import taper.tensor.DType;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Comparison;
import taper.tensor.spi.Formula.Function;

/// Operations of a [Program] on whole numbers, in lanes of 32 or 64 bits that wrap around. Needs AVX-512: AVX2 has neither
/// the products nor the comparisons of 64 bits.
///
/// Results mean what 64 bits mean, whatever the lanes: see [#fits].
final class WholeLane implements Algebra {
  private final Program program;
  private final boolean wide;

  WholeLane(Program program, boolean wide) {
    this.program = program;
    this.wide = wide;
  }

  /// Whether `f` over numbers of type `compute` is the same in lanes of 32 bits as in 64, as far as the result stores it.
  /// Sums and products are, in their lower bits; comparisons are if what they compare has not lost its upper ones.
  static boolean fits(Formula f, DType compute, DType result) {
    return compute != DType.INT64
        && keepsLow(f, compute)
        && (result != DType.BOOL || isExact(f, compute));
  }

  private static boolean keepsLow(Formula f, DType compute) {
    return switch (f) {
      case Formula.Input _, Formula.Parameter _, Formula.Constant _ -> true;
      case Formula.Unary(var function, var of) ->
          keepsLow(of, compute)
              && switch (function) {
                case ABS, SIGN, RELU -> isExact(of, compute);
                default -> true;
              };
      case Formula.Binary(var arithmetic, var x, var y) ->
          keepsLow(x, compute)
              && keepsLow(y, compute)
              && switch (arithmetic) {
                case MAXIMUM, MINIMUM, SHIFT_RIGHT, SHIFT_LEFT ->
                    isExact(x, compute) && isExact(y, compute);
                case FLOOR_DIVIDE, REMAINDER, FMOD -> false;
                default -> true;
              };
      case Formula.Select(var x, _, var y, var then, var otherwise) ->
          isExact(x, compute)
              && isExact(y, compute)
              && keepsLow(then, compute)
              && keepsLow(otherwise, compute);
    };
  }

  /// Whether all 64 bits are known from the lower 32: small numbers that nothing has made larger.
  private static boolean isExact(Formula f, DType compute) {
    return switch (f) {
      case Formula.Input _ -> true;
      case Formula.Parameter _ -> false;
      case Formula.Constant(var value) -> value == (int) value;
      case Formula.Unary(var function, var of) ->
          isExact(of, compute)
              && switch (function) {
                case NEGATE, ABS -> compute.byteSize() < 4;
                default -> true;
              };
      case Formula.Binary(var arithmetic, var x, var y) ->
          isExact(x, compute)
              && isExact(y, compute)
              && switch (arithmetic) {
                case MAXIMUM, MINIMUM, BIT_AND, BIT_OR, BIT_XOR -> true;
                case PLUS, MINUS, TIMES ->
                    compute.byteSize() == 1 && x instanceof Formula.Input && isLeaf(y);
                default -> false;
              };
      case Formula.Select(var x, _, var y, var then, var otherwise) ->
          isExact(x, compute)
              && isExact(y, compute)
              && isExact(then, compute)
              && isExact(otherwise, compute);
    };
  }

  private static boolean isLeaf(Formula f) {
    return f instanceof Formula.Input
        || f instanceof Formula.Constant(var value) && Math.abs(value) <= 256;
  }

  private Instruction pick(Instruction single, Instruction twice) {
    return wide ? twice : single;
  }

  @Override
  public Value constant(double value) {
    return wide ? program.bits64((long) value) : program.bits32((int) (long) value);
  }

  @Override
  public @Nullable Value one(Function function, Value x) {
    return switch (function) {
      case NEGATE -> sub(constant(0), x);
      case ABS -> program.one(pick(Instruction.VPABSD, Instruction.VPABSQ), x);
      case RELU -> max(x, constant(0));
      case SIGN -> min(max(x, constant(-1)), constant(1));
      case BIT_NOT -> xor(x, constant(-1));
      case FLOOR, CEIL, ROUND, TRUNC -> x;
      default -> null;
    };
  }

  @Override
  public @Nullable Value two(Arithmetic arithmetic, Value x, Value y) {
    return switch (arithmetic) {
      case PLUS -> add(x, y);
      case MINUS -> sub(x, y);
      case TIMES -> mul(x, y);
      case MAXIMUM -> max(x, y);
      case MINIMUM -> min(x, y);
      case BIT_AND -> program.commutative(pick(Instruction.VANDPS, Instruction.VANDPD), x, y);
      case BIT_OR -> program.commutative(pick(Instruction.VORPS, Instruction.VORPD), x, y);
      case BIT_XOR -> xor(x, y);
      // Counts are taken without sign: what is beyond the width shifts everything out.
      case SHIFT_LEFT -> program.two(pick(Instruction.VPSLLVD, Instruction.VPSLLVQ), x, y);
      case SHIFT_RIGHT -> program.two(pick(Instruction.VPSRAVD, Instruction.VPSRAVQ), x, y);
      case FLOOR_DIVIDE, REMAINDER, FMOD ->
          wide ? WholeDivisions.of(program, this, arithmetic, x, y) : null;
      default -> null;
    };
  }

  Value add(Value x, Value y) {
    return program.commutative(pick(Instruction.VPADDD, Instruction.VPADDQ), x, y);
  }

  Value sub(Value x, Value y) {
    return program.two(pick(Instruction.VPSUBD, Instruction.VPSUBQ), x, y);
  }

  private Value mul(Value x, Value y) {
    return program.commutative(pick(Instruction.VPMULLD, Instruction.VPMULLQ), x, y);
  }

  Value xor(Value x, Value y) {
    return program.commutative(pick(Instruction.VXORPS, Instruction.VXORPD), x, y);
  }

  private Value max(Value x, Value y) {
    return program.commutative(pick(Instruction.VPMAXSD, Instruction.VPMAXSQ), x, y);
  }

  private Value min(Value x, Value y) {
    return program.commutative(pick(Instruction.VPMINSD, Instruction.VPMINSQ), x, y);
  }

  @Override
  public Value select(Value x, Comparison comparison, Value y, Value then, Value otherwise) {
    int predicate =
        switch (comparison) {
          case EQUAL -> 0;
          case LESS -> 1;
          case LESS_EQUAL -> 2;
          case NOT_EQUAL -> 4;
          case GREATER_EQUAL -> 5;
          case GREATER -> 6;
        };
    Instruction compare = pick(Instruction.VPCMPD, Instruction.VPCMPQ);
    return program.select(compare, predicate, x, y, then, otherwise);
  }

  @Override
  public Value fma(Value x, Value y, Value z) {
    return add(mul(x, y), z);
  }

  @Override
  public Value fms(Value x, Value y, Value z) {
    return sub(mul(x, y), z);
  }

  @Override
  public Value fnma(Value x, Value y, Value z) {
    return sub(z, mul(x, y));
  }
}
