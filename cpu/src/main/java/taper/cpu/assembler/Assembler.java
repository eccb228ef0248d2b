package taper.cpu.assembler;

/// Collects the instructions of one function.
///
/// Vector instructions are given as [Instruction] with their operands in the manual's order, destination
/// first; general-purpose ones are methods with the manual's name (`add`, `mov`, `lea` …) on 64-bit
/// registers. For one thread; used up by [#toBytes()].
///
/// ```java
/// var a = new Assembler();
/// var loop = new Label();
/// a.bind(loop);
/// a.emit(VFMADD231PS, ymm(0), ymm(1), Memory.at(RDI, 32));
/// a.add(RDI, 64);
/// a.dec(RCX);
/// a.jump(NOT_EQUAL, loop);
/// a.ret();
/// ```
public final class Assembler extends Encoder {

  /// Comparison predicates of `vcmpps` and `vcmppd`: ordered (false for NaN), quiet.
  public static final int CMP_EQUAL = 0x00;

  /// Less, ordered, quiet.
  public static final int CMP_LESS = 0x11;

  /// Less or equal, ordered, quiet.
  public static final int CMP_LESS_EQUAL = 0x12;

  /// Unordered: true if either is NaN.
  public static final int CMP_UNORDERED = 0x03;

  /// Not equal, or unordered.
  public static final int CMP_NOT_EQUAL = 0x04;

  /// Greater or equal, ordered, quiet.
  public static final int CMP_GREATER_EQUAL = 0x1D;

  /// Greater, ordered, quiet.
  public static final int CMP_GREATER = 0x1E;

  /// A vector or mask instruction.
  public void emit(Instruction instruction, Operand... operands) {
    emit(instruction, -1, operands);
  }

  /// A vector or mask instruction with an immediate byte.
  public void emit(Instruction instruction, int immediate, Operand... operands) {
    Form form = instruction.form;
    int opcode = instruction.opcode;
    switch (instruction.operands) {
      case TWO -> {
        expect(instruction, operands, 2);
        vector(form, opcode, operands[0].number(), 0, operands[1], immediate, operands);
      }
      case STORE -> {
        expect(instruction, operands, 2);
        vector(form, opcode, operands[1].number(), 0, operands[0], immediate, operands);
      }
      case THREE -> {
        expect(instruction, operands, 3);
        int second = operands[1].number();
        vector(form, opcode, operands[0].number(), second, operands[2], immediate, operands);
      }
      case MASKED_STORE -> {
        expect(instruction, operands, 3);
        int mask = operands[1].number();
        vector(form, opcode, operands[2].number(), mask, operands[0], immediate, operands);
      }
      case SECOND_FIRST -> {
        expect(instruction, operands, 2);
        assert immediate >= 0;
        int destination = operands[0].number();
        vector(form, opcode, instruction.digit, destination, operands[1], immediate, operands);
      }
      case GATHER -> {
        int mask = operands.length == 3 ? operands[2].number() : 0;
        vector(form, opcode, operands[0].number(), mask, operands[1], immediate, operands);
      }
      case REGISTER_FIRST -> {
        expect(instruction, operands, 2);
        vex(form, opcode, operands[0].number(), 0, operands[1], 128, immediate);
      }
      case MASKS -> {
        expect(instruction, operands, 3);
        int second = operands[1].number();
        vex(form, opcode, operands[0].number(), second, operands[2], 256, -1);
      }
    }
  }

  private static void expect(Instruction instruction, Operand[] operands, int count) {
    assert operands.length == count : instruction + " takes " + count + " operands";
  }

  private void vector(
      Form form, int opcode, int reg, int second, Operand rm, int immediate, Operand[] operands) {
    int bits = 128;
    boolean evex = form.vexW() < 0;
    Mask mask = Mask.K0;
    boolean zeroing = false;
    for (Operand operand : operands) {
      switch (operand) {
        case Vector v -> {
          bits = Math.max(bits, v.bits());
          evex |= v.number() >= 16;
          if (v.mask() != Mask.K0) {
            mask = v.mask();
            zeroing = v.zeroing();
          }
        }
        case Memory m -> {
          evex |= m.broadcast();
          if (m.mask() != Mask.K0) {
            mask = m.mask();
          }
          if (m.index() instanceof Vector v) {
            evex |= v.number() >= 16;
            bits = Math.max(bits, v.bits());
          }
        }
        case Mask _ -> evex = true;
        case Register _ -> {}
      }
    }
    if (evex || bits == 512 || mask != Mask.K0) {
      evex(form, opcode, reg, second, rm, bits, mask, zeroing, immediate);
    } else {
      vex(form, opcode, reg, second, rm, bits, immediate);
    }
  }

  /// Selects the lanes of `b` where the sign bit of `mask` is set, else of `a` (AVX only).
  public void vblendvps(Vector d, Vector a, Operand b, Vector mask) {
    vex(Form.PS3, 0x4A, d.number(), a.number(), b, d.bits(), mask.number() << 4);
  }

  /// Selects the lanes of `b` where the sign bit of `mask` is set, else of `a` (AVX only).
  public void vblendvpd(Vector d, Vector a, Operand b, Vector mask) {
    vex(Form.PS3, 0x4B, d.number(), a.number(), b, d.bits(), mask.number() << 4);
  }

  /// Clears the upper halves of the vector registers: to be done before returning from 256-bit code.
  public void vzeroupper() {
    put(0xC5, 0xF8);
    put(0x77);
  }

  /// `d = s`.
  public void mov(Register d, Register s) {
    general(8, s.number(), d, 0, 0x89);
  }

  /// Loads 64 bits.
  public void mov(Register d, Memory s) {
    general(8, d.number(), s, 0, 0x8B);
  }

  /// Stores 64 bits.
  public void mov(Memory d, Register s) {
    general(8, s.number(), d, 0, 0x89);
  }

  /// `d = value`, in the shortest form.
  public void mov(Register d, long value) {
    if (value >= 0 && value <= 0xFFFFFFFFL) {
      if (d.number() >= 8) {
        put(0x41);
      }
      put(0xB8 | d.number() & 7);
      put32((int) value);
    } else if (value == (int) value) {
      general(8, 0, d, 0, 0xC7);
      put32((int) value);
    } else {
      put(0x48 | d.number() >> 3, 0xB8 | d.number() & 7);
      put64(value);
    }
  }

  /// Loads 32 bits and clears the upper half.
  public void movl(Register d, Operand s) {
    general(4, d.number(), s, 0, 0x8B);
  }

  /// Stores 32 bits.
  public void movl(Memory d, Register s) {
    general(4, s.number(), d, 0, 0x89);
  }

  /// Loads 32 bits with their sign.
  public void movsxd(Register d, Operand s) {
    general(8, d.number(), s, 0, 0x63);
  }

  /// Loads an unsigned byte.
  public void movzxb(Register d, Memory s) {
    general(4, d.number(), s, 0, 0x0F, 0xB6);
  }

  /// Loads an unsigned 16-bit number.
  public void movzxw(Register d, Memory s) {
    general(4, d.number(), s, 0, 0x0F, 0xB7);
  }

  /// Loads a byte with its sign.
  public void movsxb(Register d, Memory s) {
    general(8, d.number(), s, 0, 0x0F, 0xBE);
  }

  /// Loads a 16-bit number with its sign.
  public void movsxw(Register d, Memory s) {
    general(8, d.number(), s, 0, 0x0F, 0xBF);
  }

  /// Stores 8 bits.
  public void movb(Memory d, Register s) {
    general(1, s.number(), d, 0, 0x88);
  }

  /// Stores 16 bits.
  public void movw(Memory d, Register s) {
    put(0x66);
    general(4, s.number(), d, 0, 0x89);
  }

  /// `d =` the address of `s`.
  public void lea(Register d, Memory s) {
    general(8, d.number(), s, 0, 0x8D);
  }

  /// The address of `label`.
  public void lea(Register d, Label label) {
    general(8, d.number(), Memory.at(label), 0, 0x8D);
  }

  private void arithmetic(int digit, Register d, int value) {
    boolean brief = value == (byte) value;
    general(8, digit, d, 0, brief ? 0x83 : 0x81);
    if (brief) {
      put(value);
    } else {
      put32(value);
    }
  }

  /// `d += value`.
  public void add(Register d, int value) {
    arithmetic(0, d, value);
  }

  /// `d += s`.
  public void add(Register d, Operand s) {
    general(8, d.number(), s, 0, 0x03);
  }

  /// `d -= value`.
  public void sub(Register d, int value) {
    arithmetic(5, d, value);
  }

  /// `d -= s`.
  public void sub(Register d, Operand s) {
    general(8, d.number(), s, 0, 0x2B);
  }

  /// `d &= value`.
  public void and(Register d, int value) {
    arithmetic(4, d, value);
  }

  /// `d &= s`.
  public void and(Register d, Operand s) {
    general(8, d.number(), s, 0, 0x23);
  }

  /// `d |= s`.
  public void or(Register d, Operand s) {
    general(8, d.number(), s, 0, 0x0B);
  }

  /// `d ^= s`.
  public void xor(Register d, Operand s) {
    general(8, d.number(), s, 0, 0x33);
  }

  /// Sets the flags by `a - value`.
  public void cmp(Register a, int value) {
    arithmetic(7, a, value);
  }

  /// Sets the flags by `a - b`.
  public void cmp(Register a, Operand b) {
    general(8, a.number(), b, 0, 0x3B);
  }

  /// Sets the flags by `a & b`.
  public void test(Register a, Register b) {
    general(8, b.number(), a, 0, 0x85);
  }

  /// `d *= s`.
  public void imul(Register d, Operand s) {
    general(8, d.number(), s, 0, 0x0F, 0xAF);
  }

  /// `d = s · factor`.
  public void imul(Register d, Operand s, int factor) {
    general(8, d.number(), s, 4, 0x69);
    put32(factor);
  }

  /// `d <<= count`.
  public void shl(Register d, int count) {
    general(8, 4, d, 1, 0xC1);
    put(count);
  }

  /// `d >>>= count`.
  public void shr(Register d, int count) {
    general(8, 5, d, 1, 0xC1);
    put(count);
  }

  /// `d >>= count`.
  public void sar(Register d, int count) {
    general(8, 7, d, 1, 0xC1);
    put(count);
  }

  /// `d -= 1`, without the carry flag.
  public void dec(Register d) {
    general(8, 1, d, 0, 0xFF);
  }

  /// `d = -d`.
  public void neg(Register d) {
    general(8, 3, d, 0, 0xF7);
  }

  /// `d =` how many bits of `s` are set.
  public void popcnt(Register d, Register s) {
    put(0xF3);
    general(8, d.number(), s, 0, 0x0F, 0xB8);
  }

  /// Puts `r` on the stack.
  public void push(Register r) {
    if (r.number() >= 8) {
      put(0x41);
    }
    put(0x50 | r.number() & 7);
  }

  /// Takes `r` from the stack.
  public void pop(Register r) {
    if (r.number() >= 8) {
      put(0x41);
    }
    put(0x58 | r.number() & 7);
  }

  /// Copies `s` if the condition holds.
  public void cmov(Condition condition, Register d, Operand s) {
    general(8, d.number(), s, 0, 0x0F, 0x40 | condition.code);
  }

  /// The `bits.low8` lowest bits of `s`; the rest is cleared (BMI2).
  public void bzhi(Register d, Register s, Register bits) {
    vex(new Form(2, 0, 1, -1, 8, Form.Tuple.FULL), 0xF5, d.number(), bits.number(), s, 128, -1);
  }

  /// Asks for the line at `m` in all caches.
  public void prefetcht0(Memory m) {
    general(4, 1, m, 0, 0x0F, 0x18);
  }

  /// Asks for the line at `m` in the second cache.
  public void prefetcht1(Memory m) {
    general(4, 2, m, 0, 0x0F, 0x18);
  }

  /// Asks for the line at `m`, to be written.
  public void prefetchw(Memory m) {
    general(4, 1, m, 0, 0x0F, 0x0D);
  }

  /// Makes sure that what was stored past the caches is seen before what is stored later.
  public void sfence() {
    put(0x0F, 0xAE);
    put(0xF8);
  }

  /// Jumps to `target` if `condition` holds.
  public void jump(Condition condition, Label target) {
    jump(0x70 | condition.code, new int[] {0x0F, 0x80 | condition.code}, target);
  }

  /// Jumps to `target`.
  public void jump(Label target) {
    jump(0xEB, new int[] {0xE9}, target);
  }

  /// Asks the processor what `eax` and `ecx` name.
  public void cpuid() {
    put(0x0F, 0xA2);
  }

  /// Reads the control register that `ecx` names: which state the system saves.
  public void xgetbv() {
    put(0x0F, 0x01);
    put(0xD0);
  }

  /// Returns to the caller.
  public void ret() {
    put(0xC3);
  }

  /// Repeats `body` while `--counter != 0`: at least once.
  public void repeat(Register counter, Runnable body) {
    var top = new Label();
    align(16);
    bind(top);
    body.run();
    dec(counter);
    jump(Condition.NOT_EQUAL, top);
  }

  /// Pushes the registers, in this order.
  public void push(Register... registers) {
    for (Register r : registers) {
      push(r);
    }
  }

  /// Pops the registers that were pushed in this order, last first.
  public void pop(Register... registers) {
    for (int i = registers.length - 1; i >= 0; i--) {
      pop(registers[i]);
    }
  }

  /// A place that holds one float, `lanes` times.
  public Label floats(float value, int lanes) {
    var content = java.nio.ByteBuffer.allocate(4 * lanes).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < lanes; i++) {
      content.putFloat(value);
    }
    return data(content.array());
  }

  /// A place that holds one double, `lanes` times.
  public Label doubles(double value, int lanes) {
    var content = java.nio.ByteBuffer.allocate(8 * lanes).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < lanes; i++) {
      content.putDouble(value);
    }
    return data(content.array());
  }

  /// A place that holds the 32-bit numbers `values`.
  public Label ints(int... values) {
    var content =
        java.nio.ByteBuffer.allocate(4 * values.length).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    for (int value : values) {
      content.putInt(value);
    }
    return data(content.array());
  }

  /// A place that holds the 64-bit numbers `values`.
  public Label longs(long... values) {
    var content =
        java.nio.ByteBuffer.allocate(8 * values.length).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    for (long value : values) {
      content.putLong(value);
    }
    return data(content.array());
  }

  /// Takes the code to where it can run.
  public Code install() {
    return CodeMemory.install(toBytes());
  }
}
