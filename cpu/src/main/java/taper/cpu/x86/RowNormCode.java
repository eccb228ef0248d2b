package taper.cpu.x86;

import taper.cpu.assembler.Code;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Vector;
import taper.cpu.x86.Program.Value;
import taper.tensor.DType;

/// Layer normalization of rows, and its gradient, each in one call that reads a row from memory once: what follows the
/// first pass over it finds it in the first cache.
///
/// Sums run in the type of the elements, in four vectors that are joined pairwise at the end of a row; variances are
/// means of squared distances from the mean, so that no large numbers cancel.
///
/// Registers: 0 to 3 accumulators (the gradient: 0 and 1, 2 and 3), 4 and 5 numbers of the row in all lanes, 6 and 7
/// means.
final class RowNormCode extends VectorRows {
  private static final int ROW = 4;
  private static final int MEANS = 6;
  private static final int FREE = 8;

  // Operands of the forward code.
  static final int OUT = 0;
  static final int X = 1;
  static final int MEAN = 2;
  static final int RSTD = 3;
  static final int WEIGHT = 4;
  static final int BIAS = 5;

  // Operands of the gradient; X, MEAN, RSTD and WEIGHT as above. The sums for weight and bias are
  // added to.
  static final int GRAD = 5;
  static final int WEIGHT_SUMS = 6;
  static final int BIAS_SUMS = 7;
  static final int GRADIENT_OPERANDS = 8;

  private final boolean gradient;

  private RowNormCode(Isa isa, DType dtype, int operands, boolean gradient) {
    super(isa, dtype == DType.FLOAT64, java.util.Collections.nCopies(operands, dtype));
    this.gradient = gradient;
  }

  /// The number of operands of the forward code.
  static int operands(boolean bias) {
    return bias ? BIAS + 1 : BIAS;
  }

  /// `(x - mean) · rstd · weight + bias`, and the means and reciprocal deviations. Parameters: the reciprocal of the length
  /// of a row; epsilon.
  static Code forward(Isa isa, DType dtype, boolean weight, boolean bias) {
    var code = new RowNormCode(isa, dtype, operands(bias), false);
    Program[] sums = new Program[4];
    Program[] squares = new Program[4];
    for (int i = 0; i < 4; i++) {
      sums[i] = code.program(FREE);
      code.sum(sums[i], i, code.loaded(sums[i], X));
      squares[i] = code.program(FREE);
      Lane l = code.lane(squares[i]);
      Value distance = l.sub(code.loaded(squares[i], X), squares[i].pinned(ROW));
      code.sum(squares[i], i, l.mul(distance, distance));
    }
    Program mean = code.program(FREE);
    mean.into(ROW, code.lane(mean).mul(mean.pinned(0), code.parameter(mean, 0)));
    Program deviation = code.deviation();
    Program result = code.result(weight, bias);
    code.function(() -> {
      code.clear(4);
      code.columns(sums);
      code.join(0, 1, 2, 3);
      mean.emit();
      code.clear(4);
      code.columns(squares);
      code.join(0, 1, 2, 3);
      deviation.emit();
      code.leaveFirst(MEAN, ROW);
      code.leaveFirst(RSTD, ROW + 1);
      code.columns(result, result);
    });
    return code.a.install();
  }

  private Program deviation() {
    Program p = program(FREE);
    Lane l = lane(p);
    Value variance = l.add(l.mul(p.pinned(0), parameter(p, 0)), parameter(p, 1));
    p.into(ROW + 1, l.div(l.constant(1), l.sqrt(variance)));
    return p;
  }

  private Program result(boolean weight, boolean bias) {
    Program p = program(FREE);
    Lane l = lane(p);
    Value y = l.mul(l.sub(loaded(p, X), p.pinned(ROW)), p.pinned(ROW + 1));
    if (weight && bias) {
      y = l.fma(y, loaded(p, WEIGHT), loaded(p, BIAS));
    } else if (weight) {
      y = l.mul(y, loaded(p, WEIGHT));
    } else if (bias) {
      y = l.add(y, loaded(p, BIAS));
    }
    store(p, OUT, y);
    return p;
  }

  /// With `n = (x - mean) · rstd` and `h = grad · weight`: `rstd · (h - mean(h) - n · mean(h n))`, and to the sums `grad · n`
  /// and `grad`. Parameter: the reciprocal of the length of a row.
  static Code gradient(Isa isa, DType dtype, boolean weight) {
    var code = new RowNormCode(isa, dtype, GRADIENT_OPERANDS, true);
    Program[] sums = new Program[2];
    for (int i = 0; i < 2; i++) {
      Program p = code.program(FREE);
      Lane l = code.lane(p);
      Value h = code.weighted(p, weight);
      code.sum(p, 2 * i, h);
      code.sum(p, 2 * i + 1, l.mul(h, code.normal(p)));
      sums[i] = p;
    }
    Program means = code.program(FREE);
    for (int i = 0; i < 2; i++) {
      means.into(MEANS + i, code.lane(means).mul(means.pinned(i), code.parameter(means, 0)));
    }
    Program result = code.program(FREE);
    Lane l = code.lane(result);
    Value grad = code.loaded(result, GRAD);
    Value h = weight ? l.mul(grad, code.loaded(result, WEIGHT)) : grad;
    Value normal = code.normal(result);
    Value toX = l.fnma(normal, result.pinned(MEANS + 1), l.sub(h, result.pinned(MEANS)));
    Value toWeight = l.fma(grad, normal, code.loaded(result, WEIGHT_SUMS));
    Value toBias = l.add(grad, code.loaded(result, BIAS_SUMS));
    code.store(result, OUT, l.mul(toX, result.pinned(ROW + 1)));
    code.store(result, WEIGHT_SUMS, toWeight);
    code.store(result, BIAS_SUMS, toBias);
    code.function(() -> {
      code.loadFirst(MEAN, ROW);
      code.loadFirst(RSTD, ROW + 1);
      code.clear(4);
      code.columns(sums);
      code.join(0, 2);
      code.join(1, 3);
      means.emit();
      code.columns(result, result);
    });
    return code.a.install();
  }

  private Value weighted(Program p, boolean weight) {
    Value grad = loaded(p, GRAD);
    return weight ? lane(p).mul(grad, loaded(p, WEIGHT)) : grad;
  }

  private Value normal(Program p) {
    Lane l = lane(p);
    return l.mul(l.sub(loaded(p, X), p.pinned(ROW)), p.pinned(ROW + 1));
  }

  private Lane lane(Program program) {
    return new Lane(program, wide);
  }

  private void sum(Program p, int accumulator, Value value) {
    Lane l = lane(p);
    p.into(accumulator, l.add(p.pinned(accumulator), guarded(p, value, l.constant(0))));
  }

  private void clear(int count) {
    for (int i = 0; i < count; i++) {
      Vector v = isa.vector(i);
      a.emit(Instruction.VXORPD, v, v, v);
    }
  }

  /// Joins accumulators pairwise, and their lanes, into the first, all of whose lanes hold the sum then.
  private void join(int... registers) {
    Instruction add = wide ? Instruction.VADDPD : Instruction.VADDPS;
    for (int step = 1; step < registers.length; step *= 2) {
      for (int i = 0; i + step < registers.length; i += 2 * step) {
        Vector v = isa.vector(registers[i]);
        a.emit(add, v, v, isa.vector(registers[i + step]));
      }
    }
    acrossLanes(add, registers[0], wide);
  }

  private void leaveFirst(int operand, int register) {
    a.emit(
        wide ? Instruction.VMOVSD_STORE : Instruction.VMOVSS_STORE,
        Memory.at(BASES[operand]),
        Vector.xmm(register));
  }

  @Override
  boolean reads(int operand) {
    return operand != OUT && operand != MEAN && operand != RSTD;
  }

  @Override
  boolean writes(int operand) {
    return operand == OUT || gradient && operand >= WEIGHT_SUMS;
  }
}
