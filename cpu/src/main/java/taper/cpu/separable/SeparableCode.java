package taper.cpu.separable;

import static taper.cpu.assembler.Instruction.KMOVW;
import static taper.cpu.assembler.Instruction.KMOVW_COPY;
import static taper.cpu.assembler.Instruction.VADDPS;
import static taper.cpu.assembler.Instruction.VANDPS;
import static taper.cpu.assembler.Instruction.VBROADCASTSS;
import static taper.cpu.assembler.Instruction.VDIVPS;
import static taper.cpu.assembler.Instruction.VFMADD231PS;
import static taper.cpu.assembler.Instruction.VINSERTF128;
import static taper.cpu.assembler.Instruction.VINSERTF64X4;
import static taper.cpu.assembler.Instruction.VINSERTPS;
import static taper.cpu.assembler.Instruction.VMASKMOVPS;
import static taper.cpu.assembler.Instruction.VMASKMOVPS_STORE;
import static taper.cpu.assembler.Instruction.VMOVDQU;
import static taper.cpu.assembler.Instruction.VMOVSS;
import static taper.cpu.assembler.Instruction.VMOVUPS;
import static taper.cpu.assembler.Instruction.VMOVUPS_STORE;
import static taper.cpu.assembler.Instruction.VMULPS;
import static taper.cpu.assembler.Instruction.VPERMI2PS;
import static taper.cpu.assembler.Instruction.VPXOR;
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
import taper.cpu.assembler.Condition;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Mask;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;
import taper.cpu.assembler.Vector;

/// The loops of [SeparableMaps] over images of `float32`, which a [MapTable] directs: the code is the same for all sizes.
///
/// A row of the result is made in two steps. Rows of the image are added, column by column, into a row of the thread's own.
/// From this the columns of the result are put together, a vector at a time: tap by tap, each lane picks an element of that
/// row. Where the elements are neighbours, that is a load; where they are within two vectors, a permutation of these; else
/// they are loaded one by one. Several rows take the first step before any takes the second, since what has just been stored cannot
/// be loaded at another offset before it has reached the cache.
///
/// Lanes without a tap are masked: what is not read cannot spread its NaN.
final class SeparableCode {
  // The arguments, as offsets into a block of longs.

  /// The first image.
  static final int IN = 0;

  /// The first row of the result.
  static final int OUT = 8;

  /// How many images.
  static final int IMAGES = 16;

  /// The first row's entry in the table.
  static final int ROW_TABLE = 24;

  /// How many rows of each image.
  static final int ROWS = 32;

  /// From an image to the next, in bytes.
  static final int IMAGE_BYTES = 40;

  /// The columns of an image.
  static final int COLUMNS = 48;

  /// The vectors' entries in the table.
  static final int VECTOR_TABLE = 56;

  /// How many vectors a row of the result has.
  static final int VECTORS = 64;

  /// Memory for rows.
  static final int OWN_ROWS = 72;

  /// From one of those to the next, in bytes.
  static final int PITCH = 80;

  /// How many of them there are.
  static final int ROWS_AT_ONCE = 88;

  /// A row of the result, in bytes.
  static final int OUT_BYTES = 96;

  private static final int ROWS_LEFT = 104;
  private static final int ROWS_NOW = 112;

  private static final Register[] SAVED = {RBX, RBP, R12, R13, R14, R15};
  private static final Mask TAIL = Mask.K1;
  private static final Mask PICKED = Mask.K1;
  private static final Mask STORED = Mask.K2;

  // Vector registers; 0 to 3 are sums.
  private static final int QUARTERS = 4;
  private static final int WEIGHT = 8;
  private static final int TAIL_MASK = 9;
  private static final int DIVISOR = 10;

  private final Assembler a = new Assembler();
  private final Isa isa;
  private final boolean wide;
  private final Sum sum;
  private final int bytes;
  private final int lanes;

  /// What is done with the elements that belong together.
  enum Sum {
    /// Nothing but to add them.
    PLAIN,
    /// They are added, and the sum is divided.
    DIVIDED,
    /// Each has a weight.
    WEIGHTED
  }

  private SeparableCode(Isa isa, Sum sum) {
    this.isa = isa;
    this.wide = isa == Isa.AVX512;
    this.sum = sum;
    this.bytes = isa.bits() / 8;
    this.lanes = isa.lanes(4);
  }

  static Code assemble(Isa isa, Sum sum) {
    return new SeparableCode(isa, sum).function();
  }

  /// The second step alone, with weights, of rows that lie in memory as they are.
  static Code picks(Isa isa) {
    return new SeparableCode(isa, Sum.WEIGHTED).secondStep();
  }

  private Code secondStep() {
    a.push(SAVED);
    a.mov(RDX, argument(OUT));
    a.mov(RAX, argument(ROWS));
    a.mov(argument(ROWS_NOW), RAX);
    forRowsAtHand(this::putTogether);
    a.pop(SAVED);
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  private Vector v(int number) {
    return isa.vector(number);
  }

  private static Memory argument(int at) {
    return Memory.at(RDI, at);
  }

  private Code function() {
    a.push(SAVED);
    a.mov(RSI, argument(IN));
    a.mov(RDX, argument(OUT));
    var image = new Label();
    var batch = new Label();
    a.bind(image);
    a.mov(R8, argument(ROW_TABLE));
    a.mov(RAX, argument(ROWS));
    a.mov(argument(ROWS_LEFT), RAX);
    a.bind(batch);
    a.mov(RCX, argument(ROWS_AT_ONCE));
    a.mov(RAX, argument(ROWS_LEFT));
    a.cmp(RAX, RCX);
    a.cmov(Condition.LESS, RCX, RAX);
    a.sub(RAX, RCX);
    a.mov(argument(ROWS_LEFT), RAX);
    a.mov(argument(ROWS_NOW), RCX);
    forRowsAtHand(this::addRows);
    a.mov(RAX, argument(ROWS_NOW));
    a.imul(RAX, RAX, MapTable.ROW_BYTES);
    a.sub(R8, RAX);
    forRowsAtHand(this::putTogether);
    a.mov(RAX, argument(ROWS_LEFT));
    a.test(RAX, RAX);
    a.jump(Condition.NOT_EQUAL, batch);
    a.add(RSI, argument(IMAGE_BYTES));
    a.mov(RAX, argument(IMAGES));
    a.dec(RAX);
    a.mov(argument(IMAGES), RAX);
    a.jump(Condition.NOT_EQUAL, image);
    a.pop(SAVED);
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  /// `r12` is the own row, `r8` the table's entry.
  private void forRowsAtHand(Runnable body) {
    a.mov(R9, argument(ROWS_NOW));
    a.mov(R12, argument(OWN_ROWS));
    a.repeat(
        R9,
        () -> {
          body.run();
          a.add(R8, MapTable.ROW_BYTES);
          a.add(R12, argument(PITCH));
        });
  }

  /// The first step of a row.
  private void addRows() {
    a.xor(RAX, RAX);
    a.mov(R10, argument(COLUMNS));
    for (int vectors = 4; vectors > 0; vectors -= 3) {
      var top = new Label();
      var end = new Label();
      a.cmp(R10, vectors * lanes);
      a.jump(Condition.LESS, end);
      a.align(16);
      a.bind(top);
      addRows(vectors, false);
      a.add(RAX, vectors * bytes);
      a.sub(R10, vectors * lanes);
      a.cmp(R10, vectors * lanes);
      a.jump(Condition.GREATER_EQUAL, top);
      a.bind(end);
    }
    var end = new Label();
    a.test(R10, R10);
    a.jump(Condition.EQUAL, end);
    setTail();
    addRows(1, true);
    a.bind(end);
  }

  /// The lanes that `r10` columns take.
  private void setTail() {
    if (wide) {
      a.mov(RBP, -1L);
      a.bzhi(RBP, RBP, R10);
      a.emit(KMOVW, TAIL, RBP);
      return;
    }
    int[] mask = new int[2 * lanes];
    java.util.Arrays.fill(mask, 0, lanes, -1);
    a.lea(RBP, a.ints(mask));
    a.mov(R11, R10);
    a.neg(R11);
    a.emit(VMOVUPS, v(TAIL_MASK), Memory.at(RBP, R11, 4, bytes));
  }

  private void addRows(int vectors, boolean tail) {
    var next = new Label();
    var done = new Label();
    a.mov(R11, Memory.at(R8, MapTable.ROW_TAPS));
    a.mov(RBX, Memory.at(R8, MapTable.ROW_COUNT));
    for (int i = 0; i < vectors; i++) {
      a.emit(VPXOR, v(i), v(i), v(i));
    }
    a.test(RBX, RBX);
    a.jump(Condition.EQUAL, done);
    row();
    for (int i = 0; i < vectors; i++) {
      loadColumns(i, i, tail);
      if (sum == Sum.WEIGHTED) {
        a.emit(VMULPS, v(i), v(i), v(WEIGHT));
      }
    }
    a.dec(RBX);
    a.jump(Condition.EQUAL, done);
    a.bind(next);
    row();
    for (int i = 0; i < vectors; i++) {
      Memory at = Memory.at(RBP, RAX, 1, i * bytes);
      if (tail) {
        loadColumns(i, 4 + i, true);
      }
      if (sum == Sum.WEIGHTED) {
        a.emit(VFMADD231PS, v(i), v(WEIGHT), tail ? v(4 + i) : at);
      } else {
        a.emit(VADDPS, v(i), v(i), tail ? v(4 + i) : at);
      }
    }
    a.dec(RBX);
    a.jump(Condition.NOT_EQUAL, next);
    a.bind(done);
    for (int i = 0; i < vectors; i++) {
      a.emit(VMOVUPS_STORE, Memory.at(R12, RAX, 1, i * bytes), v(i));
    }
  }

  /// `rbp` = the next row that is added.
  private void row() {
    a.mov(RBP, Memory.at(R11, MapTable.TAP_OFFSET));
    a.add(RBP, RSI);
    if (sum == Sum.WEIGHTED) {
      a.emit(VBROADCASTSS, v(WEIGHT), Memory.at(R11, MapTable.TAP_WEIGHT));
    }
    a.add(R11, MapTable.TAP_BYTES);
  }

  private void loadColumns(int index, int register, boolean tail) {
    Memory at = Memory.at(RBP, RAX, 1, index * bytes);
    if (!tail) {
      a.emit(VMOVUPS, v(register), at);
    } else if (wide) {
      a.emit(VMOVUPS, v(register).zeroed(TAIL), at);
    } else {
      a.emit(VMASKMOVPS, v(register), v(TAIL_MASK), at);
    }
  }

  /// The second step of a row.
  private void putTogether() {
    a.mov(R13, argument(VECTOR_TABLE));
    a.mov(R14, argument(VECTORS));
    a.mov(RBX, RDX);
    if (sum == Sum.DIVIDED) {
      a.emit(VBROADCASTSS, v(DIVISOR), Memory.at(R8, MapTable.ROW_DIVISOR));
    }
    a.repeat(R14, this::vector);
    a.add(RDX, argument(OUT_BYTES));
  }

  /// A vector of the result, at `rbx`.
  private void vector() {
    a.mov(R11, R13);
    a.mov(R15, Memory.at(R13, MapTable.VECTOR_COUNT));
    a.mov(RAX, Memory.at(R13, MapTable.VECTOR_PICK));
    a.add(R13, MapTable.vectorBytes(isa));
    var gathered = new Label();
    var permuted = new Label();
    var done = new Label();
    a.emit(VPXOR, v(0), v(0), v(0));
    a.test(R15, R15);
    a.jump(Condition.EQUAL, done);
    a.cmp(RAX, MapTable.Pick.GATHERED.ordinal());
    a.jump(Condition.EQUAL, gathered);
    if (wide) {
      a.cmp(RAX, MapTable.Pick.PERMUTED.ordinal());
      a.jump(Condition.EQUAL, permuted);
    }
    taps(this::load, done);
    if (wide) {
      a.bind(permuted);
      taps(this::permute, done);
    }
    a.bind(gathered);
    taps(this::gather, done);
    a.bind(done);
    if (sum == Sum.DIVIDED) {
      a.emit(VMULPS, v(1), v(DIVISOR), Memory.at(R11, MapTable.VECTOR_DIVISORS));
      a.emit(VDIVPS, v(0), v(0), v(1));
    }
    storeVector();
    a.add(RBX, bytes);
  }

  private interface Picking {
    /// Emits code that picks the elements of a tap into a register.
    void into(int register);
  }

  private void taps(Picking picking, Label done) {
    var next = new Label();
    picking.into(0);
    if (sum == Sum.WEIGHTED) {
      a.emit(VMULPS, v(0), v(0), Memory.at(R13, MapTable.pickWeights(isa)));
    }
    a.add(R13, MapTable.pickBytes(isa));
    a.dec(R15);
    a.jump(Condition.EQUAL, done);
    a.align(16);
    a.bind(next);
    picking.into(1);
    if (sum == Sum.WEIGHTED) {
      a.emit(VFMADD231PS, v(0), v(1), Memory.at(R13, MapTable.pickWeights(isa)));
    } else {
      a.emit(VADDPS, v(0), v(0), v(1));
    }
    a.add(R13, MapTable.pickBytes(isa));
    a.dec(R15);
    a.jump(Condition.NOT_EQUAL, next);
    a.jump(done);
  }

  private void load(int register) {
    a.mov(RBP, Memory.at(R13, MapTable.PICK_OFFSET));
    Memory at = Memory.at(R12, RBP, 1, 0);
    if (wide) {
      a.emit(KMOVW_COPY, PICKED, Memory.at(R13, MapTable.PICK_MASK));
      a.emit(VMOVUPS, v(register).zeroed(PICKED), at);
    } else {
      a.emit(VMOVUPS, v(register), at);
      a.emit(VANDPS, v(register), v(register), Memory.at(R13, MapTable.PICK_LANES));
    }
  }

  private void permute(int register) {
    a.mov(RBP, Memory.at(R13, MapTable.PICK_OFFSET));
    a.emit(KMOVW_COPY, PICKED, Memory.at(R13, MapTable.PICK_MASK));
    a.emit(VMOVUPS, v(2), Memory.at(R12, RBP, 1, 0));
    a.emit(VMOVDQU, v(register), Memory.at(R13, MapTable.PICK_INDICES));
    a.emit(VPERMI2PS, v(register).zeroed(PICKED), v(2), Memory.at(R12, RBP, 1, bytes));
  }

  /// One load for each lane, twice as fast as a gather instruction (Zen 5). Lanes without a tap have a valid index, too.
  private void gather(int register) {
    for (int quarter = 0; quarter < lanes / 4; quarter++) {
      Vector four = Vector.xmm(quarter == 0 ? register : QUARTERS + quarter);
      for (int i = 0; i < 4; i++) {
        Register index = i % 2 == 0 ? RBP : RAX;
        a.movl(index, Memory.at(R13, MapTable.PICK_INDICES + 16 * quarter + 4 * i));
        Memory element = Memory.at(R12, index, 4, 0);
        if (i == 0) {
          a.emit(VMOVSS, four, element);
        } else {
          a.emit(VINSERTPS, i << 4, four, four, element);
        }
      }
    }
    Vector low = Vector.ymm(register);
    a.emit(VINSERTF128, 1, low, low, Vector.xmm(QUARTERS + 1));
    if (wide) {
      Vector high = Vector.ymm(QUARTERS + 2);
      a.emit(VINSERTF128, 1, high, high, Vector.xmm(QUARTERS + 3));
      a.emit(VINSERTF64X4, 1, v(register), v(register), high);
      a.emit(KMOVW_COPY, PICKED, Memory.at(R13, MapTable.PICK_MASK));
      a.emit(VMOVUPS, v(register).zeroed(PICKED), v(register));
    } else {
      a.emit(VANDPS, v(register), v(register), Memory.at(R13, MapTable.PICK_LANES));
    }
  }

  private void storeVector() {
    if (wide) {
      a.emit(KMOVW_COPY, STORED, Memory.at(R11, MapTable.VECTOR_MASK));
      a.emit(VMOVUPS_STORE, Memory.at(RBX).masked(STORED), v(0));
      return;
    }
    var part = new Label();
    var end = new Label();
    a.mov(RAX, Memory.at(R11, MapTable.VECTOR_MASK));
    a.cmp(RAX, (1 << lanes) - 1);
    a.jump(Condition.NOT_EQUAL, part);
    a.emit(VMOVUPS_STORE, Memory.at(RBX), v(0));
    a.jump(end);
    a.bind(part);
    a.emit(VMOVUPS, v(1), Memory.at(R11, MapTable.VECTOR_LANES));
    a.emit(VMASKMOVPS_STORE, Memory.at(RBX), v(1), v(0));
    a.bind(end);
  }
}
