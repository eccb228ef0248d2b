package taper.cpu.x86;

import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Comparison;
import taper.tensor.spi.Formula.Function;

/// Operations of a [Program] on elements of one floating type, `float32` or `float64`.
final class Lane implements Algebra {
  private final Program program;
  private final boolean wide;

  Lane(Program program, boolean wide) {
    this.program = program;
    this.wide = wide;
  }

  Program program() {
    return program;
  }

  /// Whether the elements are `float64`.
  boolean isWide() {
    return wide;
  }

  private Instruction pick(Instruction single, Instruction twice) {
    return wide ? twice : single;
  }

  @Override
  public @Nullable Value one(Function function, Value x) {
    return Functions.one(this, function, x);
  }

  @Override
  public @Nullable Value two(Arithmetic arithmetic, Value x, Value y) {
    return Functions.two(this, arithmetic, x, y);
  }

  @Override
  public Value constant(double value) {
    return wide
        ? program.bits64(Double.doubleToRawLongBits(value))
        : program.bits32(Float.floatToRawIntBits((float) value));
  }

  Value bits(long pattern) {
    return wide ? program.bits64(pattern) : program.bits32((int) pattern);
  }

  Value add(Value x, Value y) {
    return program.commutative(pick(Instruction.VADDPS, Instruction.VADDPD), x, y);
  }

  Value add(Value x, double y) {
    return add(x, constant(y));
  }

  Value sub(Value x, Value y) {
    return program.two(pick(Instruction.VSUBPS, Instruction.VSUBPD), x, y);
  }

  Value mul(Value x, Value y) {
    return program.commutative(pick(Instruction.VMULPS, Instruction.VMULPD), x, y);
  }

  Value mul(Value x, double y) {
    return mul(x, constant(y));
  }

  Value div(Value x, Value y) {
    return program.two(pick(Instruction.VDIVPS, Instruction.VDIVPD), x, y);
  }

  /// The larger; `y` if either is NaN.
  Value max(Value x, Value y) {
    return program.two(pick(Instruction.VMAXPS, Instruction.VMAXPD), x, y);
  }

  /// The smaller; `y` if either is NaN.
  Value min(Value x, Value y) {
    return program.two(pick(Instruction.VMINPS, Instruction.VMINPD), x, y);
  }

  /// `x` within the bounds; NaN stays.
  Value clamp(Value x, double low, double high) {
    return min(constant(high), max(constant(low), x));
  }

  /// `x · y + z`, rounded once.
  @Override
  public Value fma(Value x, Value y, Value z) {
    return program.fused(pick(Instruction.VFMADD231PS, Instruction.VFMADD231PD), x, y, z);
  }

  /// `z - x · y`, rounded once.
  @Override
  public Value fnma(Value x, Value y, Value z) {
    return program.fused(pick(Instruction.VFNMADD231PS, Instruction.VFNMADD231PD), x, y, z);
  }

  /// `x · y - z`, rounded once.
  @Override
  public Value fms(Value x, Value y, Value z) {
    return program.fused(pick(Instruction.VFMSUB231PS, Instruction.VFMSUB231PD), x, y, z);
  }

  Value and(Value x, Value y) {
    return program.commutative(pick(Instruction.VANDPS, Instruction.VANDPD), x, y);
  }

  Value or(Value x, Value y) {
    return program.commutative(pick(Instruction.VORPS, Instruction.VORPD), x, y);
  }

  Value xor(Value x, Value y) {
    return program.commutative(pick(Instruction.VXORPS, Instruction.VXORPD), x, y);
  }

  Value signBit() {
    return bits(wide ? Long.MIN_VALUE : Integer.MIN_VALUE);
  }

  Value abs(Value x) {
    return and(x, bits(wide ? Long.MAX_VALUE : Integer.MAX_VALUE));
  }

  Value negate(Value x) {
    return xor(x, signBit());
  }

  /// `x`, which is not negative, with the sign of `sign`.
  Value withSign(Value x, Value sign) {
    return or(x, and(sign, signBit()));
  }

  Value sqrt(Value x) {
    return program.one(pick(Instruction.VSQRTPS, Instruction.VSQRTPD), x);
  }

  /// Rounds to whole numbers: 0 to nearest even, 1 down, 2 up, 3 towards 0.
  Value round(Value x, int mode) {
    boolean evex = program.isa() == Isa.AVX512;
    Instruction instruction =
        evex
            ? pick(Instruction.VRNDSCALEPS, Instruction.VRNDSCALEPD)
            : pick(Instruction.VROUNDPS, Instruction.VROUNDPD);
    return program.one(instruction, mode | 8, x); // 8: no inexact exception
  }

  /// Adds bit patterns as whole numbers.
  Value addBits(Value x, Value y) {
    return program.commutative(pick(Instruction.VPADDD, Instruction.VPADDQ), x, y);
  }

  Value subBits(Value x, Value y) {
    return program.two(pick(Instruction.VPSUBD, Instruction.VPSUBQ), x, y);
  }

  Value shiftLeft(Value x, int count) {
    return program.one(pick(Instruction.VPSLLD, Instruction.VPSLLQ), count, x);
  }

  /// Shifts right and fills with zeros.
  Value shiftRight(Value x, int count) {
    return program.one(pick(Instruction.VPSRLD, Instruction.VPSRLQ), count, x);
  }

  @Override
  public Value select(Value x, Comparison comparison, Value y, Value then, Value otherwise) {
    int predicate =
        switch (comparison) {
          case LESS -> Assembler.CMP_LESS;
          case LESS_EQUAL -> Assembler.CMP_LESS_EQUAL;
          case EQUAL -> Assembler.CMP_EQUAL;
          case NOT_EQUAL -> Assembler.CMP_NOT_EQUAL;
          case GREATER -> Assembler.CMP_GREATER;
          case GREATER_EQUAL -> Assembler.CMP_GREATER_EQUAL;
        };
    return program.select(
        pick(Instruction.VCMPPS, Instruction.VCMPPD), predicate, x, y, then, otherwise);
  }

  Value select(Value x, Comparison comparison, double y, Value then, Value otherwise) {
    return select(x, comparison, constant(y), then, otherwise);
  }

  /// `then` where `x` is NaN.
  Value ifNan(Value x, Value then, Value otherwise) {
    return program.select(
        pick(Instruction.VCMPPS, Instruction.VCMPPD),
        Assembler.CMP_UNORDERED,
        x,
        x,
        then,
        otherwise);
  }

  /// The sum of `coefficients[i] · xⁱ`, by Horner's rule.
  Value polynomial(Value x, double... coefficients) {
    Value sum = constant(coefficients[coefficients.length - 1]);
    for (int i = coefficients.length - 2; i >= 0; i--) {
      sum = fma(sum, x, constant(coefficients[i]));
    }
    return sum;
  }
}
