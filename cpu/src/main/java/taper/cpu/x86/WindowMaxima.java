package taper.cpu.x86;

import static taper.cpu.assembler.Register.R10;
import static taper.cpu.assembler.Register.R8;
import static taper.cpu.assembler.Register.R9;
import static taper.cpu.assembler.Register.RCX;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RDX;
import static taper.cpu.assembler.Register.RSI;

import java.lang.ref.Reference;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeTable;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Mask;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Vector;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.tensor.Pooling.MaxPool2d;
import taper.tensor.spi.Strided;

/// Maxima of small `float32` windows and where they lie, under AVX-512.
///
/// A plane is copied into a larger one whose border is `-infinity`, so that no window leaves it. A vector has sixteen
/// neighbouring windows. Their elements are gone through in the order in which they are read, each as a vector of its own: one that is
/// greater than the best so far, or NaN, takes its place, and so does its number. Where windows are two columns apart,
/// such a vector consists of every second element of two.
public final class WindowMaxima {
  private static final int LANES = 16;
  private static final int MOST = 5;
  private static final long MOST_BYTES = 1 << 22;
  private static final long GRAIN = 1 << 15;

  // The arguments, as offsets into a block of longs.
  private static final int OUT = 0;
  private static final int PLACES = 8;
  private static final int IN = 16;
  private static final int COUNT = 24;
  private static final int PITCH = 32;

  /// The number of the element in the upper left corner of the first window, be it in the image or not.
  private static final int FIRST = 40;

  /// The number of the first element of its first row that is in the image.
  private static final int START = 48;

  private static final int WIDTH = 56;

  /// The column of the first window.
  private static final int LEFT = 64;

  private static final Mask LARGER = Mask.K2;
  private static final Mask NAN = Mask.K3;
  private static final Mask UPPER = Mask.K4;

  private static final Vector BEST = Vector.zmm(0);
  private static final Vector PLACE = Vector.zmm(1);
  private static final Vector VALUE = Vector.zmm(2);
  private static final Vector NUMBER = Vector.zmm(3);
  private static final Vector ROW = Vector.zmm(4);
  private static final Vector CORNERS = Vector.zmm(16);
  private static final Vector BEGIN = Vector.zmm(17);
  private static final Vector COLUMNS = Vector.zmm(18);
  private static final Vector ZERO = Vector.zmm(19);
  private static final Vector STEP = Vector.zmm(20);
  private static final Vector LINE = Vector.zmm(21);
  private static final Vector ONE = Vector.zmm(22);
  private static final Vector LEAST = Vector.zmm(23);
  private static final Vector EVEN = Vector.zmm(24);

  private static final CodeTable CODES = new CodeTable(2 * (MOST + 1) * (MOST + 1));
  private static final X86Loops LOOPS = new X86Loops(Isa.AVX512);

  private final Assembler a = new Assembler();
  private final int rows;
  private final int columns;
  private final int stride;

  private WindowMaxima(int rows, int columns, int stride) {
    this.rows = rows;
    this.columns = columns;
    this.stride = stride;
  }

  /// Whether there is code for such windows.
  public static boolean covers(Isa isa, MaxPool2d pool, Strided y, Strided x) {
    return isa == Isa.AVX512
        && pool.dilationH() == 1
        && pool.dilationW() == 1
        && pool.strideW() <= 2
        && pool.kernelH() <= MOST
        && pool.kernelW() <= MOST
        && x.size(2) * x.size(3) < Integer.MAX_VALUE
        && y.numel() > 0
        && Frame.of(pool, y, x).bytes() <= MOST_BYTES;
  }

  /// The plane with its border.
  private record Frame(long rows, long pitch, long top, long left, long height, long width) {
    static Frame of(MaxPool2d pool, Strided y, Strided x) {
      long vectors = Math.ceilDiv(y.size(3), LANES);
      long reach = vectors * LANES * pool.strideW() + pool.kernelW() - 1;
      long columns = Math.max(reach, pool.paddingW() + x.size(3));
      return new Frame(
          Math.max((y.size(2) - 1) * pool.strideH() + pool.kernelH(), pool.paddingH() + x.size(2)),
          4 * Math.ceilDiv(columns, LANES) * LANES,
          pool.paddingH(),
          pool.paddingW(),
          x.size(2),
          x.size(3));
    }

    long bytes() {
      return rows * pitch;
    }

    /// Where the plane begins in the memory of this thread; the border is there.
    long address() {
      Scratch scratch = Scratch.ofThread();
      long at = scratch.address(Scratch.Use.FRAME, bytes());
      if (scratch.claim(Scratch.Use.FRAME, this)) {
        long least = Raw.arguments();
        Raw.put(least, Float.NEGATIVE_INFINITY);
        LOOPS.equal(4, 1, bytes(), at, 0, least, 0);
      }
      return at;
    }
  }

  /// Computes `y[n c oh ow]` and the numbers of the elements, `places`, of the same shape from `x[n c h w]`, all contiguous.
  public static void run(MaxPool2d pool, Strided y, Strided places, Strided x) {
    int key = ((pool.kernelH() * (MOST + 1)) + pool.kernelW()) * 2 + (pool.strideW() == 2 ? 1 : 0);
    Code known = CODES.find(key);
    Code code =
        known != null
            ? known
            : CODES.add(
                key, () -> new WindowMaxima(pool.kernelH(), pool.kernelW(), pool.strideW()).row());
    Frame frame = Frame.of(pool, y, x);
    long plane = x.size(2) * x.size(3);
    Parallel.run(
        x.size(0) * x.size(1),
        Math.max(1, GRAIN / plane),
        (first, last) -> {
          long at = frame.address();
          for (long p = first; p < last; p++) {
            LOOPS.rows(
                frame.height,
                4 * frame.width,
                at + frame.top * frame.pitch + 4 * frame.left,
                frame.pitch,
                x.address() + 4 * p * plane,
                4 * frame.width);
            plane(code, pool, frame, at, y, places, p);
          }
        });
    Reference.reachabilityFence(x); // the code sees addresses only
    Reference.reachabilityFence(y);
    Reference.reachabilityFence(places);
  }

  private static void plane(
      Code code, MaxPool2d pool, Frame frame, long at, Strided y, Strided places, long p) {
    long block = Raw.arguments();
    long ow = y.size(3);
    long out = p * y.size(2) * ow;
    Raw.put(block + COUNT, ow);
    Raw.put(block + PITCH, frame.pitch);
    Raw.put(block + WIDTH, frame.width);
    Raw.put(block + LEFT, -frame.left);
    for (long r = 0; r < y.size(2); r++) {
      long top = r * pool.strideH() - frame.top;
      Raw.put(block + OUT, y.address() + 4 * (out + r * ow));
      Raw.put(block + PLACES, places.address() + 8 * (out + r * ow));
      Raw.put(block + IN, at + r * pool.strideH() * frame.pitch);
      Raw.put(block + FIRST, top * frame.width - frame.left);
      Raw.put(block + START, Math.max(0, top) * frame.width);
      code.run(block);
    }
  }

  /// The code for a row of windows.
  private Code row() {
    int[] even = new int[LANES];
    int[] columnsOf = new int[LANES];
    for (int i = 0; i < LANES; i++) {
      even[i] = 2 * i;
      columnsOf[i] = stride * i;
    }
    a.mov(RSI, Memory.at(RDI, OUT));
    a.mov(R8, Memory.at(RDI, PLACES));
    a.mov(R9, Memory.at(RDI, IN));
    a.mov(RCX, Memory.at(RDI, COUNT));
    a.mov(RDX, Memory.at(RDI, PITCH));
    Memory lanes = Memory.at(a.ints(columnsOf));
    a.emit(Instruction.VPBROADCASTD, CORNERS, Memory.at(RDI, FIRST));
    a.emit(Instruction.VPADDD, CORNERS, CORNERS, lanes);
    a.emit(Instruction.VPBROADCASTD, COLUMNS, Memory.at(RDI, LEFT));
    a.emit(Instruction.VPADDD, COLUMNS, COLUMNS, lanes);
    a.emit(Instruction.VPBROADCASTD, BEGIN, Memory.at(RDI, START));
    a.emit(Instruction.VPBROADCASTD, LINE, Memory.at(RDI, WIDTH));
    a.emit(Instruction.VPXOR, ZERO, ZERO, ZERO);
    a.emit(Instruction.VPBROADCASTD, STEP, Memory.at(a.ints(LANES * stride)));
    a.emit(Instruction.VPBROADCASTD, ONE, Memory.at(a.ints(1)));
    a.emit(Instruction.VBROADCASTSS, LEAST, Memory.at(a.floats(Float.NEGATIVE_INFINITY, 1)));
    a.emit(Instruction.VMOVUPS, EVEN, Memory.at(a.ints(even)));
    VectorLoop.emit(
        a,
        RCX,
        LANES,
        mask -> {
          windows();
          store(mask);
        },
        () -> {
          a.add(R9, 4 * LANES * stride);
          a.add(RSI, 4 * LANES);
          a.add(R8, 8 * LANES);
          a.emit(Instruction.VPADDD, CORNERS, CORNERS, STEP);
          a.emit(Instruction.VPADDD, COLUMNS, COLUMNS, STEP);
        });
    a.vzeroupper();
    a.ret();
    return a.install();
  }

  private void windows() {
    // What counts as long as nothing is greater: the first element that is in the image.
    a.emit(Instruction.VMOVAPS, BEST, LEAST);
    a.emit(Instruction.VPMAXSD, PLACE, COLUMNS, ZERO);
    a.emit(Instruction.VPADDD, PLACE, PLACE, BEGIN);
    a.emit(Instruction.VMOVAPS, ROW, CORNERS);
    a.mov(R10, R9);
    for (int i = 0; i < rows; i++) {
      a.emit(Instruction.VMOVAPS, NUMBER, ROW);
      for (int j = 0; j < columns; j++) {
        a.emit(Instruction.VMOVUPS, VALUE, Memory.at(R10, 4 * j));
        if (stride == 2) {
          a.emit(Instruction.VPERMT2PS, VALUE, EVEN, Memory.at(R10, 4 * (LANES + j)));
        }
        a.emit(Instruction.VCMPPS, Assembler.CMP_GREATER, LARGER, VALUE, BEST);
        a.emit(Instruction.VCMPPS, Assembler.CMP_UNORDERED, NAN, VALUE, VALUE);
        a.emit(Instruction.KORW, LARGER, LARGER, NAN);
        a.emit(Instruction.VBLENDMPS, BEST.masked(LARGER), BEST, VALUE);
        a.emit(Instruction.VBLENDMPS, PLACE.masked(LARGER), PLACE, NUMBER);
        if (j < columns - 1) {
          a.emit(Instruction.VPADDD, NUMBER, NUMBER, ONE);
        }
      }
      if (i < rows - 1) {
        a.add(R10, RDX);
        a.emit(Instruction.VPADDD, ROW, ROW, LINE);
      }
    }
  }

  private void store(Mask mask) {
    boolean all = mask == Mask.K0;
    Memory to = Memory.at(RSI);
    Memory low = Memory.at(R8);
    Memory high = Memory.at(R8, 64);
    if (!all) {
      a.emit(Instruction.KSHIFTRW, 8, UPPER, mask);
    }
    a.emit(Instruction.VMOVUPS_STORE, all ? to : to.masked(mask), BEST);
    a.emit(Instruction.VEXTRACTF64X4, 1, Vector.ymm(3), PLACE);
    a.emit(Instruction.VPMOVSXDQ, VALUE, Vector.ymm(1));
    a.emit(Instruction.VPMOVSXDQ, NUMBER, Vector.ymm(3));
    a.emit(Instruction.VMOVDQU64_STORE, all ? low : low.masked(mask), VALUE);
    a.emit(Instruction.VMOVDQU64_STORE, all ? high : high.masked(UPPER), NUMBER);
  }
}
