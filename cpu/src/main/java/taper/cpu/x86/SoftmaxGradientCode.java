package taper.cpu.x86;

import java.util.Collections;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Vector;
import taper.cpu.x86.Program.Value;
import taper.tensor.DType;

/// The gradient of softmax, or of its logarithm, of rows: with the result `y`, `y · (g - Σ g y)` or `g - exp(y) · Σ g`.
///
/// The first pass over a row, which is read from memory in it, gathers the sum in the type of the elements, in four
/// vectors; the second one finds the row in the first cache.
///
/// Operands: 0 the gradient by the elements, 1 the one by the results, 2 the results. Registers: 0 to 3 the sum.
final class SoftmaxGradientCode extends VectorRows {
  private static final int SUMS = 4;

  private final boolean logarithm;

  private SoftmaxGradientCode(Isa isa, DType dtype, boolean logarithm) {
    super(isa, dtype == DType.FLOAT64, Collections.nCopies(3, dtype));
    this.logarithm = logarithm;
  }

  /// The code for elements of `dtype`, `float32` or `float64`.
  static Code assemble(Isa isa, DType dtype, boolean logarithm) {
    var code = new SoftmaxGradientCode(isa, dtype, logarithm);
    Program[] sums = new Program[SUMS];
    for (int i = 0; i < SUMS; i++) {
      sums[i] = code.sum(i);
    }
    Program last = code.last();
    code.function(() -> {
      for (int i = 0; i < SUMS; i++) {
        Vector v = isa.vector(i);
        code.a.emit(Instruction.VXORPD, v, v, v);
      }
      code.columns(sums);
      code.add(0, 1);
      code.add(2, 3);
      code.add(0, 2);
      code.acrossLanes(code.wide ? Instruction.VADDPD : Instruction.VADDPS, 0, code.wide);
      code.columns(last, last);
    });
    return code.a.install();
  }

  private void add(int to, int register) {
    Vector v = isa.vector(to);
    a.emit(wide ? Instruction.VADDPD : Instruction.VADDPS, v, v, isa.vector(register));
  }

  private Program sum(int accumulator) {
    Program p = program(SUMS);
    var l = new Lane(p, wide);
    Value grad = guarded(p, loaded(p, 1), l.constant(0));
    Value sum = p.pinned(accumulator);
    if (logarithm) {
      p.into(accumulator, l.add(sum, grad));
    } else {
      p.into(accumulator, l.fma(grad, guarded(p, loaded(p, 2), l.constant(0)), sum));
    }
    return p;
  }

  private Program last() {
    Program p = program(SUMS);
    var l = new Lane(p, wide);
    Value grad = loaded(p, 1);
    Value y = loaded(p, 2);
    Value result =
        logarithm
            ? l.fnma(Functions.exp(l, y), p.pinned(0), grad)
            : l.mul(y, l.sub(grad, p.pinned(0)));
    store(p, 0, result);
    return p;
  }

  @Override
  boolean reads(int operand) {
    return operand != 0;
  }

  @Override
  boolean writes(int operand) {
    return operand == 0;
  }
}
