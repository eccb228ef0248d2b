package taper.tensor.internal;

import java.lang.foreign.MemorySegment;
import taper.tensor.Shapes.ResultDim;
import taper.tensor.Shapes.Triangle;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain rearrangements of elements.
public final class ReferenceShapes {
  private ReferenceShapes() {}

  /// Concatenates contiguous tensors: each gives `inner` neighbouring elements to every one of `outer` runs.
  public static final Kernel CAT =
      (attributes, out, in) -> {
        int dim = ((ResultDim) attributes).dim();
        if (out[0].numel() == 0) {
          return;
        }
        long row = 1;
        for (int d = dim; d < out[0].rank(); d++) {
          row *= out[0].size(d);
        }
        long start = 0;
        for (Strided x : in) {
          if (x.numel() == 0) {
            continue;
          }
          long inner = x.size(dim) * (row / out[0].size(dim));
          for (long run = 0, runs = x.numel() / inner; run < runs; run++) {
            copyBlock(out[0], run * row + start, x, run * inner, inner);
          }
          start += inner;
        }
      };

  /// Copies `count` neighbouring elements between contiguous operands of one type.
  static void copyBlock(Strided to, long toIndex, Strided from, long fromIndex, long count) {
    long size = to.dtype().byteSize();
    MemorySegment.copy(
        from.memory(),
        from.byteOffset() + fromIndex * size,
        to.memory(),
        to.byteOffset() + toIndex * size,
        count * size);
  }

  /// Whether an element of a matrix stays.
  @FunctionalInterface
  public interface Inside {
    /// Tests the element at `row` and `column` against the edge `diagonal`.
    boolean test(long row, long column, long diagonal);
  }

  /// Copies the elements inside a triangle and writes 0 elsewhere.
  public static Kernel triangle(Inside inside) {
    return (attributes, out, in) -> {
      long diagonal = ((Triangle) attributes).diagonal();
      var to = new Elements(out[0]);
      var from = new Elements(in[0]);
      int rank = in[0].rank();
      long rows = in[0].size(rank - 2);
      long columns = in[0].size(rank - 1);
      for (long i = 0, count = to.numel(); i < count; i++) {
        if (inside.test(i / columns % rows, i % columns, diagonal)) {
          copy(to, i, from, i);
        } else {
          to.set(i, 0L);
        }
      }
    };
  }

  /// Where an element of the result comes from.
  @FunctionalInterface
  public interface Origin {
    /// The index along `dim`, of size `size`, from which index `index` of the result comes.
    long of(Record attributes, int dim, long index, long size);
  }

  /// Copies every element from the place that `origin` names dimension by dimension.
  public static Kernel moved(Origin origin) {
    return Kernel.ofAnyStrides((attributes, out, in) -> {
      var to = new Elements(out[0]);
      var from = new Elements(in[0]);
      for (long i = 0, count = to.numel(); i < count; i++) {
        long rest = i;
        long distance = 0;
        for (int d = in[0].rank() - 1; d >= 0; d--) {
          long size = in[0].size(d);
          distance += origin.of(attributes, d, rest % size, size) * in[0].stride(d);
          rest /= size;
        }
        if (to.isWhole()) {
          to.set(i, from.wholeAtDistance(distance));
        } else {
          to.set(i, from.atDistance(distance));
        }
      }
    });
  }

  static void copy(Elements to, long i, Elements from, long j) {
    if (to.isWhole()) {
      to.set(i, from.wholeAt(j));
    } else {
      to.set(i, from.at(j));
    }
  }
}
