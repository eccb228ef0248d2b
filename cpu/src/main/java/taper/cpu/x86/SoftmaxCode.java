package taper.cpu.x86;

import static taper.cpu.assembler.Instruction.VADDPD;
import static taper.cpu.assembler.Instruction.VBROADCASTSD;
import static taper.cpu.assembler.Instruction.VBROADCASTSS;
import static taper.cpu.assembler.Instruction.VMAXPD;
import static taper.cpu.assembler.Instruction.VMAXPS;
import static taper.cpu.assembler.Instruction.VXORPD;

import java.util.List;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Vector;
import taper.cpu.x86.Program.Value;
import taper.tensor.DType;

/// Softmax, or its logarithm, of rows.
///
/// Three passes over a row, which stays in the first cache: the largest element `m`; the sum of
/// `exp(x - m)` in `float64`, where softmax stores the exponentials; then division by the sum, or
/// `(x - m) - log sum`. A NaN reaches every element of its row through the sum.
///
/// Operands: 0 the result, 1 the elements. Registers: 0 `m`, 1 and 2 the sum, 3 further maxima.
final class SoftmaxCode extends VectorRows {
  private static final int FIRST_FREE = 4;

  private final boolean logarithm;

  private SoftmaxCode(Isa isa, DType dtype, boolean logarithm) {
    super(isa, dtype == DType.FLOAT64, List.of(dtype, dtype));
    this.logarithm = logarithm;
  }

  /// The code for elements of `dtype`, `float32` or `float64`.
  static Code assemble(Isa isa, DType dtype, boolean logarithm) {
    var code = new SoftmaxCode(isa, dtype, logarithm);
    Program[] largest = {code.largest(0), code.largest(3)};
    Program exponentials = code.exponentials();
    Program total = code.total();
    Program last = code.last();
    code.function(() -> {
      code.fill(0);
      code.fill(3);
      code.columns(largest);
      Instruction max = code.wide ? VMAXPD : VMAXPS;
      code.a.emit(max, isa.vector(0), isa.vector(0), isa.vector(3));
      code.acrossLanes(max, 0, code.wide);
      code.a.emit(VXORPD, isa.vector(1), isa.vector(1), isa.vector(1));
      code.a.emit(VXORPD, isa.vector(2), isa.vector(2), isa.vector(2));
      code.columns(exponentials);
      code.a.emit(VADDPD, isa.vector(1), isa.vector(1), isa.vector(2));
      code.acrossLanes(VADDPD, 1, true);
      total.emit();
      code.columns(last);
    });
    return code.a.install();
  }

  @Override
  boolean reads(int operand) {
    return operand == 1 || !logarithm; // softmax reads back the exponentials
  }

  @Override
  boolean writes(int operand) {
    return operand == 0;
  }

  private void fill(int register) {
    Vector v = isa.vector(register);
    if (wide) {
      a.emit(VBROADCASTSD, v, Memory.at(a.doubles(Double.NEGATIVE_INFINITY, 1)));
    } else {
      a.emit(VBROADCASTSS, v, Memory.at(a.floats(Float.NEGATIVE_INFINITY, 1)));
    }
  }

  private Program largest(int accumulator) {
    Program p = program(FIRST_FREE);
    var l = new Lane(p, wide);
    Value x = guarded(p, loaded(p, 1), l.constant(Double.NEGATIVE_INFINITY));
    p.into(accumulator, l.max(x, p.pinned(accumulator)));
    return p;
  }

  private Program exponentials() {
    Program p = program(FIRST_FREE);
    var l = new Lane(p, wide);
    var d = new Lane(p, true);
    Value e = Functions.exp(l, l.sub(loaded(p, 1), p.pinned(0)));
    if (!logarithm) {
      store(p, 0, e);
    }
    Value counted = guarded(p, e, l.constant(0));
    if (wide) {
      p.into(1, d.add(p.pinned(1), counted));
    } else {
      p.into(1, d.add(p.pinned(1), Functions.widen(l, counted, 0)));
      p.into(2, d.add(p.pinned(2), Functions.widen(l, counted, 1)));
    }
    return p;
  }

  /// The sum, or its logarithm, from `float64` lanes to those of the elements.
  private Program total() {
    Program p = program(FIRST_FREE);
    var l = new Lane(p, wide);
    Value sum = p.pinned(1);
    if (logarithm) {
      sum = Functions.logWide(new Lane(p, true), sum, null);
    }
    p.into(1, wide ? sum : Functions.narrow(l, sum, sum));
    return p;
  }

  private Program last() {
    Program p = program(FIRST_FREE);
    var l = new Lane(p, wide);
    Value y =
        logarithm
            ? l.sub(l.sub(loaded(p, 1), p.pinned(0)), p.pinned(1))
            : l.div(loaded(p, 0), p.pinned(1));
    store(p, 0, y);
    return p;
  }
}
