package taper.cpu.products;

import static taper.cpu.assembler.Condition.EQUAL;
import static taper.cpu.assembler.Condition.NOT_EQUAL;
import static taper.cpu.assembler.Instruction.VADDPD;
import static taper.cpu.assembler.Instruction.VADDPS;
import static taper.cpu.assembler.Instruction.VMAXPD;
import static taper.cpu.assembler.Instruction.VMAXPS;
import static taper.cpu.assembler.Instruction.VMOVSD;
import static taper.cpu.assembler.Instruction.VMOVSD_STORE;
import static taper.cpu.assembler.Instruction.VMOVSS;
import static taper.cpu.assembler.Instruction.VMOVSS_STORE;
import static taper.cpu.assembler.Instruction.VMOVUPS;
import static taper.cpu.assembler.Instruction.VMOVUPS_STORE;
import static taper.cpu.assembler.Instruction.VUNPCKHPD;
import static taper.cpu.assembler.Instruction.VUNPCKHPS;
import static taper.cpu.assembler.Instruction.VUNPCKLPD;
import static taper.cpu.assembler.Instruction.VUNPCKLPS;
import static taper.cpu.assembler.Register.R10;
import static taper.cpu.assembler.Register.R11;
import static taper.cpu.assembler.Register.R12;
import static taper.cpu.assembler.Register.R13;
import static taper.cpu.assembler.Register.R14;
import static taper.cpu.assembler.Register.R15;
import static taper.cpu.assembler.Register.R8;
import static taper.cpu.assembler.Register.R9;
import static taper.cpu.assembler.Register.RAX;
import static taper.cpu.assembler.Register.RBP;
import static taper.cpu.assembler.Register.RBX;
import static taper.cpu.assembler.Register.RCX;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RDX;
import static taper.cpu.assembler.Register.RSI;

import taper.cpu.assembler.AcrossLanes;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeTable;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;
import taper.cpu.assembler.Vector;

/// Products of matrices whose sum runs along contiguous memory in both, assembled.
///
/// `C[r, q] = relu(C[r, q] + Σ over i and x of A[r][i][x] · B[q][i][x] + bias)` for a tile of `rows` ×
/// `columns`: each sum is kept in a register, whose lanes are added up at the end. Nothing is packed or
/// transposed. `x` runs along a row of numbers, `i` over repetitions of it at constant distances (the
/// images of a batch). The rows of B lie where a table says: taps of a filter are rows that overlap.
///
/// Source of the idea: van Zee, van de Geijn 2015, "BLIS", section 4, calls this the inner-product kernel.
final class DotProducts {

  /// What one kernel is specialised to; `bias` per row or per column of C, which is contiguous.
  ///
  /// @param tail whether `MASK` more elements follow the whole vectors of a row
  record Shape(
      Lanes lanes,
      int rows,
      int columns,
      boolean tail,
      boolean accumulate,
      Products.Bias bias,
      boolean relu) {

    /// A number that no other shape has.
    int key() {
      return DotProducts.key(lanes, rows, columns, tail, accumulate, bias, relu);
    }
  }

  // The arguments, as offsets into a block of longs.
  static final int A = 0;
  static final int ROW_A = 8;

  /// The address of the table of addresses of the rows of B.
  static final int TABLE_B = 16;

  /// The bytes of the whole vectors in a row; what is left is masked.
  static final int LENGTH = 24;

  static final int MASK = 32;
  static final int REPEATS = 40;
  static final int REPEAT_A = 48;
  static final int REPEAT_B = 56;
  static final int C = 64;
  static final int ROW_C = 72;
  static final int BIAS = 80;

  private static final CodeTable CACHE = new CodeTable(1 << 15);
  private static final Register[] SAVED = {RBX, RBP, R12, R13, R14, R15};
  private static final Register[] POINTERS = {
    RSI, RDX, RAX, RBX, RBP, R8, R9, R10, R11, R12, R13, R14, R15
  };

  private final Assembler a = new Assembler();
  private final Shape shape;
  private final Lanes lanes;
  private final int sums;
  private final boolean holdRows;
  private final int held;
  private final int streamed;
  private final int streams;
  private final int mask;

  private DotProducts(Shape shape) {
    this.shape = shape;
    this.lanes = shape.lanes;
    this.sums = shape.rows * shape.columns;
    this.holdRows = shape.rows <= shape.columns;
    this.held = sums;
    this.streamed = held + Math.min(shape.rows, shape.columns);
    boolean vectorMask = !lanes.masks();
    this.mask = lanes.isa().registers() - 1;
    this.streams = Math.min(4, lanes.isa().registers() - (vectorMask ? 1 : 0) - streamed);
    assert streams >= 1 && shape.rows + shape.columns <= POINTERS.length : shape;
  }

  private static int key(
      Lanes lanes,
      int rows,
      int columns,
      boolean tail,
      boolean accumulate,
      Products.Bias bias,
      boolean relu) {
    int key = (lanes.key() << 4 | rows) << 4 | columns;
    key = key << 2 | bias.ordinal();
    return key << 3 | (tail ? 4 : 0) | (accumulate ? 2 : 0) | (relu ? 1 : 0);
  }

  /// The kernel for these properties of a [Shape], which is made only if it is new.
  static Code of(
      Lanes lanes,
      int rows,
      int columns,
      boolean tail,
      boolean accumulate,
      Products.Bias bias,
      boolean relu) {
    Code code = CACHE.find(key(lanes, rows, columns, tail, accumulate, bias, relu));
    return code != null ? code : of(new Shape(lanes, rows, columns, tail, accumulate, bias, relu));
  }

  /// The kernel for `shape`, to be run with the address of its argument block, which it changes.
  static Code of(Shape shape) {
    Code code = CACHE.find(shape.key());
    return code != null ? code : CACHE.add(shape.key(), () -> new DotProducts(shape).assemble());
  }

  /// How many columns a full tile has beside `rows` rows.
  static int columns(Lanes lanes, int rows) {
    int free = lanes.isa().registers() - (lanes.masks() ? 0 : 1) - 1;
    int best = 1;
    for (int c = 1; c + rows <= 12; c++) {
      if (rows * c + Math.min(rows, c) <= free) {
        best = c;
      }
    }
    return best;
  }

  private Register row(int r) {
    return POINTERS[r];
  }

  private Register column(int q) {
    return POINTERS[shape.rows + q];
  }

  private Code assemble() {
    a.push(SAVED);
    for (int i = 0; i < sums; i++) {
      lanes.zero(a, i);
    }
    if (shape.tail) {
      lanes.loadMask(a, Memory.at(RDI, MASK), mask);
    }
    // Pointers stand behind the whole vectors of a row, and the index runs from -LENGTH to 0.
    a.mov(RCX, Memory.at(RDI, TABLE_B));
    for (int q = 0; q < shape.columns; q++) {
      a.mov(column(q), Memory.at(RCX, 8 * q));
      a.add(column(q), Memory.at(RDI, LENGTH));
    }
    a.mov(row(0), Memory.at(RDI, A));
    a.add(row(0), Memory.at(RDI, LENGTH));
    for (int r = 1; r < shape.rows; r++) {
      a.mov(row(r), row(r - 1));
      a.add(row(r), Memory.at(RDI, ROW_A));
    }
    var repeat = new Label();
    var noVectors = new Label();
    a.bind(repeat);
    a.mov(RCX, Memory.at(RDI, LENGTH));
    a.neg(RCX);
    a.jump(EQUAL, noVectors);
    var loop = new Label();
    a.align(16);
    a.bind(loop);
    step(false);
    a.add(RCX, lanes.vectorBytes());
    a.jump(NOT_EQUAL, loop);
    a.bind(noVectors);
    if (shape.tail) {
      step(true);
    }
    for (int r = 0; r < shape.rows; r++) {
      a.add(row(r), Memory.at(RDI, REPEAT_A));
    }
    for (int q = 0; q < shape.columns; q++) {
      a.add(column(q), Memory.at(RDI, REPEAT_B));
    }
    a.mov(RCX, Memory.at(RDI, REPEATS));
    a.dec(RCX);
    a.mov(Memory.at(RDI, REPEATS), RCX);
    a.jump(NOT_EQUAL, repeat);
    finish();
    a.vzeroupper();
    a.pop(SAVED);
    a.ret();
    return a.install();
  }

  private void load(int register, Register pointer, boolean masked) {
    Memory from = Memory.at(pointer, RCX, 1, 0);
    if (masked) {
      lanes.loadMasked(a, register, from, mask);
    } else {
      lanes.load(a, register, from);
    }
  }

  private void step(boolean masked) {
    int rows = shape.rows;
    int columns = shape.columns;
    for (int h = 0; h < Math.min(rows, columns); h++) {
      load(held + h, holdRows ? row(h) : column(h), masked);
    }
    for (int s = 0; s < Math.max(rows, columns); s++) {
      int register = streamed + s % streams;
      load(register, holdRows ? column(s) : row(s), masked);
      for (int h = 0; h < Math.min(rows, columns); h++) {
        int sum = holdRows ? h * columns + s : s * columns + h;
        lanes.multiplyAdd(a, sum, held + h, lanes.v(register));
      }
    }
  }

  /// Adds up the lanes of each sum, as many sums at a time as fit 128 bits, and stores them.
  private void finish() {
    int group = 16 / lanes.bytes();
    a.mov(RSI, Memory.at(RDI, C));
    if (shape.bias != Products.Bias.NONE) {
      a.mov(RDX, Memory.at(RDI, BIAS));
    }
    int zero = held + 1 < lanes.isa().registers() ? held + 1 : held;
    for (int r = 0; r < shape.rows; r++) {
      int q = 0;
      while (q < shape.columns) {
        int count = q + group <= shape.columns ? group : 1;
        int first = r * shape.columns + q;
        for (int i = 0; i < count; i++) {
          fold(first + i);
        }
        if (count > 1) {
          interleave(first);
        } else {
          foldScalar(first);
        }
        epilogue(first, r, q, count, zero);
        q += count;
      }
      a.add(RSI, Memory.at(RDI, ROW_C));
    }
  }

  private Vector x(int number) {
    return Vector.xmm(number);
  }

  private void add128(int d, int x, int y) {
    a.emit(lanes.wide() ? VADDPD : VADDPS, x(d), x(x), x(y));
  }

  /// Adds the upper parts of a register to its lowest 128 bits.
  private void fold(int s) {
    Instruction add = lanes.wide() ? VADDPD : VADDPS;
    AcrossLanes.parts(a, lanes.isa(), add, s, held);
  }

  /// Lanes of registers `s`, `s + 1` … become one register of their totals, in `s`.
  private void interleave(int s) {
    int t = held;
    if (lanes.wide()) {
      a.emit(VUNPCKLPD, x(t), x(s), x(s + 1));
      a.emit(VUNPCKHPD, x(s), x(s), x(s + 1));
      add128(s, t, s);
      return;
    }
    for (int i = 0; i < 4; i += 2) {
      a.emit(VUNPCKLPS, x(t), x(s + i), x(s + i + 1));
      a.emit(VUNPCKHPS, x(s + i), x(s + i), x(s + i + 1));
      add128(s + i, t, s + i);
    }
    a.emit(VUNPCKLPD, x(t), x(s), x(s + 2));
    a.emit(VUNPCKHPD, x(s), x(s), x(s + 2));
    add128(s, t, s);
  }

  private void foldScalar(int s) {
    int t = held;
    a.emit(VUNPCKHPD, x(t), x(s), x(s));
    add128(s, s, t);
    if (!lanes.wide()) {
      // Lanes are now a+c, b+d: bring b+d to the front.
      a.emit(VUNPCKLPS, x(t), x(s), x(s));
      a.emit(VUNPCKHPD, x(t), x(t), x(t));
      add128(s, s, t);
    }
  }

  private void load128(int register, Memory from, int count) {
    if (count > 1) {
      a.emit(VMOVUPS, x(register), from);
    } else {
      a.emit(lanes.wide() ? VMOVSD : VMOVSS, x(register), from);
    }
  }

  private void epilogue(int s, int r, int q, int count, int zero) {
    int t = held;
    Memory to = Memory.at(RSI, q * lanes.bytes());
    if (shape.accumulate) {
      load128(t, to, count);
      add128(s, s, t);
    }
    switch (shape.bias) {
      case NONE -> {}
      case ROWS -> {
        lanes.broadcast(a, t, Memory.at(RDX, r * lanes.bytes()));
        add128(s, s, t);
      }
      case COLUMNS -> {
        load128(t, Memory.at(RDX, q * lanes.bytes()), count);
        add128(s, s, t);
      }
      case SCALED_ROWS, SCALED_ROWS_AND_ADDEND, SCALED_COLUMNS -> throw new AssertionError(shape);
    }
    if (shape.relu) {
      lanes.zero(a, zero);
      a.emit(lanes.wide() ? VMAXPD : VMAXPS, x(s), x(zero), x(s));
    }
    if (count > 1) {
      a.emit(VMOVUPS_STORE, to, x(s));
    } else {
      a.emit(lanes.wide() ? VMOVSD_STORE : VMOVSS_STORE, to, x(s));
    }
  }
}
