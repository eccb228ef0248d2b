package taper.cpu.products;

import static taper.cpu.assembler.Register.RAX;

import java.util.Arrays;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Mask;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Operand;
import taper.cpu.assembler.Vector;

/// Elements of `float32` (4 bytes) or `float64` (8 bytes) in the vector registers of one instruction set:
/// one spelling for four sets of instructions. Immutable.
///
/// The last, partly filled vector of a row is read and written under a mask, which lies in `k1` or, without
/// AVX-512, in a vector register.
record Lanes(Isa isa, int bytes) {

  boolean wide() {
    return bytes == 8;
  }

  /// A number from 0 to 3 that no other pair has.
  int key() {
    return (isa == Isa.AVX512 ? 2 : 0) | (wide() ? 1 : 0);
  }

  boolean masks() {
    return isa == Isa.AVX512;
  }

  /// The number of elements in a register.
  int count() {
    return isa.lanes(bytes);
  }

  /// The size of a register in bytes.
  int vectorBytes() {
    return isa.bits() / 8;
  }

  Vector v(int number) {
    return isa.vector(number);
  }

  private Instruction either(Instruction single, Instruction wide) {
    return wide() ? wide : single;
  }

  void load(Assembler a, int v, Memory from) {
    a.emit(either(Instruction.VMOVUPS, Instruction.VMOVUPD), v(v), from);
  }

  void store(Assembler a, Memory to, int v) {
    a.emit(either(Instruction.VMOVUPS_STORE, Instruction.VMOVUPD_STORE), to, v(v));
  }

  /// What selects the first `lanes` lanes: to be handed to the code that does [#loadMask].
  long mask(int lanes) {
    return masks() ? (1L << lanes) - 1 : (long) (count() - lanes) * bytes;
  }

  /// Makes the mask that `field` describes the current one. Changes `rax`.
  void loadMask(Assembler a, Memory field, int maskRegister) {
    if (masks()) {
      a.movl(RAX, field);
      a.emit(Instruction.KMOVW, Mask.K1, RAX);
    } else {
      byte[] table = new byte[2 * vectorBytes()];
      Arrays.fill(table, 0, vectorBytes(), (byte) -1);
      Label label = a.data(table);
      a.lea(RAX, label);
      a.add(RAX, field);
      a.emit(Instruction.VMOVUPS, v(maskRegister), Memory.at(RAX));
    }
  }

  void loadMasked(Assembler a, int v, Memory from, int maskRegister) {
    if (masks()) {
      a.emit(either(Instruction.VMOVUPS, Instruction.VMOVUPD), v(v).zeroed(Mask.K1), from);
    } else {
      a.emit(either(Instruction.VMASKMOVPS, Instruction.VMASKMOVPD), v(v), v(maskRegister), from);
    }
  }

  void storeMasked(Assembler a, Memory to, int v, int maskRegister) {
    if (masks()) {
      a.emit(
          either(Instruction.VMOVUPS_STORE, Instruction.VMOVUPD_STORE), to.masked(Mask.K1), v(v));
    } else {
      a.emit(
          either(Instruction.VMASKMOVPS_STORE, Instruction.VMASKMOVPD_STORE),
          to,
          v(maskRegister),
          v(v));
    }
  }

  void broadcast(Assembler a, int v, Memory from) {
    a.emit(either(Instruction.VBROADCASTSS, Instruction.VBROADCASTSD), v(v), from);
  }

  /// `sum += x * y`.
  void multiplyAdd(Assembler a, int sum, int x, Operand y) {
    a.emit(either(Instruction.VFMADD231PS, Instruction.VFMADD231PD), v(sum), v(x), y);
  }

  /// `x = x * y + z`.
  void multiplyThenAdd(Assembler a, int x, int y, Operand z) {
    a.emit(either(Instruction.VFMADD213PS, Instruction.VFMADD213PD), v(x), v(y), z);
  }

  void add(Assembler a, int d, int x, Operand y) {
    a.emit(either(Instruction.VADDPS, Instruction.VADDPD), v(d), v(x), y);
  }

  /// `d = max(x, y)`, or `y` if either is NaN.
  void max(Assembler a, int d, int x, Operand y) {
    a.emit(either(Instruction.VMAXPS, Instruction.VMAXPD), v(d), v(x), y);
  }

  void zero(Assembler a, int v) {
    // The 512-bit form of vxorps needs AVX512DQ, which we have; the short form clears all bits too.
    if (v < 16) {
      a.emit(Instruction.VXORPS, Vector.xmm(v), Vector.xmm(v), Vector.xmm(v));
    } else {
      a.emit(Instruction.VPXOR, v(v), v(v), v(v));
    }
  }
}
