package taper.cpu.moving;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Parallel;
import taper.tensor.spi.Strided;

/// Copies between two layouts of the same sizes, whatever the strides are, negative ones included.
///
/// Dimensions are put into the order of the target's memory, and those that lie densely within each other in both layouts
/// become one. What is left is a loop over planes. If the columns of a plane lie side by side in both, rows are copied as
/// blocks; if they do in reverse order, or all are the same, by loops of their own; if rows lie side by side in the source, the plane is transposed by tiles; else element by element.
final class StridedCopy {
  private static final long GRAIN = 1 << 15;

  private static final int TILE_ROWS = 64;
  private static final int SHORT = 8;

  private final int width;
  private final MemorySegment to;
  private final MemorySegment from;
  private final long toAt;
  private final long fromAt;
  private long[] sizes; // outermost first; the last two are the plane
  private long[] toSteps; // in bytes
  private long[] fromSteps;
  private final @Nullable Loops loops;

  private StridedCopy(
      int width,
      long[] sizes,
      MemorySegment to,
      long toAt,
      long[] toStrides,
      MemorySegment from,
      long fromAt,
      long[] fromStrides,
      @Nullable Loops loops) {
    this.loops = loops;
    this.width = width;
    this.to = to;
    this.toAt = toAt;
    this.from = from;
    this.fromAt = fromAt;
    this.sizes = sizes.clone();
    this.toSteps = inBytes(toStrides);
    this.fromSteps = inBytes(fromStrides);
  }

  /// Copies `from`, of the same sizes and type, to `to`, with `loops` where there are some.
  static void run(Strided to, Strided from, @Nullable Loops loops) {
    run(to, from, 0, from.strides(), loops);
  }

  /// Copies the elements that lie `fromStrides` apart, from `fromOffset` elements behind the first of `from` on.
  static void run(
      Strided to, Strided from, long fromOffset, long[] fromStrides, @Nullable Loops loops) {
    int width = to.dtype().byteSize();
    if (to.numel() == 0) {
      return;
    }
    var copy =
        new StridedCopy(
            width,
            to.sizes(),
            to.memory(),
            to.byteOffset(),
            to.strides(),
            from.memory(),
            from.byteOffset() + fromOffset * width,
            fromStrides,
            loops);
    copy.copy();
  }

  private long[] inBytes(long[] strides) {
    long[] result = new long[strides.length];
    for (int d = 0; d < result.length; d++) {
      result[d] = strides[d] * width;
    }
    return result;
  }

  private void copy() {
    arrange();
    merge();
    choosePlane();
    int outer = sizes.length - 2;
    long planes = 1;
    for (int d = 0; d < outer; d++) {
      planes *= sizes[d];
    }
    long rows = sizes[outer];
    long columns = sizes[outer + 1];
    long fromStep = fromSteps[outer + 1];
    boolean goesOn = Math.abs(fromStep) == width || fromStep == 0;
    if (toSteps[outer + 1] == width && goesOn && columns >= 2 * GRAIN) { // long rows, in pieces
      long pieces = (columns + GRAIN - 1) / GRAIN;
      Parallel.run(
          planes * rows * pieces,
          1,
          (first, last) -> {
            for (long i = first; i < last; i++) {
              long row = i / pieces;
              long start = i % pieces * GRAIN;
              long t = at(toAt, toSteps, row / rows) + row % rows * toSteps[outer];
              long f = at(fromAt, fromSteps, row / rows) + row % rows * fromSteps[outer];
              long length = Math.min(GRAIN, columns - start);
              row(t + start * width, f + start * fromStep, fromStep, length);
            }
          });
      return;
    }
    long height = Math.min(rows, (Math.max(1, GRAIN / columns) + 31) / 32 * 32);
    long blocks = (rows + height - 1) / height;
    Parallel.run(
        planes * blocks,
        Math.max(1, GRAIN / (height * columns)),
        (first, last) -> {
          for (long i = first; i < last; i++) {
            long p = i / blocks;
            long start = i % blocks * height;
            long end = Math.min(rows, start + height);
            plane(at(toAt, toSteps, p), at(fromAt, fromSteps, p), start, end);
          }
        });
  }

  /// Where plane `p` begins.
  private long at(long start, long[] steps, long p) {
    long at = start;
    for (int d = sizes.length - 3; d >= 0; d--) {
      at += p % sizes[d] * steps[d];
      p /= sizes[d];
    }
    return at;
  }

  private void row(long t, long f, long fromStep, long length) {
    if (!rows(1, length, t, 0, f, 0, fromStep)) {
      Bits.line(width, (int) length, to, t, width, from, f, fromStep);
    }
  }

  /// Rows whose elements lie side by side in the target, by assembled code, if there is some for them.
  private boolean rows(
      long count, long length, long t, long toRow, long f, long fromRow, long fromStep) {
    Loops code = loops;
    if (code == null) {
      return false;
    }
    long bytes = length * width;
    long target = to.address() + t;
    long source = from.address() + f;
    if (fromStep == width && code.covers(bytes)) {
      code.rows(count, bytes, target, toRow, source, fromRow);
    } else if (fromStep == -width && code.coversLine(width, bytes)) {
      code.reversed(width, count, bytes, target, toRow, source + width - bytes, fromRow);
    } else if (fromStep == 0 && code.coversLine(width, bytes)) {
      code.equal(width, count, bytes, target, toRow, source, fromRow);
    } else if (fromStep == 0
        && fromRow == width
        && toRow == bytes
        && code.coversRepeats(width, count, length)) {
      code.repeated(width, (int) length, count, target, source);
    } else {
      return false;
    }
    return true;
  }

  /// Rows `first` to `last` of a plane.
  private void plane(long t, long f, long first, long last) {
    int row = sizes.length - 2;
    int column = sizes.length - 1;
    long columns = sizes[column];
    if (toSteps[column] == width
        && rows(
            last - first,
            columns,
            t + first * toSteps[row],
            toSteps[row],
            f + first * fromSteps[row],
            fromSteps[row],
            fromSteps[column])) {
      return;
    }
    if (toSteps[column] == width
        && fromSteps[row] == width
        && fromSteps[column] != width
        && columns > 3
        && last - first > 3) {
      transpose(t + first * toSteps[row], f + first * width, last - first, columns);
      return;
    }
    if (columns < SHORT && last - first > columns && last - first < Integer.MAX_VALUE) {
      for (long c = 0; c < columns; c++) { // few columns: down each of them
        Bits.line(
            width,
            (int) (last - first),
            to,
            t + first * toSteps[row] + c * toSteps[column],
            toSteps[row],
            from,
            f + first * fromSteps[row] + c * fromSteps[column],
            fromSteps[row]);
      }
      return;
    }
    for (long r = first; r < last; r++) {
      for (long c = 0; c < columns; c += Integer.MAX_VALUE) {
        Bits.line(
            width,
            (int) Math.min(Integer.MAX_VALUE, columns - c),
            to,
            t + r * toSteps[row] + c * toSteps[column],
            toSteps[column],
            from,
            f + r * fromSteps[row] + c * fromSteps[column],
            fromSteps[column]);
      }
    }
  }

  /// A plane of which rows lie side by side in the source: whole strips in assembled code, if there is some.
  private void transpose(long t, long f, long rows, long columns) {
    long toRow = toSteps[sizes.length - 2];
    long fromColumn = fromSteps[sizes.length - 1];
    Loops code = loops;
    int side = Loops.side(width);
    long done = code == null || width != 4 && width != 8 ? 0 : columns / side * side;
    if (done > 0 && code != null) {
      for (long r = 0;
          r < rows;
          r += TILE_ROWS) { // few enough rows to stay in the first-level cache
        int length = (int) Math.min(TILE_ROWS, rows - r);
        for (long c = 0; c < done; c += side) {
          code.transpose(
              width == 8,
              length,
              from.address() + f + r * width + c * fromColumn,
              fromColumn,
              to.address() + t + r * toRow + c * width,
              toRow);
        }
      }
    }
    if (done < columns) {
      Bits.transposed(
          width,
          rows,
          columns - done,
          to,
          t + done * width,
          toRow,
          from,
          f + done * fromColumn,
          fromColumn);
    }
  }

  /// Puts the dimensions into the order of the target's memory; those of size 1 go away.
  private void arrange() {
    int rank = 0;
    int[] order = new int[sizes.length];
    for (int d = 0; d < sizes.length; d++) {
      if (sizes[d] == 1) {
        continue;
      }
      int at = rank++;
      while (at > 0 && Math.abs(toSteps[order[at - 1]]) < Math.abs(toSteps[d])) {
        order[at] = order[at - 1];
        at--;
      }
      order[at] = d;
    }
    pick(Arrays.copyOf(order, rank));
  }

  private void pick(int[] order) {
    long[] oldSizes = sizes;
    long[] oldTo = toSteps;
    long[] oldFrom = fromSteps;
    sizes = new long[order.length];
    toSteps = new long[order.length];
    fromSteps = new long[order.length];
    for (int d = 0; d < order.length; d++) {
      sizes[d] = oldSizes[order[d]];
      toSteps[d] = oldTo[order[d]];
      fromSteps[d] = oldFrom[order[d]];
    }
  }

  /// Makes one dimension of neighbours that lie densely within each other in both layouts.
  private void merge() {
    int kept = 0;
    for (int d = 1; d < sizes.length; d++) {
      if (toSteps[kept] == sizes[d] * toSteps[d] && fromSteps[kept] == sizes[d] * fromSteps[d]) {
        sizes[kept] *= sizes[d];
      } else {
        sizes[++kept] = sizes[d];
      }
      toSteps[kept] = toSteps[d];
      fromSteps[kept] = fromSteps[d];
    }
    int rank = sizes.length == 0 ? 0 : kept + 1;
    sizes = Arrays.copyOf(sizes, rank);
    toSteps = Arrays.copyOf(toSteps, rank);
    fromSteps = Arrays.copyOf(fromSteps, rank);
  }

  /// Makes the last dimension the columns of planes, and the one along which the source lies side by side their rows.
  private void choosePlane() {
    int rank = sizes.length;
    while (sizes.length < 2) { // a plane of one row, or of one element
      sizes = inFront(1, sizes);
      toSteps = inFront(width, toSteps);
      fromSteps = inFront(0, fromSteps);
    }
    for (int d = 0; d < rank - 2; d++) {
      if (fromSteps[d] == width) {
        int row = d;
        pick(
            IntStream.range(0, rank)
                .map(i -> i < row ? i : i < rank - 2 ? i + 1 : i == rank - 2 ? row : i)
                .toArray());
        return;
      }
    }
  }

  private static long[] inFront(long value, long[] rest) {
    long[] result = new long[rest.length + 1];
    result[0] = value;
    System.arraycopy(rest, 0, result, 1, rest.length);
    return result;
  }
}
