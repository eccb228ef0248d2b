package taper.cpu.products;

import static taper.cpu.assembler.Condition.EQUAL;
import static taper.cpu.assembler.Instruction.VMASKMOVPD;
import static taper.cpu.assembler.Instruction.VMASKMOVPS;
import static taper.cpu.assembler.Instruction.VMOVUPS;
import static taper.cpu.assembler.Instruction.VMOVUPS_STORE;
import static taper.cpu.assembler.Instruction.VPERM2F128;
import static taper.cpu.assembler.Instruction.VUNPCKHPD;
import static taper.cpu.assembler.Instruction.VUNPCKHPS;
import static taper.cpu.assembler.Instruction.VUNPCKLPD;
import static taper.cpu.assembler.Instruction.VUNPCKLPS;
import static taper.cpu.assembler.Instruction.VXORPS;
import static taper.cpu.assembler.Register.R10;
import static taper.cpu.assembler.Register.R11;
import static taper.cpu.assembler.Register.R8;
import static taper.cpu.assembler.Register.R9;
import static taper.cpu.assembler.Register.RAX;
import static taper.cpu.assembler.Register.RCX;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RDX;
import static taper.cpu.assembler.Register.RSI;

import java.util.Arrays;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeTable;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;
import taper.cpu.assembler.Vector;
import taper.cpu.parallel.Raw;

/// Transposes a strip of up to 8 rows (4 of doubles) of contiguous numbers: element `p` of row `r` goes to
/// element `r` of row `p`. Assembled; blocks of 8 × 8 in 8 registers of 256 bits and 24 shuffles.
///
/// Each row is written as a whole register, 32 bytes, however short the strip: strips that share rows are
/// to be transposed from right to left, and 32 bytes behind the last row must be there.
///
/// Source: Intel 64 optimization manual, section 15.11 (transposition with `vunpck` and `vperm2f128`).
public final class Transposition {

  /// What one kernel is specialised to.
  ///
  /// @param rows rows of the strip
  /// @param wide whether elements are doubles
  record Shape(int rows, boolean wide) {
    int side() {
      return wide ? 4 : 8;
    }
  }

  // The arguments, as offsets into a block of longs.
  static final int FROM = 0;
  static final int FROM_ROW = 8;
  static final int TO = 16;
  static final int TO_ROW = 24;

  /// Whole blocks along a row, then the elements left over.
  static final int BLOCKS = 32;

  static final int REST = 40;

  private static final CodeTable CACHE = new CodeTable(1 << 5);

  private final Assembler a = new Assembler();
  private final Shape shape;

  private Transposition(Shape shape) {
    this.shape = shape;
  }

  /// Transposes `rows` rows of `length` elements, with `block` as argument block.
  public static void run(
      long block,
      boolean wide,
      int rows,
      int length,
      long from,
      long fromRow,
      long to,
      long toRow) {
    Raw.put(block + FROM, from);
    Raw.put(block + FROM_ROW, fromRow);
    Raw.put(block + TO, to);
    Raw.put(block + TO_ROW, toRow);
    Raw.put(block + BLOCKS, length / side(wide));
    Raw.put(block + REST, length % side(wide));
    of(rows, wide).run(block);
  }

  private static Code of(int rows, boolean wide) {
    int key = rows << 1 | (wide ? 1 : 0);
    Code code = CACHE.find(key);
    return code != null
        ? code
        : CACHE.add(key, () -> new Transposition(new Shape(rows, wide)).assemble());
  }

  /// The longest strip.
  public static int side(boolean wide) {
    return wide ? 4 : 8;
  }

  private static Vector y(int n) {
    return Vector.ymm(n);
  }

  /// A place that holds `set` elements of ones and then as many of zeros.
  private Label ones(int set, int zeros) {
    int bytes = shape.wide ? 8 : 4;
    byte[] content = new byte[(set + zeros) * bytes];
    Arrays.fill(content, 0, set * bytes, (byte) -1);
    return a.data(content);
  }

  private Code assemble() {
    int side = shape.side();
    a.mov(RSI, Memory.at(RDI, FROM));
    a.mov(RDX, Memory.at(RDI, TO));
    a.mov(R8, Memory.at(RDI, FROM_ROW));
    a.mov(R9, Memory.at(RDI, TO_ROW));
    var rest = new Label();
    var done = new Label();
    a.mov(RCX, Memory.at(RDI, BLOCKS));
    a.test(RCX, RCX);
    a.jump(EQUAL, rest);
    a.repeat(
        RCX,
        () -> {
          block(false);
          for (int p = 0; p < side; p++) {
            storeColumn(p);
          }
          a.add(RSI, 32);
        });
    a.bind(rest);
    a.mov(RCX, Memory.at(RDI, REST));
    a.test(RCX, RCX);
    a.jump(EQUAL, done);
    // The mask of the first RCX elements: from a row of ones and zeros, starting side - RCX in.
    a.lea(RAX, ones(side, side));
    a.mov(R10, RCX);
    a.shl(R10, shape.wide ? 3 : 2);
    a.sub(RAX, R10);
    a.emit(VMOVUPS, y(15), Memory.at(RAX, 32));
    block(true);
    for (int p = 0; p < side - 1; p++) {
      storeColumn(p);
      a.dec(RCX);
      a.jump(EQUAL, done);
    }
    a.bind(done);
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  /// Loads a block and leaves its columns in registers 0 to 7 (0 to 3).
  private void block(boolean masked) {
    // Row pointers: RSI + 0, 1, 2 × R8, then R10 = RSI + 3 R8 likewise, then R11 = RSI + 6 R8.
    Register[] pointers = {RSI, R10, R11};
    for (int g = 1; 3 * g < shape.rows; g++) {
      a.lea(pointers[g], Memory.at(pointers[g - 1], R8, 2, 0));
      a.add(pointers[g], R8);
    }
    for (int r = 0; r < shape.side(); r++) {
      if (r >= shape.rows) {
        a.emit(VXORPS, y(r), y(r), y(r));
        continue;
      }
      Register pointer = pointers[r / 3];
      Memory from = r % 3 == 0 ? Memory.at(pointer) : Memory.at(pointer, R8, r % 3, 0);
      if (masked) {
        a.emit(shape.wide ? VMASKMOVPD : VMASKMOVPS, y(r), y(15), from);
      } else {
        a.emit(VMOVUPS, y(r), from);
      }
    }
    if (shape.wide) {
      for (int r = 0; r < 4; r += 2) {
        a.emit(VUNPCKLPD, y(8 + r), y(r), y(r + 1)); // elements 0, 2 of rows r, r + 1
        a.emit(VUNPCKHPD, y(9 + r), y(r), y(r + 1)); // elements 1, 3
      }
      a.emit(VPERM2F128, 0x20, y(0), y(8), y(10));
      a.emit(VPERM2F128, 0x20, y(1), y(9), y(11));
      a.emit(VPERM2F128, 0x31, y(2), y(8), y(10));
      a.emit(VPERM2F128, 0x31, y(3), y(9), y(11));
      return;
    }
    // Pairs of rows: elements 0 1 (4 5), then 2 3 (6 7), interleaved. Register 14 is spare.
    for (int r = 0; r < 8; r += 2) {
      a.emit(VUNPCKLPS, y(14), y(r), y(r + 1));
      a.emit(VUNPCKHPS, y(r + 1), y(r), y(r + 1));
      a.emit(VMOVUPS, y(r), y(14));
    }
    // Quadruples: registers 8 to 11 hold elements 0 to 3 (4 to 7) of rows 0 to 3; then of rows 4 to
    // 7.
    for (int h = 0; h < 8; h += 4) {
      int to = h == 0 ? 8 : 4;
      a.emit(VUNPCKLPD, y(to == 8 ? 8 : 12), y(h), y(h + 2));
      a.emit(VUNPCKHPD, y(to == 8 ? 9 : 13), y(h), y(h + 2));
      a.emit(VUNPCKLPD, y(to == 8 ? 10 : 14), y(h + 1), y(h + 3));
      a.emit(VUNPCKHPD, y(to == 8 ? 11 : 7), y(h + 1), y(h + 3));
    }
    int[] low = {8, 9, 10, 11};
    int[] high = {12, 13, 14, 7};
    // Register 7 holds the last quadruple: it is consumed when columns 3 and 7 are made, last.
    for (int p = 0; p < 4; p++) {
      if (p == 3) {
        a.emit(VPERM2F128, 0x20, y(3), y(low[3]), y(high[3]));
        a.emit(VPERM2F128, 0x31, y(7), y(low[3]), y(high[3]));
      } else {
        a.emit(VPERM2F128, 0x20, y(p), y(low[p]), y(high[p]));
        a.emit(VPERM2F128, 0x31, y(4 + p), y(low[p]), y(high[p]));
      }
    }
  }

  /// Stores column `p` as a row and moves on. What lies behind the row for the rest of a register is
  /// overwritten: by zeros, or by the rows that follow.
  private void storeColumn(int p) {
    a.emit(VMOVUPS_STORE, Memory.at(RDX), y(p));
    a.add(RDX, R9);
  }
}
