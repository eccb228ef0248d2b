package taper.cpu.products;

import static taper.cpu.assembler.Condition.EQUAL;
import static taper.cpu.assembler.Condition.NOT_EQUAL;
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

import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeTable;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;

/// A batch-reduce product whose sum is cut into segments, assembled.
///
/// `C = relu(C + Σ over segments s and p of A_s[·, p] × B_s[p, ·] + bias)` for a tile of `rows` × `vectors`
/// registers, and then for the tiles beside it. Within a segment, rows, steps and vectors are at constant
/// distances; where a segment starts in A and in B a table says. This is the batch-reduce kernel of Georganas
/// et al. 2020, arXiv:1906.06440, as they define it; [BatchReduce] has a table for each row of B instead, and
/// masks.
final class SegmentProduct {

  /// What one kernel is specialised to.
  ///
  /// @param adjacent whether the steps of A are one element
  /// @param accumulate whether C is added to
  /// @param bias whether there is one for each column
  /// @param relu whether negative results become zero
  record Shape(
      Lanes lanes,
      int rows,
      int vectors,
      boolean adjacent,
      boolean accumulate,
      boolean bias,
      boolean relu) {

    private int key() {
      int key = ((lanes.key() << 4 | rows) << 2 | vectors) << 4;
      return key | (adjacent ? 8 : 0) | (accumulate ? 4 : 0) | (bias ? 2 : 0) | (relu ? 1 : 0);
    }
  }

  // The arguments, as offsets into a block of longs.
  static final int A = 0;
  static final int B = 8;
  static final int C = 16;

  /// The steps of a segment.
  static final int DEPTH = 24;

  /// The address of a table of two byte offsets a segment, into A and B.
  static final int TABLE = 32;

  static final int SEGMENTS = 40;
  static final int ROW_A = 48;
  static final int STEP_A = 56;
  static final int STEP_B = 64;
  static final int ROW_C = 72;
  static final int TILES = 80;
  static final int TILE_A = 88;
  static final int TILE_C = 96;

  /// The address of the bias of the first column.
  static final int BIAS = 104;

  /// Unless steps of A are adjacent: how far ahead of its rows something is asked for that a later call will need.
  static final int AHEAD = 120;

  private static final int LEFT = 112;

  private static final int UNROLL = 4;
  private static final int GROUP = 3;
  private static final CodeTable CACHE = new CodeTable(1 << 12);
  private static final Register[] SAVED = {RBX, RBP, R12, R13, R14, R15};
  private static final Register[] ROW_POINTERS = {RSI, R13, R14, R15, RBP};

  private final Assembler a = new Assembler();
  private final Shape shape;
  private final Lanes lanes;
  private final int accumulators;
  private final int spare;
  private final int spares;

  private SegmentProduct(Shape shape) {
    this.shape = shape;
    this.lanes = shape.lanes;
    this.accumulators = shape.rows * shape.vectors;
    this.spare = accumulators + shape.vectors;
    this.spares = lanes.isa().registers() - spare;
    assert spares >= 1 : shape;
  }

  /// The kernel for `shape`, to be run with the address of its argument block.
  static Code of(Shape shape) {
    Code code = CACHE.find(shape.key());
    return code != null ? code : CACHE.add(shape.key(), () -> new SegmentProduct(shape).assemble());
  }

  private int groups() {
    return Math.ceilDiv(shape.rows, GROUP);
  }

  private Code assemble() {
    a.push(SAVED);
    a.mov(R10, Memory.at(RDI, A));
    a.mov(R11, Memory.at(RDI, C));
    a.mov(R12, Memory.at(RDI, ROW_A));
    a.mov(R9, Memory.at(RDI, STEP_B));
    a.mov(RBX, Memory.at(RDI, TILES));
    var tile = new Label();
    a.align(16);
    a.bind(tile);
    for (int i = 0; i < accumulators; i++) {
      lanes.zero(a, i);
    }
    sum();
    finish();
    a.add(R10, Memory.at(RDI, TILE_A));
    a.add(R11, Memory.at(RDI, TILE_C));
    a.dec(RBX);
    a.jump(NOT_EQUAL, tile);
    a.vzeroupper();
    a.pop(SAVED);
    a.ret();
    return a.install();
  }

  private void sum() {
    a.mov(R8, Memory.at(RDI, TABLE));
    a.mov(RAX, Memory.at(RDI, SEGMENTS));
    a.mov(Memory.at(RDI, LEFT), RAX);
    var segment = new Label();
    a.bind(segment);
    a.mov(RSI, Memory.at(R8));
    a.add(RSI, R10);
    a.mov(RDX, Memory.at(RDI, B));
    a.add(RDX, Memory.at(R8, 8));
    if (!shape.adjacent) {
      a.mov(RAX, Memory.at(RDI, AHEAD));
    }
    for (int g = 1; g < groups(); g++) {
      a.lea(ROW_POINTERS[g], Memory.at(ROW_POINTERS[g - 1], R12, 2, 0));
      a.add(ROW_POINTERS[g], R12);
    }
    var rest = new Label();
    var done = new Label();
    a.mov(RCX, Memory.at(RDI, DEPTH));
    a.shr(RCX, 2);
    a.jump(EQUAL, rest);
    a.repeat(RCX, () -> steps(UNROLL));
    a.bind(rest);
    a.mov(RCX, Memory.at(RDI, DEPTH));
    a.and(RCX, UNROLL - 1);
    a.jump(EQUAL, done);
    a.repeat(RCX, () -> steps(1));
    a.bind(done);
    a.add(R8, 16);
    a.mov(RAX, Memory.at(RDI, LEFT));
    a.dec(RAX);
    a.mov(Memory.at(RDI, LEFT), RAX);
    a.jump(NOT_EQUAL, segment);
  }

  private void steps(int count) {
    int next = 0;
    for (int u = 0; u < count; u++) {
      for (int v = 0; v < shape.vectors; v++) {
        lanes.load(a, accumulators + v, Memory.at(RDX, v * lanes.vectorBytes()));
      }
      for (int r = 0; r < shape.rows; r++) {
        int element = spare + next;
        next = (next + 1) % spares;
        int offset = shape.adjacent ? u * lanes.bytes() : 0;
        Register pointer = ROW_POINTERS[r / GROUP];
        int place = r % GROUP;
        lanes.broadcast(
            a,
            element,
            place == 0 ? Memory.at(pointer, offset) : Memory.at(pointer, R12, place, offset));
        for (int v = 0; v < shape.vectors; v++) {
          lanes.multiplyAdd(a, r * shape.vectors + v, element, lanes.v(accumulators + v));
        }
      }
      a.add(RDX, R9);
      if (!shape.adjacent) {
        a.prefetcht1(Memory.at(RSI, RAX, 1, 0));
        for (int g = 0; g < groups(); g++) {
          a.add(ROW_POINTERS[g], Memory.at(RDI, STEP_A));
        }
      }
    }
    if (shape.adjacent) {
      for (int g = 0; g < groups(); g++) {
        a.add(ROW_POINTERS[g], count * lanes.bytes());
      }
    }
  }

  private void finish() {
    a.mov(RDX, R11);
    a.mov(R8, Memory.at(RDI, ROW_C));
    if (shape.bias) {
      a.mov(RAX, Memory.at(RDI, BIAS));
      for (int v = 0; v < shape.vectors; v++) {
        lanes.load(a, accumulators + v, Memory.at(RAX, v * lanes.vectorBytes()));
      }
    }
    if (shape.relu) {
      lanes.zero(a, spare);
    }
    for (int r = 0; r < shape.rows; r++) {
      for (int v = 0; v < shape.vectors; v++) {
        int sum = r * shape.vectors + v;
        Memory to = Memory.at(RDX, v * lanes.vectorBytes());
        if (shape.accumulate) {
          lanes.add(a, sum, sum, to);
        }
        if (shape.bias) {
          lanes.add(a, sum, sum, lanes.v(accumulators + v));
        }
        if (shape.relu) {
          lanes.max(a, sum, spare, lanes.v(sum));
        }
        lanes.store(a, to, sum);
      }
      a.add(RDX, R8);
    }
  }
}
