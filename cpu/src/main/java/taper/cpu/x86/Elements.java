package taper.cpu.x86;

import static taper.cpu.assembler.Register.R11;
import static taper.cpu.assembler.Register.RSP;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Mask;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Operand;
import taper.cpu.assembler.Register;
import taper.cpu.assembler.Vector;
import taper.tensor.DType;

/// Loads and stores of elements of every type into vectors of `float32` or `float64` lanes.
///
/// The last elements of a row, fewer than a vector has lanes: under AVX-512 all accesses take the mask
/// `k1` (and `k3`, the lanes of the upper half of a vector that is widened). AVX2 masks accesses to
/// elements as wide as a lane; others the kernel moves through a buffer, see [#tailNeedsBuffer].
///
/// Overwrites `r11`, `k2` and the two scratch registers of a [Program].
sealed class Elements permits WholeElements {
  static final Mask TAIL = Mask.K1;
  static final Mask UPPER_TAIL = Mask.K3;

  private final Assembler a;
  private final Isa isa;
  private final boolean wide;
  private final int s0;
  private final int s1;
  private final int bounce;

  /// @param bounce where 64 bytes lie on the stack for conversions lane by lane
  Elements(Assembler a, Isa isa, boolean wide, int bounce) {
    this.a = a;
    this.isa = isa;
    this.wide = wide;
    this.s0 = isa.registers() - 1;
    this.s1 = isa.registers() - 2;
    this.bounce = bounce;
  }

  int lanes() {
    return isa.lanes(wide ? 8 : 4);
  }

  /// Whether the last elements of a row of this type must go through a buffer.
  boolean tailNeedsBuffer(DType dtype) {
    return isa == Isa.AVX2 && dtype.byteSize() != (wide ? 8 : 4);
  }

  private boolean evex() {
    return isa == Isa.AVX512;
  }

  private Vector full(int n) {
    return isa.vector(n);
  }

  private Vector half(int n) {
    return Vector.of(n, isa.bits() / 2);
  }

  /// `v`, of which only the lanes of the row's last elements are written and the others cleared.
  private Vector tail(Vector v, boolean tail) {
    return tail && evex() ? v.zeroed(TAIL) : v;
  }

  private Memory tail(Memory m, boolean tail) {
    return tail && evex() ? m.masked(TAIL) : m;
  }

  /// Loads a vector of elements.
  ///
  /// @param maskTable under AVX2, the register that points to the lanes of the tail; null if this is none
  void load(DType dtype, Memory at, int d, boolean tail, @Nullable Register maskTable) {
    Operand from = at;
    if (tail && isa == Isa.AVX2 && maskTable != null && !tailNeedsBuffer(dtype)) {
      a.emit(Instruction.VMOVUPS, full(s1), Memory.at(maskTable));
      Instruction load = wide ? Instruction.VMASKMOVPD : Instruction.VMASKMOVPS;
      a.emit(load, full(d), full(s1), at);
      from = full(d);
    }
    if (wide) {
      loadWide(dtype, at, from, d, tail);
    } else {
      loadSingle(dtype, at, from, d, tail);
    }
  }

  private void loadSingle(DType dtype, Memory at, Operand from, int d, boolean tail) {
    Vector v = tail(full(d), tail);
    switch (dtype) {
      case FLOAT32 -> {
        if (from == at) {
          a.emit(Instruction.VMOVUPS, v, at);
        }
      }
      case BFLOAT16 -> {
        a.emit(Instruction.VPMOVZXWD, v, at);
        a.emit(Instruction.VPSLLD, 16, full(d), full(d));
      }
      case FLOAT16 -> a.emit(Instruction.VCVTPH2PS, v, at);
      case INT32 -> a.emit(Instruction.VCVTDQ2PS, v, from);
      case INT16 -> extend(Instruction.VPMOVSXWD, v, at, d);
      case INT8 -> extend(Instruction.VPMOVSXBD, v, at, d);
      case UINT8, BOOL -> extend(Instruction.VPMOVZXBD, v, at, d);
      case FLOAT64 -> {
        narrow(Instruction.VCVTPD2PS, at, d, tail);
      }
      case INT64 -> {
        if (evex()) {
          narrow(Instruction.VCVTQQ2PS, at, d, tail);
        } else {
          for (int i = 0; i < 8; i++) {
            a.emit(Instruction.VXORPS, Vector.xmm(s0), Vector.xmm(s0), Vector.xmm(s0));
            a.emit(Instruction.VCVTSI2SS, Vector.xmm(s0), Vector.xmm(s0), at.plus(8 * i));
            a.emit(Instruction.VMOVSS_STORE, Memory.at(RSP, bounce + 4 * i), Vector.xmm(s0));
          }
          a.emit(Instruction.VMOVUPS, full(d), Memory.at(RSP, bounce));
        }
      }
      case COMPLEX32, COMPLEX64, COMPLEX128 -> throw new AssertionError(dtype);
    }
  }

  private void extend(Instruction instruction, Vector v, Memory at, int d) {
    a.emit(instruction, v, at);
    a.emit(Instruction.VCVTDQ2PS, full(d), full(d));
  }

  /// Two vectors of 64-bit elements to one of 32-bit lanes.
  private void narrow(Instruction convert, Memory at, int d, boolean tail) {
    Vector low = full(s0);
    a.emit(Instruction.VMOVUPD, tail(low, tail), at);
    a.emit(convert, half(d), low);
    Vector high = tail && evex() ? low.zeroed(UPPER_TAIL) : low;
    a.emit(Instruction.VMOVUPD, high, at.plus(isa.bits() / 8));
    a.emit(convert, half(s0), low);
    insertUpper(d, s0);
  }

  private void insertUpper(int d, int upper) {
    Instruction insert = evex() ? Instruction.VINSERTF64X4 : Instruction.VINSERTF128;
    a.emit(insert, 1, full(d), full(d), half(upper));
  }

  private void extractUpper(int d, int from) {
    Instruction extract = evex() ? Instruction.VEXTRACTF64X4 : Instruction.VEXTRACTF128;
    a.emit(extract, 1, half(d), full(from));
  }

  private void loadWide(DType dtype, Memory at, Operand from, int d, boolean tail) {
    Vector v = tail(full(d), tail);
    Vector h = tail(half(d), tail);
    switch (dtype) {
      case FLOAT64 -> {
        if (from == at) {
          a.emit(Instruction.VMOVUPD, v, at);
        }
      }
      case FLOAT32 -> a.emit(Instruction.VCVTPS2PD, v, at);
      case BFLOAT16 -> {
        a.emit(Instruction.VPMOVZXWD, h, at);
        a.emit(Instruction.VPSLLD, 16, half(d), half(d));
        a.emit(Instruction.VCVTPS2PD, full(d), half(d));
      }
      case FLOAT16 -> {
        a.emit(Instruction.VCVTPH2PS, h, at);
        a.emit(Instruction.VCVTPS2PD, full(d), half(d));
      }
      case INT32 -> a.emit(Instruction.VCVTDQ2PD, v, at);
      case INT16 -> extendWide(Instruction.VPMOVSXWD, h, at, d);
      case INT8 -> extendWide(Instruction.VPMOVSXBD, h, at, d);
      case UINT8, BOOL -> extendWide(Instruction.VPMOVZXBD, h, at, d);
      case INT64 -> {
        if (evex()) {
          a.emit(Instruction.VCVTQQ2PD, v, at);
        } else {
          if (from != at) { // a tail, already loaded as bits
            a.emit(Instruction.VMOVUPS_STORE, Memory.at(RSP, bounce), full(d));
          }
          for (int i = 0; i < 4; i++) {
            Memory element = from == at ? at.plus(8 * i) : Memory.at(RSP, bounce + 8 * i);
            a.emit(Instruction.VXORPS, Vector.xmm(s0), Vector.xmm(s0), Vector.xmm(s0));
            a.emit(Instruction.VCVTSI2SD, Vector.xmm(s0), Vector.xmm(s0), element);
            a.emit(Instruction.VMOVSD_STORE, Memory.at(RSP, bounce + 8 * i), Vector.xmm(s0));
          }
          a.emit(Instruction.VMOVUPS, full(d), Memory.at(RSP, bounce));
        }
      }
      case COMPLEX32, COMPLEX64, COMPLEX128 -> throw new AssertionError(dtype);
    }
  }

  private void extendWide(Instruction instruction, Vector h, Memory at, int d) {
    a.emit(instruction, h, at);
    a.emit(Instruction.VCVTDQ2PD, full(d), half(d));
  }

  /// Loads one element into all lanes.
  void loadScalar(DType dtype, Memory at, int d) {
    Vector x = Vector.xmm(d);
    switch (dtype) {
      case FLOAT32 -> {
        if (wide) {
          a.emit(Instruction.VMOVSS, x, at);
          a.emit(Instruction.VCVTPS2PD, x, x);
        } else {
          a.emit(Instruction.VBROADCASTSS, full(d), at);
          return;
        }
      }
      case FLOAT64 -> {
        a.emit(Instruction.VMOVSD, x, at);
        if (!wide) {
          a.emit(Instruction.VCVTPD2PS, x, x);
        }
      }
      case BFLOAT16 -> {
        a.movzxw(R11, at);
        a.shl(R11, 16);
        a.emit(Instruction.VMOVD, x, R11);
        widenScalar(x);
      }
      case FLOAT16 -> {
        a.movzxw(R11, at);
        a.emit(Instruction.VMOVD, x, R11);
        a.emit(Instruction.VCVTPH2PS, x, x);
        widenScalar(x);
      }
      case INT64 -> {
        a.mov(R11, at);
        convertScalar(x);
      }
      case INT32 -> {
        a.movsxd(R11, at);
        convertScalar(x);
      }
      case INT16 -> {
        a.movsxw(R11, at);
        convertScalar(x);
      }
      case INT8 -> {
        a.movsxb(R11, at);
        convertScalar(x);
      }
      case UINT8, BOOL -> {
        a.movzxb(R11, at);
        convertScalar(x);
      }
      case COMPLEX32, COMPLEX64, COMPLEX128 -> throw new AssertionError(dtype);
    }
    a.emit(wide ? Instruction.VBROADCASTSD : Instruction.VBROADCASTSS, full(d), x);
  }

  private void widenScalar(Vector x) {
    if (wide) {
      a.emit(Instruction.VCVTPS2PD, x, x);
    }
  }

  private void convertScalar(Vector x) {
    a.emit(Instruction.VXORPS, x, x, x);
    a.emit(wide ? Instruction.VCVTSI2SD : Instruction.VCVTSI2SS, x, x, R11);
  }

  /// Stores a vector of elements.
  ///
  /// @param maskTable under AVX2, the register that points to the lanes of the tail; null if this is none
  void store(DType dtype, Memory at, int s, boolean tail, @Nullable Register maskTable) {
    switch (dtype) {
      case FLOAT32 -> {
        if (wide) {
          a.emit(Instruction.VCVTPD2PS, half(s0), full(s));
          a.emit(Instruction.VMOVUPS_STORE, tail(at, tail), half(s0));
        } else {
          storeLanes(at, s, tail, maskTable);
        }
      }
      case FLOAT64 -> {
        if (wide) {
          storeLanes(at, s, tail, maskTable);
        } else {
          widenAndStore(Instruction.VCVTPS2PD, at, s, tail);
        }
      }
      case BFLOAT16 -> {
        int single = single(s);
        storeBfloat16(at, single, tail);
      }
      case FLOAT16 -> {
        int single = single(s);
        a.emit(Instruction.VCVTPS2PH, 0, tail(at, tail), lanesOf32(single));
      }
      case INT64 -> storeInt64(at, s, tail, maskTable);
      case INT32 -> {
        truncate(s);
        if (wide) {
          a.emit(Instruction.VMOVDQU_STORE, tail(at, tail), half(s0));
        } else {
          storeLanes(at, s0, tail, maskTable);
        }
      }
      case INT16 -> {
        truncate(s);
        storeShorts(at, tail);
      }
      case INT8, UINT8 -> {
        truncate(s);
        storeBytes(at, tail);
      }
      case BOOL -> {
        storeBool(at, s, tail);
      }
      case COMPLEX32, COMPLEX64, COMPLEX128 -> throw new AssertionError(dtype);
    }
  }

  /// The 32-bit lanes that correspond to the lanes of this kernel: half a register if those are wide.
  private Vector lanesOf32(int n) {
    return wide ? half(n) : full(n);
  }

  /// The elements as `float32`: in `s` itself, or narrowed into the scratch register.
  private int single(int s) {
    if (!wide) {
      return s;
    }
    a.emit(Instruction.VCVTPD2PS, half(s0), full(s));
    return s0;
  }

  private void storeLanes(Memory at, int s, boolean tail, @Nullable Register maskTable) {
    if (tail && isa == Isa.AVX2 && maskTable != null) {
      a.emit(Instruction.VMOVUPS, full(s1), Memory.at(maskTable));
      Instruction store = wide ? Instruction.VMASKMOVPD_STORE : Instruction.VMASKMOVPS_STORE;
      a.emit(store, at, full(s1), full(s));
    } else if (wide) {
      a.emit(Instruction.VMOVUPD_STORE, tail(at, tail), full(s));
    } else {
      a.emit(Instruction.VMOVUPS_STORE, tail(at, tail), full(s));
    }
  }

  private void widenAndStore(Instruction convert, Memory at, int s, boolean tail) {
    a.emit(convert, full(s0), half(s));
    a.emit(Instruction.VMOVUPD_STORE, tail(at, tail), full(s0));
    extractUpper(s0, s);
    a.emit(convert, full(s0), half(s0));
    Memory upper = at.plus(isa.bits() / 8);
    a.emit(Instruction.VMOVUPD_STORE, tail && evex() ? upper.masked(UPPER_TAIL) : upper, full(s0));
  }

  /// Rounds to nearest even by adding to the lower half; NaN becomes 0x7FC0, as in PyTorch.
  private void storeBfloat16(Memory at, int s, boolean tail) {
    Vector x = lanesOf32(s);
    Vector t = lanesOf32(s1);
    int lanes = lanes();
    Memory one = constant(a.ints(repeat(1, lanes)));
    Memory bias = constant(a.ints(repeat(0x7FFF, lanes)));
    Memory nan = constant(a.ints(repeat(0x7FC00000, lanes)));
    a.emit(Instruction.VPSRLD, 16, t, x);
    a.emit(Instruction.VPAND, t, t, one);
    a.emit(Instruction.VPADDD, t, t, x);
    a.emit(Instruction.VPADDD, t, t, bias);
    if (evex()) {
      a.emit(Instruction.VCMPPS, Assembler.CMP_UNORDERED, Program.SCRATCH_MASK, x, x);
      a.emit(Instruction.VMOVUPS, t.masked(Program.SCRATCH_MASK), nan);
      a.emit(Instruction.VPSRLD, 16, t, t);
      a.emit(Instruction.VPMOVDW, tail(at, tail), t);
    } else {
      Vector unordered = lanesOf32(s0);
      a.emit(Instruction.VCMPPS, Assembler.CMP_UNORDERED, unordered, x, x);
      a.vblendvps(t, t, nan, unordered);
      a.emit(Instruction.VPSRLD, 16, lanesOf32(s0), t);
      packShorts(at);
    }
  }

  private static int[] repeat(int value, int times) {
    int[] values = new int[times];
    Arrays.fill(values, value);
    return values;
  }

  private static Memory constant(Label label) {
    return Memory.at(label);
  }

  /// Whole numbers towards 0, as 32-bit lanes in the scratch register.
  private void truncate(int s) {
    if (wide) {
      a.emit(Instruction.VCVTTPD2DQ, half(s0), full(s));
    } else {
      a.emit(Instruction.VCVTTPS2DQ, full(s0), full(s));
    }
  }

  private void storeShorts(Memory at, boolean tail) {
    if (evex()) {
      a.emit(Instruction.VPMOVDW, tail(at, tail), lanesOf32(s0));
    } else {
      Memory mask = constant(a.ints(repeat(0xFFFF, lanes())));
      a.emit(Instruction.VPAND, lanesOf32(s0), lanesOf32(s0), mask);
      packShorts(at);
    }
  }

  /// The low halves of the lanes in the scratch register, which are not negative (AVX2).
  private void packShorts(Memory at) {
    Vector x = Vector.xmm(s0);
    if (wide) {
      a.emit(Instruction.VPACKUSDW, x, x, x);
      a.emit(Instruction.VMOVSD_STORE, at, x);
    } else {
      a.emit(Instruction.VEXTRACTI128, 1, Vector.xmm(s1), full(s0));
      a.emit(Instruction.VPACKUSDW, x, x, Vector.xmm(s1));
      a.emit(Instruction.VMOVDQU_STORE, at, x);
    }
  }

  private void storeBytes(Memory at, boolean tail) {
    if (evex()) {
      a.emit(Instruction.VPMOVDB, tail(at, tail), lanesOf32(s0));
      return;
    }
    Memory mask = constant(a.ints(repeat(0xFF, lanes())));
    a.emit(Instruction.VPAND, lanesOf32(s0), lanesOf32(s0), mask);
    Vector x = Vector.xmm(s0);
    if (!wide) {
      a.emit(Instruction.VEXTRACTI128, 1, Vector.xmm(s1), full(s0));
      a.emit(Instruction.VPACKUSDW, x, x, Vector.xmm(s1));
    } else {
      a.emit(Instruction.VPACKUSDW, x, x, x);
    }
    a.emit(Instruction.VPACKUSWB, x, x, x);
    if (wide) {
      a.emit(Instruction.VMOVSS_STORE, at, x);
    } else {
      a.emit(Instruction.VMOVSD_STORE, at, x);
    }
  }

  private void storeBool(Memory at, int s, boolean tail) {
    Vector zero = full(s0);
    a.emit(Instruction.VXORPS, zero, zero, zero);
    Instruction compare = wide ? Instruction.VCMPPD : Instruction.VCMPPS;
    if (evex()) {
      a.emit(compare, Assembler.CMP_NOT_EQUAL, Program.SCRATCH_MASK, full(s), zero);
      Memory one = constant(a.ints(1));
      a.emit(Instruction.VPBROADCASTD, lanesOf32(s0).zeroed(Program.SCRATCH_MASK), one);
    } else {
      a.emit(compare, Assembler.CMP_NOT_EQUAL, full(s0), full(s), zero);
      if (wide) { // all-ones 64-bit lanes to 32-bit lanes
        a.emit(Instruction.VEXTRACTI128, 1, Vector.xmm(s1), full(s0));
        a.emit(Instruction.VSHUFPS, 0x88, Vector.xmm(s0), Vector.xmm(s0), Vector.xmm(s1));
      }
      Memory one = constant(a.ints(repeat(1, lanes())));
      a.emit(Instruction.VPAND, lanesOf32(s0), lanesOf32(s0), one);
    }
    storeBytes(at, tail);
  }

  private void storeInt64(Memory at, int s, boolean tail, @Nullable Register maskTable) {
    if (evex()) {
      if (wide) {
        a.emit(Instruction.VCVTTPD2QQ, full(s0), full(s));
        a.emit(Instruction.VMOVDQU64_STORE, tail(at, tail), full(s0));
      } else {
        widenAndStore(Instruction.VCVTTPS2QQ, at, s, tail);
      }
      return;
    }
    a.emit(Instruction.VMOVUPS_STORE, Memory.at(RSP, bounce), full(s));
    boolean masked = wide && tail && maskTable != null;
    for (int i = 0; i < lanes(); i++) {
      Memory element = Memory.at(RSP, bounce + (wide ? 8 : 4) * i);
      a.emit(wide ? Instruction.VCVTTSD2SI : Instruction.VCVTTSS2SI, R11, element);
      a.mov(masked ? element : at.plus(8 * i), R11);
    }
    if (masked) {
      a.emit(Instruction.VMOVUPS, full(s0), Memory.at(RSP, bounce));
      storeLanes(at, s0, true, maskTable);
    }
  }
}
