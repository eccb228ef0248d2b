package taper.cpu.products;

import static taper.cpu.assembler.Condition.NOT_EQUAL;
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
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.parallel.Raw;

/// Splits rows of `float32` into their even and their odd elements, assembled.
///
/// Two registers at a time: those of even place are shuffled into one, those of odd place into another. The last two
/// of a row overlap the ones before, so that they need no mask.
final class PairSplit {
  // The arguments, as offsets into a block of longs.
  private static final int FROM = 0;
  private static final int TO = 8;
  private static final int ROWS = 16;
  private static final int FROM_ROW = 24;
  private static final int TO_ROW = 32;
  private static final int ODD = 40;
  private static final int BLOCKS = 48;
  private static final int LAST = 56;

  private static final CodeTable CACHE = new CodeTable(4);

  private PairSplit() {}

  /// Whether there is code for rows of `width` elements.
  static boolean covers(Lanes lanes, int width) {
    return !lanes.wide() && width >= 2 * lanes.count();
  }

  /// Splits `rows` rows of `width` elements, `fromRow` bytes apart. Even elements go to `to`, odd ones `odd` bytes
  /// behind, both `toRow` bytes apart for each row.
  static void run(
      long block,
      Lanes lanes,
      long from,
      long fromRow,
      int width,
      int rows,
      long to,
      long toRow,
      long odd) {
    if (rows == 0) {
      return;
    }
    int pairs = width / 2;
    Raw.put(block + FROM, from);
    Raw.put(block + TO, to);
    Raw.put(block + ROWS, rows);
    Raw.put(block + FROM_ROW, fromRow);
    Raw.put(block + TO_ROW, toRow);
    Raw.put(block + ODD, odd);
    Raw.put(block + BLOCKS, pairs / lanes.count());
    Raw.put(block + LAST, (long) (pairs - lanes.count()) * lanes.bytes());
    Code code = CACHE.find(lanes.key());
    if (code == null) {
      code = CACHE.add(lanes.key(), () -> assemble(lanes));
    }
    code.run(block);
    if (width % 2 != 0) {
      for (int y = 0; y < rows; y++) {
        long last = from + y * fromRow + (width - 1L) * lanes.bytes();
        Raw.copyElement(to + y * toRow + (long) pairs * lanes.bytes(), last, false);
      }
    }
  }

  private static Code assemble(Lanes lanes) {
    var a = new Assembler();
    a.push(RBX);
    a.mov(RSI, Memory.at(RDI, FROM));
    a.mov(RDX, Memory.at(RDI, TO));
    a.mov(R8, Memory.at(RDI, FROM_ROW));
    a.mov(R9, Memory.at(RDI, TO_ROW));
    a.mov(R10, Memory.at(RDI, ODD));
    a.mov(RCX, Memory.at(RDI, ROWS));
    if (lanes.masks()) {
      for (int odd = 0; odd < 2; odd++) {
        int[] places = new int[lanes.count()];
        for (int i = 0; i < places.length; i++) {
          places[i] = 2 * i + odd;
        }
        a.emit(Instruction.VMOVUPS, lanes.v(4 + odd), Memory.at(a.ints(places)));
      }
    }
    a.repeat(
        RCX,
        () -> {
          a.lea(R11, Memory.at(RDX, R10, 1, 0));
          a.mov(RBX, Memory.at(RDI, BLOCKS));
          a.xor(RAX, RAX);
          var loop = new Label();
          a.bind(loop);
          split(a, lanes);
          a.add(RAX, lanes.vectorBytes());
          a.dec(RBX);
          a.jump(NOT_EQUAL, loop);
          a.mov(RAX, Memory.at(RDI, LAST));
          split(a, lanes);
          a.add(RSI, R8);
          a.add(RDX, R9);
        });
    a.vzeroupper();
    a.pop(RBX);
    a.ret();
    return a.install();
  }

  /// Splits the two registers at `RSI` plus twice `RAX`.
  private static void split(Assembler a, Lanes lanes) {
    lanes.load(a, 0, Memory.at(RSI, RAX, 2, 0));
    lanes.load(a, 1, Memory.at(RSI, RAX, 2, lanes.vectorBytes()));
    for (int odd = 0; odd < 2; odd++) {
      int to = 2 + odd;
      if (lanes.masks()) {
        a.emit(Instruction.VMOVUPS, lanes.v(to), lanes.v(4 + odd));
        a.emit(Instruction.VPERMI2PS, lanes.v(to), lanes.v(0), lanes.v(1));
      } else {
        a.emit(Instruction.VSHUFPS, odd == 0 ? 0x88 : 0xDD, lanes.v(to), lanes.v(0), lanes.v(1));
        a.emit(Instruction.VPERMPD, 0xD8, lanes.v(to), lanes.v(to));
      }
      lanes.store(a, odd == 0 ? Memory.at(RDX, RAX, 1, 0) : Memory.at(R11, RAX, 1, 0), to);
    }
  }
}
