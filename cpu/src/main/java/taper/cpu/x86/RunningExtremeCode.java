package taper.cpu.x86;

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
import taper.cpu.assembler.Condition;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Mask;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Vector;

/// The loops of running extremes of `float32` numbers and their places, under AVX-512. Of equal numbers the last counts.
///
/// Along a line, the extreme of the first elements of a vector, for each of them, takes four steps that join what lies one,
/// two, four and eight lanes before [1]. An element that is that extreme has its own place; the others have the largest
/// place before. A line with a NaN is left to the caller. Down columns each lane keeps its best number and its place.
///
/// - [1] Hillis, Steele: "Data Parallel Algorithms", Communications of the ACM 29 (1986).
final class RunningExtremeCode {
  private static final Mask BETTER = Mask.K2;
  private static final Mask NAN = Mask.K3;
  private static final Mask UPPER_TAIL = Mask.K4;

  /// The bytes that a column needs to go down: its best number and its place.
  static final int STATE_BYTES = 8;

  private final Assembler a = new Assembler();
  private final boolean largest;
  private final Instruction join;

  private RunningExtremeCode(boolean largest) {
    this.largest = largest;
    this.join = largest ? Instruction.VMAXPS : Instruction.VMINPS;
  }

  private static Vector zmm(int n) {
    return Vector.zmm(n);
  }

  private float worst() {
    return largest ? Float.NEGATIVE_INFINITY : Float.POSITIVE_INFINITY;
  }

  /// Lines side by side: `rdi` where numbers go, `rsi` where elements come from, `rdx` the distance of rows in bytes, `rcx`
  /// how many there are, `r8` the columns, `r9` room of [#STATE_BYTES] for each, up to whole vectors, where 8 bytes say how
  /// far the places, `int64`, lie from twice the address of the numbers.
  static Code down(boolean largest) {
    var code = new RunningExtremeCode(largest);
    Assembler a = code.a;
    a.push(RBX);
    a.mov(RBX, Memory.at(R9));
    a.emit(Instruction.VBROADCASTSS, zmm(16), Memory.at(a.floats(code.worst(), 1)));
    for (int i = 0; i < 4; i++) {
      a.emit(Instruction.VPBROADCASTD, zmm(17 + i), Memory.at(a.ints(i)));
    }
    // k4: the end of the second half of a vector
    a.mov(R11, R8);
    a.and(R11, 15);
    a.mov(RAX, -1L);
    a.bzhi(RAX, RAX, R11);
    a.shr(RAX, 8);
    a.emit(Instruction.KMOVW, UPPER_TAIL, RAX);
    var groups = new RowGroups(a, 4, 16, 4, 4, STATE_BYTES, true);
    groups.emit(
        (rows, first, tail) -> code.goDown(groups, rows, first, tail),
        rows -> {
          for (int i = 0; i < 4; i++) {
            a.emit(Instruction.VPADDD, zmm(17 + i), zmm(17 + i), Memory.at(a.ints(rows)).spread());
          }
        });
    a.pop(RBX);
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  private void goDown(RowGroups groups, int rows, boolean first, boolean tail) {
    Vector best = zmm(2);
    Vector place = zmm(3);
    Mask mask = VectorLoop.TAIL;
    if (first) {
      a.emit(Instruction.VMOVAPS, best, zmm(16));
      a.emit(Instruction.VPXOR, place, place, place);
    } else {
      a.emit(Instruction.VMOVUPS, best, Memory.at(R9));
      a.emit(Instruction.VMOVUPS, place, Memory.at(R9, 64));
    }
    a.lea(R11, Memory.at(RBX, RDI, 2, 0));
    int better = largest ? Assembler.CMP_GREATER_EQUAL : Assembler.CMP_LESS_EQUAL;
    for (int i = 0; i < rows; i++) {
      Vector x = zmm(4 + i);
      a.emit(Instruction.VMOVUPS, tail ? x.zeroed(mask) : x, groups.row(i));
      a.emit(Instruction.VCMPPS, Assembler.CMP_UNORDERED, NAN, x, x);
      a.emit(Instruction.VCMPPS, better, BETTER, x, best);
      a.emit(Instruction.KORW, BETTER, BETTER, NAN);
      a.emit(Instruction.VMOVAPS, best.masked(BETTER), x);
      a.emit(Instruction.VMOVAPS, place.masked(BETTER), zmm(17 + i));
      Memory to = groups.to(i);
      a.emit(Instruction.VMOVUPS_STORE, tail ? to.masked(mask) : to, best);
      Memory places =
          switch (i) {
            case 0 -> Memory.at(R11);
            case 1 -> Memory.at(R11, RDX, 2, 0);
            case 2 -> Memory.at(R11, RDX, 4, 0);
            default -> Memory.at(R11, R10, 2, 0);
          };
      storePlaces(place, places, tail);
    }
    a.emit(Instruction.VMOVUPS_STORE, Memory.at(R9), best);
    a.emit(Instruction.VMOVUPS_STORE, Memory.at(R9, 64), place);
  }

  private void storePlaces(Vector place, Memory to, boolean tail) {
    a.emit(Instruction.VEXTRACTF64X4, 1, Vector.ymm(9), place);
    a.emit(Instruction.VPMOVSXDQ, zmm(8), Vector.ymm(place.number()));
    a.emit(Instruction.VPMOVSXDQ, zmm(9), Vector.ymm(9));
    Memory second = to.plus(64);
    a.emit(Instruction.VMOVDQU64_STORE, tail ? to.masked(VectorLoop.TAIL) : to, zmm(8));
    a.emit(Instruction.VMOVDQU64_STORE, tail ? second.masked(UPPER_TAIL) : second, zmm(9));
  }

  /// One line: `rdi` where the numbers go, `rsi` where the elements come from, `rdx` how many there are, at least one, `r8`
  /// where the places go, as `int64`; writes to `rcx` whether there was a NaN, a number of 64 bits.
  static Code along(boolean largest) {
    var code = new RunningExtremeCode(largest);
    Assembler a = code.a;
    int[] first = new int[16];
    for (int i = 0; i < 16; i++) {
      first[i] = i;
    }
    a.emit(Instruction.VBROADCASTSS, zmm(16), Memory.at(a.floats(code.worst(), 1)));
    a.emit(Instruction.VMOVAPS, zmm(2), zmm(16));
    a.emit(Instruction.VPXOR, zmm(3), zmm(3), zmm(3));
    a.emit(Instruction.VPXOR, zmm(18), zmm(18), zmm(18));
    a.emit(Instruction.VMOVUPS, zmm(17), Memory.at(a.ints(first)));
    a.emit(Instruction.VPBROADCASTD, zmm(19), Memory.at(a.ints(16)));
    a.emit(Instruction.VPBROADCASTD, zmm(20), Memory.at(a.ints(15)));
    a.emit(Instruction.KXORW, NAN, NAN, NAN);
    var top = new Label();
    var rest = new Label();
    var end = new Label();
    a.cmp(RDX, 16);
    a.jump(Condition.LESS, rest);
    a.align(16);
    a.bind(top);
    code.step(false);
    a.add(RSI, 64);
    a.add(RDI, 64);
    a.add(R8, 128);
    a.sub(RDX, 16);
    a.cmp(RDX, 16);
    a.jump(Condition.GREATER_EQUAL, top);
    a.bind(rest);
    a.test(RDX, RDX);
    a.jump(Condition.EQUAL, end);
    VectorLoop.setTail(a, RAX, RDX);
    a.shr(RAX, 8);
    a.and(RAX, 255);
    a.emit(Instruction.KMOVW, UPPER_TAIL, RAX);
    code.step(true);
    a.bind(end);
    a.emit(Instruction.KMOVW_TO, RAX, NAN);
    a.mov(Memory.at(RCX), RAX);
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  /// What came before is in registers 2 and 3, in all lanes; the places of the elements are in 17.
  private void step(boolean tail) {
    Vector x = zmm(0);
    Vector best = zmm(1);
    Vector place = zmm(4);
    Vector t = zmm(5);
    Mask mask = VectorLoop.TAIL;
    a.emit(Instruction.VMOVUPS, tail ? x.zeroed(mask) : x, Memory.at(RSI));
    a.emit(Instruction.VCMPPS, Assembler.CMP_UNORDERED, BETTER, x, x);
    a.emit(Instruction.KORW, NAN, NAN, BETTER);
    a.emit(Instruction.VMOVAPS, best, x);
    for (int lanes = 1; lanes < 16; lanes *= 2) {
      a.emit(Instruction.VALIGND, 16 - lanes, t, best, zmm(16));
      a.emit(join, best, best, t);
    }
    a.emit(join, best, best, zmm(2));
    a.emit(Instruction.VCMPPS, Assembler.CMP_EQUAL, BETTER, x, best);
    a.emit(Instruction.VMOVAPS, place.zeroed(BETTER), zmm(17));
    for (int lanes = 1; lanes < 16; lanes *= 2) {
      a.emit(Instruction.VALIGND, 16 - lanes, t, place, zmm(18));
      a.emit(Instruction.VPMAXSD, place, place, t);
    }
    a.emit(Instruction.VPMAXSD, place, place, zmm(3));
    Memory to = Memory.at(RDI);
    a.emit(Instruction.VMOVUPS_STORE, tail ? to.masked(mask) : to, best);
    storePlaces(place, Memory.at(R8), tail);
    a.emit(Instruction.VPERMPS, zmm(2), zmm(20), best);
    a.emit(Instruction.VPERMD, zmm(3), zmm(20), place);
    a.emit(Instruction.VPADDD, zmm(17), zmm(17), zmm(19));
  }
}
