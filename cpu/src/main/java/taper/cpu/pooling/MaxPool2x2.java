package taper.cpu.pooling;

import static taper.cpu.assembler.Instruction.KMOVD;
import static taper.cpu.assembler.Instruction.KMOVW_TO;
import static taper.cpu.assembler.Instruction.VANDPS;
import static taper.cpu.assembler.Instruction.VBLENDMPS;
import static taper.cpu.assembler.Instruction.VCMPPS;
import static taper.cpu.assembler.Instruction.VEXTRACTF64X4;
import static taper.cpu.assembler.Instruction.VEXTRACTI128;
import static taper.cpu.assembler.Instruction.VINSERTF64X4;
import static taper.cpu.assembler.Instruction.VMASKMOVPS;
import static taper.cpu.assembler.Instruction.VMASKMOVPS_STORE;
import static taper.cpu.assembler.Instruction.VMOVDQU;
import static taper.cpu.assembler.Instruction.VMOVDQU64;
import static taper.cpu.assembler.Instruction.VMOVDQU64_STORE;
import static taper.cpu.assembler.Instruction.VMOVDQU_STORE;
import static taper.cpu.assembler.Instruction.VMOVMSKPS;
import static taper.cpu.assembler.Instruction.VMOVUPS;
import static taper.cpu.assembler.Instruction.VMOVUPS_STORE;
import static taper.cpu.assembler.Instruction.VORPS;
import static taper.cpu.assembler.Instruction.VPADDD;
import static taper.cpu.assembler.Instruction.VPANDN;
import static taper.cpu.assembler.Instruction.VPBROADCASTD;
import static taper.cpu.assembler.Instruction.VPCMPD;
import static taper.cpu.assembler.Instruction.VPCMPEQD;
import static taper.cpu.assembler.Instruction.VPERM2F128;
import static taper.cpu.assembler.Instruction.VPERMPD;
import static taper.cpu.assembler.Instruction.VPERMT2PS;
import static taper.cpu.assembler.Instruction.VPMASKMOVQ;
import static taper.cpu.assembler.Instruction.VPMASKMOVQ_STORE;
import static taper.cpu.assembler.Instruction.VPMOVM2D;
import static taper.cpu.assembler.Instruction.VPMOVQD;
import static taper.cpu.assembler.Instruction.VPMOVSXDQ;
import static taper.cpu.assembler.Instruction.VPOR;
import static taper.cpu.assembler.Instruction.VPSUBD;
import static taper.cpu.assembler.Instruction.VPTESTMD;
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

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Mask;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Vector;
import taper.cpu.products.Scratch;
import taper.tensor.spi.Strided;

/// Maxima of `float32` windows of 2 × 2, side by side, and their places, assembled for one width of image.
///
/// Two registers of each of two rows are dealt out into even and odd columns: four registers that hold the
/// four candidates of as many windows as there are lanes. A candidate replaces the best so far if it is
/// greater or NaN, and so does its place. The gradient goes the other way: a place is compared with the four
/// that it may be, and four registers, each of which holds the gradients that belong there and zeros, are
/// interleaved to two rows.
public final class MaxPool2x2 {
  /// So many registers a row are unrolled.
  private static final int MAXIMAL_STEPS = 16;

  // The arguments, as offsets into a block of longs.
  private static final int IN = 0;
  private static final int OUT = 8;
  private static final int PLACES = 16;
  private static final int PLANES = 24;
  private static final int ROWS = 32;

  /// From the last row that was read to the next plane, in bytes.
  private static final int PLANE_REST = 40;

  /// Where the gradient says that it met a place outside its window.
  private static final int STRANGE = 48;

  private record Shape(Isa isa, int width, boolean gradient) {}

  private static final Map<Shape, Code> CACHE = new ConcurrentHashMap<>();

  private final Assembler a = new Assembler();
  private final Isa isa;
  private final boolean wide;
  private final int width;
  private final int lanes;
  private final int columns;
  private final int steps;
  private final int tail;

  // Registers that hold the same all the time; the lowest ones are for work.
  private final int firstPlaces;
  private final int twiceLanes;
  private final int places;
  private final int nextRow;

  private MaxPool2x2(Shape shape) {
    this.isa = shape.isa;
    this.wide = isa == Isa.AVX512;
    this.width = shape.width;
    this.lanes = isa.lanes(4);
    this.columns = width / 2;
    this.steps = Math.ceilDiv(columns, lanes);
    this.tail = columns % lanes;
    this.places = 12;
    this.twiceLanes = 13;
    this.firstPlaces = 14;
    this.nextRow = 15;
  }

  /// Whether there is code for images of this width.
  public static boolean covers(Isa isa, long width) {
    return width >= 2 && width / 2 <= (long) MAXIMAL_STEPS * isa.lanes(4);
  }

  /// Computes `y[n c h/2 w/2]` and `indices` of the same shape from `x[n c h w]`, all contiguous.
  public static void run(Isa isa, Strided y, Strided indices, Strided x) {
    long h = x.size(2);
    long w = x.size(3);
    if (y.numel() == 0) {
      return;
    }
    Code code =
        CACHE.computeIfAbsent(
            new Shape(isa, (int) w, false), shape -> new MaxPool2x2(shape).maxima());
    long outPlane = y.size(2) * y.size(3);
    long in = x.address();
    long out = y.address();
    long places = indices.address();
    JavaPooling.planes(
        x,
        (from, to) -> {
          long block = Scratch.ofThread().address(Scratch.Use.ARGUMENTS, 4096);
          Scratch.put(block + IN, in + from * h * w * 4);
          Scratch.put(block + OUT, out + from * outPlane * 4);
          Scratch.put(block + PLACES, places + from * outPlane * 8);
          Scratch.put(block + PLANES, to - from);
          Scratch.put(block + ROWS, h / 2);
          Scratch.put(block + PLANE_REST, h % 2 * w * 4);
          code.run(block);
        });
  }

  /// Computes `dx[n c h w]` from `dy[n c h/2 w/2]` and the places of the maxima; `h` and `w` are even.
  ///
  /// @return whether all places lay in their windows; if not, `dx` is not what it should be
  public static boolean gradient(Isa isa, Strided dx, Strided dy, Strided indices) {
    long h = dx.size(2);
    long w = dx.size(3);
    assert h == 2 * dy.size(2) && w == 2 * dy.size(3);
    if (dy.numel() == 0) {
      return true;
    }
    Code code =
        CACHE.computeIfAbsent(
            new Shape(isa, (int) w, true), shape -> new MaxPool2x2(shape).gradients());
    long outPlane = dy.size(2) * dy.size(3);
    long in = dx.address();
    long out = dy.address();
    long places = indices.address();
    var strange = new AtomicBoolean();
    JavaPooling.planes(
        dx,
        (from, to) -> {
          long block = Scratch.ofThread().address(Scratch.Use.ARGUMENTS, 4096);
          Scratch.put(block + IN, in + from * h * w * 4);
          Scratch.put(block + OUT, out + from * outPlane * 4);
          Scratch.put(block + PLACES, places + from * outPlane * 8);
          Scratch.put(block + PLANES, to - from);
          Scratch.put(block + ROWS, h / 2);
          Scratch.put(block + PLANE_REST, 0);
          code.run(block);
          if (Scratch.get(block + STRANGE) != 0) {
            strange.set(true);
          }
        });
    return !strange.get();
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
    a.mov(R9, Memory.at(RDI, PLACES));
    a.mov(RCX, Memory.at(RDI, PLANES));
    a.emit(VMOVDQU, v(firstPlaces), Memory.at(a.ints(everySecond(0))));
    a.emit(VPXOR, v(10), v(10), v(10));
    spread(twiceLanes, 2 * lanes);
    spread(nextRow, 2 * width - 2 * lanes * steps);
    if (wide) {
      a.emit(VMOVDQU, v(16), Memory.at(a.ints(everySecond(0)))); // even elements of two registers
      a.emit(VMOVDQU, v(17), Memory.at(a.ints(everySecond(1)))); // odd ones
      spread(18, 1);
      spread(19, width);
      spread(20, width + 1);
      a.emit(VMOVDQU, v(21), Memory.at(a.ints(byTurns(0))));
      a.emit(VMOVDQU, v(22), Memory.at(a.ints(byTurns(lanes / 2))));
      mask(Mask.K2, Math.min(lanes, 2 * tail));
      mask(Mask.K3, Math.max(0, 2 * tail - lanes));
      mask(Mask.K4, tail);
      mask(Mask.K5, Math.min(8, tail));
      mask(Mask.K6, Math.max(0, tail - 8));
    }
    a.repeat(
        RCX,
        () -> {
          a.emit(VMOVDQU, v(places), v(firstPlaces));
          a.mov(R8, Memory.at(RDI, ROWS));
          a.repeat(R8, row);
          a.add(RSI, Memory.at(RDI, PLANE_REST));
        });
    // Register 10 stays zero when maxima are computed.
    if (wide) {
      a.emit(VPTESTMD, Mask.K1, v(10), v(10));
      a.emit(KMOVW_TO, RAX, Mask.K1);
    } else {
      a.emit(VMOVMSKPS, RAX, v(10));
    }
    a.mov(Memory.at(RDI, STRANGE), RAX);
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
      // Register 4 holds maxima, 6 their places relative to the window.
      a.emit(VPADDD, v(6), v(6), v(places));
      a.emit(VPADDD, v(places), v(places), v(twiceLanes));
      store(s, last);
    }
    a.emit(VPADDD, v(places), v(places), v(nextRow));
    a.add(RSI, 8 * width);
    a.add(RDX, 4 * columns);
    a.add(R9, 8 * columns);
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
      a.emit(VMOVUPS, v(11), Memory.at(ones(count, 4)));
      a.emit(VMASKMOVPS, v(register), v(11), from);
    }
  }

  /// A place that holds `count` elements of ones, in a register of zeros.
  private Label ones(int count, int bytes) {
    byte[] content = new byte[32];
    java.util.Arrays.fill(content, 0, count * bytes, (byte) -1);
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
        a.emit(VMOVDQU, v(6).masked(Mask.K1), v(18 + c));
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
    int[] distances = {1, width, width + 1};
    for (int c = 0; c < 3; c++) {
      Vector candidate = v(candidates[c]);
      a.emit(VCMPPS, Assembler.CMP_GREATER, v(7), candidate, v(4));
      a.emit(VCMPPS, Assembler.CMP_UNORDERED, v(8), candidate, candidate);
      a.emit(VORPS, v(7), v(7), v(8));
      a.vblendvps(v(4), v(4), candidate, v(7));
      spread(9, distances[c]);
      a.vblendvps(v(6), v(6), v(9), v(7));
    }
  }

  private void store(int s, boolean last) {
    Memory values = Memory.at(RDX, 4 * s * lanes);
    Memory low = Memory.at(R9, 8 * s * lanes);
    int half = lanes / 2;
    Memory high = Memory.at(R9, 8 * (s * lanes + half));
    int count = last ? tail : lanes;
    Vector narrow = wide ? Vector.ymm(6) : Vector.xmm(6);
    a.emit(VPMOVSXDQ, v(7), narrow);
    if (wide) {
      a.emit(VEXTRACTF64X4, 1, Vector.ymm(8), v(6));
      a.emit(VPMOVSXDQ, v(8), Vector.ymm(8));
      a.emit(VMOVUPS_STORE, last ? values.masked(Mask.K4) : values, v(4));
      a.emit(VMOVDQU64_STORE, last ? low.masked(Mask.K5) : low, v(7));
      if (count > half) {
        a.emit(VMOVDQU64_STORE, last ? high.masked(Mask.K6) : high, v(8));
      }
      return;
    }
    a.emit(VEXTRACTI128, 1, Vector.xmm(8), v(6));
    a.emit(VPMOVSXDQ, v(8), Vector.xmm(8));
    if (last) {
      a.emit(VMOVUPS, v(11), Memory.at(ones(count, 4)));
      a.emit(VMASKMOVPS_STORE, values, v(11), v(4));
    } else {
      a.emit(VMOVUPS_STORE, values, v(4));
    }
    store256(low, 7, Math.min(half, count));
    store256(high, 8, Math.max(0, count - half));
  }

  private void store256(Memory to, int register, int count) {
    if (count == 4) {
      a.emit(VMOVDQU_STORE, to, v(register));
    } else if (count > 0) {
      a.emit(VMOVUPS, v(11), Memory.at(ones(count, 8)));
      a.emit(VPMASKMOVQ_STORE, to, v(11), v(register));
    }
  }

  private Code gradients() {
    return assemble(this::gradientRow);
  }

  private void gradientRow() {
    for (int s = 0; s < steps; s++) {
      boolean last = tail > 0 && s == steps - 1;
      int count = last ? tail : lanes;
      loadPlaces(s, count, last);
      a.emit(VPSUBD, v(6), v(6), v(places)); // relative to the window
      a.emit(VPADDD, v(places), v(places), v(twiceLanes));
      load4(s, count, last);
      if (wide) {
        separate512(last);
      } else {
        separate256(count);
      }
      for (int r = 0; r < 2; r++) {
        interleave(r);
        int first = last ? Math.min(lanes, 2 * tail) : lanes;
        int second = last ? Math.max(0, 2 * tail - lanes) : lanes;
        store(4, r * width + 2 * s * lanes, first, Mask.K2);
        store(5, r * width + (2 * s + 1) * lanes, second, Mask.K3);
      }
    }
    a.emit(VPADDD, v(places), v(places), v(nextRow));
    a.add(RSI, 8 * width);
    a.add(RDX, 4 * columns);
    a.add(R9, 8 * columns);
  }

  /// Register 6 = places, narrowed to 32 bits.
  private void loadPlaces(int s, int count, boolean last) {
    int half = lanes / 2;
    Memory low = Memory.at(R9, 8 * s * lanes);
    Memory high = Memory.at(R9, 8 * (s * lanes + half));
    if (wide) {
      a.emit(VMOVDQU64, last ? v(6).zeroed(Mask.K5) : v(6), low);
      a.emit(VPMOVQD, Vector.ymm(6), v(6));
      if (count > half) {
        a.emit(VMOVDQU64, last ? v(7).zeroed(Mask.K6) : v(7), high);
        a.emit(VPMOVQD, Vector.ymm(7), v(7));
        a.emit(VINSERTF64X4, 1, v(6), v(6), Vector.ymm(7));
      }
      return;
    }
    loadPlaces256(6, low, Math.min(half, count));
    loadPlaces256(7, high, Math.max(0, count - half));
    a.emit(VSHUFPS, 0x88, v(6), v(6), v(7));
    a.emit(VPERMPD, 0xD8, v(6), v(6));
  }

  private void loadPlaces256(int register, Memory from, int count) {
    if (count == 4) {
      a.emit(VMOVDQU, v(register), from);
    } else if (count == 0) {
      a.emit(VPXOR, v(register), v(register), v(register));
    } else {
      a.emit(VMOVUPS, v(11), Memory.at(ones(count, 8)));
      a.emit(VPMASKMOVQ, v(register), v(11), from);
    }
  }

  /// Register 4 = gradients.
  private void load4(int s, int count, boolean last) {
    Memory from = Memory.at(RDX, 4 * s * lanes);
    if (!last) {
      a.emit(VMOVUPS, v(4), from);
    } else if (wide) {
      a.emit(VMOVUPS, v(4).zeroed(Mask.K4), from);
    } else {
      a.emit(VMOVUPS, v(11), Memory.at(ones(count, 4)));
      a.emit(VMASKMOVPS, v(4), v(11), from);
    }
  }

  /// Registers 0 to 3 = the gradients whose place is in that corner; register 10 notes other places.
  private void separate512(boolean last) {
    a.emit(VPXOR, v(5), v(5), v(5));
    a.emit(VPCMPD, 0, Mask.K1, v(5), v(5));
    a.emit(VPMOVM2D, v(8), Mask.K1); // ones
    for (int corner = 0; corner < 4; corner++) {
      a.emit(VPCMPD, 0, Mask.K1, v(6), corner == 0 ? v(5) : v(17 + corner));
      a.emit(VMOVUPS, v(corner).zeroed(Mask.K1), v(4));
      a.emit(VMOVDQU, v(8).masked(Mask.K1), v(5));
    }
    if (last) {
      a.emit(VMOVDQU, v(8).zeroed(Mask.K4), v(8));
    }
    a.emit(VPOR, v(10), v(10), v(8));
  }

  private void separate256(int count) {
    a.emit(VPXOR, v(5), v(5), v(5));
    int[] distances = {0, 1, width, width + 1};
    a.emit(VMOVUPS, v(8), Memory.at(ones(count, 4)));
    for (int corner = 0; corner < 4; corner++) {
      spread(9, distances[corner]);
      a.emit(VPCMPEQD, v(9), v(9), v(6));
      a.emit(VANDPS, v(corner), v(9), v(4));
      a.emit(VPANDN, v(8), v(9), v(8));
    }
    a.emit(VPOR, v(10), v(10), v(8));
  }

  /// Registers 4 and 5 = the elements of registers `2 r` and `2 r + 1` by turns.
  private void interleave(int r) {
    int left = 2 * r;
    int right = 2 * r + 1;
    if (wide) {
      a.emit(VMOVUPS, v(4), v(left));
      a.emit(VPERMT2PS, v(4), v(21), v(right));
      a.emit(VMOVUPS, v(5), v(left));
      a.emit(VPERMT2PS, v(5), v(22), v(right));
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
      a.emit(VMOVUPS, v(11), Memory.at(ones(count, 4)));
      a.emit(VMASKMOVPS_STORE, to, v(11), v(register));
    }
  }
}
