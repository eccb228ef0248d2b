package taper.cpu.products;

import static taper.cpu.assembler.Condition.NOT_EQUAL;
import static taper.cpu.assembler.Register.RAX;
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

/// Joins two rows to one whose even elements are those of the first and whose odd elements those of the second,
/// assembled: the reverse of [PairSplit]. Whole registers are read and written.
final class PairJoin {
  // The arguments, as offsets into a block of longs.
  private static final int EVEN = 0;
  private static final int ODD = 8;
  private static final int TO = 16;
  private static final int VECTORS = 24;

  private static final CodeTable CACHE = new CodeTable(4);

  private PairJoin() {}

  /// Joins `count` elements of each, or up to a register more.
  static void run(long block, Lanes lanes, long even, long odd, long to, int count) {
    if (count == 0) {
      return;
    }
    Raw.put(block + EVEN, even);
    Raw.put(block + ODD, odd);
    Raw.put(block + TO, to);
    Raw.put(block + VECTORS, Math.ceilDiv(count, lanes.count()));
    Code code = CACHE.find(lanes.key());
    if (code == null) {
      code = CACHE.add(lanes.key(), () -> assemble(lanes));
    }
    code.run(block);
  }

  private static Code assemble(Lanes lanes) {
    var a = new Assembler();
    int size = lanes.vectorBytes();
    a.mov(RSI, Memory.at(RDI, EVEN));
    a.mov(RDX, Memory.at(RDI, ODD));
    a.mov(RCX, Memory.at(RDI, VECTORS));
    a.mov(RDI, Memory.at(RDI, TO));
    if (lanes.masks()) {
      // Dwords of two registers, the second of which begins at place 16.
      for (int half = 0; half < 2; half++) {
        int dwords = lanes.bytes() / 4;
        int[] places = new int[16];
        for (int i = 0; i < places.length; i++) {
          int element = i / dwords;
          places[i] = half * 8 + element / 2 * dwords + i % dwords + element % 2 * 16;
        }
        a.emit(Instruction.VMOVUPS, lanes.v(4 + half), Memory.at(a.ints(places)));
      }
    }
    a.xor(RAX, RAX);
    var loop = new Label();
    a.bind(loop);
    lanes.load(a, 0, Memory.at(RSI, RAX, 1, 0));
    lanes.load(a, 1, Memory.at(RDX, RAX, 1, 0));
    if (lanes.masks()) {
      for (int half = 0; half < 2; half++) {
        a.emit(Instruction.VMOVUPS, lanes.v(2 + half), lanes.v(4 + half));
        a.emit(Instruction.VPERMI2PS, lanes.v(2 + half), lanes.v(0), lanes.v(1));
      }
    } else {
      boolean wide = lanes.wide();
      Instruction low = wide ? Instruction.VUNPCKLPD : Instruction.VUNPCKLPS;
      Instruction high = wide ? Instruction.VUNPCKHPD : Instruction.VUNPCKHPS;
      a.emit(low, lanes.v(4), lanes.v(0), lanes.v(1));
      a.emit(high, lanes.v(5), lanes.v(0), lanes.v(1));
      a.emit(Instruction.VPERM2F128, 0x20, lanes.v(2), lanes.v(4), lanes.v(5));
      a.emit(Instruction.VPERM2F128, 0x31, lanes.v(3), lanes.v(4), lanes.v(5));
    }
    lanes.store(a, Memory.at(RDI, RAX, 2, 0), 2);
    lanes.store(a, Memory.at(RDI, RAX, 2, size), 3);
    a.add(RAX, size);
    a.dec(RCX);
    a.jump(NOT_EQUAL, loop);
    a.vzeroupper();
    a.ret();
    return a.install();
  }
}
