package taper.cpu.assembler;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The bytes of instructions: prefixes, operands, jumps and constants. Knows no mnemonics.
///
/// A vector instruction is encoded with VEX where that can express it, with EVEX otherwise (512 bits,
/// registers from 16 on, masks, broadcasts). The layouts are those of the Intel 64 manual, volume 2,
/// sections 2.3 and 2.7.
abstract sealed class Encoder permits Assembler {

  private record Jump(int position, Label target, int trailing) {}

  private record Data(Label label, byte[] bytes) {}

  private byte[] bytes = new byte[1024];
  private int size;
  private final List<Jump> jumps = new ArrayList<>();
  private final List<Data> data = new ArrayList<>();

  /// The number of bytes so far.
  public final int size() {
    return size;
  }

  final void put(int value) {
    if (size == bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * size);
    }
    bytes[size++] = (byte) value;
  }

  final void put(int first, int second) {
    put(first);
    put(second);
  }

  final void put32(int value) {
    put(value, value >> 8);
    put(value >> 16, value >>> 24);
  }

  final void put64(long value) {
    put32((int) value);
    put32((int) (value >>> 32));
  }

  /// Makes `label` the place of the next instruction.
  public final void bind(Label label) {
    assert label.position < 0;
    label.position = size;
  }

  /// Fills with instructions that do nothing until the size is a multiple of `bytes`.
  public final void align(int bytes) {
    int[][] fillers = {
      {0x90},
      {0x66, 0x90},
      {0x0F, 0x1F, 0x00},
      {0x0F, 0x1F, 0x40, 0x00},
      {0x0F, 0x1F, 0x44, 0x00, 0x00},
      {0x66, 0x0F, 0x1F, 0x44, 0x00, 0x00},
      {0x0F, 0x1F, 0x80, 0x00, 0x00, 0x00, 0x00},
      {0x0F, 0x1F, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00}
    };
    int missing = -size & (bytes - 1);
    while (missing > 0) {
      int[] filler = fillers[Math.min(missing, 8) - 1];
      for (int b : filler) {
        put(b);
      }
      missing -= filler.length;
    }
  }

  /// A place behind the code that holds `content`, aligned to 64 bytes. Equal contents share a place.
  public final Label data(byte[] content) {
    for (Data d : data) {
      if (Arrays.equals(d.bytes, content)) {
        return d.label;
      }
    }
    var label = new Label();
    data.add(new Data(label, content.clone()));
    return label;
  }

  /// The finished code, followed by its constants.
  public final byte[] toBytes() {
    // Small constants first, so that the padding between the large ones stays small.
    data.sort((a, b) -> Integer.compare(a.bytes.length, b.bytes.length));
    for (Data d : data) {
      int alignment = Math.min(64, Integer.highestOneBit(Math.max(4, d.bytes.length)));
      while ((size & (alignment - 1)) != 0) {
        put(0xCC);
      }
      bind(d.label);
      for (byte b : d.bytes) {
        put(b);
      }
    }
    data.clear();
    for (Jump jump : jumps) {
      assert jump.target.position >= 0 : "a label was never bound";
      int distance = jump.target.position - (jump.position + 4 + jump.trailing);
      for (int i = 0; i < 4; i++) {
        bytes[jump.position + i] = (byte) (distance >> 8 * i);
      }
    }
    return Arrays.copyOf(bytes, size);
  }

  final void jump(int shortOpcode, int[] nearOpcode, Label target) {
    if (target.position >= 0 && target.position - (size + 2) >= -128) {
      put(shortOpcode, target.position - (size + 2));
      return;
    }
    for (int b : nearOpcode) {
      put(b);
    }
    jumps.add(new Jump(size, target, 0));
    put32(0);
  }

  /// An instruction on general-purpose registers. `width` is 8 for 64-bit operands, 4 for 32, 1 for bytes.
  final void general(int width, int reg, Operand rm, int trailing, int... opcode) {
    int index = rm instanceof Memory m && m.index() != null ? m.index().number() : 0;
    int base = baseNumber(rm);
    int rex = (width == 8 ? 8 : 0) | reg >> 3 << 2 | index >> 3 << 1 | base >> 3;
    boolean newByteRegister = width == 1 && reg >= 4;
    if (rex != 0 || newByteRegister) {
      put(0x40 | rex);
    }
    for (int b : opcode) {
      put(b);
    }
    operand(reg, rm, 0, trailing);
  }

  private static int baseNumber(Operand rm) {
    return rm instanceof Memory m ? (m.base() == null ? 0 : m.base().number()) : rm.number();
  }

  /// A VEX-encoded instruction.
  ///
  /// @param reg the number in the register place
  /// @param second the number in the place of the second operand, 0 if there is none
  /// @param immediate the byte that follows, or -1
  final void vex(Form form, int opcode, int reg, int second, Operand rm, int bits, int immediate) {
    assert form.vexW() >= 0 : "this instruction needs AVX-512";
    int index = rm instanceof Memory m && m.index() != null ? m.index().number() : 0;
    int base = baseNumber(rm);
    int last = (~second & 15) << 3 | (bits == 256 ? 4 : 0) | form.prefix();
    if (form.map() == 1 && form.vexW() == 0 && index < 8 && base < 8) {
      put(0xC5, (reg < 8 ? 0x80 : 0) | last);
    } else {
      put(0xC4, (reg < 8 ? 0x80 : 0) | (index < 8 ? 0x40 : 0) | (base < 8 ? 0x20 : 0) | form.map());
      put(form.vexW() << 7 | last);
    }
    put(opcode);
    operand(reg, rm, 0, immediate >= 0 ? 1 : 0);
    if (immediate >= 0) {
      put(immediate);
    }
  }

  /// An EVEX-encoded instruction; the parameters are those of [#vex].
  final void evex(
      Form form,
      int opcode,
      int reg,
      int second,
      Operand rm,
      int bits,
      Mask mask,
      boolean zeroing,
      int immediate) {
    assert form.evexW() >= 0 : "this instruction has no AVX-512 form";
    boolean broadcast = rm instanceof Memory m && m.broadcast();
    int x;
    int high = second >> 4;
    if (rm instanceof Memory m) {
      x = m.index() == null ? 0 : m.index().number() >> 3 & 1;
      if (m.index() instanceof Vector v) {
        high = v.number() >> 4;
      }
    } else {
      x = rm.number() >> 4;
    }
    int base = baseNumber(rm) >> 3 & 1;
    put(
        0x62,
        (~reg >> 3 & 1) << 7
            | (~x & 1) << 6
            | (~base & 1) << 5
            | (~reg >> 4 & 1) << 4
            | form.map());
    put(form.evexW() << 7 | (~second & 15) << 3 | 4 | form.prefix());
    put(
        (zeroing ? 0x80 : 0)
            | (bits == 512 ? 0x40 : bits == 256 ? 0x20 : 0)
            | (broadcast ? 0x10 : 0)
            | (~high & 1) << 3
            | mask.number());
    put(opcode);
    operand(reg, rm, form.scale(bits, broadcast), immediate >= 0 ? 1 : 0);
    if (immediate >= 0) {
      put(immediate);
    }
  }

  /// ModRM, SIB and displacement. `scale` is the unit of short EVEX displacements, 0 outside EVEX;
  /// `trailing` the number of bytes that follow.
  private void operand(int reg, Operand rm, int scale, int trailing) {
    int field = (reg & 7) << 3;
    if (!(rm instanceof Memory memory)) {
      put(0xC0 | field | rm.number() & 7);
      return;
    }
    @Nullable Label label = memory.label();
    if (label != null) {
      put(field | 5);
      jumps.add(new Jump(size, label, trailing));
      put32(0);
      assert memory.displacement() == 0;
      return;
    }
    Register base = java.util.Objects.requireNonNull(memory.base());
    int displacement = memory.displacement();
    int unit = Math.max(scale, 1);
    boolean none = displacement == 0 && (base.number() & 7) != 5;
    boolean brief =
        !none && displacement % unit == 0 && (byte) (displacement / unit) == displacement / unit;
    int mode = none ? 0 : brief ? 0x40 : 0x80;
    @Nullable Operand index = memory.index();
    if (index != null) {
      put(mode | field | 4);
      put(
          Integer.numberOfTrailingZeros(memory.scale()) << 6
              | (index.number() & 7) << 3
              | base.number() & 7);
    } else if ((base.number() & 7) == 4) {
      put(mode | field | 4, 0x24);
    } else {
      put(mode | field | base.number() & 7);
    }
    if (brief) {
      put(displacement / unit);
    } else if (!none) {
      put32(displacement);
    }
  }
}
