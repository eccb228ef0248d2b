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
import taper.cpu.reductions.Fold;

/// The loops of sums and extremes of `float32` numbers in `float32` lanes, under AVX-512: twice as many at a time as in
/// `float64`, and nothing to convert.
///
/// Along rows a sum is gathered in 64 sums at a time, which are joined in `float64` after 64 elements each, so that the
/// error of a long sum stays that of a short one. Down columns, eight rows are joined pairwise before they come to what
/// was gathered; how many rows there may be is the caller's affair.
///
/// The instructions for extremes answer their second operand if either is NaN. That there was a NaN is kept apart, in a
/// mask: one comparison tells it of two vectors.
final class FloatFoldCode {
  private static final int PIECE = 4096;
  private static final Mask NAN = Mask.K2;
  private static final Mask OTHER_NAN = Mask.K3;

  private final Assembler a = new Assembler();
  private final Fold fold;
  private final Instruction join;

  private FloatFoldCode(Fold fold) {
    this.fold = fold;
    this.join =
        switch (fold) {
          case SUM -> Instruction.VADDPS;
          case MAXIMUM -> Instruction.VMAXPS;
          case MINIMUM -> Instruction.VMINPS;
          case SQUARES, PRODUCTS, MAGNITUDES, EXPONENTIALS, FACTORS, LARGEST ->
              throw new AssertionError(fold);
        };
  }

  private static Vector zmm(int n) {
    return Vector.zmm(n);
  }

  private Code install() {
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  /// Joins the rows of a block: `rdi` the results, `rsi` the rows, `rdx` their distance in bytes, `rcx` how many there
  /// are, `r8` the columns.
  static Code down(Fold fold) {
    var code = new FloatFoldCode(fold);
    var groups = new RowGroups(code.a, 8, 16, 4, 4, 0, false);
    code.a.emit(Instruction.VBROADCASTSS, zmm(16), Memory.at(code.a.floats(Float.NaN, 1)));
    groups.emit((rows, first, tail) -> code.join(groups, rows, first, tail), _ -> {});
    return code.install();
  }

  private void join(RowGroups groups, int rows, boolean first, boolean tail) {
    Mask mask = tail ? VectorLoop.TAIL : Mask.K0;
    for (int i = 0; i < rows; i++) {
      a.emit(Instruction.VMOVUPS, tail ? zmm(i).zeroed(mask) : zmm(i), groups.row(i));
    }
    boolean sums = fold == Fold.SUM;
    if (!sums) {
      findNan(rows);
    }
    for (int step = 1; step < rows; step *= 2) {
      for (int i = 0; i < rows; i += 2 * step) {
        a.emit(join, zmm(i), zmm(i), zmm(i + step));
      }
    }
    if (!first || sums) {
      Vector old = zmm(8);
      if (first) { // minus zero becomes zero
        a.emit(Instruction.VPXOR, old, old, old);
      } else {
        a.emit(Instruction.VMOVUPS, tail ? old.zeroed(mask) : old, Memory.at(RDI));
      }
      a.emit(join, zmm(0), zmm(0), old);
    }
    if (!sums) {
      a.emit(Instruction.VMOVAPS, zmm(0).masked(NAN), zmm(16));
    }
    Memory to = Memory.at(RDI);
    a.emit(Instruction.VMOVUPS_STORE, tail ? to.masked(mask) : to, zmm(0));
  }

  /// Which lanes of the first registers have a NaN.
  private void findNan(int registers) {
    for (int i = 0; i < registers; i += 2) {
      Vector second = zmm(Math.min(i + 1, registers - 1));
      Mask to = i == 0 ? NAN : OTHER_NAN;
      a.emit(Instruction.VCMPPS, Assembler.CMP_UNORDERED, to, zmm(i), second);
      if (i > 0) {
        a.emit(Instruction.KORW, NAN, NAN, OTHER_NAN);
      }
    }
  }

  /// Joins columns of partial sums in `float64`: operands as for [#down].
  static Code totals() {
    var a = new Assembler();
    VectorLoop.emit(
        a,
        R8,
        8,
        mask -> total(a, mask),
        () -> {
          a.add(RDI, 32);
          a.add(RSI, 32);
        });
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  private static void total(Assembler a, Mask mask) {
    boolean all = mask == Mask.K0;
    a.emit(Instruction.VPXOR, zmm(0), zmm(0), zmm(0));
    a.mov(R9, RSI);
    a.mov(R10, RCX);
    a.repeat(
        R10,
        () -> {
          a.emit(Instruction.VCVTPS2PD, all ? zmm(1) : zmm(1).zeroed(mask), Memory.at(R9));
          a.emit(Instruction.VADDPD, zmm(0), zmm(0), zmm(1));
          a.add(R9, RDX);
        });
    a.emit(Instruction.VCVTPD2PS, Vector.ymm(0), zmm(0));
    Memory to = Memory.at(RDI);
    a.emit(Instruction.VMOVUPS_STORE, all ? to : to.masked(mask), Vector.ymm(0));
  }

  /// Joins the elements of each row: `rdi` the results, `rsi` the rows, `rdx` their distance in bytes, `rcx` how many
  /// there are, `r8` the elements of a row.
  ///
  /// @param wide whether the results are `float64`, which those of sums may be
  static Code along(Fold fold, boolean wide) {
    var code = new FloatFoldCode(fold);
    Assembler a = code.a;
    if (fold != Fold.SUM) {
      float identity = (float) fold.identity();
      a.emit(Instruction.VBROADCASTSS, zmm(16), Memory.at(a.floats(identity, 1)));
    }
    a.repeat(
        RCX,
        () -> {
          a.mov(RAX, RSI);
          a.mov(R9, R8);
          if (fold == Fold.SUM) {
            code.sumOfRow(wide);
          } else {
            code.extremeOfRow();
          }
          a.add(RDI, wide ? 8 : 4);
          a.add(RSI, RDX);
        });
    return code.install();
  }

  /// `rax` is where the row goes on, `r9` what is left of it.
  private void sumOfRow(boolean wide) {
    var piece = new Label();
    a.emit(Instruction.VPXOR, zmm(8), zmm(8), zmm(8));
    a.bind(piece);
    for (int i = 0; i < 4; i++) {
      a.emit(Instruction.VPXOR, zmm(i), zmm(i), zmm(i));
    }
    a.mov(R11, PIECE);
    a.mov(R10, R9);
    a.cmp(R10, R11);
    a.cmov(Condition.GREATER_EQUAL, R10, R11);
    a.sub(R9, R10);
    VectorLoop.fourAtATime(
        a,
        (i, tail) -> {
          Vector to = zmm(i);
          a.emit(
              Instruction.VADDPS,
              tail ? to.masked(VectorLoop.TAIL) : to,
              zmm(i),
              Memory.at(RAX, 64 * i));
        },
        _ -> {});
    a.emit(Instruction.VADDPS, zmm(0), zmm(0), zmm(1));
    a.emit(Instruction.VADDPS, zmm(2), zmm(2), zmm(3));
    a.emit(Instruction.VADDPS, zmm(0), zmm(0), zmm(2));
    a.emit(Instruction.VEXTRACTF64X4, 1, Vector.ymm(1), zmm(0));
    a.emit(Instruction.VCVTPS2PD, zmm(0), Vector.ymm(0));
    a.emit(Instruction.VCVTPS2PD, zmm(1), Vector.ymm(1));
    a.emit(Instruction.VADDPD, zmm(0), zmm(0), zmm(1));
    a.emit(Instruction.VADDPD, zmm(8), zmm(8), zmm(0));
    a.test(R9, R9);
    a.jump(Condition.NOT_EQUAL, piece);
    AcrossLanes.all(a, Isa.AVX512, Instruction.VADDPD, true, 8, 1);
    if (wide) {
      a.emit(Instruction.VMOVSD_STORE, Memory.at(RDI), Vector.xmm(8));
    } else {
      a.emit(Instruction.VCVTPD2PS, Vector.xmm(8), Vector.xmm(8));
      a.emit(Instruction.VMOVSS_STORE, Memory.at(RDI), Vector.xmm(8));
    }
  }

  private void extremeOfRow() {
    for (int i = 0; i < 4; i++) {
      a.emit(Instruction.VMOVAPS, zmm(i), zmm(16));
    }
    a.emit(Instruction.KXORW, NAN, NAN, NAN);
    a.mov(R10, R9);
    VectorLoop.fourAtATime(
        a,
        (i, tail) -> {
          Vector x = zmm(4 + i);
          Memory from = Memory.at(RAX, 64 * i);
          Mask mask = VectorLoop.TAIL;
          a.emit(Instruction.VMOVUPS, tail ? x.zeroed(mask) : x, from);
          a.emit(join, tail ? zmm(i).masked(mask) : zmm(i), zmm(i), x);
        },
        count -> {
          for (int i = 0; i < count; i += 2) {
            Vector second = zmm(4 + Math.min(i + 1, count - 1));
            a.emit(Instruction.VCMPPS, Assembler.CMP_UNORDERED, OTHER_NAN, zmm(4 + i), second);
            a.emit(Instruction.KORW, NAN, NAN, OTHER_NAN);
          }
        });
    a.emit(join, zmm(0), zmm(0), zmm(1));
    a.emit(join, zmm(2), zmm(2), zmm(3));
    a.emit(join, zmm(0), zmm(0), zmm(2));
    AcrossLanes.all(a, Isa.AVX512, join, false, 0, 1);
    var number = new Label();
    a.emit(Instruction.KORTESTW, NAN, NAN);
    a.jump(Condition.EQUAL, number);
    a.emit(Instruction.VMOVSS, Vector.xmm(0), Memory.at(a.floats(Float.NaN, 1)));
    a.bind(number);
    a.emit(Instruction.VMOVSS_STORE, Memory.at(RDI), Vector.xmm(0));
  }

  /// Divides numbers by the same one: `rdi` where they are, `rsi` how many, at least one, `rdx` the bits of the divisor.
  static Code division() {
    var a = new Assembler();
    a.emit(Instruction.VPBROADCASTD_REGISTER, zmm(1), RDX);
    VectorLoop.emit(
        a,
        RSI,
        16,
        mask -> {
          boolean all = mask == Mask.K0;
          Memory to = Memory.at(RDI);
          a.emit(Instruction.VMOVUPS, all ? zmm(0) : zmm(0).zeroed(mask), Memory.at(RDI));
          a.emit(Instruction.VDIVPS, zmm(0), zmm(0), zmm(1));
          a.emit(Instruction.VMOVUPS_STORE, all ? to : to.masked(mask), zmm(0));
        },
        () -> a.add(RDI, 64));
    a.vzeroupper();
    a.ret();
    return a.install();
  }
}
