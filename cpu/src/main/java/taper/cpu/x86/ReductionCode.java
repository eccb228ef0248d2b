package taper.cpu.x86;

import static taper.cpu.assembler.Register.R11;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RSP;

import java.util.List;
import java.util.Objects;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Vector;
import taper.cpu.reductions.Fold;
import taper.cpu.x86.Program.Value;
import taper.tensor.DType;

/// The loops of a reduction, in `float64` lanes whatever the type of the elements.
///
/// Operands: 0 the results (`double`), 1 the elements, 2 the lines' numbers (`double`), 3 the elements of the
/// second operand.
///
/// - Along rows, each row of elements becomes one result. Four accumulators hide the latency of the
///   addition; at the end they and their lanes are joined pairwise.
/// - Along columns, all rows together become one row of results. A step goes down all rows with the
///   accumulators of up to four neighbouring vectors in registers.
final class ReductionCode extends VectorRows {
  private static final int WIDTH = 4;

  private final Fold fold;
  private final boolean down;
  private final Program[] programs = new Program[WIDTH];

  private ReductionCode(Isa isa, Fold fold, DType dtype, boolean down) {
    super(isa, true, List.of(DType.FLOAT64, dtype, DType.FLOAT64, dtype));
    this.fold = fold;
    this.down = down;
  }

  /// The code that reduces along rows, or down columns.
  static Code assemble(Isa isa, Fold fold, DType dtype, boolean down) {
    var code = new ReductionCode(isa, fold, dtype, down);
    code.build();
    return code.a.install();
  }

  @Override
  boolean reads(int operand) {
    return operand == 1
        || operand == 2 && down && fold.isCentered()
        || operand == 3 && fold.isPaired();
  }

  @Override
  boolean writes(int operand) {
    return operand == 0 && down;
  }

  /// Accumulators are registers 0 to 3; along rows, the line's number is in 4.
  private void build() {
    for (int i = 0; i < WIDTH; i++) {
      programs[i] = step(i);
    }
    if (down) {
      Program[] stores = new Program[WIDTH];
      for (int i = 0; i < WIDTH; i++) {
        stores[i] = program(WIDTH);
        store(stores[i], 0, stores[i].pinned(i));
      }
      function(() -> columns(count -> goDown(count, stores), WIDTH));
    } else {
      function(this::row);
    }
  }

  private Program step(int accumulator) {
    Program p = program(down ? WIDTH : WIDTH + 1);
    var l = new Lane(p, true);
    Value value =
        Objects.requireNonNull(
            new Translation(
                    l,
                    i ->
                        switch (i) {
                          case 0 -> loaded(p, 1);
                          case 1 -> down ? loaded(p, 2) : p.pinned(WIDTH);
                          default -> loaded(p, 3);
                        },
                    i -> l.constant(i))
                .of(fold.formula()));
    if (!down) {
      value = guarded(p, value, l.constant(fold.identity()));
    }
    p.into(accumulator, join(l, p.pinned(accumulator), value));
    return p;
  }

  private Value join(Lane l, Value sum, Value x) {
    return switch (fold) {
      case SUM, SQUARES, PRODUCTS, MAGNITUDES, EXPONENTIALS -> l.add(sum, x);
      case FACTORS -> l.mul(sum, x);
      // The instructions answer their second operand if either is NaN, so that a NaN in the sum
      // stays.
      case MAXIMUM, LARGEST -> l.ifNan(x, x, l.max(x, sum));
      case MINIMUM -> l.ifNan(x, x, l.min(x, sum));
    };
  }

  private Instruction joining() {
    return switch (fold) {
      case SUM, SQUARES, PRODUCTS, MAGNITUDES, EXPONENTIALS -> Instruction.VADDPD;
      case FACTORS -> Instruction.VMULPD;
      case MAXIMUM, LARGEST -> Instruction.VMAXPD;
      case MINIMUM -> Instruction.VMINPD;
    };
  }

  private void clear(int accumulator) {
    Vector v = isa.vector(accumulator);
    if (fold.identity() == 0) {
      a.emit(Instruction.VXORPD, v, v, v);
    } else {
      a.emit(Instruction.VBROADCASTSD, v, Memory.at(a.doubles(fold.identity(), 1)));
    }
  }

  private void row() {
    for (int i = 0; i < WIDTH; i++) {
      clear(i);
    }
    if (fold.isCentered()) {
      loadFirst(2, WIDTH);
    }
    columns(programs);
    if (fold.sums()) {
      a.emit(joining(), isa.vector(0), isa.vector(0), isa.vector(1));
      a.emit(joining(), isa.vector(2), isa.vector(2), isa.vector(3));
      a.emit(joining(), isa.vector(0), isa.vector(0), isa.vector(2));
      acrossLanes(joining(), 0, true);
      a.emit(Instruction.VMOVSD_STORE, Memory.at(BASES[0]), Vector.xmm(0));
    } else {
      // NaN must survive the joining: the lanes are left to the caller.
      for (int i = 0; i < WIDTH; i++) {
        a.emit(Instruction.VMOVUPD_STORE, Memory.at(BASES[0], i * isa.bits() / 8), isa.vector(i));
      }
    }
  }

  /// The number of results that a row leaves.
  static int resultsPerRow(Isa isa, Fold fold) {
    return fold.sums() ? 1 : WIDTH * isa.lanes(8);
  }

  private void goDown(int count, Program[] stores) {
    for (int i = 0; i < count; i++) {
      clear(i);
    }
    a.mov(R11, Memory.at(RDI, DEPTH));
    a.mov(Memory.at(RSP, FREE_SLOT), R11);
    var next = new Label();
    var first = new Label();
    a.jump(first);
    a.bind(next);
    refill();
    a.bind(first);
    for (int i = 0; i < count; i++) {
      emit(programs[i], i);
    }
    a.add(BASES[1], Memory.at(RDI, DEPTH + 8));
    a.add(BASES[3], Memory.at(RDI, DEPTH + 8));
    countDown(FREE_SLOT, next);
    a.mov(BASES[1], Memory.at(RDI, OPERANDS + OPERAND_BYTES));
    a.mov(BASES[3], Memory.at(RDI, OPERANDS + OPERAND_BYTES * 3));
    for (int i = 0; i < count; i++) {
      emit(stores[i], i);
    }
  }

  /// Where the number of rows to go down lies in the argument block; behind it the stride of the elements.
  static final int DEPTH = OPERANDS + OPERAND_BYTES * 4;
}
