package taper.cpu.products;

import static taper.cpu.assembler.Condition.EQUAL;
import static taper.cpu.assembler.Instruction.KMOVW;
import static taper.cpu.assembler.Instruction.VMOVUPD;
import static taper.cpu.assembler.Instruction.VMOVUPS;
import static taper.cpu.assembler.Instruction.VMOVUPS_STORE;
import static taper.cpu.assembler.Instruction.VPXOR;
import static taper.cpu.assembler.Instruction.VSHUFF32X4;
import static taper.cpu.assembler.Instruction.VUNPCKHPD;
import static taper.cpu.assembler.Instruction.VUNPCKHPS;
import static taper.cpu.assembler.Instruction.VUNPCKLPD;
import static taper.cpu.assembler.Instruction.VUNPCKLPS;
import static taper.cpu.assembler.Register.R10;
import static taper.cpu.assembler.Register.R11;
import static taper.cpu.assembler.Register.R8;
import static taper.cpu.assembler.Register.R9;
import static taper.cpu.assembler.Register.RAX;
import static taper.cpu.assembler.Register.RBX;
import static taper.cpu.assembler.Register.RCX;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RDX;
import static taper.cpu.assembler.Register.RSI;

import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeTable;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Mask;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Vector;
import taper.cpu.parallel.Raw;

/// Transposes a strip of up to 16 rows (8 of doubles) of contiguous numbers, with AVX-512: element `p` of row
/// `r` goes to element `r` of row `p`.
///
/// A block of 16 × 16 is 16 loads, 64 shuffles and 16 stores, half a shuffle a cycle and four elements:
/// quadruples of rows are transposed within the quarters of registers (`vunpck`), then the quarters between
/// registers (`vshuff32x4`), as a matrix of 4 × 4 matrices is.
///
/// Each row is written as a whole register, 64 bytes, however short the strip; what lies behind the strip
/// becomes zero.
final class WideTransposition {
  // The arguments, as offsets into a block of longs.
  static final int FROM = 0;
  static final int FROM_ROW = 8;
  static final int TO = 16;
  static final int TO_ROW = 24;

  /// Whole blocks along a row, then the elements left over, and a mask of as many lanes.
  static final int BLOCKS = 32;

  static final int REST = 40;
  static final int MASK = 48;

  private static final CodeTable CACHE = new CodeTable(1 << 6);

  private final Assembler a = new Assembler();
  private final int rows;
  private final boolean wide;
  private final int side;

  private WideTransposition(int rows, boolean wide) {
    this.rows = rows;
    this.wide = wide;
    this.side = side(wide);
  }

  /// The longest strip.
  static int side(boolean wide) {
    return wide ? 8 : 16;
  }

  /// Transposes `rows` rows of `length` elements, with `block` as argument block.
  static void run(
      long block,
      boolean wide,
      int rows,
      int length,
      long from,
      long fromRow,
      long to,
      long toRow) {
    int rest = length % side(wide);
    Raw.put(block + FROM, from);
    Raw.put(block + FROM_ROW, fromRow);
    Raw.put(block + TO, to);
    Raw.put(block + TO_ROW, toRow);
    Raw.put(block + BLOCKS, length / side(wide));
    Raw.put(block + REST, rest);
    Raw.put(block + MASK, (1L << rest) - 1);
    int key = rows << 1 | (wide ? 1 : 0);
    Code code = CACHE.find(key);
    if (code == null) {
      code = CACHE.add(key, () -> new WideTransposition(rows, wide).assemble());
    }
    code.run(block);
  }

  private static Vector z(int n) {
    return Vector.zmm(n);
  }

  private Code assemble() {
    a.push(RBX);
    a.mov(RSI, Memory.at(RDI, FROM));
    a.mov(RDX, Memory.at(RDI, TO));
    // Odd multiples of the distance of rows; even ones come by scaling.
    a.mov(R8, Memory.at(RDI, FROM_ROW));
    a.lea(R9, Memory.at(R8, R8, 2, 0));
    a.lea(R10, Memory.at(R8, R8, 4, 0));
    a.lea(R11, Memory.at(R9, R8, 4, 0));
    a.lea(RBX, Memory.at(RSI, R8, 8, 0));
    a.mov(RAX, Memory.at(RDI, TO_ROW));
    var rest = new Label();
    var done = new Label();
    a.mov(RCX, Memory.at(RDI, BLOCKS));
    a.test(RCX, RCX);
    a.jump(EQUAL, rest);
    a.repeat(
        RCX,
        () -> {
          load(false);
          quarters();
          for (int p = 0; p < side; p++) {
            storeColumn(p);
          }
          a.add(RSI, 64);
          a.add(RBX, 64);
        });
    a.bind(rest);
    a.mov(RCX, Memory.at(RDI, REST));
    a.test(RCX, RCX);
    a.jump(EQUAL, done);
    a.movl(R8, Memory.at(RDI, MASK));
    a.emit(KMOVW, Mask.K1, R8);
    a.mov(R8, Memory.at(RDI, FROM_ROW));
    load(true);
    quarters();
    for (int p = 0; p < side - 1; p++) {
      storeColumn(p);
      a.dec(RCX);
      a.jump(EQUAL, done);
    }
    a.bind(done);
    a.vzeroupper();
    a.pop(RBX);
    a.ret();
    return a.install();
  }

  private Memory row(int r) {
    var base = r < 8 ? RSI : RBX;
    return switch (r % 8) {
      case 0 -> Memory.at(base);
      case 1 -> Memory.at(base, R8, 1, 0);
      case 2 -> Memory.at(base, R8, 2, 0);
      case 3 -> Memory.at(base, R9, 1, 0);
      case 4 -> Memory.at(base, R8, 4, 0);
      case 5 -> Memory.at(base, R10, 1, 0);
      case 6 -> Memory.at(base, R9, 2, 0);
      default -> Memory.at(base, R11, 1, 0);
    };
  }

  /// Where the rows are loaded to: two steps lead from there to registers 16 and up with doubles, three else.
  private int first() {
    return wide ? 16 : 0;
  }

  private void load(boolean masked) {
    for (int r = 0; r < side; r++) {
      Vector to = z(first() + r);
      if (r >= rows) {
        a.emit(VPXOR, to, to, to);
      } else if (masked) {
        a.emit(wide ? VMOVUPD : VMOVUPS, to.zeroed(Mask.K1), row(r));
      } else {
        a.emit(VMOVUPS, to, row(r));
      }
    }
  }

  /// Leaves in register `16 + 4 * c + i` half of what the columns of remainder `c` are made of.
  private void quarters() {
    int columns = side / 4; // in a quarter of a register
    if (wide) {
      for (int r = 0; r < 8; r += 2) {
        a.emit(VUNPCKLPD, z(r), z(16 + r), z(17 + r));
        a.emit(VUNPCKHPD, z(r + 1), z(16 + r), z(17 + r));
      }
    } else {
      for (int r = 0; r < 16; r += 2) {
        a.emit(VUNPCKLPS, z(16 + r), z(r), z(r + 1));
        a.emit(VUNPCKHPS, z(17 + r), z(r), z(r + 1));
      }
      for (int q = 0; q < 16; q += 4) {
        a.emit(VUNPCKLPD, z(q), z(16 + q), z(18 + q));
        a.emit(VUNPCKHPD, z(q + 1), z(16 + q), z(18 + q));
        a.emit(VUNPCKLPD, z(q + 2), z(17 + q), z(19 + q));
        a.emit(VUNPCKHPD, z(q + 3), z(17 + q), z(19 + q));
      }
    }
    // Register g * columns + c now holds, in quarter l, column l * columns + c of the rows of group
    // g.
    for (int c = 0; c < columns; c++) {
      int t = 16 + 4 * c;
      a.emit(VSHUFF32X4, 0x88, z(t), z(c), z(columns + c));
      a.emit(VSHUFF32X4, 0xDD, z(t + 1), z(c), z(columns + c));
      a.emit(VSHUFF32X4, 0x88, z(t + 2), z(2 * columns + c), z(3 * columns + c));
      a.emit(VSHUFF32X4, 0xDD, z(t + 3), z(2 * columns + c), z(3 * columns + c));
    }
  }

  /// Stores column `p` as a row and moves on.
  private void storeColumn(int p) {
    int columns = side / 4;
    int quarter = p / columns;
    int t = 16 + 4 * (p % columns) + quarter % 2;
    a.emit(VSHUFF32X4, quarter < 2 ? 0x88 : 0xDD, z(p % 16), z(t), z(t + 2));
    a.emit(VMOVUPS_STORE, Memory.at(RDX), z(p % 16));
    a.add(RDX, RAX);
  }
}
