package taper.cpu.pooling;

import static taper.cpu.assembler.Instruction.KMOVD;
import static taper.cpu.assembler.Instruction.VANDPS;
import static taper.cpu.assembler.Instruction.VBLENDMPS;
import static taper.cpu.assembler.Instruction.VCMPPS;
import static taper.cpu.assembler.Instruction.VEXTRACTI128;
import static taper.cpu.assembler.Instruction.VMASKMOVPS;
import static taper.cpu.assembler.Instruction.VMASKMOVPS_STORE;
import static taper.cpu.assembler.Instruction.VMOVDQU;
import static taper.cpu.assembler.Instruction.VMOVQ_STORE;
import static taper.cpu.assembler.Instruction.VMOVUPS;
import static taper.cpu.assembler.Instruction.VMOVUPS_STORE;
import static taper.cpu.assembler.Instruction.VORPS;
import static taper.cpu.assembler.Instruction.VPACKSSDW;
import static taper.cpu.assembler.Instruction.VPACKUSWB;
import static taper.cpu.assembler.Instruction.VPBROADCASTD;
import static taper.cpu.assembler.Instruction.VPCMPD;
import static taper.cpu.assembler.Instruction.VPCMPEQD;
import static taper.cpu.assembler.Instruction.VPERM2F128;
import static taper.cpu.assembler.Instruction.VPERMPD;
import static taper.cpu.assembler.Instruction.VPERMT2PS;
import static taper.cpu.assembler.Instruction.VPEXTRB;
import static taper.cpu.assembler.Instruction.VPINSRB;
import static taper.cpu.assembler.Instruction.VPMOVDB;
import static taper.cpu.assembler.Instruction.VPMOVZXBD;
import static taper.cpu.assembler.Instruction.VPXOR;
import static taper.cpu.assembler.Instruction.VSHUFPS;
import static taper.cpu.assembler.Instruction.VUNPCKHPS;
import static taper.cpu.assembler.Instruction.VUNPCKLPS;
import static taper.cpu.assembler.Register.R8;
import static taper.cpu.assembler.Register.R9;
import static taper.cpu.assembler.Register.RAX;
import static taper.cpu.assembler.Register.RCX;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RDX;
import static taper.cpu.assembler.Register.RSI;

import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeTable;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Mask;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Vector;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.tensor.spi.Strided;

/// Maxima of `float32` windows of 2 × 2, side by side, and the corners they lie in, assembled for one width of image.
///
/// Two registers of each of two rows are dealt out into even and odd columns: four registers that hold the
/// four candidates of as many windows as there are lanes. A candidate replaces the best so far if it is
/// greater or NaN, and so does its corner, a number from 0 to 3 that is kept in a byte: what a network remembers
/// for the way back should not be larger than its result. The gradient goes the other way: a corner is compared with the
/// four that it may be, and four registers, each of which holds the gradients that belong there and zeros, are
/// interleaved to two rows.
public final class MaxPool2x2 {
  /// So many registers a row are unrolled.
  private static final int MAXIMAL_STEPS = 16;

  /// The first of four registers that hold the numbers of the corners; lower ones are for work.
  private static final int CORNER = 12;

  // The arguments, as offsets into a block of longs.
  private static final int IN = 0;
  private static final int OUT = 8;
  private static final int CORNERS = 16;
  private static final int PLANES = 24;
  private static final int ROWS = 32;

  /// From the last row that was read to the next plane, in bytes.
  private static final int PLANE_REST = 40;

  private static final CodeTable CACHE = new CodeTable(1 << 12);

  private final Assembler a = new Assembler();
  private final Isa isa;
  private final boolean wide;
  private final int width;
  private final int lanes;
  private final int columns;
  private final int steps;
  private final int tail;

  private MaxPool2x2(Isa isa, int width) {
    this.isa = isa;
    this.wide = isa == Isa.AVX512;
    this.width = width;
    this.lanes = isa.lanes(4);
    this.columns = width / 2;
    this.steps = Math.ceilDiv(columns, lanes);
    this.tail = columns % lanes;
  }

  /// Whether there is code for images of this width.
  public static boolean covers(Isa isa, long width) {
    return width >= 2 && width / 2 <= (long) MAXIMAL_STEPS * isa.lanes(4);
  }

  /// The code for `width`, which is made only if it is new.
  private static Code code(Isa isa, int width, boolean gradient) {
    int key = width << 2 | (gradient ? 2 : 0) | isa.ordinal();
    Code code = CACHE.find(key);
    return code != null
        ? code
        : CACHE.add(
            key,
            () -> {
              var pool = new MaxPool2x2(isa, width);
              return gradient ? pool.gradients() : pool.maxima();
            });
  }

  /// Computes `y[n c h/2 w/2]` and `corners` of the same shape from `x[n c h w]`, all contiguous.
  public static void run(Isa isa, Strided y, Strided corners, Strided x) {
    run(code(isa, (int) x.size(3), false), x, y, corners);
  }

  /// Computes `dx[n c h w]` from `dy[n c h/2 w/2]` and the corners of the maxima; `h` and `w` are even.
  public static void gradient(Isa isa, Strided dx, Strided dy, Strided corners) {
    assert dx.size(2) == 2 * dy.size(2) && dx.size(3) == 2 * dy.size(3);
    run(code(isa, (int) dx.size(3), true), dx, dy, corners);
  }

  private static void run(Code code, Strided large, Strided small, Strided corners) {
    if (small.numel() == 0) {
      return;
    }
    long h = large.size(2);
    long w = large.size(3);
    long plane = small.size(2) * small.size(3);
    long in = large.address();
    long out = small.address();
    long places = corners.address();
    JavaPooling.planes(
        large,
        (from, to) -> {
          long block = Scratch.ofThread().address(Scratch.Use.ARGUMENTS, 4096);
          Raw.put(block + IN, in + from * h * w * 4);
          Raw.put(block + OUT, out + from * plane * 4);
          Raw.put(block + CORNERS, places + from * plane);
          Raw.put(block + PLANES, to - from);
          Raw.put(block + ROWS, h / 2);
          Raw.put(block + PLANE_REST, h % 2 * w * 4);
          code.run(block);
        });
  }

  private Vector v(int number) {
    return isa.vector(number);
  }

  private int[] everySecond(int first) {
    int[] values = new int[lanes];
    for (int i = 0; i < lanes; i++) {
      values[i] = first + 2 * i;
    }
    return values;
  }

  /// Which elements of two registers make the interleaved register that starts with element `first`.
  private int[] byTurns(int first) {
    int[] values = new int[lanes];
    for (int i = 0; i < lanes; i++) {
      values[i] = first + i / 2 + i % 2 * lanes;
    }
    return values;
  }

  private void spread(int register, int value) {
    a.emit(VPBROADCASTD, v(register), Memory.at(a.ints(value)));
  }

  private Code maxima() {
    return assemble(this::row);
  }

  private Code assemble(Runnable row) {
    a.mov(RSI, Memory.at(RDI, IN));
    a.mov(RDX, Memory.at(RDI, OUT));
    a.mov(R9, Memory.at(RDI, CORNERS));
    a.mov(RCX, Memory.at(RDI, PLANES));
    for (int corner = 0; corner < 4; corner++) {
      spread(CORNER + corner, corner);
    }
    if (wide) {
      a.emit(VMOVDQU, v(16), Memory.at(a.ints(everySecond(0)))); // even elements of two registers
      a.emit(VMOVDQU, v(17), Memory.at(a.ints(everySecond(1)))); // odd ones
      a.emit(VMOVDQU, v(18), Memory.at(a.ints(byTurns(0))));
      a.emit(VMOVDQU, v(19), Memory.at(a.ints(byTurns(lanes / 2))));
      mask(Mask.K2, Math.min(lanes, 2 * tail));
      mask(Mask.K3, Math.max(0, 2 * tail - lanes));
      mask(Mask.K4, tail);
    }
    a.repeat(
        RCX,
        () -> {
          a.mov(R8, Memory.at(RDI, ROWS));
          a.repeat(R8, row);
          a.add(RSI, Memory.at(RDI, PLANE_REST));
        });
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  private void mask(Mask mask, int count) {
    a.mov(RAX, (1L << count) - 1);
    a.emit(KMOVD, mask, RAX);
  }

  private void row() {
    for (int s = 0; s < steps; s++) {
      boolean last = tail > 0 && s == steps - 1;
      for (int r = 0; r < 2; r++) {
        load(2 * r, r * width + 2 * s * lanes, last ? Math.min(lanes, 2 * tail) : lanes, Mask.K2);
        int right = last ? Math.max(0, 2 * tail - lanes) : lanes;
        load(2 * r + 1, r * width + (2 * s + 1) * lanes, right, Mask.K3);
      }
      if (wide) {
        best512();
      } else {
        best256();
      }
      // Register 4 holds maxima, 6 their corners.
      storeMaxima(s, last);
    }
    next();
  }

  private void next() {
    a.add(RSI, 8 * width);
    a.add(RDX, 4 * columns);
    a.add(R9, columns);
  }

  private void load(int register, int element, int count, Mask mask) {
    Memory from = Memory.at(RSI, 4 * element);
    if (count == lanes) {
      a.emit(VMOVUPS, v(register), from);
    } else if (count == 0) {
      a.emit(VPXOR, v(register), v(register), v(register));
    } else if (wide) {
      a.emit(VMOVUPS, v(register).zeroed(mask), from);
    } else {
      a.emit(VMOVUPS, v(11), Memory.at(ones(count)));
      a.emit(VMASKMOVPS, v(register), v(11), from);
    }
  }

  /// A place that holds `count` elements of ones, in a register of zeros.
  private Label ones(int count) {
    byte[] content = new byte[32];
    java.util.Arrays.fill(content, 0, 4 * count, (byte) -1);
    return a.data(content);
  }

  private void best512() {
    a.emit(VMOVUPS, v(4), v(0));
    a.emit(VMOVUPS, v(5), v(2));
    a.emit(VPERMT2PS, v(4), v(16), v(1));
    a.emit(VPERMT2PS, v(0), v(17), v(1));
    a.emit(VPERMT2PS, v(5), v(16), v(3));
    a.emit(VPERMT2PS, v(2), v(17), v(3));
    a.emit(VPXOR, v(6), v(6), v(6));
    int[] candidates = {0, 5, 2};
    for (int c = 0; c < 3; c++) {
      Vector candidate = v(candidates[c]);
      for (int predicate : new int[] {Assembler.CMP_GREATER, Assembler.CMP_UNORDERED}) {
        Vector other = predicate == Assembler.CMP_GREATER ? v(4) : candidate;
        a.emit(VCMPPS, predicate, Mask.K1, candidate, other);
        a.emit(VBLENDMPS, v(4).masked(Mask.K1), v(4), candidate);
        a.emit(VMOVDQU, v(6).masked(Mask.K1), v(CORNER + 1 + c));
      }
    }
  }

  private void best256() {
    a.emit(VSHUFPS, 0x88, v(4), v(0), v(1));
    a.emit(VPERMPD, 0xD8, v(4), v(4));
    a.emit(VSHUFPS, 0xDD, v(0), v(0), v(1));
    a.emit(VPERMPD, 0xD8, v(0), v(0));
    a.emit(VSHUFPS, 0x88, v(5), v(2), v(3));
    a.emit(VPERMPD, 0xD8, v(5), v(5));
    a.emit(VSHUFPS, 0xDD, v(2), v(2), v(3));
    a.emit(VPERMPD, 0xD8, v(2), v(2));
    a.emit(VPXOR, v(6), v(6), v(6));
    int[] candidates = {0, 5, 2};
    for (int c = 0; c < 3; c++) {
      Vector candidate = v(candidates[c]);
      a.emit(VCMPPS, Assembler.CMP_GREATER, v(7), candidate, v(4));
      a.emit(VCMPPS, Assembler.CMP_UNORDERED, v(8), candidate, candidate);
      a.emit(VORPS, v(7), v(7), v(8));
      a.vblendvps(v(4), v(4), candidate, v(7));
      a.vblendvps(v(6), v(6), v(CORNER + 1 + c), v(7));
    }
  }

  private void storeMaxima(int s, boolean last) {
    Memory values = Memory.at(RDX, 4 * s * lanes);
    Memory corners = Memory.at(R9, s * lanes);
    if (wide) {
      a.emit(VMOVUPS_STORE, last ? values.masked(Mask.K4) : values, v(4));
      a.emit(VPMOVDB, last ? corners.masked(Mask.K4) : corners, v(6));
      return;
    }
    if (last) {
      a.emit(VMOVUPS, v(11), Memory.at(ones(tail)));
      a.emit(VMASKMOVPS_STORE, values, v(11), v(4));
    } else {
      a.emit(VMOVUPS_STORE, values, v(4));
    }
    a.emit(VEXTRACTI128, 1, Vector.xmm(7), v(6));
    a.emit(VPACKSSDW, Vector.xmm(6), Vector.xmm(6), Vector.xmm(7));
    a.emit(VPACKUSWB, Vector.xmm(6), Vector.xmm(6), Vector.xmm(6));
    if (!last) {
      a.emit(VMOVQ_STORE, corners, Vector.xmm(6));
      return;
    }
    for (int i = 0; i < tail; i++) {
      a.emit(VPEXTRB, i, Memory.at(R9, s * lanes + i), Vector.xmm(6));
    }
  }

  private Code gradients() {
    return assemble(this::gradientRow);
  }

  private void gradientRow() {
    for (int s = 0; s < steps; s++) {
      boolean last = tail > 0 && s == steps - 1;
      loadCorners(s, last);
      loadGradients(s, last);
      separate();
      for (int r = 0; r < 2; r++) {
        interleave(r);
        int first = last ? Math.min(lanes, 2 * tail) : lanes;
        int second = last ? Math.max(0, 2 * tail - lanes) : lanes;
        store(4, r * width + 2 * s * lanes, first, Mask.K2);
        store(5, r * width + (2 * s + 1) * lanes, second, Mask.K3);
      }
    }
    next();
  }

  /// Register 6 = corners, widened to 32 bits.
  private void loadCorners(int s, boolean last) {
    Memory from = Memory.at(R9, s * lanes);
    if (wide) {
      a.emit(VPMOVZXBD, last ? v(6).zeroed(Mask.K4) : v(6), from);
    } else if (!last) {
      a.emit(VPMOVZXBD, v(6), from);
    } else {
      a.emit(VPXOR, Vector.xmm(6), Vector.xmm(6), Vector.xmm(6));
      for (int i = 0; i < tail; i++) {
        a.emit(VPINSRB, i, Vector.xmm(6), Vector.xmm(6), Memory.at(R9, s * lanes + i));
      }
      a.emit(VPMOVZXBD, v(6), Vector.xmm(6));
    }
  }

  /// Register 4 = gradients.
  private void loadGradients(int s, boolean last) {
    Memory from = Memory.at(RDX, 4 * s * lanes);
    if (!last) {
      a.emit(VMOVUPS, v(4), from);
    } else if (wide) {
      a.emit(VMOVUPS, v(4).zeroed(Mask.K4), from);
    } else {
      a.emit(VMOVUPS, v(11), Memory.at(ones(tail)));
      a.emit(VMASKMOVPS, v(4), v(11), from);
    }
  }

  /// Registers 0 to 3 = the gradients that belong in that corner.
  private void separate() {
    for (int corner = 0; corner < 4; corner++) {
      if (wide) {
        a.emit(VPCMPD, 0, Mask.K1, v(6), v(CORNER + corner));
        a.emit(VMOVUPS, v(corner).zeroed(Mask.K1), v(4));
      } else {
        a.emit(VPCMPEQD, v(corner), v(6), v(CORNER + corner));
        a.emit(VANDPS, v(corner), v(corner), v(4));
      }
    }
  }

  /// Registers 4 and 5 = the elements of registers `2 r` and `2 r + 1` by turns.
  private void interleave(int r) {
    int left = 2 * r;
    int right = 2 * r + 1;
    if (wide) {
      a.emit(VMOVUPS, v(4), v(left));
      a.emit(VPERMT2PS, v(4), v(18), v(right));
      a.emit(VMOVUPS, v(5), v(left));
      a.emit(VPERMT2PS, v(5), v(19), v(right));
      return;
    }
    a.emit(VUNPCKLPS, v(6), v(left), v(right));
    a.emit(VUNPCKHPS, v(7), v(left), v(right));
    a.emit(VPERM2F128, 0x20, v(4), v(6), v(7));
    a.emit(VPERM2F128, 0x31, v(5), v(6), v(7));
  }

  private void store(int register, int element, int count, Mask mask) {
    Memory to = Memory.at(RSI, 4 * element);
    if (count == lanes) {
      a.emit(VMOVUPS_STORE, to, v(register));
    } else if (count > 0 && wide) {
      a.emit(VMOVUPS_STORE, to.masked(mask), v(register));
    } else if (count > 0) {
      a.emit(VMOVUPS, v(11), Memory.at(ones(count)));
      a.emit(VMASKMOVPS_STORE, to, v(11), v(register));
    }
  }
}
