package taper.cpu.x86;

import static taper.cpu.assembler.Register.R10;
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
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;
import taper.cpu.assembler.Vector;

/// Loops that write elements in reverse order, or each of them several times.
///
/// A line is done in whole vectors; the last of them overlaps the one before where the length is no multiple.
final class LineOrderCode {
  private static final int SWAP_HALVES = 0x4E;
  private static final int REVERSE_QUARTERS = 0x1B;

  private LineOrderCode() {}

  /// Lines in reverse order: `rdi` where to, `rsi` the lowest address of the line that is read, `rdx` the bytes of a line, at
  /// least a vector, `rcx` how many lines, `r8` and `r9` how far apart they lie. Bytes are reversed within the 128-bit
  /// parts of a vector, element by element, and then the parts.
  ///
  /// @param width the bytes of an element: 1, 2, 4 or 8
  static Code reversed(Isa isa, int width) {
    var a = new Assembler();
    int bytes = isa.bits() / 8;
    Vector order = isa.vector(1);
    a.emit(Instruction.VMOVUPS, order, Memory.at(a.ints(backwards(width, bytes / 16))));
    a.repeat(
        RCX,
        () -> {
          var top = new Label();
          var end = new Label();
          a.xor(RAX, RAX);
          a.lea(R10, Memory.at(RDX, -bytes));
          a.align(16);
          a.bind(top);
          reverse(a, isa, order);
          a.add(RAX, bytes);
          a.sub(R10, bytes);
          a.jump(Condition.GREATER_EQUAL, top);
          a.cmp(R10, -bytes);
          a.jump(Condition.EQUAL, end);
          a.xor(R10, R10);
          a.lea(RAX, Memory.at(RDX, -bytes));
          reverse(a, isa, order);
          a.bind(end);
          a.add(RDI, R8);
          a.add(RSI, R9);
        });
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  private static void reverse(Assembler a, Isa isa, Vector order) {
    Vector v = isa.vector(0);
    a.emit(Instruction.VMOVUPS, v, Memory.at(RSI, R10, 1, 0));
    a.emit(Instruction.VPSHUFB, v, v, order);
    if (isa == Isa.AVX512) {
      a.emit(Instruction.VSHUFF64X2, REVERSE_QUARTERS, v, v, v);
    } else {
      a.emit(Instruction.VPERMQ, SWAP_HALVES, v, v);
    }
    a.emit(Instruction.VMOVUPS_STORE, Memory.at(RDI, RAX, 1, 0), v);
  }

  /// Where each byte of 16 comes from, `times` over, as 32-bit numbers.
  private static int[] backwards(int width, int times) {
    int[] result = new int[4 * times];
    for (int i = 0; i < 16 * times; i++) {
      int at = i % 16;
      int from = 16 - width - at / width * width + at % width;
      result[i / 4] |= from << 8 * (i % 4);
    }
    return result;
  }

  /// Each element of a line `times` times, under AVX-512: `rdi` where to, `rsi` where from, `rdx` how many elements, at
  /// least as many as a vector has. A vector that is read becomes `times` others.
  ///
  /// @param width the bytes of an element: 4 or 8
  static Code repeated(int width, int times) {
    var a = new Assembler();
    boolean wide = width == 8;
    int lanes = 64 / width;
    for (int j = 0; j < times; j++) {
      var table = wide ? a.longs(sources(j, times, lanes)) : a.ints(halves(j, times, lanes));
      a.emit(Instruction.VMOVUPS, Vector.zmm(16 + j), Memory.at(table));
    }
    var top = new Label();
    var end = new Label();
    a.align(16);
    a.bind(top);
    repeat(a, wide, times);
    a.add(RSI, 64);
    a.add(RDI, 64 * times);
    a.sub(RDX, lanes);
    a.cmp(RDX, lanes);
    a.jump(Condition.GREATER_EQUAL, top);
    a.test(RDX, RDX);
    a.jump(Condition.EQUAL, end);
    a.sub(RDX, lanes); // back by the lanes that are not left
    a.imul(RDX, RDX, width);
    a.add(RSI, RDX);
    a.imul(RDX, RDX, times);
    a.add(RDI, RDX);
    repeat(a, wide, times);
    a.bind(end);
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  private static void repeat(Assembler a, boolean wide, int times) {
    Vector v = Vector.zmm(0);
    a.emit(Instruction.VMOVUPS, v, Memory.at(RSI));
    for (int j = 0; j < times; j++) {
      Vector w = Vector.zmm(1 + j % 4);
      a.emit(wide ? Instruction.VPERMPD_VECTOR : Instruction.VPERMPS, w, Vector.zmm(16 + j), v);
      a.emit(Instruction.VMOVUPS_STORE, Memory.at(RDI, 64 * j), w);
    }
  }

  private static long[] sources(int vector, int times, int lanes) {
    long[] result = new long[lanes];
    for (int i = 0; i < lanes; i++) {
      result[i] = (vector * lanes + i) / times;
    }
    return result;
  }

  private static int[] halves(int vector, int times, int lanes) {
    int[] result = new int[lanes];
    for (int i = 0; i < lanes; i++) {
      result[i] = (vector * lanes + i) / times;
    }
    return result;
  }

  /// Lines of equal elements: `rdi` where to, `rsi` where the first element lies, `rdx` the bytes of a line, at least a vector,
  /// `rcx` how many lines, `r8` how far apart they are written, `r9` how far apart their elements lie.
  ///
  /// @param width the bytes of an element: 1, 2, 4 or 8
  static Code equal(Isa isa, int width) {
    var a = new Assembler();
    int bytes = isa.bits() / 8;
    Vector v = isa.vector(0);
    a.repeat(
        RCX,
        () -> {
          var top = new Label();
          var end = new Label();
          a.emit(broadcast(width), v, Memory.at(RSI));
          a.mov(RAX, RDI);
          a.mov(R10, RDX);
          a.align(16);
          a.bind(top);
          a.emit(Instruction.VMOVUPS_STORE, Memory.at(RAX), v);
          a.add(RAX, bytes);
          a.sub(R10, bytes);
          a.cmp(R10, bytes);
          a.jump(Condition.GREATER_EQUAL, top);
          a.test(R10, R10);
          a.jump(Condition.EQUAL, end);
          last(a, v, RAX, R10, bytes);
          a.bind(end);
          a.add(RDI, R8);
          a.add(RSI, R9);
        });
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  private static void last(Assembler a, Vector v, Register at, Register left, int bytes) {
    a.add(at, left);
    a.emit(Instruction.VMOVUPS_STORE, Memory.at(at, -bytes), v);
  }

  private static Instruction broadcast(int width) {
    return switch (width) {
      case 1 -> Instruction.VPBROADCASTB;
      case 2 -> Instruction.VPBROADCASTW;
      case 4 -> Instruction.VPBROADCASTD;
      default -> Instruction.VPBROADCASTQ;
    };
  }
}
