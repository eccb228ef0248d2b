package taper.cpu.x86;

import static taper.cpu.assembler.Register.R8;
import static taper.cpu.assembler.Register.R9;
import static taper.cpu.assembler.Register.RCX;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RDX;
import static taper.cpu.assembler.Register.RSI;

import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Mask;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Vector;

/// The loops of running sums and products, in `float64` lanes, under AVX-512.
///
/// Along a line, eight numbers are joined within their vector by three steps that join what lies one, two and four lanes
/// before [1]; then what came before is joined with all. Only that last step depends on the vector before, so that the
/// others of neighbouring vectors overlap. Down columns, a vector has eight lines, and four rows are gone down at a time.
///
/// - [1] Hillis, Steele: "Data Parallel Algorithms", Communications of the ACM 29 (1986).
final class ScanCode {
  private final Assembler a = new Assembler();
  private final boolean wide;
  private final boolean sums;
  private final Instruction join;
  private final Instruction load;

  private ScanCode(boolean wide, boolean sums) {
    this.wide = wide;
    this.sums = sums;
    this.join = sums ? Instruction.VADDPD : Instruction.VMULPD;
    this.load = wide ? Instruction.VMOVUPD : Instruction.VCVTPS2PD;
  }

  private static Vector zmm(int n) {
    return Vector.zmm(n);
  }

  private void setIdentity(Vector v) {
    if (sums) {
      a.emit(Instruction.VPXOR, v, v, v);
    } else {
      a.emit(Instruction.VBROADCASTSD, v, Memory.at(a.doubles(1, 1)));
    }
  }

  /// Lines one behind the other: `rdi` where results go, `rsi` where elements come from, `rdx` the length of a line, `rcx`
  /// how many there are.
  ///
  /// @param wide whether elements are `float64` and not `float32`
  /// @param sums whether they are added and not multiplied
  static Code along(boolean wide, boolean sums) {
    var code = new ScanCode(wide, sums);
    Assembler a = code.a;
    int bytes = wide ? 8 : 4;
    code.setIdentity(zmm(3));
    a.repeat(
        RCX,
        () -> {
          a.emit(Instruction.VMOVAPS, zmm(2), zmm(3));
          a.mov(R8, RDX);
          VectorLoop.emit(
              a,
              R8,
              8,
              mask -> {
                code.step(mask);
                if (mask == VectorLoop.TAIL) {
                  a.lea(RSI, Memory.at(RSI, R8, bytes, 0));
                  a.lea(RDI, Memory.at(RDI, R8, bytes, 0));
                }
              },
              () -> {
                a.add(RSI, 8 * bytes);
                a.add(RDI, 8 * bytes);
              });
        });
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  private void step(Mask mask) {
    Vector x = zmm(0);
    Vector t = zmm(1);
    Vector before = zmm(2);
    boolean all = mask == Mask.K0;
    a.emit(load, all ? x : x.zeroed(mask), Memory.at(RSI));
    for (int lanes = 1; lanes < 8; lanes *= 2) { // an element has two 32-bit lanes
      a.emit(Instruction.VALIGND, 16 - 2 * lanes, t, x, zmm(3));
      a.emit(join, x, x, t);
    }
    a.emit(join, t, x, before);
    store(t, Memory.at(RDI), mask);
    a.emit(Instruction.VSHUFF64X2, 0xFF, x, x, x); // the last element everywhere
    a.emit(Instruction.VSHUFPD, 0xFF, x, x, x);
    a.emit(join, before, before, x);
  }

  private void store(Vector x, Memory memory, Mask mask) {
    Memory to = mask == Mask.K0 ? memory : memory.masked(mask);
    if (wide) {
      a.emit(Instruction.VMOVUPD_STORE, to, x);
    } else {
      a.emit(Instruction.VCVTPD2PS, Vector.ymm(4), x);
      a.emit(Instruction.VMOVUPS_STORE, to, Vector.ymm(4));
    }
  }

  /// Lines side by side: `rdi` where results go, `rsi` where elements come from, `rdx` the distance of rows in bytes,
  /// `rcx` how many there are, `r8` the columns, `r9` room for a `double` of each.
  static Code down(boolean wide, boolean sums) {
    var code = new ScanCode(wide, sums);
    int bytes = wide ? 8 : 4;
    var groups = new RowGroups(code.a, 4, 8, bytes, bytes, 8, true);
    code.setIdentity(zmm(3));
    groups.emit((rows, first, tail) -> code.goDown(groups, rows, first, tail), _ -> {});
    code.a.vzeroupper();
    code.a.ret();
    return code.a.install();
  }

  private void goDown(RowGroups groups, int rows, boolean first, boolean tail) {
    Vector before = zmm(2);
    Mask mask = tail ? VectorLoop.TAIL : Mask.K0;
    if (first) {
      a.emit(Instruction.VMOVAPS, before, zmm(3));
    } else {
      a.emit(Instruction.VMOVUPD, before, Memory.at(R9));
    }
    for (int i = 0; i < rows; i++) {
      a.emit(load, tail ? zmm(0).zeroed(mask) : zmm(0), groups.row(i));
      a.emit(join, before, before, zmm(0));
      store(before, groups.to(i), mask);
    }
    a.emit(Instruction.VMOVUPD_STORE, Memory.at(R9), before);
  }
}
