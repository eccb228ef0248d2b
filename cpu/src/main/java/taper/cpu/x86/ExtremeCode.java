package taper.cpu.x86;

import static taper.cpu.assembler.Register.R10;
import static taper.cpu.assembler.Register.R8;
import static taper.cpu.assembler.Register.R9;
import static taper.cpu.assembler.Register.RAX;
import static taper.cpu.assembler.Register.RCX;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RDX;
import static taper.cpu.assembler.Register.RSI;

import java.util.function.IntConsumer;
import taper.cpu.assembler.AcrossLanes;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Condition;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Mask;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Vector;

/// The loops that find the largest or smallest of `float32` numbers and where it lies, under AVX-512, in one pass.
///
/// Each lane keeps the best number it has met, and its place. A number takes over if it is better or either is NaN, unless
/// the best is NaN already: two comparisons and two moves under a mask, without branches. So the first of equal numbers
/// counts, and the first NaN before all. At the end of a row the lanes are compared: of those that have the best number
/// the least place counts.
final class ExtremeCode {
  private static final int NOT_LESS_EQUAL = 0x16; // true if either is NaN
  private static final int NOT_GREATER_EQUAL = 0x19;
  private static final int ORDERED = 0x07;
  private static final Mask BETTER = Mask.K2;

  private final Assembler a = new Assembler();
  private final boolean largest;

  private ExtremeCode(boolean largest) {
    this.largest = largest;
  }

  private static Vector zmm(int n) {
    return Vector.zmm(n);
  }

  private Code install() {
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  private void improve(Vector best, Vector place, Vector x, Vector here) {
    int better = largest ? NOT_LESS_EQUAL : NOT_GREATER_EQUAL;
    a.emit(Instruction.VCMPPS, ORDERED, BETTER, best, best);
    a.emit(Instruction.VCMPPS, better, BETTER, x.masked(BETTER), best);
    a.emit(Instruction.VMOVAPS, best.masked(BETTER), x);
    a.emit(Instruction.VMOVAPS, place.masked(BETTER), here);
  }

  /// Finds the best of each column: `rdi` where the numbers go, `r9` where the rows that they are in go, as `int32`,
  /// `rsi` the rows, `rdx` their distance in bytes, `rcx` how many there are, `r8` the columns.
  static Code down(boolean largest) {
    var code = new ExtremeCode(largest);
    Assembler a = code.a;
    var groups = new RowGroups(a, 8, 16, 4, 4, 4, false);
    for (int i = 0; i < 8; i++) {
      a.emit(Instruction.VPBROADCASTD, zmm(16 + i), Memory.at(a.ints(i)));
    }
    groups.emit(
        (rows, first, tail) -> code.choose(groups, rows, first, tail),
        rows -> {
          for (int i = 0; i < 8; i++) {
            a.emit(Instruction.VPADDD, zmm(16 + i), zmm(16 + i), Memory.at(a.ints(rows)).spread());
          }
        });
    return code.install();
  }

  private void choose(RowGroups groups, int rows, boolean first, boolean tail) {
    Mask mask = VectorLoop.TAIL;
    Vector best = zmm(8);
    Vector place = zmm(9);
    a.emit(
        Instruction.VMOVUPS,
        tail ? best.zeroed(mask) : best,
        first ? groups.row(0) : Memory.at(RDI));
    if (first) {
      a.emit(Instruction.VMOVAPS, place, zmm(16));
    } else {
      a.emit(Instruction.VMOVUPS, tail ? place.zeroed(mask) : place, Memory.at(R9));
    }
    for (int i = first ? 1 : 0; i < rows; i++) {
      a.emit(Instruction.VMOVUPS, tail ? zmm(i).zeroed(mask) : zmm(i), groups.row(i));
      improve(best, place, zmm(i), zmm(16 + i));
    }
    Memory to = Memory.at(RDI);
    Memory other = Memory.at(R9);
    a.emit(Instruction.VMOVUPS_STORE, tail ? to.masked(mask) : to, best);
    a.emit(Instruction.VMOVUPS_STORE, tail ? other.masked(mask) : other, place);
  }

  /// Widens places to `int64`: `rdi` where they go, `rsi` where they come from, `rdx` how many, at least one.
  static Code widening() {
    var a = new Assembler();
    VectorLoop.emit(
        a,
        RDX,
        8,
        mask -> {
          boolean all = mask == Mask.K0;
          Memory to = Memory.at(RDI);
          a.emit(Instruction.VPMOVSXDQ, all ? zmm(0) : zmm(0).zeroed(mask), Memory.at(RSI));
          a.emit(Instruction.VMOVDQU64_STORE, all ? to : to.masked(mask), zmm(0));
        },
        () -> {
          a.add(RSI, 32);
          a.add(RDI, 64);
        });
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  /// Finds the best of each row: `rdi` where the numbers go, `r9` where their places go, as `int64`, `rsi` the rows, `rdx`
  /// their distance in bytes, `rcx` how many there are, `r8` the elements of a row.
  ///
  /// @param values whether the numbers are wanted
  static Code along(boolean largest, boolean values) {
    var code = new ExtremeCode(largest);
    Assembler a = code.a;
    float worst = largest ? Float.NEGATIVE_INFINITY : Float.POSITIVE_INFINITY;
    a.emit(Instruction.VBROADCASTSS, zmm(16), Memory.at(a.floats(worst, 1)));
    a.emit(Instruction.VPBROADCASTD, zmm(17), Memory.at(a.ints(64)));
    a.emit(Instruction.VPBROADCASTD, zmm(18), Memory.at(a.ints(Integer.MAX_VALUE)));
    a.emit(Instruction.VPBROADCASTD, zmm(19), Memory.at(a.ints(16)));
    int[] first = new int[64];
    for (int i = 0; i < 64; i++) {
      first[i] = i;
    }
    Label places = a.ints(first);
    a.lea(R10, places);
    for (int i = 0; i < 4; i++) {
      a.emit(Instruction.VMOVUPS, zmm(20 + i), Memory.at(R10, 64 * i));
    }
    a.repeat(
        RCX,
        () -> {
          code.bestOfRow();
          if (values) {
            a.movl(R10, Memory.at(RSI, RAX, 4, 0));
            a.movl(Memory.at(RDI), R10);
            a.add(RDI, 4);
          }
          a.mov(Memory.at(R9), RAX);
          a.add(R9, 8);
          a.add(RSI, RDX);
        });
    return code.install();
  }

  /// The place of the best element of the row at `rsi`, in `rax`. Numbers are in registers 0 to 3, places in 8 to 11, those
  /// under way in 12 to 15.
  private void bestOfRow() {
    for (int i = 0; i < 4; i++) {
      a.emit(Instruction.VMOVAPS, zmm(i), zmm(16));
      a.emit(Instruction.VMOVAPS, zmm(8 + i), zmm(20 + i));
      a.emit(Instruction.VMOVAPS, zmm(12 + i), zmm(20 + i));
    }
    a.mov(RAX, RSI);
    a.mov(R10, R8);
    VectorLoop.fourAtATime(
        a,
        (i, tail) -> {
          Vector x = zmm(4 + i);
          if (tail) {
            a.emit(Instruction.VMOVAPS, x, zmm(16));
          }
          Vector to = tail ? x.masked(VectorLoop.TAIL) : x;
          a.emit(Instruction.VMOVUPS, to, Memory.at(RAX, 64 * i));
          improve(zmm(i), zmm(8 + i), x, zmm(12 + i));
        },
        count -> {
          for (int i = 0; i < count; i++) {
            a.emit(Instruction.VPADDD, zmm(12 + i), zmm(12 + i), zmm(count == 4 ? 17 : 19));
          }
        });
    compareLanes();
  }

  private void compareLanes() {
    var nan = new Label();
    var known = new Label();
    Mask other = Mask.K3;
    a.emit(Instruction.VCMPPS, Assembler.CMP_UNORDERED, BETTER, zmm(0), zmm(1));
    a.emit(Instruction.VCMPPS, Assembler.CMP_UNORDERED, other, zmm(2), zmm(3));
    a.emit(Instruction.KORTESTW, BETTER, other);
    a.jump(Condition.NOT_EQUAL, nan);
    Instruction join = largest ? Instruction.VMAXPS : Instruction.VMINPS;
    a.emit(join, zmm(4), zmm(0), zmm(1));
    a.emit(join, zmm(5), zmm(2), zmm(3));
    a.emit(join, zmm(4), zmm(4), zmm(5));
    AcrossLanes.all(a, Isa.AVX512, join, false, 4, 5);
    a.emit(Instruction.VBROADCASTSS, zmm(4), Vector.xmm(4));
    candidates(i -> a.emit(Instruction.VCMPPS, Assembler.CMP_EQUAL, BETTER, zmm(i), zmm(4)));
    a.jump(known);
    a.bind(nan);
    candidates(i -> a.emit(Instruction.VCMPPS, Assembler.CMP_UNORDERED, BETTER, zmm(i), zmm(i)));
    a.bind(known);
    a.emit(Instruction.VPMINUD, zmm(12), zmm(12), zmm(13));
    a.emit(Instruction.VPMINUD, zmm(14), zmm(14), zmm(15));
    a.emit(Instruction.VPMINUD, zmm(12), zmm(12), zmm(14));
    AcrossLanes.all(a, Isa.AVX512, Instruction.VPMINUD, false, 12, 5);
    a.emit(Instruction.VMOVD_STORE, RAX, Vector.xmm(12));
  }

  /// The places of lanes that `compare` finds, in registers 12 to 15, and large numbers for the others.
  private void candidates(IntConsumer compare) {
    for (int i = 0; i < 4; i++) {
      compare.accept(i);
      a.emit(Instruction.VMOVAPS, zmm(12 + i), zmm(18));
      a.emit(Instruction.VMOVAPS, zmm(12 + i).masked(BETTER), zmm(8 + i));
    }
  }
}
