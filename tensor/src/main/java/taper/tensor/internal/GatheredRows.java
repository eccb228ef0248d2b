package taper.tensor.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Copies of elements, each of which comes from a place that a table says for every dimension. What lies in memory is
/// copied as it is, whatever the type.
///
/// A row that comes from the same row as the one before is a copy of it. Other rows are copied run by run where neighbours
/// stay neighbours, else element by element through arrays.
final class GatheredRows {
  /// An index that stands for the value of the border.
  static final int BORDER = -1;

  private static final int SHORT = 4; // runs up to here are copied element by element

  private final Strided y;
  private final Strided x;
  private final int[][] index;
  private final int columns;
  private final int width; // of an input row
  private final int size; // of an element
  private final Run[] runs;
  private final boolean scattered;

  /// Neighbouring elements of a row that are neighbours in the input too, or all lie in the border.
  private record Run(int to, int from, int count) {}

  private GatheredRows(Strided y, Strided x, int[][] index) {
    this.y = y;
    this.x = x;
    this.index = index;
    this.columns = index[index.length - 1].length;
    this.width = Math.toIntExact(x.size(x.rank() - 1));
    this.size = y.dtype().byteSize();
    this.runs = runs(index[index.length - 1]);
    this.scattered =
        runs.length > 8
            && columns / runs.length < SHORT
            && size <= 8
            && Arrays.stream(index[index.length - 1]).noneMatch(i -> i == BORDER);
  }

  /// Fills `y` with the elements of `x` that `index`, one table for each dimension, names. Both are contiguous.
  ///
  /// @param value what the border is filled with, with `imaginary` where it is complex
  static void copy(Strided y, Strided x, int[][] index, double value, double imaginary) {
    if (y.numel() == 0) {
      return;
    }
    if (index.length == 0) {
      ReferenceShapes.copyBlock(y, 0, x, 0, 1);
      return;
    }
    var rows = new GatheredRows(y, x, index);
    try (Arena arena = Arena.ofConfined()) {
      rows.run(rows.border(arena, value, imaginary));
    }
  }

  private static Run[] runs(int[] index) {
    Run[] runs = new Run[index.length];
    int count = 0;
    for (int o = 0; o < index.length; ) {
      int end = o + 1;
      while (end < index.length
          && (index[o] == BORDER ? index[end] == BORDER : index[end] == index[o] + end - o)) {
        end++;
      }
      runs[count++] = new Run(o, index[o], end - o);
      o = end;
    }
    return Arrays.copyOf(runs, count);
  }

  /// A row of the border, in the type of `y`.
  private MemorySegment border(Arena arena, double value, double imaginary) {
    boolean any = Arrays.stream(index).flatMapToInt(Arrays::stream).anyMatch(i -> i == BORDER);
    MemorySegment row = arena.allocate(any ? (long) columns * size : 0, 8);
    if (any && (value != 0 || imaginary != 0)) {
      var elements =
          new Elements(Strided.of(row, 0, y.dtype(), new long[] {columns}, new long[] {1}));
      for (int i = 0; i < columns; i++) {
        if (y.dtype().isComplex()) {
          elements.set(i, value, imaginary);
        } else if (y.dtype().isFloatingPoint() || y.dtype() == DType.BOOL) {
          elements.set(i, value);
        } else {
          elements.set(i, (long) value);
        }
      }
    }
    return row;
  }

  private void run(MemorySegment border) {
    int rank = index.length;
    long bytes = (long) columns * size;
    long at = y.byteOffset();
    int[] position = new int[rank];
    Object from = scattered ? array(width) : this;
    Object to = scattered ? array(columns) : this;
    long before = -2;
    for (long row = 0, rows = y.numel() / columns; row < rows; row++) {
      long source = 0;
      for (int d = 0; d < rank - 1 && source >= 0; d++) {
        int i = index[d][position[d]];
        source = i == BORDER ? -1 : source * x.size(d) + i;
      }
      if (source == before) {
        MemorySegment.copy(y.memory(), at - bytes, y.memory(), at, bytes);
      } else if (source < 0) {
        MemorySegment.copy(border, 0, y.memory(), at, bytes);
      } else if (scattered) {
        gather(from, to, x.byteOffset() + source * width * size, at);
      } else {
        copyRuns(border, x.byteOffset() + source * width * size, at);
      }
      before = source;
      at += bytes;
      for (int d = rank - 2; d >= 0 && ++position[d] == index[d].length; d--) {
        position[d] = 0;
      }
    }
  }

  private void copyRuns(MemorySegment border, long from, long at) {
    MemorySegment in = x.memory();
    MemorySegment out = y.memory();
    for (Run run : runs) {
      long to = at + (long) run.to * size;
      if (run.from == BORDER) {
        MemorySegment.copy(border, 0, out, to, (long) run.count * size);
      } else if (run.count <= SHORT && size == 4) {
        long begin = from + 4L * run.from;
        for (long k = 0; k < 4L * run.count; k += 4) {
          out.set(JAVA_INT_UNALIGNED, to + k, in.get(JAVA_INT_UNALIGNED, begin + k));
        }
      } else {
        MemorySegment.copy(in, from + (long) run.from * size, out, to, (long) run.count * size);
      }
    }
  }

  private Object array(int n) {
    return switch (size) {
      case 1 -> new byte[n];
      case 2 -> new short[n];
      case 4 -> new int[n];
      default -> new long[n];
    };
  }

  private void gather(Object from, Object to, long source, long target) {
    int[] table = index[index.length - 1];
    MemorySegment in = x.memory();
    MemorySegment out = y.memory();
    switch (from) {
      case byte[] a -> {
        byte[] b = (byte[]) to;
        MemorySegment.copy(in, JAVA_BYTE, source, a, 0, a.length);
        for (int o = 0; o < b.length; o++) {
          b[o] = a[table[o]];
        }
        MemorySegment.copy(b, 0, out, JAVA_BYTE, target, b.length);
      }
      case short[] a -> {
        short[] b = (short[]) to;
        MemorySegment.copy(in, JAVA_SHORT_UNALIGNED, source, a, 0, a.length);
        for (int o = 0; o < b.length; o++) {
          b[o] = a[table[o]];
        }
        MemorySegment.copy(b, 0, out, JAVA_SHORT_UNALIGNED, target, b.length);
      }
      case int[] a -> gather(a, (int[]) to, table, in, source, out, target);
      case long[] a -> {
        long[] b = (long[]) to;
        MemorySegment.copy(in, JAVA_LONG_UNALIGNED, source, a, 0, a.length);
        for (int o = 0; o < b.length; o++) {
          b[o] = a[table[o]];
        }
        MemorySegment.copy(b, 0, out, JAVA_LONG_UNALIGNED, target, b.length);
      }
      default -> throw new AssertionError(from);
    }
  }

  private static void gather(
      int[] a,
      int[] b,
      int[] table,
      MemorySegment in,
      long source,
      MemorySegment out,
      long target) {
    MemorySegment.copy(in, JAVA_INT_UNALIGNED, source, a, 0, a.length);
    for (int o = 0; o < b.length; o++) {
      b[o] = a[table[o]];
    }
    MemorySegment.copy(b, 0, out, JAVA_INT_UNALIGNED, target, b.length);
  }
}
