package taper.cpu.x86;

import static taper.cpu.assembler.Register.R10;
import static taper.cpu.assembler.Register.R11;
import static taper.cpu.assembler.Register.R8;
import static taper.cpu.assembler.Register.R9;
import static taper.cpu.assembler.Register.RAX;
import static taper.cpu.assembler.Register.RCX;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RDX;
import static taper.cpu.assembler.Register.RSI;

import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Condition;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Mask;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Vector;

/// Loops along dense lines of `float32` numbers, under AVX-512.
///
/// What is beyond a bound: the positions of such numbers are compressed to the front of a vector, which is written whole;
/// the next overwrites what was too much of it.
final class LineCode {
  /// How many positions may be written beyond those that [#beyond] finds.
  static final int SLACK = 16;

  private static final int NOT_LESS = 0x15;
  private static final int NOT_GREATER = 0x1A;

  private LineCode() {}

  private static Vector zmm(int n) {
    return Vector.zmm(n);
  }

  /// Finds `float32` numbers, `rdx` of them at `rsi`, that are not below the bound in the block at `rdi` (not above it if
  /// not `largest`), NaN included. Writes their positions, counted from `rcx`, as `int32` to `r8`, and how many there are
  /// to the block.
  static Code beyond(boolean largest) {
    var a = new Assembler();
    Vector bound = zmm(1);
    Vector places = zmm(2);
    Vector sixteen = zmm(3);
    int predicate = largest ? NOT_LESS : NOT_GREATER;
    int[] first = new int[16];
    for (int i = 0; i < 16; i++) {
      first[i] = i;
    }
    a.emit(Instruction.VBROADCASTSS, bound, Memory.at(RDI));
    a.emit(Instruction.VPBROADCASTD_REGISTER, places, RCX);
    a.emit(Instruction.VPADDD, places, places, Memory.at(a.ints(first)));
    a.emit(Instruction.VPBROADCASTD, sixteen, Memory.at(a.ints(16)));
    a.mov(R9, R8);
    var top = new Label();
    var next = new Label();
    var rest = new Label();
    var end = new Label();
    a.cmp(RDX, 16);
    a.jump(Condition.LESS, rest);
    a.align(16);
    a.bind(top);
    a.emit(Instruction.VCMPPS, predicate, Mask.K1, loaded(a), bound);
    a.emit(Instruction.KORTESTW, Mask.K1, Mask.K1);
    a.jump(Condition.EQUAL, next);
    compress(a, places);
    a.bind(next);
    a.emit(Instruction.VPADDD, places, places, sixteen);
    a.add(RSI, 64);
    a.sub(RDX, 16);
    a.cmp(RDX, 16);
    a.jump(Condition.GREATER_EQUAL, top);
    a.bind(rest);
    a.test(RDX, RDX);
    a.jump(Condition.EQUAL, end);
    a.mov(RAX, -1L);
    a.bzhi(RAX, RAX, RDX);
    a.emit(Instruction.KMOVW, Mask.K2, RAX);
    a.emit(Instruction.VMOVUPS, zmm(0).zeroed(Mask.K2), Memory.at(RSI));
    a.emit(Instruction.VCMPPS, predicate, Mask.K1, zmm(0), bound);
    a.emit(Instruction.KANDW, Mask.K1, Mask.K1, Mask.K2);
    compress(a, places);
    a.bind(end);
    a.sub(R8, R9);
    a.shr(R8, 2);
    a.mov(Memory.at(RDI), R8);
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  private static Vector loaded(Assembler a) {
    a.emit(Instruction.VMOVUPS, zmm(0), Memory.at(RSI));
    return zmm(0);
  }

  private static void compress(Assembler a, Vector places) {
    a.emit(Instruction.VCOMPRESSPS, zmm(4).zeroed(Mask.K1), places);
    a.emit(Instruction.VMOVUPS_STORE, Memory.at(R8), zmm(4));
    a.emit(Instruction.KMOVW_TO, R10, Mask.K1);
    a.popcnt(R11, R10);
    a.lea(R8, Memory.at(R8, R11, 4, 0));
  }
}
