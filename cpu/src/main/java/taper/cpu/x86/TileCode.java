package taper.cpu.x86;

import static taper.cpu.assembler.Register.R11;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RSP;

import java.util.List;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Vector;
import taper.cpu.x86.Program.Value;
import taper.tensor.DType;
import taper.tensor.spi.Formula.Comparison;

/// Loops that go down the rows of a tile, with a number a column in registers: a step of the running softmax, the dot
/// products of the columns of two tiles, and sums of columns.
///
/// In attention, columns are queries, so that the largest element and the sum of a softmax are found without ever joining the lanes of
/// a vector. Up to four vectors go down side by side, which hides the latency of maximum and addition.
final class TileCode extends VectorRows {
  private static final int WIDTH = 4;

  private TileCode(Isa isa, DType dtype, int operands) {
    super(isa, dtype == DType.FLOAT64, List.of(dtype, dtype, dtype, dtype).subList(0, operands));
  }

  /// Where the number of rows lies in the argument block; behind it the bytes from row to row, for both tiles.
  static int depth(int operands) {
    return OPERANDS + OPERAND_BYTES * operands;
  }

  static final int SOFTMAX_OPERANDS = 4;
  static final int DOTS_OPERANDS = 3;
  static final int SUMS_OPERANDS = 2;

  /// One step of the running softmax [Milakov, Gimelshein 2018, arXiv:1805.02867].
  ///
  /// Operands: 0 the tile, which becomes `exp(x - m)`; 1 the largest elements `m` so far, 2 the sums `l`, both brought up
  /// to date; 3 receives the factor `exp(before - m)` of what was summed before. A column of negative infinities keeps
  /// that as its `m`, and becomes zeros; a NaN reaches the sum.
  static Code softmax(Isa isa, DType dtype) {
    var code = new TileCode(isa, dtype, SOFTMAX_OPERANDS);
    Program[] load = new Program[WIDTH];
    Program[] largest = new Program[WIDTH];
    Program[] update = new Program[WIDTH];
    Program[] exponential = new Program[WIDTH];
    Program[] leave = new Program[WIDTH];
    for (int i = 0; i < WIDTH; i++) {
      load[i] = code.program(2 * WIDTH);
      load[i].into(i, code.loaded(load[i], 1));
      largest[i] = code.program(2 * WIDTH);
      largest[i].into(
          i, code.lane(largest[i]).max(code.loaded(largest[i], 0), largest[i].pinned(i)));
      update[i] = code.update(i);
      exponential[i] = code.exponential(i);
      leave[i] = code.program(2 * WIDTH);
      code.store(leave[i], 2, leave[i].pinned(WIDTH + i));
    }
    code.function(() ->
        code.columns(
            count -> {
              code.emit(load, count);
              code.down(largest, count, 1);
              code.emit(update, count);
              code.down(exponential, count, 1);
              code.emit(leave, count);
            },
            WIDTH));
    return code.a.install();
  }

  /// Operands: 0 and 1 the tiles, 2 the sums of the products of their columns.
  static Code dots(Isa isa, DType dtype) {
    return new TileCode(isa, dtype, DOTS_OPERANDS).added(2);
  }

  /// Operands: 0 the rows, 1 the sums of their columns.
  static Code sums(Isa isa, DType dtype) {
    return new TileCode(isa, dtype, SUMS_OPERANDS).added(1);
  }

  /// The sums of the elements of one tile, or of the products of two, which are the first operands.
  private Code added(int tiles) {
    Program[] add = new Program[WIDTH];
    Program[] leave = new Program[WIDTH];
    for (int i = 0; i < WIDTH; i++) {
      Program p = program(WIDTH);
      Value x = loaded(p, 0);
      Value sum = p.pinned(i);
      p.into(i, tiles == 2 ? lane(p).fma(x, loaded(p, 1), sum) : lane(p).add(sum, x));
      add[i] = p;
      leave[i] = program(WIDTH);
      store(leave[i], tiles, leave[i].pinned(i));
    }
    function(() ->
        columns(
            count -> {
              for (int i = 0; i < count; i++) {
                Vector v = isa.vector(i);
                a.emit(Instruction.VXORPD, v, v, v);
              }
              down(add, count, tiles);
              emit(leave, count);
            },
            WIDTH));
    return a.install();
  }

  private Lane lane(Program program) {
    return new Lane(program, wide);
  }

  private Program update(int i) {
    Program p = program(2 * WIDTH);
    Lane l = lane(p);
    Value before = loaded(p, 1);
    Value sum = loaded(p, 2);
    Value now = p.pinned(i);
    store(p, 1, now);
    Value limit = l.constant(Double.NEGATIVE_INFINITY);
    Value ref = l.select(now, Comparison.EQUAL, limit, l.constant(0), now);
    Value factor = Functions.exp(l, l.sub(before, ref));
    store(p, 3, factor);
    p.into(WIDTH + i, l.mul(sum, factor));
    p.into(i, ref);
    return p;
  }

  private Program exponential(int i) {
    Program p = program(2 * WIDTH);
    Lane l = lane(p);
    Value e = Functions.exp(l, l.sub(loaded(p, 0), p.pinned(i)));
    store(p, 0, e);
    p.into(WIDTH + i, l.add(p.pinned(WIDTH + i), e));
    return p;
  }

  private void emit(Program[] programs, int count) {
    for (int i = 0; i < count; i++) {
      emit(programs[i], i);
    }
  }

  /// Runs `programs` on every row of the first `tiles` operands.
  private void down(Program[] programs, int count, int tiles) {
    int depth = parameters();
    a.mov(R11, Memory.at(RDI, depth));
    a.mov(Memory.at(RSP, FREE_SLOT), R11);
    var next = new Label();
    a.align(32);
    a.bind(next);
    emit(programs, count);
    for (int t = 0; t < tiles; t++) {
      a.add(BASES[t], Memory.at(RDI, depth + 8));
    }
    countDown(FREE_SLOT, next);
    for (int t = 0; t < tiles; t++) {
      a.mov(BASES[t], Memory.at(RDI, OPERANDS + OPERAND_BYTES * t));
    }
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
