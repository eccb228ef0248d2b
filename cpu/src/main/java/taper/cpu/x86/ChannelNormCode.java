package taper.cpu.x86;

import static taper.cpu.assembler.Register.R11;
import static taper.cpu.assembler.Register.RAX;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RDX;
import static taper.cpu.assembler.Register.RSP;

import java.util.Arrays;
import java.util.Collections;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;
import taper.cpu.assembler.Vector;
import taper.cpu.x86.Program.Value;
import taper.tensor.DType;

/// The passes of [ChannelNorm] over a cell: some images, and of each some neighbouring channels or a piece of one.
///
/// Images are read as they lie. What belongs to a channel is one number for each row (a row is a channel then) or, where
/// channels are short, a row of numbers that repeats it for each column. Sums stay in memory from image to image: four
/// vectors for each row, which are in registers within it, or one number for each column.
///
/// The argument block is that of [VectorRows], whose rows are the images here; behind the operands follow the number of
/// rows in an image, for each operand the bytes from one of those to the next, and the bytes to what is asked for ahead.
final class ChannelNormCode extends VectorRows {
  private static final int WIDTH = 4;

  /// Where the operands that come from memory are, one image ahead.
  private static final Register[] AHEAD = {R11, RDX};

  /// What is done with the elements, and by how many operands.
  enum Pass {
    /// To 1 what stands in 0 is added.
    SUMS(2, 1),
    /// To 2 and 3 the distances of 0 from 1 and their squares are added.
    STATISTICS(4, 2),
    /// 0 becomes `(x - m) · a + b`, of 1 to 4.
    RESULT(5, 5),
    /// The same with no negative results.
    RECTIFIED(5, 5),
    /// The same after 5 is added.
    RECTIFIED_SUM(6, 6),
    /// To 3 and 4 are added `g` and `g · (x - m)`, of 0 to 2 in the order g, x, m.
    GRADIENT_SUMS(5, 3),
    /// 0 becomes `(g - a - (x - m) · b) · c`, of 1 to 6 in the order g, x, m, a, b, c.
    GRADIENT(7, 7),
    /// 0 becomes the number of 1.
    SPREAD(2, 2);

    final int operands;

    /// The first operand that is sums.
    final int sums;

    Pass(int operands, int sums) {
      this.operands = operands;
      this.sums = sums;
    }
  }

  private final Pass pass;
  private final boolean byColumn;

  private ChannelNormCode(Isa isa, DType dtype, Pass pass, boolean byColumn) {
    super(isa, dtype == DType.FLOAT64, Collections.nCopies(pass.operands, dtype));
    this.pass = pass;
    this.byColumn = byColumn;
  }

  /// Where the number of rows in an image lies in the argument block.
  static int rows(Pass pass) {
    return OPERANDS + OPERAND_BYTES * pass.operands;
  }

  /// Where the bytes to what is asked for ahead lie in the argument block.
  static int ahead(Pass pass) {
    return rows(pass) + 8 + 8 * pass.operands;
  }

  /// How many numbers the sums of a row take where they are not by column.
  static int sums(Isa isa, int bytes) {
    return WIDTH * isa.lanes(bytes);
  }

  /// The code of a pass.
  ///
  /// @param byColumn whether what belongs to a channel has a number for each column
  static Code assemble(Isa isa, DType dtype, Pass pass, boolean byColumn) {
    var code = new ChannelNormCode(isa, dtype, pass, byColumn);
    Program[] programs = new Program[WIDTH];
    Arrays.setAll(programs, code::step);
    code.function(() -> code.rows(programs));
    return code.a.install();
  }

  private void rows(Program[] programs) {
    int at = rows(pass);
    a.mov(R11, Memory.at(RDI, at));
    a.mov(Memory.at(RSP, FREE_SLOT), R11);
    var next = new Label();
    a.bind(next);
    for (int i = 0; i < pass.operands; i++) {
      if (isNumber(i)) {
        loadFirst(i, i);
      }
    }
    for (int i = 0; i < streams(); i++) {
      a.mov(AHEAD[i], BASES[i]);
      a.add(AHEAD[i], Memory.at(RDI, ahead(pass)));
    }
    if (!byColumn) {
      moveSums(false);
    }
    columns(programs);
    if (!byColumn) {
      moveSums(true);
    }
    for (int i = 0; i < pass.operands; i++) {
      a.add(BASES[i], Memory.at(RDI, at + 8 + 8 * i));
    }
    countDown(FREE_SLOT, next);
  }

  /// How many operands are asked for one image ahead: those that memory has, since processors do not guess what follows at
  /// the end of a page.
  private int streams() {
    return switch (pass) {
      case STATISTICS, RESULT, RECTIFIED, RECTIFIED_SUM, GRADIENT -> 1;
      case GRADIENT_SUMS -> 2;
      case SUMS, SPREAD -> 0;
    };
  }

  /// Loads the sums of a row, or stores them.
  private void moveSums(boolean store) {
    for (int i = pass.sums; i < pass.operands; i++) {
      for (int k = 0; k < WIDTH; k++) {
        Memory at = Memory.at(BASES[i], k * isa.bits() / 8);
        Vector v = isa.vector(sum(i, k));
        if (store) {
          a.emit(Instruction.VMOVUPS_STORE, at, v);
        } else {
          a.emit(Instruction.VMOVUPS, v, at);
        }
      }
    }
  }

  /// The register of the sums of an operand in the vector `index` of a step.
  private int sum(int operand, int index) {
    return pass.sums + (operand - pass.sums) * WIDTH + index;
  }

  /// Whether the row of an operand is one number, which the register of its position holds.
  private boolean isNumber(int operand) {
    return switch (pass) {
      case SUMS -> false;
      case STATISTICS -> !byColumn && operand == 1;
      case RESULT, RECTIFIED, RECTIFIED_SUM -> !byColumn && operand >= 2 && operand < 5;
      case GRADIENT_SUMS -> !byColumn && operand == 2;
      case GRADIENT -> !byColumn && operand >= 3;
      case SPREAD -> operand == 1;
    };
  }

  private Program step(int index) {
    boolean sums = !byColumn && pass.sums < pass.operands;
    Program p = program(sums ? sum(pass.operands, 0) : pass.operands);
    var l = new Lane(p, wide);
    for (int i = 0; i < streams(); i++) {
      Memory at = Memory.at(AHEAD[i], RAX, wide ? 8 : 4, index * isa.bits() / 8);
      p.effect((_, _, _) -> {
        if (pass.sums == pass.operands) {
          a.prefetchw(at);
        } else {
          a.prefetcht0(at);
        }
      });
    }
    switch (pass) {
      case SUMS -> add(p, 1, index, of(p, 0), null);
      case STATISTICS -> {
        Value distance = l.sub(of(p, 0), of(p, 1));
        if (!byColumn) {
          distance = guarded(p, distance, l.constant(0));
        }
        add(p, 2, index, distance, null);
        add(p, 3, index, distance, distance);
      }
      case RESULT, RECTIFIED, RECTIFIED_SUM -> {
        Value result = l.fma(l.sub(of(p, 1), of(p, 2)), of(p, 3), of(p, 4));
        if (pass == Pass.RECTIFIED_SUM) {
          result = l.add(result, of(p, 5));
        }
        store(p, 0, pass == Pass.RESULT ? result : l.max(l.constant(0), result));
      }
      case GRADIENT_SUMS -> {
        Value grad = of(p, 0);
        Value distance = l.sub(of(p, 1), of(p, 2));
        add(p, 3, index, grad, null);
        add(p, 4, index, distance, grad);
      }
      case GRADIENT -> {
        Value grad = l.sub(of(p, 1), of(p, 4));
        Value distance = l.sub(of(p, 2), of(p, 3));
        store(p, 0, l.mul(l.fnma(distance, of(p, 5), grad), of(p, 6)));
      }
      case SPREAD -> store(p, 0, of(p, 1));
    }
    return p;
  }

  /// Adds `x`, or `x · y`, to the sums of an operand.
  private void add(Program p, int operand, int index, Value x, @Nullable Value y) {
    var l = new Lane(p, wide);
    Value sum = byColumn ? loaded(p, operand) : p.pinned(sum(operand, index));
    Value more = y == null ? l.add(sum, x) : l.fma(x, y, sum);
    if (byColumn) {
      store(p, operand, more);
    } else {
      p.into(sum(operand, index), more);
    }
  }

  private Value of(Program p, int operand) {
    return isNumber(operand) ? p.pinned(operand) : loaded(p, operand);
  }

  @Override
  boolean reads(int operand) {
    return true;
  }

  @Override
  boolean writes(int operand) {
    return false; // no element is narrower than its lane: a rest needs no buffer
  }
}
