package taper.cpu.x86;

import static taper.cpu.assembler.Register.R10;
import static taper.cpu.assembler.Register.R11;
import static taper.cpu.assembler.Register.RAX;

import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Condition;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Mask;
import taper.cpu.assembler.Register;

/// Loops along a line of elements, under AVX-512: whole vectors, then the lanes that are left, which `k1` masks.
final class VectorLoop {
  /// The lanes that are left.
  static final Mask TAIL = Mask.K1;

  private static final int FLOATS = 16;

  private VectorLoop() {}

  /// What is done with a vector.
  interface Body {
    /// Emits it.
    ///
    /// @param mask the lanes that count, [#TAIL], or `k0` for all
    void emit(Mask mask);
  }

  /// What is done with one of several vectors that are under way together.
  interface One {
    /// Emits it.
    ///
    /// @param number which of them it is
    /// @param tail whether only the lanes of [#TAIL] count
    void emit(int number, boolean tail);
  }

  /// What is done after several vectors.
  interface Several {
    void emit(int count);
  }

  /// Goes along `count` elements, which may be none, `lanes` at a time. Overwrites `rax` and, but for what is left, `count`.
  ///
  /// @param advance goes to the next vector, after each that is whole
  static void emit(Assembler a, Register count, int lanes, Body body, Runnable advance) {
    var top = new Label();
    var rest = new Label();
    var end = new Label();
    a.cmp(count, lanes);
    a.jump(Condition.LESS, rest);
    a.align(16);
    a.bind(top);
    body.emit(Mask.K0);
    advance.run();
    a.sub(count, lanes);
    a.cmp(count, lanes);
    a.jump(Condition.GREATER_EQUAL, top);
    a.bind(rest);
    a.test(count, count);
    a.jump(Condition.EQUAL, end);
    setTail(a, RAX, count);
    body.emit(TAIL);
    a.bind(end);
  }

  /// Goes along `r10` numbers of `float32` at `rax`: four vectors at a time, then one, then what is left. Overwrites `r11`.
  static void fourAtATime(Assembler a, One vector, Several after) {
    for (int count = 4; count > 0; count -= 3) {
      var top = new Label();
      var end = new Label();
      a.cmp(R10, FLOATS * count);
      a.jump(Condition.LESS, end);
      a.align(16);
      a.bind(top);
      for (int i = 0; i < count; i++) {
        vector.emit(i, false);
      }
      after.emit(count);
      a.add(RAX, 4 * FLOATS * count);
      a.sub(R10, FLOATS * count);
      a.cmp(R10, FLOATS * count);
      a.jump(Condition.GREATER_EQUAL, top);
      a.bind(end);
    }
    var end = new Label();
    a.test(R10, R10);
    a.jump(Condition.EQUAL, end);
    setTail(a, R11, R10);
    vector.emit(0, true);
    after.emit(1);
    a.bind(end);
  }

  /// Sets [#TAIL] to the first `count` lanes, by way of `free`.
  static void setTail(Assembler a, Register free, Register count) {
    a.mov(free, -1L);
    a.bzhi(free, free, count);
    a.emit(Instruction.KMOVW, TAIL, free);
  }
}
