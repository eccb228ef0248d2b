package taper.cpu.moving;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.cpu.moving.Loops.Lines;
import taper.cpu.moving.Loops.Walk;
import taper.cpu.moving.Loops.Way;
import taper.cpu.moving.PickKernels.Places;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Picking and placing by assembled loops, on several cores.
///
/// Work is cut such that no two parts write to one place, in an order that depends on the sizes alone. What is read may be
/// cut anywhere. Where elements are placed along the very dimension that is indexed, lines are independent; where they lie
/// along another, each position of the line is, and lines follow each other within a part, whose columns stay in the
/// second-level cache meanwhile.
final class IndexWalks {
  private static final long GRAIN = 1 << 14;

  private static final long CACHE = 1 << 19;
  private static final long CLEARED = 1 << 17;
  private static final long LARGE = 1 << 23;
  private static final long LEAST = 64;
  private static final long LEAST_BYTES = 256;

  private IndexWalks() {}

  /// The addresses of indices that name single parts: those given, or several indices made one.
  private record Index(long at, long step, long size) {}

  private static Index index(Places places, long unit) {
    if (places.single()) {
      return new Index(places.memory().address() + places.at(), places.step(), places.size());
    }
    MemorySegment joined = Scratch.ofThread().memory(Scratch.Use.ROWS, 8L * places.count());
    for (int i = 0; i < places.count(); i++) {
      joined.set(JAVA_LONG_UNALIGNED, 8L * i, places.of(i) / unit);
    }
    return new Index(joined.address(), 8, 0);
  }

  /// `out[outer, i] = self[outer, place i]`, in blocks of `inner` elements.
  static void take(Loops loops, Strided out, Strided self, long outer, Places places, long inner) {
    int width = out.dtype().byteSize();
    long block = inner * width;
    long count = places.count();
    Index index = index(places, inner);
    var walk = new Walk(block, index.step, 0, block, index.size);
    long to = out.address();
    long from = self.address();
    long span = places.span() * width;
    Parallel.run(
        outer * count,
        Math.max(1, GRAIN / inner),
        (first, last) -> {
          for (long n = first; n < last; ) {
            long i = n % count;
            long run = Math.min(count - i, last - n);
            long t = to + n * block;
            long f = from + n / count * span;
            long x = index.at + i * index.step;
            if (inner == 1) {
              loops.elements(Way.PICK, width, walk, Lines.ONE, run, t, x, f);
            } else {
              loops.blocks(Way.PICK, width, block, walk, run, t, x, f);
            }
            n += run;
          }
        });
  }

  /// `out[outer, place i]` becomes, or grows by, `values[outer, i]`, in blocks of `inner` elements.
  static void put(
      Loops loops, Way way, Strided out, Strided values, long outer, Places places, long inner) {
    int width = out.dtype().byteSize();
    long block = inner * width;
    long count = places.count();
    Index index = index(places, inner);
    var walk = new Walk(0, index.step, block, block, index.size);
    long to = out.address();
    long from = values.address();
    long span = places.span() * width;
    boolean small = outer * count * inner <= GRAIN || block < 2 * LEAST_BYTES;
    long piece = small ? block : Math.max(LEAST_BYTES, (block / 4 + LEAST - 1) / LEAST * LEAST);
    if (!loops.covers(block % piece == 0 ? piece : block % piece)) {
      piece = block;
    }
    long bytes = piece;
    long pieces = (block + bytes - 1) / bytes;
    Parallel.run(
        outer * pieces,
        Math.max(1, small ? GRAIN / (count * inner) : 1),
        (first, last) -> {
          for (long n = first; n < last; n++) {
            long o = n / pieces;
            long at = n % pieces * bytes;
            long t = to + o * span + at;
            long f = from + o * count * block + at;
            if (inner == 1) {
              loops.elements(way, width, walk, Lines.ONE, count, t, index.at, f);
            } else {
              long length = Math.min(bytes, block - at);
              loops.blocks(way, width, length, walk, count, t, index.at, f);
            }
          }
        });
  }

  /// `out[…, i, …] = self[…, index, …]`, each element with an index of its own.
  static void gather(Loops loops, int dim, Strided out, Strided self, Strided index) {
    var strides = new long[][] {out.strides(), index.strides(), PickKernels.without(self, dim)};
    run(loops, Way.PICK, dim, self, index, strides, out.address(), self.address(), 0);
  }

  /// `out[…, index, …]`, a copy of `self`, and `source[…, i, …]` become one, each element with an index of its own.
  ///
  /// Where whole lines are placed into, they are copied right before, while they are in the cache.
  static void scatter(
      Loops loops, Way way, int dim, Strided out, Strided self, Strided index, Strided source) {
    boolean byLine = copiesByLine(dim, out, self, index);
    if (!byLine) {
      PickKernels.begin(out, self, loops);
    }
    if (index.numel() == 0) {
      return;
    }
    var strides = new long[][] {PickKernels.without(out, dim), index.strides(), source.strides()};
    long copied = byLine ? self.address() : 0;
    run(loops, way, dim, out, index, strides, out.address(), source.address(), copied);
  }

  /// Whether each line of `out` along `dim` is dense and has a line of indices.
  private static boolean copiesByLine(int dim, Strided out, Strided self, Strided index) {
    boolean whole =
        dim == out.rank() - 1
            && out.address() != self.address()
            && out.isContiguous()
            && self.isContiguous()
            && index.numel() > 0
            && index.size(dim) >= LineWalk.LONG;
    for (int d = 0; whole && d < dim; d++) {
      whole = index.size(d) == out.size(d);
    }
    return whole;
  }

  /// Clears `out`; what is larger than a cache, past it.
  static void clear(Loops loops, Strided out) {
    long bytes = out.numel() * out.dtype().byteSize();
    long to = out.address();
    Parallel.run(
        bytes, CLEARED, (first, last) -> loops.clear(bytes >= LARGE, last - first, to + first));
  }

  /// Writes `value` to all places that are named.
  static void fill(Loops loops, DType type, int dim, Strided out, Strided index, double value) {
    MemorySegment number = Scratch.ofThread().memory(Scratch.Use.ROWS, 8);
    if (type == DType.FLOAT32) {
      number.set(JAVA_FLOAT_UNALIGNED, 0, (float) value);
    } else {
      number.set(JAVA_DOUBLE_UNALIGNED, 0, value);
    }
    var still = new long[index.rank()];
    var strides = new long[][] {PickKernels.without(out, dim), index.strides(), still};
    run(loops, Way.PLACE, dim, out, index, strides, out.address(), number.address(), 0);
  }

  private static void run(
      Loops loops,
      Way way,
      int dim,
      Strided indexed,
      Strided index,
      long[][] strides,
      long to,
      long from,
      long copied) {
    int width = indexed.dtype().byteSize();
    var shape = new LineWalk(index.sizes(), strides);
    long length = shape.length();
    long lines = shape.lines();
    var walk =
        new Walk(
            shape.step(0) * width,
            shape.step(1) * 8,
            shape.step(2) * width,
            indexed.stride(dim) * width,
            0);
    boolean along = shape.line() == dim;
    // Lines that lie at equal distances are the loop's.
    Lines inLoop = lines > 1 && index.rank() == 2 ? shape.lines(width) : Lines.ONE;
    long row = indexed.size(dim) * width;
    var work = new Work(loops, way, width, walk, inLoop, index, strides, to, from, copied, row);
    if (along && (way != Way.PICK || lines > 1)) {
      Parallel.run(lines, Math.max(1, GRAIN / length), work::lines);
      return;
    }
    long fitting = CACHE / width / Math.max(1, indexed.size(dim));
    long piece = Math.max(GRAIN / lines, Math.min(fitting, length / 4)) / LEAST * LEAST;
    Parallel.run(length, Math.max(LEAST, piece), work::part);
  }

  /// Elements with an index of their own, from or to where `strides` of the three operands lead, width by width.
  ///
  /// @param copied where lines come from that are copied before they are placed into, or 0
  /// @param row the bytes of such a line
  private record Work(
      Loops loops,
      Way way,
      int width,
      Walk walk,
      Lines inLoop,
      Strided index,
      long[][] strides,
      long to,
      long from,
      long copied,
      long row) {

    /// Lines `first` to `last`.
    void lines(long first, long last) {
      if (copied != 0) {
        Raw.copy(copied + first * row, to + first * row, (last - first) * row);
      }
      var own = new LineWalk(index.sizes(), strides);
      own.seek(first);
      boolean together = inLoop.count() > 1;
      var lines =
          together
              ? new Lines(last - first, inLoop.toStep(), inLoop.indexStep(), inLoop.fromStep())
              : Lines.ONE;
      for (long n = first; n < last; n += lines.count()) {
        long t = to + own.at[0] * width;
        long x = index.address() + own.at[1] * 8;
        loops.elements(way, width, walk, lines, own.length(), t, x, from + own.at[2] * width);
        own.next();
      }
    }

    /// Positions `first` to `last` of all lines.
    void part(long first, long last) {
      var own = new LineWalk(index.sizes(), strides);
      long count = own.lines();
      for (long n = 0; n < count; n += inLoop.count()) {
        long t = to + own.at[0] * width + first * walk.toStep();
        long x = index.address() + own.at[1] * 8 + first * walk.indexStep();
        long f = from + own.at[2] * width + first * walk.fromStep();
        loops.elements(way, width, walk, inLoop, last - first, t, x, f);
        own.next();
      }
    }
  }
}
