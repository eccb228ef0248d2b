package taper.tensor.internal;

import java.util.List;
import taper.tensor.Padding.Border;
import taper.tensor.Padding.BorderInput;
import taper.tensor.Padding.Constant;
import taper.tensor.Padding.Edge;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;
import taper.tensor.spi.Taps;

/// Borders around images: rows are copied as they lie in memory, whatever the type.
public final class ReferencePadding {
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
            index[d][o] = i < 0 || i >= in[0].size(d) ? GatheredRows.BORDER : i;
          }
        }
        GatheredRows.copy(out[0], in[0], index, a.value(), a.imaginary());
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
        GatheredRows.copy(out[0], in[0], index, 0, 0);
      };

  /// `grad[*] -> [*]`: the gradients of all copies of an element are summed.
  public static final Kernel BORDER_GRADIENT = Separable.kernel(ReferencePadding::gathered);

  private static Taps[] gathered(Record attributes, Strided dx, Strided dy) {
    var a = ((BorderInput) attributes).border();
    int rank = dy.rank();
    int padded = a.pad().size() / 2;
    Taps[] taps = new Taps[padded];
    for (int k = 0; k < padded; k++) {
      int d = rank - padded + k;
      int size = Math.toIntExact(dx.size(d));
      taps[k] = Taps.copies(size, index(a, rank, d, size)).transposed();
    }
    return taps;
  }

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
}
