package taper.tensor.internal;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import taper.tensor.DType;
import taper.tensor.Padding.Border;
import taper.tensor.Padding.BorderInput;
import taper.tensor.Padding.Constant;
import taper.tensor.Padding.Edge;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Borders around images: rows are copied as they lie in memory, whatever the type.
public final class ReferencePadding {
  private static final int BORDER = -1; // an index that stands for the value of the border

  private ReferencePadding() {}

  /// `self[*] -> [*]`: one value around the last dimensions.
  public static final Kernel CONSTANT =
      (attributes, out, in) -> {
        var a = (Constant) attributes;
        int rank = in[0].rank();
        int[][] index = new int[rank][];
        for (int d = 0; d < rank; d++) {
          int from = 2 * (rank - 1 - d);
          int before = from < a.pad().size() ? Math.toIntExact(a.pad().get(from)) : 0;
          index[d] = new int[Math.toIntExact(out[0].size(d))];
          for (int o = 0; o < index[d].length; o++) {
            int i = o - before;
            index[d][o] = i < 0 || i >= in[0].size(d) ? BORDER : i;
          }
        }
        copy(out[0], in[0], index, a.value(), a.imaginary());
      };

  /// `self[*] -> [*]`: a border made of the image's own elements.
  public static final Kernel BORDER_OF =
      (attributes, out, in) -> {
        var a = (Border) attributes;
        int rank = in[0].rank();
        int[][] index = new int[rank][];
        for (int d = 0; d < rank; d++) {
          index[d] = index(a, rank, d, Math.toIntExact(in[0].size(d)));
        }
        copy(out[0], in[0], index, 0, 0);
      };

  /// `grad[*] -> [*]`: the gradients of all copies of an element are summed.
  public static final Kernel BORDER_GRADIENT =
      (attributes, out, in) -> {
        var a = ((BorderInput) attributes).border();
        int rank = in[0].rank();
        int padded = a.pad().size() / 2;
        Taps[] taps = new Taps[padded];
        for (int k = 0; k < padded; k++) {
          int d = rank - padded + k;
          int size = Math.toIntExact(out[0].size(d));
          taps[k] = Taps.copies(size, index(a, rank, d, size)).transposed();
        }
        Separable.apply(out[0], in[0], taps);
      };

  private static int[] index(Border a, int rank, int d, int size) {
    int from = 2 * (rank - 1 - d);
    List<Long> pad = a.pad();
    int before = from < pad.size() ? Math.toIntExact(pad.get(from)) : 0;
    int after = from < pad.size() ? Math.toIntExact(pad.get(from + 1)) : 0;
    int[] index = new int[size + before + after];
    for (int o = 0; o < index.length; o++) {
      index[o] = source(a.edge(), o - before, size, before, after);
    }
    return index;
  }

  private static int source(Edge edge, int i, int size, int before, int after) {
    return switch (edge) {
      case REPLICATE -> Math.clamp(i, 0, size - 1);
      case CIRCULAR -> {
        int start = Math.max(-before, 0); // what is cut off does not come round again
        yield start + Math.floorMod(i - start, size - start - Math.max(-after, 0));
      }
      case REFLECT -> {
        int positive = Math.abs(i);
        yield positive < size ? positive : 2 * (size - 1) - positive;
      }
    };
  }

  /// Neighbouring elements of a row that are neighbours in the input too, or all lie in the border.
  private record Run(int to, int from, int count) {}

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

  private static void copy(Strided y, Strided x, int[][] index, double value, double imaginary) {
    if (y.numel() == 0) {
      return;
    }
    int rank = index.length;
    if (rank == 0) {
      ReferenceShapes.copyBlock(y, 0, x, 0, 1);
      return;
    }
    int size = y.dtype().byteSize();
    Run[] runs = runs(index[rank - 1]);
    int columns = index[rank - 1].length;
    MemorySegment border = row(y, columns, value, imaginary);
    MemorySegment to = y.memory();
    MemorySegment from = x.memory();
    long at = y.byteOffset();
    int[] position = new int[rank];
    for (long row = 0, rows = y.numel() / columns; row < rows; row++) {
      long source = 0;
      for (int d = 0; d < rank - 1 && source >= 0; d++) {
        int i = index[d][position[d]];
        source = i == BORDER ? -1 : source * x.size(d) + i;
      }
      if (source < 0) {
        MemorySegment.copy(border, 0, to, at, (long) columns * size);
      } else {
        long begin = x.byteOffset() + source * x.size(rank - 1) * size;
        for (Run run : runs) {
          long bytes = (long) run.count * size;
          if (run.from == BORDER) {
            MemorySegment.copy(border, 0, to, at + (long) run.to * size, bytes);
          } else {
            MemorySegment.copy(
                from, begin + (long) run.from * size, to, at + (long) run.to * size, bytes);
          }
        }
      }
      at += (long) columns * size;
      for (int d = rank - 2; d >= 0 && ++position[d] == index[d].length; d--) {
        position[d] = 0;
      }
    }
  }

  /// A row of the border, in the type of `y`.
  private static MemorySegment row(Strided y, int columns, double value, double imaginary) {
    byte[] bytes = new byte[Math.multiplyExact(columns, y.dtype().byteSize())];
    MemorySegment row = MemorySegment.ofArray(bytes);
    if (value != 0 || imaginary != 0) {
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
}
