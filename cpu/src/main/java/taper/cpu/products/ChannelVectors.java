package taper.cpu.products;

import static taper.cpu.assembler.Condition.EQUAL;
import static taper.cpu.assembler.Condition.NOT_EQUAL;
import static taper.cpu.assembler.Instruction.VMOVUPS;
import static taper.cpu.assembler.Instruction.VPERM2F128;
import static taper.cpu.assembler.Instruction.VSHUFF32X4;
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
import static taper.cpu.assembler.Register.RBP;
import static taper.cpu.assembler.Register.RBX;
import static taper.cpu.assembler.Register.RCX;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RDX;
import static taper.cpu.assembler.Register.RSI;

import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeTable;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;
import taper.cpu.parallel.Raw;

/// Turns rows of `float32` into vectors and back, assembled: element `p` of row `r` is lane `r` of vector `p`.
///
/// A row is a channel of an image, or what else becomes a lane; there are as many as a register has lanes,
/// or fewer, whose lanes are zero. Blocks of as many columns as rows are transposed in registers: pairs of
/// rows are interleaved by elements, pairs of those by pairs, then by 128 bits, one stage for each factor of
/// two. Two loops around it run over rows of an image and over blocks of channels.
final class ChannelVectors {

  /// What one kernel is specialised to.
  ///
  /// @param rows how many of the lanes have a row
  /// @param back whether vectors become rows
  private record Shape(Lanes lanes, int rows, boolean back) {}

  /// One of the two loops around the blocks: how often, and how far apart on the side of rows and of vectors,
  /// in bytes. Immutable.
  record Loop(int count, long rows, long vectors) {
    static final Loop ONCE = new Loop(1, 0, 0);
  }

  // The arguments, as offsets into a block of longs.
  private static final int ROWS = 0;
  private static final int VECTORS = 8;
  private static final int ROW = 16;
  private static final int STEP = 24;
  private static final int BLOCKS = 32;
  private static final int REST = 40;
  private static final int MASK = 48;
  private static final int INNER = 56;
  private static final int INNER_ROWS = 64;
  private static final int INNER_VECTORS = 72;
  private static final int OUTER = 80;
  private static final int OUTER_ROWS = 88;
  private static final int OUTER_VECTORS = 96;

  private static final CodeTable CACHE = new CodeTable(1 << 8);
  private static final Register[] SAVED = {RBX, RBP, R12, R13, R14, R15};

  private final Assembler a = new Assembler();
  private final Shape shape;
  private final Lanes lanes;
  private final int side;

  private ChannelVectors(Shape shape) {
    this.shape = shape;
    this.lanes = shape.lanes;
    this.side = lanes.count();
  }

  /// Makes vectors of `channels` rows of `length` elements.
  ///
  /// @param rows where they lie
  /// @param row their distance in bytes
  /// @param vectors where the first block of vectors goes
  /// @param step the distance of vectors in bytes, `nextBlock` that of the vectors of further channels
  /// @param inner a loop around it
  static void gather(
      long block,
      Lanes lanes,
      int channels,
      int length,
      long rows,
      long row,
      long vectors,
      long step,
      long nextBlock,
      Loop inner) {
    run(block, lanes, false, channels, length, rows, row, vectors, step, nextBlock, inner);
  }

  /// Makes rows of vectors; the arguments are those of [#gather].
  static void scatter(
      long block,
      Lanes lanes,
      int channels,
      int length,
      long rows,
      long row,
      long vectors,
      long step,
      long nextBlock,
      Loop inner) {
    run(block, lanes, true, channels, length, rows, row, vectors, step, nextBlock, inner);
  }

  private static void run(
      long block,
      Lanes lanes,
      boolean back,
      int channels,
      int length,
      long rows,
      long row,
      long vectors,
      long step,
      long nextBlock,
      Loop inner) {
    if (length == 0 || inner.count == 0) {
      return;
    }
    int side = lanes.count();
    Raw.put(block + ROW, row);
    Raw.put(block + STEP, step);
    Raw.put(block + BLOCKS, length / side);
    Raw.put(block + REST, length % side);
    Raw.put(block + MASK, lanes.mask(length % side));
    Raw.put(block + INNER, inner.count);
    Raw.put(block + INNER_ROWS, inner.rows);
    Raw.put(block + INNER_VECTORS, inner.vectors);
    Raw.put(block + OUTER_ROWS, side * row);
    Raw.put(block + OUTER_VECTORS, nextBlock);
    int full = channels / side;
    if (full > 0) {
      Raw.put(block + ROWS, rows);
      Raw.put(block + VECTORS, vectors);
      Raw.put(block + OUTER, full);
      of(lanes, side, back).run(block);
    }
    if (channels % side != 0) {
      Raw.put(block + ROWS, rows + full * side * row);
      Raw.put(block + VECTORS, vectors + full * nextBlock);
      Raw.put(block + OUTER, 1);
      of(lanes, channels % side, back).run(block);
    }
  }

  private static Code of(Lanes lanes, int rows, boolean back) {
    int key = (lanes.key() << 5 | rows) << 1 | (back ? 1 : 0);
    Code code = CACHE.find(key);
    return code != null
        ? code
        : CACHE.add(key, () -> new ChannelVectors(new Shape(lanes, rows, back)).assemble());
  }

  private Code assemble() {
    a.push(SAVED);
    // R8, R10, R11, R12 are 1, 3, 5 and 7 times the distance of rows.
    a.mov(R8, Memory.at(RDI, ROW));
    a.lea(R10, Memory.at(R8, R8, 2, 0));
    a.lea(R11, Memory.at(R8, R8, 4, 0));
    a.lea(R12, Memory.at(R10, R8, 4, 0));
    a.mov(R9, Memory.at(RDI, STEP));
    a.mov(R14, Memory.at(RDI, ROWS));
    a.mov(R15, Memory.at(RDI, VECTORS));
    a.mov(RBX, Memory.at(RDI, OUTER));
    if (lanes.masks()) {
      lanes.loadMask(a, Memory.at(RDI, MASK), -1);
    }
    a.repeat(
        RBX,
        () -> {
          a.push(R14);
          a.push(R15);
          a.mov(RBP, Memory.at(RDI, INNER));
          a.repeat(
              RBP,
              () -> {
                line();
                a.add(R14, Memory.at(RDI, INNER_ROWS));
                a.add(R15, Memory.at(RDI, INNER_VECTORS));
              });
          a.pop(R15);
          a.pop(R14);
          a.add(R14, Memory.at(RDI, OUTER_ROWS));
          a.add(R15, Memory.at(RDI, OUTER_VECTORS));
        });
    a.vzeroupper();
    a.pop(SAVED);
    a.ret();
    return a.install();
  }

  /// The blocks of a line; RSI points to the rows, RDX to the vectors.
  private void line() {
    var rest = new Label();
    var done = new Label();
    a.mov(RSI, R14);
    a.mov(RDX, R15);
    a.mov(RCX, Memory.at(RDI, BLOCKS));
    a.test(RCX, RCX);
    a.jump(EQUAL, rest);
    var loop = new Label();
    a.bind(loop);
    block(false, done);
    a.add(RSI, lanes.vectorBytes());
    a.dec(RCX);
    a.jump(NOT_EQUAL, loop);
    a.bind(rest);
    a.mov(RCX, Memory.at(RDI, REST));
    a.test(RCX, RCX);
    a.jump(EQUAL, done);
    block(true, done);
    a.bind(done);
  }

  private void block(boolean partial, Label done) {
    a.lea(R13, Memory.at(RSI, R8, 1, 0));
    if (shape.back) {
      for (int p = 0; p < side; p++) {
        load(p, Memory.at(RDX));
        a.add(RDX, R9);
      }
      transpose();
      maskIf(partial);
      for (int r = 0; r < shape.rows; r++) {
        if (partial) {
          lanes.storeMasked(a, row(r), r, side * 2 - 1);
        } else {
          lanes.store(a, row(r), r);
        }
      }
      return;
    }
    maskIf(partial);
    for (int r = 0; r < side; r++) {
      if (r >= shape.rows) {
        lanes.zero(a, r);
      } else if (partial) {
        lanes.loadMasked(a, r, row(r), side * 2 - 1);
      } else {
        load(r, row(r));
      }
    }
    transpose();
    for (int p = 0; p < side; p++) {
      lanes.store(a, Memory.at(RDX), p);
      a.add(RDX, R9);
      if (partial && p < side - 1) {
        a.dec(RCX);
        a.jump(EQUAL, done);
      }
    }
  }

  private void load(int register, Memory from) {
    a.emit(VMOVUPS, lanes.v(register), from);
  }

  private void maskIf(boolean partial) {
    if (partial && !lanes.masks()) {
      lanes.loadMask(a, Memory.at(RDI, MASK), side * 2 - 1);
    }
  }

  private Memory row(int r) {
    if (r == 0) {
      return Memory.at(RSI);
    }
    if (r == 1) {
      return Memory.at(R13);
    }
    if (r > 8 && r % 2 == 1) {
      return along(R13, r - 1);
    }
    return along(RSI, r);
  }

  /// `base` and `r` times the distance of rows.
  private static Memory along(Register base, int r) {
    return switch (r) {
      case 2, 4, 8 -> Memory.at(base, R8, r, 0);
      case 3, 6, 12 -> Memory.at(base, R10, r / 3, 0);
      case 5, 10 -> Memory.at(base, R11, r / 5, 0);
      case 7, 14 -> Memory.at(base, R12, r / 7, 0);
      default -> throw new IllegalArgumentException();
    };
  }

  private void two(Instruction low, Instruction high, int d, int e, int x, int y) {
    a.emit(low, lanes.v(d), lanes.v(x), lanes.v(y));
    a.emit(high, lanes.v(e), lanes.v(x), lanes.v(y));
  }

  private void two(Instruction i, int low, int high, int d, int e, int x, int y) {
    a.emit(i, low, lanes.v(d), lanes.v(x), lanes.v(y));
    a.emit(i, high, lanes.v(e), lanes.v(x), lanes.v(y));
  }

  /// Transposes registers 0 to `side - 1`; as many above them are for work.
  private void transpose() {
    for (int r = 0; r < side; r += 2) {
      two(VUNPCKLPS, VUNPCKHPS, side + r, side + r + 1, r, r + 1);
    }
    // Of rows r to r + 3: elements 0 and 1 of each 128 bits in register r, r + 1 and so on.
    for (int r = 0; r < side; r += 4) {
      two(VUNPCKLPD, VUNPCKHPD, r, r + 1, side + r, side + r + 2);
      two(VUNPCKLPD, VUNPCKHPD, r + 2, r + 3, side + r + 1, side + r + 3);
    }
    if (side == 8) {
      for (int p = 0; p < 4; p++) {
        two(VPERM2F128, 0x20, 0x31, 8 + p, 12 + p, p, 4 + p);
      }
      for (int p = 0; p < 8; p++) {
        a.emit(VMOVUPS, lanes.v(p), lanes.v(8 + p));
      }
      return;
    }
    // Quarters: 0 and 2 of two rows of four, then 1 and 3.
    for (int p = 0; p < 4; p++) {
      two(VSHUFF32X4, 0x88, 0xDD, 16 + p, 20 + p, p, 4 + p);
      two(VSHUFF32X4, 0x88, 0xDD, 24 + p, 28 + p, 8 + p, 12 + p);
    }
    for (int p = 0; p < 4; p++) {
      two(VSHUFF32X4, 0x88, 0xDD, p, 8 + p, 16 + p, 24 + p);
      two(VSHUFF32X4, 0x88, 0xDD, 4 + p, 12 + p, 20 + p, 28 + p);
    }
  }
}
