package taper.cpu.moving;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import taper.cpu.moving.Loops.Way;
import taper.cpu.parallel.Parallel;
import taper.tensor.DType;
import taper.tensor.Indexing.EmbeddingRows;
import taper.tensor.Indexing.Picked;
import taper.tensor.Indexing.Put;
import taper.tensor.Shapes.Dim;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Picks and places elements by index. Indices have been checked before.
///
/// Where indices name parts (`indexSelect`, `index`), parts that lie densely are moved as blocks; where each element has
/// an index of its own (`gather`, `scatter`), the tensors are walked line by line.
final class PickKernels {
  private static final long GRAIN = 1 << 15;
  private static final int CHUNK = LineArrays.CHUNK;

  private PickKernels() {}

  static @Nullable Kernel kernel(
      String name, DType compute, Kernel reference, @Nullable Loops loops) {
    Kernel kernel = fast(name, compute, reference, loops);
    if (kernel == null) {
      return null;
    }
    Kernel checked =
        (attributes, out, in) -> {
          boolean few = true;
          for (int i = 1; i < in.length && few; i++) {
            few = in[i].dtype() != DType.INT64 || in[i].numel() <= Integer.MAX_VALUE;
          }
          (few ? kernel : reference).run(attributes, out, in);
        };
    return kernel.anyStrides() ? Kernel.ofAnyStrides(checked) : checked;
  }

  private static @Nullable Kernel fast(
      String name, DType compute, Kernel reference, @Nullable Loops loops) {
    boolean sums = compute == DType.FLOAT32 || compute == DType.FLOAT64;
    return switch (name) {
      case "indexSelect" ->
          (attributes, out, in) -> select(((Dim) attributes).dim(), out[0], in[0], in[1], loops);
      case "index" ->
          contiguousOr(reference, (attributes, out, in) -> index(attributes, out, in, loops));
      case "indexPut" ->
          sums
              ? contiguousOr(
                  reference, (attributes, out, in) -> indexPut(attributes, out, in, loops))
              : null;
      case "indexAdd" ->
          sums
              ? (attributes, out, in) -> {
                Strided to = vector(out[0]);
                begin(out[0], in[0], loops);
                if (in[2].numel() == 0) {
                  return;
                }
                int dim = ((Dim) attributes).dim();
                long inner = inner(to, dim);
                var places = new Places(new Strided[] {vector(in[1])}, to, new int[] {dim}, false);
                add(to, in[2], to.numel() / (inner * to.size(dim)), places, inner, loops);
              }
              : null;
      case "embedding" -> (attributes, out, in) -> embedding(out[0], in[0], in[1], loops);
      case "embeddingGradient" ->
          sums && loops != null
              ? (attributes, out, in) ->
                  embeddingGradient((EmbeddingRows) attributes, out[0], in[0], in[1], loops)
              : null;
      case "gather" ->
          Kernel.ofAnyStrides((attributes, out, in) ->
              gather(
                  ((Dim) attributes).dim(), vector(out[0]), vector(in[0]), vector(in[1]), loops));
      case "scatter" ->
          Kernel.ofAnyStrides((attributes, out, in) -> {
            int dim = ((Dim) attributes).dim();
            scatter(dim, out[0], in[0], vector(in[1]), vector(in[2]), false, loops);
          });
      case "scatterAdd" ->
          sums
              ? Kernel.ofAnyStrides((attributes, out, in) -> {
                int dim = ((Dim) attributes).dim();
                scatter(dim, out[0], in[0], vector(in[1]), vector(in[2]), true, loops);
              })
              : null;
      case "scatterReduce" -> sums ? ReduceKernels.scatterReduce(compute, loops) : null;
      case "uniqueConsecutive" -> EqualNeighbours.kernel(reference);
      case "nonzero" ->
          Kernel.ofAnyStrides((attributes, out, in) -> Conditions.nonzero(out[0], in[0]));
      case "maskedSelect" ->
          Kernel.ofAnyStrides((attributes, out, in) -> Conditions.masked(out[0], in[0], in[1]));
      default -> null;
    };
  }

  private interface Body {
    boolean run(Record attributes, Strided out, Strided[] in);
  }

  /// A kernel that leaves what `body` does not cover to the reference.
  private static Kernel contiguousOr(Kernel reference, Body body) {
    return Kernel.ofAnyStrides((attributes, out, in) -> {
      if (!body.run(attributes, out[0], in)) {
        reference.run(attributes, out, in);
      }
    });
  }

  static Strided vector(Strided x) {
    return x.rank() > 0 ? x : x.view(0, new long[] {1}, new long[] {1});
  }

  /// Makes `out` a copy of `self`, unless it is `self`.
  static void begin(Strided out, Strided self, @Nullable Loops loops) {
    if (out.address() != self.address()) {
      StridedCopy.run(out, self, loops);
    }
  }

  private static long inner(Strided x, int dim) {
    long inner = 1;
    for (int d = dim + 1; d < x.rank(); d++) {
      inner *= x.size(d);
    }
    return inner;
  }

  // Parts

  /// Where the parts begin that tensors of indices name, in elements from the beginning of the indexed dimensions.
  static final class Places {
    private final MemorySegment[] memory;
    private final long[] at;
    private final long[] step;
    private final long[] size;
    private final long[] stride;
    private final int count;
    private final boolean wraps;

    /// All of `tensors` are contiguous, or one-dimensional, and have the same sizes; they index dimensions `dims` of `x`,
    /// which is contiguous.
    ///
    /// @param wraps whether indices may be negative
    Places(Strided[] tensors, Strided x, int[] dims, boolean wraps) {
      int n = tensors.length;
      this.wraps = wraps;
      memory = new MemorySegment[n];
      at = new long[n];
      step = new long[n];
      size = new long[n];
      stride = new long[n];
      long within = inner(x, dims[n - 1]); // counted in parts of the indexed dimensions
      for (int t = n - 1; t >= 0; t--) {
        memory[t] = tensors[t].memory();
        at[t] = tensors[t].byteOffset();
        step[t] = tensors[t].rank() == 1 ? 8 * tensors[t].stride(0) : 8;
        size[t] = x.size(dims[t]);
        stride[t] = within;
        within *= size[t];
      }
      count = Math.toIntExact(tensors[0].numel());
    }

    long of(int i) {
      long place = 0;
      for (int t = 0; t < memory.length; t++) {
        long index = memory[t].get(JAVA_LONG_UNALIGNED, at[t] + i * step[t]);
        place += (index < 0 ? index + size[t] : index) * stride[t];
      }
      return place;
    }

    int count() {
      return count;
    }

    /// The only tensor of indices, its first byte, and how far they lie apart.
    MemorySegment memory() {
      return memory[0];
    }

    long at() {
      return at[0];
    }

    long step() {
      return step[0];
    }

    /// What is added to an index below 0.
    long size() {
      return wraps ? size[0] : 0;
    }

    boolean single() {
      return memory.length == 1;
    }

    /// How many elements of the indexed tensor belong to one choice of the dimensions before.
    long span() {
      return size[0] * stride[0];
    }
  }

  private static void select(
      int dim, Strided out, Strided self, Strided index, @Nullable Loops loops) {
    if (out.numel() == 0) {
      return;
    }
    Strided x = vector(self);
    var places = new Places(new Strided[] {vector(index)}, x, new int[] {dim}, false);
    take(out, x, x.numel() / (inner(x, dim) * x.size(dim)), places, inner(x, dim), loops);
  }

  private static void embedding(
      Strided out, Strided weight, Strided indices, @Nullable Loops loops) {
    if (out.numel() > 0) {
      Strided flat = indices.view(0, new long[] {indices.numel()}, new long[] {1});
      var places = new Places(new Strided[] {flat}, weight, new int[] {0}, false);
      take(out, weight, 1, places, weight.size(1), loops);
    }
  }

  /// The rows of `grad` are added to those of `out` that `indices` name. The row without gradient has one, until it is
  /// cleared.
  private static void embeddingGradient(
      EmbeddingRows a, Strided out, Strided grad, Strided indices, Loops loops) {
    IndexWalks.clear(loops, out);
    if (grad.numel() == 0) {
      return;
    }
    long width = out.size(1);
    long count = indices.numel();
    Strided flat = indices.view(0, new long[] {count}, new long[] {1});
    add(out, grad, 1, new Places(new Strided[] {flat}, out, new int[] {0}, false), width, loops);
    if (a.paddingIdx() >= 0) {
      int bytes = out.dtype().byteSize();
      Bits.clear(out.memory(), out.byteOffset() + a.paddingIdx() * width * bytes, width * bytes);
    }
  }

  private static boolean index(
      Record attributes, Strided out, Strided[] in, @Nullable Loops loops) {
    int[] dims = ((Picked) attributes).dims();
    Strided[] tensors = Arrays.copyOfRange(in, 1, in.length);
    if (out.numel() == 0) {
      return true;
    }
    if (!covers(dims, tensors) || !in[0].isContiguous() || !out.isContiguous()) {
      return false;
    }
    var places = new Places(tensors, in[0], dims, true);
    long inner = inner(in[0], dims[dims.length - 1]);
    take(out, in[0], in[0].numel() / places.span(), places, inner, loops);
    return true;
  }

  private static boolean indexPut(
      Record attributes, Strided out, Strided[] in, @Nullable Loops loops) {
    var put = (Put) attributes;
    int[] dims = put.dims();
    Strided[] tensors = Arrays.copyOfRange(in, 2, in.length);
    if (!covers(dims, tensors) || !in[1].isContiguous() || !out.isContiguous()) {
      return false;
    }
    begin(out, in[0], loops);
    if (in[1].numel() == 0) {
      return true;
    }
    var places = new Places(tensors, out, dims, true);
    long outer = out.numel() / places.span();
    long inner = inner(out, dims[dims.length - 1]);
    if (put.accumulate()) {
      add(out, in[1], outer, places, inner, loops);
    } else {
      place(out, in[1], outer, places, inner, loops);
    }
    return true;
  }

  /// Whether the indexed dimensions stand side by side and the tensors of indices have one shape and lie densely.
  private static boolean covers(int[] dims, Strided[] tensors) {
    boolean covered = dims[dims.length - 1] - dims[0] == dims.length - 1;
    for (Strided tensor : tensors) {
      covered &=
          tensor.sameSizes(tensors[0])
              && tensor.dtype() == DType.INT64
              && (tensor.isContiguous() || tensor.rank() == 1);
    }
    return covered;
  }

  /// `out[outer, i] = self[outer, place i]`, in blocks of `inner` elements.
  private static void take(
      Strided out, Strided self, long outer, Places places, long inner, @Nullable Loops loops) {
    int width = out.dtype().byteSize();
    if (loops != null && (inner == 1 || loops.covers(inner * width))) {
      IndexWalks.take(loops, out, self, outer, places, inner);
      return;
    }
    if (inner == 1 && ShortLines.covers(width, places.span(), places.count)) {
      long[] found = new long[places.count];
      for (int i = 0; i < found.length; i++) {
        found[i] = places.of(i);
      }
      ShortLines.select(width, out, self, outer, (int) places.span(), found);
      return;
    }
    long block = inner * width;
    long count = places.count;
    MemorySegment to = out.memory();
    MemorySegment from = self.memory();
    Parallel.run(
        outer * count,
        Math.max(1, GRAIN / inner),
        (first, last) -> {
          long i = first % count;
          long f = self.byteOffset() + first / count * places.span() * width;
          long t = out.byteOffset() + first * block;
          for (long n = first; n < last; ) {
            int run = (int) Math.min(count - i, last - n);
            if (inner == 1 && width == 4) {
              for (int j = 0; j < run; j++) {
                int bits = from.get(JAVA_INT_UNALIGNED, f + 4 * places.of((int) i + j));
                to.set(JAVA_INT_UNALIGNED, t + 4L * j, bits);
              }
            } else if (inner == 1 && width == 8) {
              for (int j = 0; j < run; j++) {
                long bits = from.get(JAVA_LONG_UNALIGNED, f + 8 * places.of((int) i + j));
                to.set(JAVA_LONG_UNALIGNED, t + 8L * j, bits);
              }
            } else {
              for (int j = 0; j < run; j++) {
                block(block, width, to, t + j * block, from, f + width * places.of((int) i + j));
              }
            }
            n += run;
            t += run * block;
            f += places.span() * width;
            i = 0;
          }
        });
  }

  /// `out[outer, place i] = values[outer, i]`, one after the other.
  private static void place(
      Strided out, Strided values, long outer, Places places, long inner, @Nullable Loops loops) {
    int width = out.dtype().byteSize();
    if (loops != null && (inner == 1 || loops.covers(inner * width))) {
      IndexWalks.put(loops, Way.PLACE, out, values, outer, places, inner);
      return;
    }
    long block = inner * width;
    long f = values.byteOffset();
    for (long o = 0; o < outer; o++) {
      long t = out.byteOffset() + o * places.span() * width;
      for (int i = 0; i < places.count; i++) {
        block(block, width, out.memory(), t + width * places.of(i), values.memory(), f);
        f += block;
      }
    }
  }

  private static void block(
      long bytes, int width, MemorySegment to, long t, MemorySegment from, long f) {
    if (bytes >= 64) {
      MemorySegment.copy(from, f, to, t, bytes);
    } else {
      Bits.line(width, (int) (bytes / width), to, t, width, from, f, width);
    }
  }

  /// `out[outer, place i] += values[outer, i]`, one after the other.
  private static void add(
      Strided out, Strided values, long outer, Places places, long inner, @Nullable Loops loops) {
    int width = out.dtype().byteSize();
    if (loops != null && (inner == 1 || loops.covers(inner * width))) {
      IndexWalks.put(loops, Way.ADD, out, values, outer, places, inner);
      return;
    }
    long f = values.byteOffset();
    for (long o = 0; o < outer; o++) {
      long base = out.byteOffset() + o * places.span() * width;
      for (int i = 0; i < places.count; i++) {
        long t = base + width * places.of(i);
        if (width == 4) {
          addFloats(out.memory(), t, values.memory(), f, inner);
        } else {
          addDoubles(out.memory(), t, values.memory(), f, inner);
        }
        f += inner * width;
      }
    }
  }

  /// Adds neighbours, through arrays if there are many: the compiler turns loops over those into vector code.
  private static void addFloats(MemorySegment to, long t, MemorySegment from, long f, long count) {
    if (count < 16) {
      for (int i = 0; i < count; i++) {
        float sum =
            to.get(JAVA_FLOAT_UNALIGNED, t + 4L * i) + from.get(JAVA_FLOAT_UNALIGNED, f + 4L * i);
        to.set(JAVA_FLOAT_UNALIGNED, t + 4L * i, sum);
      }
      return;
    }
    LineArrays scratch = LineArrays.ofThread();
    float[] sums = scratch.floatLine;
    float[] more = scratch.floats;
    for (long begin = 0; begin < count; begin += CHUNK) {
      int n = (int) Math.min(CHUNK, count - begin);
      MemorySegment.copy(to, JAVA_FLOAT_UNALIGNED, t + 4 * begin, sums, 0, n);
      MemorySegment.copy(from, JAVA_FLOAT_UNALIGNED, f + 4 * begin, more, 0, n);
      sum(sums, more, n);
      MemorySegment.copy(sums, 0, to, JAVA_FLOAT_UNALIGNED, t + 4 * begin, n);
    }
  }

  private static void sum(float[] into, float[] other, int n) {
    for (int i = 0; i < n; i++) {
      into[i] += other[i];
    }
  }

  private static void addDoubles(MemorySegment to, long t, MemorySegment from, long f, long count) {
    if (count < 16) {
      for (int i = 0; i < count; i++) {
        double sum =
            to.get(JAVA_DOUBLE_UNALIGNED, t + 8L * i) + from.get(JAVA_DOUBLE_UNALIGNED, f + 8L * i);
        to.set(JAVA_DOUBLE_UNALIGNED, t + 8L * i, sum);
      }
      return;
    }
    LineArrays scratch = LineArrays.ofThread();
    double[] sums = scratch.doubleLine;
    double[] more = scratch.doubles;
    for (long begin = 0; begin < count; begin += CHUNK) {
      int n = (int) Math.min(CHUNK, count - begin);
      MemorySegment.copy(to, JAVA_DOUBLE_UNALIGNED, t + 8 * begin, sums, 0, n);
      MemorySegment.copy(from, JAVA_DOUBLE_UNALIGNED, f + 8 * begin, more, 0, n);
      sum(sums, more, n);
      MemorySegment.copy(sums, 0, to, JAVA_DOUBLE_UNALIGNED, t + 8 * begin, n);
    }
  }

  private static void sum(double[] into, double[] other, int n) {
    for (int i = 0; i < n; i++) {
      into[i] += other[i];
    }
  }

  // Elements

  static long[] without(Strided x, int dim) {
    long[] strides = x.strides();
    strides[dim] = 0;
    return strides;
  }

  private static void gather(
      int dim, Strided out, Strided self, Strided index, @Nullable Loops loops) {
    if (index.numel() == 0) {
      return;
    }
    if (loops != null) {
      IndexWalks.gather(loops, dim, out, self, index);
      return;
    }
    int width = out.dtype().byteSize();
    var walk = new LineWalk(index.sizes(), out.strides(), index.strides(), without(self, dim));
    MemorySegment to = out.memory();
    MemorySegment from = self.memory();
    MemorySegment indices = index.memory();
    long stride = self.stride(dim) * width;
    long toStep = walk.step(0) * width;
    long indexStep = walk.step(1) * 8;
    long fromStep = walk.step(2) * width;
    int length = walk.length();
    boolean dense = toStep == width && indexStep == 8;
    boolean lines =
        dense
            && fromStep == 0
            && stride == width
            && ShortLines.covers(width, self.size(dim), length);
    for (long n = walk.lines(); n > 0; n--) {
      long t = out.byteOffset() + walk.at[0] * width;
      long x = index.byteOffset() + walk.at[1] * 8;
      long f = self.byteOffset() + walk.at[2] * width;
      if (lines) {
        ShortLines.gather(width, length, to, t, indices, x, from, f, (int) self.size(dim));
        walk.next();
        continue;
      }
      if (dense && width == 4) {
        for (int i = 0; i < length; i++) {
          long at = indices.get(JAVA_LONG_UNALIGNED, x + 8L * i);
          int bits = from.get(JAVA_INT_UNALIGNED, f + i * fromStep + at * stride);
          to.set(JAVA_INT_UNALIGNED, t + 4L * i, bits);
        }
        walk.next();
        continue;
      }
      switch (width) {
        case 1 -> {
          for (int i = 0; i < length; i++) {
            long at = indices.get(JAVA_LONG_UNALIGNED, x + i * indexStep);
            to.set(JAVA_BYTE, t + i * toStep, from.get(JAVA_BYTE, f + i * fromStep + at * stride));
          }
        }
        case 2 -> {
          for (int i = 0; i < length; i++) {
            long at = indices.get(JAVA_LONG_UNALIGNED, x + i * indexStep);
            short bits = from.get(JAVA_SHORT_UNALIGNED, f + i * fromStep + at * stride);
            to.set(JAVA_SHORT_UNALIGNED, t + i * toStep, bits);
          }
        }
        case 4 -> {
          for (int i = 0; i < length; i++) {
            long at = indices.get(JAVA_LONG_UNALIGNED, x + i * indexStep);
            int bits = from.get(JAVA_INT_UNALIGNED, f + i * fromStep + at * stride);
            to.set(JAVA_INT_UNALIGNED, t + i * toStep, bits);
          }
        }
        default -> {
          for (int i = 0; i < length; i++) {
            long at = indices.get(JAVA_LONG_UNALIGNED, x + i * indexStep);
            Bits.line(
                width, 1, to, t + i * toStep, width, from, f + i * fromStep + at * stride, width);
          }
        }
      }
      walk.next();
    }
  }

  private static void scatter(
      int dim,
      Strided result,
      Strided self,
      Strided index,
      Strided source,
      boolean add,
      @Nullable Loops loops) {
    Strided out = vector(result);
    if (loops != null) {
      Way way = add ? Way.ADD : Way.PLACE;
      IndexWalks.scatter(loops, way, dim, out, vector(self), index, source);
      return;
    }
    begin(result, self, null);
    if (index.numel() == 0) {
      return;
    }
    int width = out.dtype().byteSize();
    var walk = new LineWalk(index.sizes(), without(out, dim), index.strides(), source.strides());
    MemorySegment to = out.memory();
    MemorySegment from = source.memory();
    MemorySegment indices = index.memory();
    long stride = out.stride(dim) * width;
    long toStep = walk.step(0) * width;
    long indexStep = walk.step(1) * 8;
    long fromStep = walk.step(2) * width;
    int length = walk.length();
    boolean single = out.dtype() == DType.FLOAT32;
    boolean lines =
        toStep == 0
            && stride == width
            && indexStep == 8
            && fromStep == width
            && ShortLines.covers(width, out.size(dim), length);
    for (long n = walk.lines(); n > 0; n--) {
      long t = out.byteOffset() + walk.at[0] * width;
      long x = index.byteOffset() + walk.at[1] * 8;
      long f = source.byteOffset() + walk.at[2] * width;
      if (lines && !add) {
        ShortLines.scatter(width, length, to, t, (int) out.size(dim), indices, x, from, f);
      } else if (lines) {
        ShortLines.add(single, length, to, t, (int) out.size(dim), indices, x, from, f);
      } else if (!add && width == 4) {
        for (int i = 0; i < length; i++) {
          long at = t + i * toStep + indices.get(JAVA_LONG_UNALIGNED, x + i * indexStep) * stride;
          to.set(JAVA_INT_UNALIGNED, at, from.get(JAVA_INT_UNALIGNED, f + i * fromStep));
        }
      } else if (!add) {
        for (int i = 0; i < length; i++) {
          long at = indices.get(JAVA_LONG_UNALIGNED, x + i * indexStep);
          Bits.line(
              width, 1, to, t + i * toStep + at * stride, width, from, f + i * fromStep, width);
        }
      } else if (single) {
        for (int i = 0; i < length; i++) {
          long at = t + i * toStep + indices.get(JAVA_LONG_UNALIGNED, x + i * indexStep) * stride;
          float value = from.get(JAVA_FLOAT_UNALIGNED, f + i * fromStep);
          to.set(JAVA_FLOAT_UNALIGNED, at, to.get(JAVA_FLOAT_UNALIGNED, at) + value);
        }
      } else {
        for (int i = 0; i < length; i++) {
          long at = t + i * toStep + indices.get(JAVA_LONG_UNALIGNED, x + i * indexStep) * stride;
          double value = from.get(JAVA_DOUBLE_UNALIGNED, f + i * fromStep);
          to.set(JAVA_DOUBLE_UNALIGNED, at, to.get(JAVA_DOUBLE_UNALIGNED, at) + value);
        }
      }
      walk.next();
    }
  }
}
