package taper.cpu.x86;

import static taper.cpu.assembler.Register.R10;
import static taper.cpu.assembler.Register.R11;
import static taper.cpu.assembler.Register.R12;
import static taper.cpu.assembler.Register.R13;
import static taper.cpu.assembler.Register.R8;
import static taper.cpu.assembler.Register.R9;
import static taper.cpu.assembler.Register.RAX;
import static taper.cpu.assembler.Register.RBP;
import static taper.cpu.assembler.Register.RBX;
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
import taper.cpu.moving.Loops.Way;

/// Loops that follow indices: single elements, or blocks of them.
///
/// Elements go through general-purpose registers, one after the other: the processor overlaps the steps, which depend on
/// each other only where two indices are equal, and needs about a cycle for each. (Its gathers are no faster, and it has
/// to serialise what scatters.) Blocks go by vectors. With AVX-512 the end of a block is masked; with AVX2 the end of a
/// copy is a vector that overlaps the one before, and the end of a sum goes by single elements.
///
/// Registers: `rsi` to, `r8` from, `r9` indices, `rcx` those left, `r10`, `r11`, `rbx` the steps of the three, `rdx` the
/// stride, `rbp` the size, `rax` the distance that the index means.
final class IndexCode {
  static final int TO = 0;
  static final int FROM = 8;
  static final int INDEX = 16;
  static final int COUNT = 24;
  static final int TO_STEP = 32;
  static final int FROM_STEP = 40;
  static final int INDEX_STEP = 48;
  static final int STRIDE = 56;
  static final int SIZE = 64;
  static final int BYTES = 72;
  static final int LINES = 80;
  static final int TO_LINE = 88;
  static final int FROM_LINE = 96;
  static final int INDEX_LINE = 104;

  private static final int UNROLLED = 4;

  private static final Register[] SAVED = {RBX, RBP, R12, R13};

  private final Assembler a = new Assembler();
  private final Isa isa;
  private final Way way;
  private final int width;

  private IndexCode(Isa isa, Way way, int width) {
    this.isa = isa;
    this.way = way;
    this.width = width;
  }

  /// The code for elements of `width` bytes.
  ///
  /// @param dense whether there is no index below 0 and all but what is indexed lies side by side
  static Code elements(Isa isa, Way way, int width, boolean dense) {
    var code = new IndexCode(isa, way, width);
    code.lines(dense ? code::sideBySide : () -> code.walk(true, code::element));
    return code.a.install();
  }

  /// The code for blocks of elements of `width` bytes.
  static Code blocks(Isa isa, Way way, int width) {
    var code = new IndexCode(isa, way, width);
    code.loop(true, code::block);
    return code.a.install();
  }

  /// The code that copies blocks without indices.
  static Code rows(Isa isa) {
    var code = new IndexCode(isa, Way.PICK, 1);
    code.loop(false, code::block);
    return code.a.install();
  }

  /// Several walks, one after the other.
  private void lines(Runnable walk) {
    enter();
    var next = new Label();
    a.bind(next);
    walk.run();
    for (int i = 0; i < 3; i++) { // back to where the walk began, and on
      Register at = i == 0 ? RSI : i == 1 ? R8 : R9;
      a.mov(R12, Memory.at(RDI, i == 0 ? TO : i == 1 ? FROM : INDEX));
      a.add(R12, Memory.at(RDI, i == 0 ? TO_LINE : i == 1 ? FROM_LINE : INDEX_LINE));
      a.mov(Memory.at(RDI, i == 0 ? TO : i == 1 ? FROM : INDEX), R12);
      a.mov(at, R12);
    }
    a.mov(RCX, Memory.at(RDI, LINES));
    a.dec(RCX);
    a.mov(Memory.at(RDI, LINES), RCX);
    a.mov(RCX, Memory.at(RDI, COUNT));
    a.jump(Condition.NOT_EQUAL, next);
    leave();
  }

  private void loop(boolean indexed, Runnable step) {
    enter();
    walk(indexed, step);
    leave();
  }

  private void enter() {
    a.push(SAVED);
    a.mov(RSI, Memory.at(RDI, TO));
    a.mov(R8, Memory.at(RDI, FROM));
    a.mov(R9, Memory.at(RDI, INDEX));
    a.mov(RCX, Memory.at(RDI, COUNT));
    a.mov(R10, Memory.at(RDI, TO_STEP));
    a.mov(R11, Memory.at(RDI, FROM_STEP));
    a.mov(RBX, Memory.at(RDI, INDEX_STEP));
    a.mov(RDX, Memory.at(RDI, STRIDE));
    a.mov(RBP, Memory.at(RDI, SIZE));
    if (isa == Isa.AVX512) { // the mask of the end of a block, whose lanes are bytes or elements
      a.mov(R12, Memory.at(RDI, BYTES));
      a.and(R12, 63);
      if (way == Way.ADD) {
        a.shr(R12, width == 4 ? 2 : 3);
      }
      a.mov(RAX, -1L);
      a.bzhi(RAX, RAX, R12);
      a.emit(Instruction.KMOVQ, Elements.TAIL, RAX);
    }
  }

  private void leave() {
    a.pop(SAVED);
    a.vzeroupper();
    a.ret();
  }

  private void walk(boolean indexed, Runnable step) {
    if (!indexed) {
      a.xor(RAX, RAX);
    }
    a.repeat(
        RCX,
        () -> {
          if (indexed) {
            a.mov(RAX, Memory.at(R9));
            a.mov(R12, RAX);
            a.sar(R12, 63);
            a.and(R12, RBP);
            a.add(RAX, R12);
            a.imul(RAX, RDX);
          }
          step.run();
          a.add(R9, RBX);
          a.add(RSI, R10);
          a.add(R8, R11);
        });
  }

  private void element() {
    element(Memory.at(RSI), Memory.at(R8), Memory.at(RSI, RAX, 1, 0), Memory.at(R8, RAX, 1, 0));
  }

  private void element(Memory to, Memory from, Memory toIndexed, Memory fromIndexed) {
    switch (way) {
      case PICK -> move(to, fromIndexed);
      case PLACE -> move(toIndexed, from);
      case ADD, MULTIPLY, MAXIMUM, MINIMUM -> combine(toIndexed, from);
    }
  }

  /// A walk without steps, several elements at a time.
  private void sideBySide() {
    sideBySide(UNROLLED);
    sideBySide(1);
  }

  private void sideBySide(int count) {
    var top = new Label();
    var end = new Label();
    a.cmp(RCX, count);
    a.jump(Condition.LESS, end);
    a.align(16);
    a.bind(top);
    for (int i = 0; i < count; i++) {
      a.mov(RAX, Memory.at(R9, 8 * i));
      Memory to = Memory.at(RSI, i * width);
      Memory from = Memory.at(R8, i * width);
      element(to, from, Memory.at(RSI, RAX, width, 0), Memory.at(R8, RAX, width, 0));
    }
    a.add(R9, 8 * count);
    a.add(way == Way.PICK ? RSI : R8, width * count);
    a.sub(RCX, count);
    a.cmp(RCX, count);
    a.jump(Condition.GREATER_EQUAL, top);
    a.bind(end);
  }

  /// The code that tells whether numbers of 64 bits, `rdx` of them at `rsi`, lie in `rcx..r8`: it writes a negative number
  /// to `rdi` if one does not.
  static Code within(Isa isa) {
    var a = new Assembler();
    int lanes = isa.lanes(8);
    Vector low = isa.vector(0);
    Vector high = isa.vector(1);
    Vector signs = isa.vector(2);
    for (int i = 0; i < 2; i++) {
      a.emit(Instruction.VMOVQ, Vector.xmm(i), i == 0 ? RCX : R8);
      a.emit(Instruction.VPBROADCASTQ, isa.vector(i), Vector.xmm(i));
    }
    a.emit(Instruction.VPXOR, signs, signs, signs);
    var single = new Label();
    var top = new Label();
    var end = new Label();
    a.cmp(RDX, lanes);
    a.jump(Condition.LESS, single);
    a.align(16);
    a.bind(top);
    compare(a, isa.vector(3), isa.vector(4), low, high, signs, Instruction.VMOVUPS);
    a.add(RSI, 8 * lanes);
    a.sub(RDX, lanes);
    a.cmp(RDX, lanes);
    a.jump(Condition.GREATER_EQUAL, top);
    a.bind(single);
    a.test(RDX, RDX);
    a.jump(Condition.EQUAL, end);
    compare(a, isa.vector(3), isa.vector(4), low, high, signs, Instruction.VPBROADCASTQ);
    a.add(RSI, 8);
    a.dec(RDX);
    a.jump(single);
    a.bind(end);
    if (isa == Isa.AVX512) {
      a.emit(Instruction.VEXTRACTF64X4, 1, Vector.ymm(3), signs);
      a.emit(Instruction.VPOR, Vector.ymm(2), Vector.ymm(2), Vector.ymm(3));
    }
    a.emit(Instruction.VMOVMSKPD, RAX, Vector.ymm(2));
    a.neg(RAX);
    a.mov(Memory.at(RDI), RAX);
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  /// The code that writes zeros: `rdi` where to, aligned to 64 bytes, `rsi` how many bytes, a multiple of 64.
  ///
  /// @param past whether they go past the caches
  static Code zeros(Isa isa, boolean past) {
    var a = new Assembler();
    int bytes = isa.bits() / 8;
    Vector zero = isa.vector(0);
    a.emit(Instruction.VPXOR, zero, zero, zero);
    a.shr(RSI, 6);
    a.repeat(
        RSI,
        () -> {
          for (int at = 0; at < 64; at += bytes) {
            Instruction store = past ? Instruction.VMOVNTPS : Instruction.VMOVUPS_STORE;
            a.emit(store, Memory.at(RDI, at), zero);
          }
          a.add(RDI, 64);
        });
    if (past) {
      a.sfence();
    }
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  private static void compare(
      Assembler a, Vector x, Vector t, Vector low, Vector high, Vector signs, Instruction load) {
    a.emit(load, x, Memory.at(RSI));
    a.emit(Instruction.VPSUBQ, t, x, low);
    a.emit(Instruction.VPOR, signs, signs, t);
    a.emit(Instruction.VPSUBQ, t, high, x);
    a.emit(Instruction.VPOR, signs, signs, t);
  }

  private void move(Memory to, Memory from) {
    switch (width) {
      case 1 -> {
        a.movzxb(R13, from);
        a.movb(to, R13);
      }
      case 2 -> {
        a.movzxw(R13, from);
        a.movw(to, R13);
      }
      case 4 -> {
        a.movl(R13, from);
        a.movl(to, R13);
      }
      case 8 -> {
        a.mov(R13, from);
        a.mov(to, R13);
      }
      default -> {
        a.emit(Instruction.VMOVUPS, Vector.xmm(0), from);
        a.emit(Instruction.VMOVUPS_STORE, to, Vector.xmm(0));
      }
    }
  }

  private void combine(Memory to, Memory from) {
    boolean single = width == 4;
    Vector value = Vector.xmm(0);
    Vector old = Vector.xmm(1);
    a.emit(single ? Instruction.VMOVSS : Instruction.VMOVSD, value, from);
    a.emit(single ? Instruction.VMOVSS : Instruction.VMOVSD, old, to);
    switch (way) {
      case ADD -> a.emit(single ? Instruction.VADDSS : Instruction.VADDSD, value, old, value);
      case MULTIPLY -> a.emit(single ? Instruction.VMULSS : Instruction.VMULSD, value, old, value);
      default -> extreme(single, value, old);
    }
    a.emit(single ? Instruction.VMOVSS_STORE : Instruction.VMOVSD_STORE, to, value);
  }

  /// The instructions answer their second operand if either is NaN: a NaN in the value is put back in.
  private void extreme(boolean single, Vector value, Vector old) {
    Vector nan = Vector.xmm(2);
    boolean larger = way == Way.MAXIMUM;
    if (single) {
      a.emit(Instruction.VCMPPS, Assembler.CMP_UNORDERED, nan, value, value);
      a.emit(larger ? Instruction.VMAXSS : Instruction.VMINSS, old, value, old);
      a.vblendvps(value, old, value, nan);
    } else {
      a.emit(Instruction.VCMPPD, Assembler.CMP_UNORDERED, nan, value, value);
      a.emit(larger ? Instruction.VMAXSD : Instruction.VMINSD, old, value, old);
      a.vblendvpd(value, old, value, nan);
    }
  }

  /// A block: `r12` is the distance in it, `r13` the bytes left.
  private void block() {
    boolean from = way == Way.PICK;
    Register indexed = from ? R8 : RSI;
    a.add(indexed, RAX);
    a.xor(R12, R12);
    a.mov(R13, Memory.at(RDI, BYTES));
    var end = new Label();
    int bytes = isa.bits() / 8;
    vectors(4, bytes);
    vectors(1, bytes);
    a.test(R13, R13);
    a.jump(Condition.EQUAL, end);
    if (isa == Isa.AVX512) {
      maskedEnd();
    } else if (way == Way.ADD) {
      a.repeat(
          R13,
          () -> {
            combine(Memory.at(RSI, R12, 1, 0), Memory.at(R8, R12, 1, 0));
            a.add(R12, width);
            a.sub(R13, width - 1);
          });
    } else {
      a.add(R12, R13);
      a.emit(Instruction.VMOVUPS, isa.vector(0), Memory.at(R8, R12, 1, -bytes));
      a.emit(Instruction.VMOVUPS_STORE, Memory.at(RSI, R12, 1, -bytes), isa.vector(0));
    }
    a.bind(end);
    a.sub(indexed, RAX);
  }

  private void maskedEnd() {
    Memory to = Memory.at(RSI, R12, 1, 0);
    Memory from = Memory.at(R8, R12, 1, 0);
    Vector v = isa.vector(0);
    if (way != Way.ADD) {
      a.emit(Instruction.VMOVDQU8, v.zeroed(Elements.TAIL), from);
      a.emit(Instruction.VMOVDQU8_STORE, to.masked(Elements.TAIL), v);
      return;
    }
    boolean single = width == 4;
    Instruction load = single ? Instruction.VMOVUPS : Instruction.VMOVUPD;
    a.emit(load, v.zeroed(Elements.TAIL), from);
    a.emit(load, isa.vector(1).zeroed(Elements.TAIL), to);
    a.emit(single ? Instruction.VADDPS : Instruction.VADDPD, v, isa.vector(1), v);
    Instruction store = single ? Instruction.VMOVUPS_STORE : Instruction.VMOVUPD_STORE;
    a.emit(store, to.masked(Elements.TAIL), v);
  }

  private void vectors(int count, int bytes) {
    var top = new Label();
    var end = new Label();
    a.cmp(R13, count * bytes);
    a.jump(Condition.LESS, end);
    a.align(16);
    a.bind(top);
    for (int i = 0; i < count; i++) {
      a.emit(Instruction.VMOVUPS, isa.vector(i), Memory.at(R8, R12, 1, i * bytes));
    }
    for (int i = 0; i < count; i++) {
      Memory to = Memory.at(RSI, R12, 1, i * bytes);
      if (way == Way.ADD) {
        a.emit(
            width == 4 ? Instruction.VADDPS : Instruction.VADDPD, isa.vector(i), isa.vector(i), to);
      }
      a.emit(Instruction.VMOVUPS_STORE, to, isa.vector(i));
    }
    a.add(R12, count * bytes);
    a.sub(R13, count * bytes);
    a.cmp(R13, count * bytes);
    a.jump(Condition.GREATER_EQUAL, top);
    a.bind(end);
  }
}
