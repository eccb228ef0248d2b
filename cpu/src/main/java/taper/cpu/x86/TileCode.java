package taper.cpu.x86;

import static taper.cpu.assembler.Register.R11;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RSP;

import java.util.Collections;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Vector;
import taper.cpu.x86.Program.Value;
import taper.tensor.DType;
import taper.tensor.spi.Formula.Comparison;

/// Loops that go down the rows of a tile, with numbers of columns in registers: a step of the running softmax, the dot
/// products of the columns of two tiles, and sums of columns.
///
/// In attention, columns are queries, so that the largest element and the sum of a softmax are found without ever joining the lanes of
/// a vector. Up to four vectors go down side by side, which hides the latency of maximum and addition.
final class TileCode extends VectorRows {
  private static final int WIDTH = 4;

  /// The register that holds the number of the row under way, where columns before it are left out.
  private static final int NUMBER = 2 * WIDTH;

  private TileCode(Isa isa, DType dtype, int operands) {
    super(isa, dtype == DType.FLOAT64, Collections.nCopies(operands, dtype));
  }

  /// Where the number of rows lies in the argument block; behind it the bytes from row to row, for both tiles.
  static int depth(int operands) {
    return OPERANDS + OPERAND_BYTES * operands;
  }

  static final int SOFTMAX_OPERANDS = 5;
  static final int GRADIENT_OPERANDS = 5;
  static final int DOTS_OPERANDS = 3;
  static final int SUMS_OPERANDS = 2;

  /// One step of the running softmax [Milakov, Gimelshein 2018, arXiv:1805.02867].
  ///
  /// Operands: 0 the tile, which becomes `exp(x - m)`; 1 the largest elements `m` so far, 2 the sums `l`, both brought up
  /// to date; 3 receives the factor `exp(before - m)` of what was summed before. A column of negative infinities keeps
  /// that as its `m`, and becomes zeros; a NaN reaches the sum. 4 the numbers of the columns.
  ///
  /// @param back whether elements in columns before their row count as negative infinity, whatever they are
  static Code softmax(Isa isa, DType dtype, boolean back) {
    var code = new TileCode(isa, dtype, SOFTMAX_OPERANDS);
    Program[] load = new Program[WIDTH];
    Program[] largest = new Program[WIDTH];
    Program[] update = new Program[WIDTH];
    Program[] exponential = new Program[WIDTH];
    Program[] leave = new Program[WIDTH];
    for (int i = 0; i < WIDTH; i++) {
      load[i] = code.free();
      load[i].into(i, code.loaded(load[i], 1));
      largest[i] = code.free();
      Value x = code.element(largest[i], back, Double.NEGATIVE_INFINITY);
      largest[i].into(i, code.lane(largest[i]).max(x, largest[i].pinned(i)));
      update[i] = code.update(i);
      exponential[i] = code.exponential(i, back);
      leave[i] = code.free();
      code.store(leave[i], 2, leave[i].pinned(WIDTH + i));
    }
    code.function(() ->
        code.columns(
            count -> {
              code.emit(load, count);
              code.down(largest, count, 1, back);
              code.emit(update, count);
              code.down(exponential, count, 1, back);
              code.emit(leave, count);
            },
            WIDTH));
    return code.a.install();
  }

  /// Operands: 0 products, which become weights `p = exp(x - log)`; 1 gradients of weights, which become those of the
  /// products, `p · (g - mean) · factor`; 2 the logarithms, 3 the means, 4 the numbers of the columns. The factor is the
  /// parameter behind what [#depth] says.
  ///
  /// @param back whether elements in columns before their row become 0, whatever they are
  static Code gradient(Isa isa, DType dtype, boolean back) {
    var code = new TileCode(isa, dtype, GRADIENT_OPERANDS);
    Program[] load = new Program[WIDTH];
    Program[] step = new Program[WIDTH];
    for (int i = 0; i < WIDTH; i++) {
      load[i] = code.free();
      load[i].into(i, code.loaded(load[i], 2));
      load[i].into(WIDTH + i, code.loaded(load[i], 3));
      Program p = code.free();
      Lane l = code.lane(p);
      Value x = code.loaded(p, 0);
      Value weight = Functions.exp(l, l.sub(x, p.pinned(i)));
      Value grad = l.sub(code.loaded(p, 1), p.pinned(WIDTH + i));
      grad = l.mul(l.mul(weight, grad), code.parameter(p, 2));
      if (back) {
        Value number = code.loaded(p, 4);
        Value zero = l.constant(0);
        weight = l.select(number, Comparison.LESS, p.pinned(NUMBER), zero, weight);
        grad = l.select(number, Comparison.LESS, p.pinned(NUMBER), zero, grad);
      }
      code.store(p, 0, weight);
      code.store(p, 1, grad);
      step[i] = p;
    }
    code.function(() ->
        code.columns(
            count -> {
              code.emit(load, count);
              code.down(step, count, 2, back);
            },
            WIDTH));
    return code.a.install();
  }

  /// A program that leaves alone what this class pins.
  private Program free() {
    return program(NUMBER + 1);
  }

  /// An element of operand 0, or `instead` where its column comes before its row.
  private Value element(Program p, boolean back, double instead) {
    Lane l = lane(p);
    Value x = loaded(p, 0);
    return back
        ? l.select(loaded(p, 4), Comparison.LESS, p.pinned(NUMBER), l.constant(instead), x)
        : x;
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
              down(add, count, tiles, false);
              emit(leave, count);
            },
            WIDTH));
    return a.install();
  }

  private Lane lane(Program program) {
    return new Lane(program, wide);
  }

  private Program update(int i) {
    Program p = free();
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

  private Program exponential(int i, boolean back) {
    Program p = free();
    Lane l = lane(p);
    Value x = element(p, back, Double.NEGATIVE_INFINITY);
    Value e = Functions.exp(l, l.sub(x, p.pinned(i)));
    store(p, 0, e);
    p.into(WIDTH + i, l.add(p.pinned(WIDTH + i), e));
    return p;
  }

  private void emit(Program[] programs, int count) {
    for (int i = 0; i < count; i++) {
      emit(programs[i], i);
    }
  }

  /// Runs `programs` on every row of the first `tiles` operands, and counts the rows if asked for.
  private void down(Program[] programs, int count, int tiles, boolean counts) {
    int depth = parameters();
    Vector number = isa.vector(NUMBER);
    Program following = counts ? program(NUMBER + 1) : null;
    if (following != null) {
      a.emit(Instruction.VXORPD, number, number, number);
      following.into(NUMBER, lane(following).add(following.pinned(NUMBER), 1));
    }
    a.mov(R11, Memory.at(RDI, depth));
    a.mov(Memory.at(RSP, FREE_SLOT), R11);
    var next = new Label();
    a.align(32);
    a.bind(next);
    emit(programs, count);
    if (following != null) {
      following.emit();
    }
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
