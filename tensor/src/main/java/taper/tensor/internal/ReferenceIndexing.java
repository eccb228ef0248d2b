package taper.tensor.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import taper.tensor.Combine;
import taper.tensor.DType;
import taper.tensor.Indexing.EmbeddingRows;
import taper.tensor.Indexing.Picked;
import taper.tensor.Indexing.Put;
import taper.tensor.Scattering.ScatterReduce;
import taper.tensor.Shapes.Dim;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Places;
import taper.tensor.spi.Strided;

/// Plain indexing, one element after the other. The declarations have checked all indices before.
public final class ReferenceIndexing {
  private ReferenceIndexing() {}

  /// `self[*], indices...[*] -> [*]`.
  public static final Kernel INDEX =
      Kernel.ofAnyStrides((attributes, out, in) -> {
        Strided[] indices = Arrays.copyOfRange(in, 1, in.length);
        int[] dims = ((Picked) attributes).dims();
        var walk = new Picks(dims, out[0], in[0], indices);
        var to = new Elements(out[0]);
        var from = new Elements(in[0]);
        for (long i = 0; i < walk.numel(); i++) {
          copy(to, walk.outside(), from, walk.inside());
          walk.step();
        }
      });

  /// `self[*a], values[*b], indices...[*] -> [*a]`.
  public static final Kernel INDEX_PUT =
      Kernel.ofAnyStrides((attributes, out, in) -> {
        var put = (Put) attributes;
        Strided[] indices = Arrays.copyOfRange(in, 2, in.length);
        begin(out[0], in[0]);
        var walk = new Picks(put.dims(), in[1], out[0], indices);
        var to = new Elements(out[0]);
        var from = new Elements(in[1]);
        for (long i = 0; i < walk.numel(); i++) {
          write(to, walk.inside(), from, walk.outside(), put.accumulate());
          walk.step();
        }
      });

  /// `self[*a], index[*b] -> [*b]`.
  public static final Kernel GATHER =
      Kernel.ofAnyStrides((attributes, out, in) -> {
        int dim = ((Dim) attributes).dim();
        Strided self = vector(in[0]);
        Strided at0 = vector(in[1]);
        var walk =
            new Odometer(at0.sizes(), vector(out[0]).strides(), at0.strides(), without(self, dim));
        var to = new Elements(out[0]);
        var from = new Elements(self);
        var index = new Elements(at0);
        long stride = self.stride(dim);
        for (long i = 0; i < walk.numel(); i++) {
          long at = index.wholeAtDistance(walk.at(1));
          copy(to, walk.at(0), from, walk.at(2) + at * stride);
          walk.step();
        }
      });

  /// `self[*a], index[*b], source[*c] -> [*a]`, writing or adding.
  public static Kernel scatter(boolean add) {
    return Kernel.ofAnyStrides((attributes, out, in) -> {
      int dim = ((Dim) attributes).dim();
      Strided self = vector(out[0]);
      Strided at0 = vector(in[1]);
      begin(out[0], in[0]);
      var walk =
          new Odometer(at0.sizes(), without(self, dim), at0.strides(), vector(in[2]).strides());
      var to = new Elements(self);
      var from = new Elements(in[2]);
      var index = new Elements(at0);
      long stride = self.stride(dim);
      for (long i = 0; i < walk.numel(); i++) {
        long at = index.wholeAtDistance(walk.at(1));
        write(to, walk.at(0) + at * stride, from, walk.at(2), add);
        walk.step();
      }
    });
  }

  /// `self[*a], index[*b], source[*c] -> [*a]`, combining.
  public static final Kernel SCATTER_REDUCE =
      Kernel.ofAnyStrides((attributes, out, in) -> {
        var a = (ScatterReduce) attributes;
        Strided self = vector(out[0]);
        Strided at0 = vector(in[1]);
        begin(out[0], in[0]);
        long[] strides = Strided.contiguousStrides(self.sizes());
        var walk =
            new Odometer(
                at0.sizes(),
                without(self, a.dim()),
                at0.strides(),
                vector(in[2]).strides(),
                without(self.view(0, self.sizes(), strides), a.dim()));
        var to = new Elements(self);
        var from = new Elements(in[2]);
        var index = new Elements(at0);
        int[] counts = new int[Math.toIntExact(self.numel())];
        for (long i = 0; i < walk.numel(); i++) {
          long at = index.wholeAtDistance(walk.at(1));
          long place = walk.at(0) + at * self.stride(a.dim());
          int dense = (int) (walk.at(3) + at * strides[a.dim()]);
          if (counts[dense]++ == 0 && !a.includeSelf()) {
            copy(to, place, from, walk.at(2));
          } else if (to.isWhole()) {
            to.setWholeAtDistance(
                place,
                combined(a.reduce(), to.wholeAtDistance(place), from.wholeAtDistance(walk.at(2))));
          } else {
            to.setAtDistance(
                place, combined(a.reduce(), to.atDistance(place), from.atDistance(walk.at(2))));
          }
          walk.step();
        }
        if (a.reduce() == Combine.MEAN) {
          divide(to, new Odometer(self.sizes(), self.strides()), counts, a.includeSelf() ? 1 : 0);
        }
      });

  private static void divide(Elements to, Odometer walk, int[] counts, int begin) {
    for (int i = 0; i < counts.length; i++) {
      int count = counts[i] + begin;
      if (counts[i] > 0 && count > 1) {
        if (to.isWhole()) {
          to.setWholeAtDistance(walk.at(0), Math.floorDiv(to.wholeAtDistance(walk.at(0)), count));
        } else {
          to.setAtDistance(walk.at(0), to.atDistance(walk.at(0)) / count);
        }
      }
      walk.step();
    }
  }

  private static double combined(Combine way, double a, double b) {
    return switch (way) {
      case SUM, MEAN -> a + b;
      case PROD -> a * b;
      case AMAX -> Math.max(a, b);
      case AMIN -> Math.min(a, b);
    };
  }

  private static long combined(Combine way, long a, long b) {
    return switch (way) {
      case SUM, MEAN -> a + b;
      case PROD -> a * b;
      case AMAX -> Math.max(a, b);
      case AMIN -> Math.min(a, b);
    };
  }

  /// `self[*a], index[*b] -> [*c]`.
  public static final Kernel INDEX_SELECT =
      Kernel.ofAnyStrides((attributes, out, in) -> {
        int dim = ((Dim) attributes).dim();
        Strided self = vector(in[0]);
        Strided result = vector(out[0]);
        long stride = self.stride(dim);
        var walk = new Odometer(result.sizes(), result.strides(), without(self, dim));
        var to = new Elements(result);
        var from = new Elements(self);
        var index = new Elements(in[1]);
        for (long i = 0; i < walk.numel(); i++) {
          long at = index.wholeAt(walk.index(dim));
          copy(to, walk.at(0), from, walk.at(1) + at * stride);
          walk.step();
        }
      });

  /// `self[*a], index[*b], source[*c] -> [*a]`.
  public static final Kernel INDEX_ADD =
      Kernel.ofAnyStrides((attributes, out, in) -> {
        int dim = ((Dim) attributes).dim();
        Strided self = vector(out[0]);
        Strided source = vector(in[2]);
        long stride = self.stride(dim);
        begin(out[0], in[0]);
        var walk = new Odometer(source.sizes(), without(self, dim), source.strides());
        var to = new Elements(self);
        var from = new Elements(source);
        var index = new Elements(in[1]);
        for (long i = 0; i < walk.numel(); i++) {
          long at = index.wholeAt(walk.index(dim));
          write(to, walk.at(0) + at * stride, from, walk.at(1), true);
          walk.step();
        }
      });

  /// `self[*] -> [n r]`.
  public static final Kernel NONZERO =
      Kernel.ofAnyStrides((attributes, out, in) -> {
        var x = new Elements(in[0]);
        var to = new Elements(out[0]);
        var walk = new Odometer(in[0].sizes(), in[0].strides());
        long rows = out[0].size(0);
        long row = 0;
        for (long i = 0; i < walk.numel(); i++) {
          if (x.truthAtDistance(walk.at(0))) {
            for (int d = 0; d < in[0].rank() && row < rows; d++) {
              to.set(row * in[0].rank() + d, walk.index(d));
            }
            row++;
          }
          walk.step();
        }
        Places.count("nonzero", row, rows);
      });

  /// `self[*a], mask[*a] -> [n]`.
  public static final Kernel MASKED_SELECT =
      Kernel.ofAnyStrides((attributes, out, in) -> {
        var walk = new Odometer(in[0].sizes(), in[0].strides(), in[1].strides());
        var to = new Elements(out[0]);
        var from = new Elements(in[0]);
        var mask = new Elements(in[1]);
        long count = out[0].size(0);
        long chosen = 0;
        for (long i = 0; i < walk.numel(); i++) {
          if (mask.wholeAtDistance(walk.at(1)) != 0) {
            if (chosen < count) {
              copy(to, chosen * out[0].stride(0), from, walk.at(0));
            }
            chosen++;
          }
          walk.step();
        }
        Places.count("maskedSelect", chosen, count);
      });

  /// How many elements are not 0.
  public static long countNonzero(Strided x) {
    for (int d = 0; d < x.rank(); d++) {
      if (x.stride(d) == 0 && x.size(d) > 1) { // what is expanded counts as often as it is seen
        long[] sizes = x.sizes();
        sizes[d] = 1;
        return x.size(d) * countNonzero(x.view(0, sizes, x.strides()));
      }
    }
    if (x.isContiguous() && x.dtype().byteSize() == 1) {
      return countBytes(x.memory(), x.byteOffset(), x.numel());
    }
    if (x.dtype() == DType.BOOL) {
      return countBytes(x);
    }
    if (x.isContiguous() && x.dtype() == DType.FLOAT32) {
      MemorySegment m = x.memory();
      long count = 0;
      for (long o = x.byteOffset(), end = o + 4 * x.numel(); o < end; o += 4) {
        count += m.get(JAVA_FLOAT_UNALIGNED, o) != 0 ? 1 : 0;
      }
      return count;
    }
    var elements = new Elements(x);
    var walk = new Odometer(x.sizes(), x.strides());
    long count = 0;
    for (long i = 0; i < walk.numel(); i++) {
      count += elements.atDistance(walk.at(0)) != 0 ? 1 : 0;
      walk.step();
    }
    return count;
  }

  /// How many truth values are true.
  private static long countBytes(Strided x) {
    var walk = new Odometer(x.sizes(), x.strides());
    MemorySegment m = x.memory();
    long count = 0;
    for (long i = 0; i < walk.numel(); i++) {
      count += m.get(JAVA_BYTE, x.byteOffset() + walk.at(0));
      walk.step();
    }
    return count;
  }

  private static long countBytes(MemorySegment m, long from, long bytes) {
    long count = 0;
    long o = from;
    long end = from + bytes;
    for (;
        o + 8 <= end;
        o += 8) { // the lowest bit of each byte says whether any of its bits is set
      long bits = m.get(JAVA_LONG_UNALIGNED, o);
      bits |= bits >>> 4 & 0x0f0f0f0f0f0f0f0fL;
      bits |= bits >>> 2 & 0x3f3f3f3f3f3f3f3fL;
      bits |= bits >>> 1 & 0x7f7f7f7f7f7f7f7fL;
      count += Long.bitCount(bits & 0x0101010101010101L);
    }
    for (; o < end; o++) {
      count += m.get(JAVA_BYTE, o) != 0 ? 1 : 0;
    }
    return count;
  }

  /// `weight[v d], indices[*b] -> [*b d]`, on contiguous operands.
  public static final Kernel EMBEDDING =
      (attributes, out, in) -> {
        var index = new Elements(in[1]);
        long width = in[0].size(1);
        for (long i = 0, count = index.numel(); i < count; i++) {
          ReferenceShapes.copyBlock(out[0], i * width, in[0], index.wholeAt(i) * width, width);
        }
      };

  /// `grad[*b d], indices[*b] -> [v d]`, on contiguous operands.
  public static final Kernel EMBEDDING_GRADIENT =
      (attributes, out, in) -> {
        long padding = ((EmbeddingRows) attributes).paddingIdx();
        var to = new Elements(out[0]);
        var from = new Elements(in[0]);
        var index = new Elements(in[1]);
        long width = out[0].size(1);
        long bytes = out[0].numel() * out[0].dtype().byteSize();
        if (bytes > 0) {
          out[0].memory().asSlice(out[0].byteOffset(), bytes).fill((byte) 0);
        }
        boolean single = out[0].dtype() == DType.FLOAT32;
        for (long i = 0, count = index.numel(); i < count; i++) {
          long row = index.wholeAt(i);
          if (row == padding) {
            continue;
          }
          if (single) {
            addFloats(out[0], row * width, in[0], i * width, width);
            continue;
          }
          for (long d = 0; d < width; d++) {
            write(to, row * width + d, from, i * width + d, true);
          }
        }
      };

  private static void addFloats(Strided to, long i, Strided from, long j, long count) {
    MemorySegment target = to.memory();
    MemorySegment source = from.memory();
    long t = to.byteOffset() + i * Float.BYTES;
    long s = from.byteOffset() + j * Float.BYTES;
    for (long o = 0; o < count * Float.BYTES; o += Float.BYTES) {
      target.set(
          JAVA_FLOAT_UNALIGNED,
          t + o,
          target.get(JAVA_FLOAT_UNALIGNED, t + o) + source.get(JAVA_FLOAT_UNALIGNED, s + o));
    }
  }

  /// `self[*b] -> [*b c]`, on contiguous operands.
  public static final Kernel ONE_HOT =
      (attributes, out, in) -> {
        long classes = out[0].size(out[0].rank() - 1);
        var to = new Elements(out[0]);
        var index = new Elements(in[0]);
        long bytes = out[0].numel() * out[0].dtype().byteSize();
        if (bytes > 0) {
          out[0].memory().asSlice(out[0].byteOffset(), bytes).fill((byte) 0);
        }
        for (long i = 0, count = index.numel(); i < count; i++) {
          to.set(i * classes + index.wholeAt(i), 1L);
        }
      };

  /// The way through `outside`, the result or the values, and the elements of `inside` that tensors of indices pick.
  ///
  /// Its dimensions are those of `inside` that are not indexed, in order, and the common shape of the tensors: in the
  /// place of the first indexed dimension if the indexed ones stand side by side, else in front.
  private static final class Picks {
    private final Odometer walk;
    private final Elements[] indices;
    private final long[] strides;
    private final long[] sizes;

    Picks(int[] dims, Strided outside, Strided inside, Strided[] tensors) {
      int common = outside.rank() - (inside.rank() - dims.length);
      boolean adjacent = dims[dims.length - 1] - dims[0] == dims.length - 1;
      int front = adjacent ? dims[0] : 0;
      long[][] all = new long[2 + tensors.length][outside.rank()];
      all[0] = outside.strides();
      int from = 0;
      for (int d = 0; d < outside.rank(); d++) {
        if (d >= front && d < front + common) {
          for (int t = 0; t < tensors.length; t++) {
            int own = d - front - (common - tensors[t].rank());
            all[2 + t][d] = own < 0 || tensors[t].size(own) == 1 ? 0 : tensors[t].stride(own);
          }
        } else {
          while (Arrays.binarySearch(dims, from) >= 0) {
            from++;
          }
          all[1][d] = inside.stride(from++);
        }
      }
      walk = new Odometer(outside.sizes(), all);
      indices = Arrays.stream(tensors).map(Elements::new).toArray(Elements[]::new);
      strides = Arrays.stream(dims).mapToLong(inside::stride).toArray();
      sizes = Arrays.stream(dims).mapToLong(inside::size).toArray();
    }

    long numel() {
      return walk.numel();
    }

    long outside() {
      return walk.at(0);
    }

    long inside() {
      long at = walk.at(1);
      for (int t = 0; t < indices.length; t++) {
        long index = indices[t].wholeAtDistance(walk.at(2 + t));
        at += (index < 0 ? index + sizes[t] : index) * strides[t];
      }
      return at;
    }

    void step() {
      walk.step();
    }
  }

  /// The strides of `x`, but 0 along `dim`.
  private static long[] without(Strided x, int dim) {
    long[] strides = x.strides();
    strides[dim] = 0;
    return strides;
  }

  /// A tensor of rank 0 as one of rank 1.
  private static Strided vector(Strided x) {
    return x.rank() > 0 ? x : x.view(0, new long[] {1}, new long[] {1});
  }

  /// Makes `out` a copy of `self`, unless it is `self`.
  private static void begin(Strided out, Strided self) {
    if (out.address() == self.address()) {
      return;
    }
    var walk = new Odometer(out.sizes(), out.strides(), self.strides());
    var to = new Elements(out);
    var from = new Elements(self);
    for (long i = 0; i < walk.numel(); i++) {
      copy(to, walk.at(0), from, walk.at(1));
      walk.step();
    }
  }

  private static void copy(Elements to, long i, Elements from, long j) {
    if (to.isWhole()) {
      to.setWholeAtDistance(i, from.wholeAtDistance(j));
    } else {
      to.setAtDistance(i, from.atDistance(j));
    }
  }

  private static void write(Elements to, long i, Elements from, long j, boolean add) {
    if (!add) {
      copy(to, i, from, j);
    } else if (to.isWhole()) {
      to.setWholeAtDistance(i, to.wholeAtDistance(i) + from.wholeAtDistance(j));
    } else {
      to.setAtDistance(i, to.atDistance(i) + from.atDistance(j));
    }
  }
}
