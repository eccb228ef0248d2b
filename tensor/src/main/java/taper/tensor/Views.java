package taper.tensor;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.Shapes.Diagonal;
import taper.tensor.Shapes.ResultDim;
import taper.tensor.Shapes.Roll;
import taper.tensor.Shapes.Select;
import taper.tensor.Shapes.Slice;
import taper.tensor.spi.CheckedSizes;
import taper.tensor.spi.Strided;

/// The geometry of views: sizes and strides, no memory.
final class Views {
  private Views() {}

  /// The same elements repeated along dimensions of size 1, or along new leading ones.
  private static long product(String op, long a, long b, long[] sizes) {
    long product = a * b;
    if (Math.multiplyHigh(a, b) != 0 || product < 0) {
      throw new ShapeException(
          "%s: the number of elements must be below 2^63, but the shape is %s."
              .formatted(op, Arrays.toString(sizes)));
    }
    return product;
  }

  static Strided expand(Strided x, long[] sizes) {
    long[] strides = new long[sizes.length];
    int lead = sizes.length - x.rank();
    for (int d = 0; d < x.rank(); d++) {
      strides[lead + d] = x.size(d) == 1 && sizes[lead + d] != 1 ? 0 : x.stride(d);
    }
    return x.view(0, sizes, strides);
  }

  /// The same elements repeated up to `sizes`, of which -1 keeps a size.
  ///
  /// @throws ShapeException if another dimension would have to change
  static Strided expanded(Strided x, long[] sizes) {
    int lead = sizes.length - x.rank();
    long[] full = sizes.clone();
    boolean fits = lead >= 0;
    for (int d = 0; fits && d < full.length; d++) {
      if (full[d] == -1 && d >= lead) {
        full[d] = x.size(d - lead);
      }
      fits = full[d] >= 0 && (d < lead || x.size(d - lead) == full[d] || x.size(d - lead) == 1);
    }
    if (!fits) {
      throw new ShapeException(
          "expand: only dimensions of size 1 and new leading ones can be repeated, but shape %s was asked to become %s."
              .formatted(Arrays.toString(x.sizes()), Arrays.toString(sizes)));
    }
    return expand(x, full);
  }

  /// The same elements with other sizes, of which one may be -1.
  ///
  /// @throws ShapeException if their number differs, or the strides do not allow it
  static Strided view(Strided x, long[] sizes) {
    long[] full = inferred("view", sizes, x.numel(), x.sizes());
    long[] strides = reshaped(x, full);
    if (strides == null) {
      throw new ShapeException(
          "view: the elements must lie densely enough to be seen as %s, but the tensor has shape %s and strides %s. Use reshape."
              .formatted(
                  Arrays.toString(full), Arrays.toString(x.sizes()), Arrays.toString(x.strides())));
    }
    return x.view(0, full, strides);
  }

  /// The strides with which a tensor can be seen as `sizes` without a copy, or null if it cannot.
  static long @Nullable [] reshaped(Strided x, long[] sizes) {
    if (x.isContiguous()) {
      return Strided.contiguousStrides(sizes);
    }
    // Runs of dimensions that lie densely within each other may be cut anew; see PyTorch's
    // computeStride.
    long[] strides = new long[sizes.length];
    int to = sizes.length - 1;
    long run = 1;
    long wanted = 1;
    long step = x.rank() == 0 ? 1 : x.stride(x.rank() - 1);
    for (int d = x.rank() - 1; d >= 0; d--) {
      run *= x.size(d);
      boolean ends = d == 0 || x.size(d - 1) != 1 && x.stride(d - 1) != run * step;
      if (ends) {
        while (to >= 0 && (wanted < run || sizes[to] == 1)) {
          strides[to] = wanted * step;
          wanted *= sizes[to];
          to--;
        }
        if (wanted != run) {
          return null;
        }
        if (d > 0) {
          step = x.stride(d - 1);
          run = 1;
          wanted = 1;
        }
      }
    }
    return to == -1 ? strides : null;
  }

  /// `sizes` with a -1 replaced by what is left of `numel`.
  static long[] inferred(String op, long[] sizes, long numel, long[] from) {
    long known = 1;
    int unknown = -1;
    for (int d = 0; d < sizes.length; d++) {
      if (sizes[d] == -1) {
        if (unknown >= 0) {
          throw new ShapeException(
              "%s: only one size may be -1, but the shape is %s."
                  .formatted(op, Arrays.toString(sizes)));
        }
        unknown = d;
      } else if (sizes[d] < 0) {
        throw new ShapeException(
            "%s: sizes must not be negative, but the shape is %s."
                .formatted(op, Arrays.toString(sizes)));
      } else {
        known = product(op, known, sizes[d], sizes);
      }
    }
    boolean fits = unknown < 0 ? known == numel : known != 0 && numel % known == 0;
    if (!fits) {
      throw new ShapeException(
          "%s: the number of elements must stay the same, but %s has %d elements and shape %s asks for %s%d. A size of -1 is worked out from the others."
              .formatted(
                  op,
                  Arrays.toString(from),
                  numel,
                  Arrays.toString(sizes),
                  unknown < 0 ? "" : "a multiple of ",
                  known));
    }
    long[] result = sizes.clone();
    if (unknown >= 0) {
      result[unknown] = numel / known;
    }
    return result;
  }

  /// `sizes` with dimensions `from` to `to` as one.
  static long[] flattened(long[] sizes, int from, int to) {
    if (sizes.length == 0) {
      return new long[] {1};
    }
    long[] result = new long[sizes.length - (to - from)];
    System.arraycopy(sizes, 0, result, 0, from);
    result[from] = CheckedSizes.numel(Arrays.copyOfRange(sizes, from, to + 1));
    System.arraycopy(sizes, to + 1, result, from + 1, sizes.length - to - 1);
    return result;
  }

  /// `sizes` with dimension `dim` cut into `parts`.
  static long[] unflattened(long[] sizes, int dim, long[] parts) {
    if (sizes.length == 0) {
      throw new ShapeException(
          "unflatten: the tensor must have at least 1 dimension, but has shape [].");
    }
    long[] full = inferred("unflatten", parts, sizes[dim], new long[] {sizes[dim]});
    long[] result = new long[sizes.length - 1 + full.length];
    System.arraycopy(sizes, 0, result, 0, dim);
    System.arraycopy(full, 0, result, dim, full.length);
    System.arraycopy(sizes, dim + 1, result, dim + full.length, sizes.length - dim - 1);
    return result;
  }

  /// The attributes of `triu` and `tril`; no `diagonal` lies so far outside that sums with it overflow.
  static Shapes.Triangle triangle(long diagonal) {
    return new Shapes.Triangle(Math.clamp(diagonal, -(Long.MAX_VALUE / 4), Long.MAX_VALUE / 4));
  }

  /// The dimension that `dim` names, which must exist.
  static int existing(String op, int dim, Tensor x) {
    if (x.dim() == 0) {
      throw new ShapeException(
          "%s: the tensor must have at least 1 dimension, but has shape [].".formatted(op));
    }
    return Checks.dim(op, dim, x.dim());
  }

  /// The index that `index` names in dimension `dim`, counted from 0.
  static long index(String op, long index, int dim, long[] sizes) {
    long size = sizes[dim];
    if (index < -size || index >= size) {
      throw new ArgumentException(
          "%s: the index must be in %d..%d for dimension %d of shape %s, but is %d."
              .formatted(op, -size, size - 1, dim, Arrays.toString(sizes), index));
    }
    return index < 0 ? index + size : index;
  }

  /// `dims`, all different, counted from 0.
  static int[] different(String op, int[] dims, Tensor x) {
    int[] result = Arrays.stream(dims).map(d -> Checks.dim(op, d, x.dim())).toArray();
    if (Arrays.stream(result).distinct().count() != result.length) {
      throw new ArgumentException(
          "%s: dims must be different, but are %s.".formatted(op, Arrays.toString(dims)));
    }
    return result;
  }

  static int[] permutation(int[] dims, Tensor x) {
    if (dims.length != x.dim()) {
      throw new ArgumentException(
          "permute: dims must name each of the %d dimensions once, but are %s for shape %s."
              .formatted(x.dim(), Arrays.toString(dims), x.shape()));
    }
    return different("permute", dims, x);
  }

  static int[] inverse(int[] permutation) {
    int[] result = new int[permutation.length];
    for (int d = 0; d < result.length; d++) {
      result[permutation[d]] = d;
    }
    return result;
  }

  /// The permutation that moves `source` to `destination`.
  static int[] moved(int[] source, int[] destination, int rank) {
    if (source.length != destination.length) {
      throw new ArgumentException(
          "movedim: source and destination must name equally many dimensions, but are %s and %s."
              .formatted(Arrays.toString(source), Arrays.toString(destination)));
    }
    if (rank == 0 && source.length > 0) {
      return new int[0]; // the only place that dims of a scalar can name
    }
    int[] result = new int[rank];
    Arrays.fill(result, -1);
    boolean[] taken = new boolean[rank];
    for (int i = 0; i < source.length; i++) {
      int from = Checks.dim("movedim", source[i], rank);
      int to = Checks.dim("movedim", destination[i], rank);
      if (taken[from] || result[to] >= 0) {
        throw new ArgumentException(
            "movedim: dims must be different, but source is %s and destination %s."
                .formatted(Arrays.toString(source), Arrays.toString(destination)));
      }
      taken[from] = true;
      result[to] = from;
    }
    int next = 0;
    for (int d = 0; d < rank; d++) {
      if (result[d] < 0) {
        while (taken[next]) {
          next++;
        }
        result[d] = next++;
      }
    }
    return result;
  }

  /// Those of `dims` that have size 1, sorted.
  static int[] removable(int[] dims, Tensor x) {
    long[] sizes = x.sizesInternal();
    return Arrays.stream(different("squeeze", dims, x))
        .filter(d -> d < sizes.length && sizes[d] == 1)
        .sorted()
        .toArray();
  }

  static Strided without(Strided x, int[] dims) {
    int rank = x.rank() - dims.length;
    long[] sizes = new long[rank];
    long[] strides = new long[rank];
    for (int d = 0, to = 0; d < x.rank(); d++) {
      if (!contains(dims, d)) {
        sizes[to] = x.size(d);
        strides[to++] = x.stride(d);
      }
    }
    return x.view(0, sizes, strides);
  }

  static Strided with(Strided x, int dim) {
    if (dim < 0) {
      throw new ArgumentException("unsqueeze: dim must be counted from 0, but is " + dim + ".");
    }
    Checks.dim("unsqueeze", dim, x.rank() + 1);
    int rank = x.rank() + 1;
    long[] sizes = new long[rank];
    long[] strides = new long[rank];
    for (int d = 0; d < rank; d++) {
      int from = d < dim ? d : d - 1;
      sizes[d] = d == dim ? 1 : x.size(from);
      strides[d] = d == dim ? 1 : x.stride(from);
    }
    strides[dim] = dim < x.rank() ? x.size(dim) * x.stride(dim) : 1;
    return x.view(0, sizes, strides);
  }

  static Strided slice(Strided x, Slice a) {
    long[] sizes = x.sizes();
    long[] strides = x.strides();
    sizes[a.dim()] = a.length();
    strides[a.dim()] *= a.step();
    return x.view(a.length() == 0 ? 0 : a.start() * x.stride(a.dim()), sizes, strides);
  }

  static Strided select(Strided x, Select a) {
    Strided one = slice(x, new Slice(a.dim(), a.index(), 1, 1));
    return without(one, new int[] {a.dim()});
  }

  static Strided diagonal(Strided x, Diagonal a) {
    long rows = x.size(a.dim1());
    long columns = x.size(a.dim2());
    long length =
        a.offset() >= 0
            ? Math.min(rows, columns - a.offset())
            : Math.min(rows + a.offset(), columns);
    length = Math.max(length, 0);
    long start =
        length == 0
            ? 0
            : a.offset() >= 0 ? a.offset() * x.stride(a.dim2()) : -a.offset() * x.stride(a.dim1());
    int last = x.rank() - 2;
    long[] sizes = new long[last + 1];
    long[] strides = new long[last + 1];
    for (int d = 0, to = 0; d < x.rank(); d++) {
      if (d != a.dim1() && d != a.dim2()) {
        sizes[to] = x.size(d);
        strides[to++] = x.stride(d);
      }
    }
    sizes[last] = length;
    strides[last] = x.stride(a.dim1()) + x.stride(a.dim2());
    return x.view(start, sizes, strides);
  }

  /// A region without memory that lies densely.
  static Strided dense(DType dtype, long[] sizes) {
    return laid(dtype, sizes, Strided.contiguousStrides(sizes));
  }

  /// A region without memory with the given strides.
  static Strided laid(DType dtype, long[] sizes, long[] strides) {
    return Strided.of(MemorySegment.NULL, 0, dtype, sizes, strides);
  }

  /// Whether two elements may share their memory, as where a view was expanded or unfolded.
  static boolean overlaps(Strided x) {
    int[] byStride =
        IntStream.range(0, x.rank())
            .filter(d -> x.size(d) > 1)
            .boxed()
            .sorted(Comparator.comparingLong(x::stride))
            .mapToInt(d -> d)
            .toArray();
    long reach = 0; // of the dimensions so far, in elements beyond the first
    for (int d : byStride) {
      if (x.stride(d) <= reach) {
        return true;
      }
      reach += (x.size(d) - 1) * x.stride(d);
    }
    return false;
  }

  /// The geometry of `part` as seen from the first element of `whole`.
  static Shapes.AsStrided within(Strided whole, Strided part) {
    long offset = (part.byteOffset() - whole.byteOffset()) / part.dtype().byteSize();
    return new Shapes.AsStrided(part.sizes(), part.strides(), offset);
  }

  /// The slice from `start` to `end`, which are cut to the dimension.
  static Slice slice(String op, int dim, long start, long end, long step, Tensor x) {
    int at = existing(op, dim, x);
    if (step < 1) {
      throw new ArgumentException(
          "%s: step must be positive, but is %d. Use flip for the reverse order."
              .formatted(op, step));
    }
    long size = x.size(at);
    long from = Math.clamp(start < 0 ? start + size : start, 0, size);
    long to = Math.clamp(end < 0 ? end + size : end, from, size);
    return new Slice(at, from, Math.ceilDiv(to - from, step), step);
  }

  static Strided unfolded(Strided x, Shapes.Unfold a) {
    long[] sizes = Arrays.copyOf(x.sizes(), x.rank() + 1);
    long[] strides = Arrays.copyOf(x.strides(), x.rank() + 1);
    sizes[x.rank()] = a.size();
    strides[x.rank()] = x.rank() == 0 ? 1 : x.stride(a.dim());
    if (x.rank() > 0) {
      sizes[a.dim()] = (x.size(a.dim()) - a.size()) / a.step() + 1;
      strides[a.dim()] = x.stride(a.dim()) * a.step();
    }
    return x.view(0, sizes, strides);
  }

  /// The memory of `x` as elements of another type.
  static Strided as(Strided x, DType dtype) {
    int own = x.dtype().byteSize();
    int other = dtype.byteSize();
    long[] sizes = x.sizes();
    long[] strides = x.strides();
    int last = x.rank() - 1;
    if (own != other) {
      if (last < 0 || x.size(last) > 1 && x.stride(last) != 1) {
        throw new ShapeException(
            "view: to be seen as %s, %s elements must lie next to each other along the last dimension, but the tensor has shape %s and strides %s. Use contiguous() first."
                .formatted(dtype, x.dtype(), Arrays.toString(sizes), Arrays.toString(strides)));
      }
      boolean fits = sizes[last] * own % other == 0 && x.byteOffset() % other == 0;
      for (int d = 0; d < last; d++) {
        fits &= strides[d] * own % other == 0;
        strides[d] = strides[d] * own / other;
      }
      if (!fits) {
        throw new ShapeException(
            "view: to be seen as %s, %s elements must make whole ones along the last dimension, but the tensor has shape %s and strides %s."
                .formatted(dtype, x.dtype(), Arrays.toString(sizes), Arrays.toString(x.strides())));
      }
      sizes[last] = sizes[last] * own / other;
      strides[last] = 1;
    }
    return Strided.of(x.memory(), x.byteOffset(), dtype, sizes, strides);
  }

  /// Checks that a geometry stays inside the memory behind `x`.
  ///
  /// @throws ArgumentException if it does not
  static void checkInside(String op, long[] sizes, long[] strides, long offset, Tensor x) {
    checkGeometry(op, sizes, strides, offset);
    long held = x.storage().byteSize() / x.dtype().byteSize();
    long reach = offset;
    boolean empty = false;
    for (int d = 0; d < sizes.length; d++) {
      empty |= sizes[d] == 0;
      long steps = Math.max(sizes[d] - 1, 0);
      long way = steps * strides[d];
      boolean beyond = Math.multiplyHigh(steps, strides[d]) != 0 || way < 0 || reach + way < 0;
      reach = beyond ? Long.MAX_VALUE : reach + way;
    }
    if (!empty && reach >= held) {
      throw new ArgumentException(
          "%s: the view must stay inside the memory of %d elements, but sizes %s, strides %s and offset %d reach element %d."
              .formatted(
                  op, held, Arrays.toString(sizes), Arrays.toString(strides), offset, reach));
    }
  }

  /// Checks that there is a stride for each size, and nothing is negative.
  ///
  /// @throws ArgumentException if that is not so
  static void checkGeometry(String op, long[] sizes, long[] strides, long offset) {
    boolean sound = sizes.length == strides.length && offset >= 0;
    for (int d = 0; sound && d < sizes.length; d++) {
      sound = sizes[d] >= 0 && strides[d] >= 0;
    }
    if (!sound) {
      throw new ArgumentException(
          "%s: there must be a stride for each size, and neither they nor offset may be negative, but sizes are %s, strides %s and offset is %d."
              .formatted(op, Arrays.toString(sizes), Arrays.toString(strides), offset));
    }
  }

  static boolean contains(int[] dims, int dim) {
    for (int d : dims) {
      if (d == dim) {
        return true;
      }
    }
    return false;
  }

  // Pieces

  /// The sizes of pieces of `piece` indices.
  private static final int MOST_PIECES = 1 << 22;

  /// `count`, if so many views can be listed.
  ///
  /// @throws ArgumentException if they are too many
  static int countable(String op, long count) {
    if (count > MOST_PIECES) {
      throw new ArgumentException(
          "%s: there must be at most %d pieces, but would be %d. Use narrow or select for those you need."
              .formatted(op, MOST_PIECES, count));
    }
    return (int) count;
  }

  static long[] pieces(String op, long piece, long size) {
    if (piece < 0 || piece == 0 && size != 0) {
      throw new ArgumentException(
          "%s: the size of a piece must be positive, but is %d.".formatted(op, piece));
    }
    int count = piece == 0 ? 1 : countable(op, Math.max(1, Math.ceilDiv(size, piece)));
    long[] result = new long[count];
    Arrays.fill(result, piece);
    result[count - 1] = size - piece * (count - 1);
    return result;
  }

  static long[] chunks(int chunks, long size) {
    if (chunks < 1) {
      throw new ArgumentException(
          "chunk: there must be at least 1 chunk, but chunks is " + chunks + ".");
    }
    return size == 0 ? new long[chunks] : pieces("chunk", Math.ceilDiv(size, (long) chunks), size);
  }

  static List<Tensor> split(Tensor x, long[] sizes, int dim) {
    long sum = Arrays.stream(sizes).sum();
    if (sum != x.size(dim) || Arrays.stream(sizes).anyMatch(s -> s < 0)) {
      throw new ShapeException(
          "split: the sizes must add up to dimension %d, but %s add up to %d and shape %s has %d there."
              .formatted(dim, Arrays.toString(sizes), sum, x.shape(), x.size(dim)));
    }
    var result = new ArrayList<Tensor>(sizes.length);
    long start = 0;
    for (long size : sizes) {
      result.add(x.narrow(dim, start, size));
      start += size;
    }
    return severalOf(result);
  }

  /// Notes that one call returned all these views, so that none of them is written to while gradients are recorded.
  static List<Tensor> severalOf(List<Tensor> views) {
    for (Tensor view : views) {
      view.madeAs(Meta.Origin.ONE_OF_SEVERAL);
    }
    return List.copyOf(views);
  }

  // Rearrangements

  static long[] repeats(long[] repeats, Tensor x) {
    if (repeats.length < x.dim() || Arrays.stream(repeats).anyMatch(r -> r < 0)) {
      throw new ArgumentException(
          "repeat: there must be a number for each dimension, none negative, but there are %s for shape %s."
              .formatted(Arrays.toString(repeats), x.shape()));
    }
    return repeats.clone();
  }

  /// Every dimension gets a neighbour that is expanded, and both become one: one copy.
  static Tensor repeated(Tensor x, long[] repeats) {
    int lead = repeats.length - x.dim();
    long[] split = new long[2 * repeats.length];
    long[] wide = new long[2 * repeats.length];
    long[] sizes = new long[repeats.length];
    for (int d = 0; d < repeats.length; d++) {
      long size = d < lead ? 1 : x.size(d - lead);
      split[2 * d] = 1;
      split[2 * d + 1] = size;
      wide[2 * d] = repeats[d];
      wide[2 * d + 1] = size;
      sizes[d] = repeats[d] * size;
    }
    return x.reshape(split).expand(wide).clone().view(sizes);
  }

  static Roll roll(long[] shifts, int[] dims, Tensor x) {
    if (shifts.length != dims.length || shifts.length == 0) {
      throw new ArgumentException(
          "roll: there must be as many shifts as dims, and at least one, but they are %s and %s."
              .formatted(Arrays.toString(shifts), Arrays.toString(dims)));
    }
    return new Roll(shifts.clone(), Arrays.stream(dims).map(d -> existing("roll", d, x)).toArray());
  }

  static long shift(Roll a, int dim) {
    long sum = 0;
    for (int i = 0; i < a.dims().length; i++) {
      if (a.dims()[i] == dim) {
        sum += a.shifts()[i];
      }
    }
    return sum;
  }

  /// Whether PyTorch's `cat` passes over a tensor of this shape: an empty vector fits anything.
  static boolean isSkipped(long[] shape) {
    return shape.length == 1 && shape[0] == 0;
  }

  static List<long[]> catShape(ResultDim a, List<long @Nullable []> in) {
    long[] result = null;
    int first = 0;
    for (int i = 0; i < in.size(); i++) {
      long[] shape = in.get(i);
      assert shape != null;
      if (isSkipped(shape)) {
        continue;
      }
      if (result == null) {
        result = shape.clone();
        first = i;
        if (a.dim() < 0 || a.dim() >= shape.length) {
          throw new ArgumentException(
              "cat: dim must be in %d..%d, but is %d."
                  .formatted(-shape.length, shape.length - 1, a.dim()));
        }
        continue;
      }
      long[] begun = in.get(first);
      if (shape.length != result.length) {
        throw new ShapeException(
            "cat: all tensors must have the same number of dimensions, but tensors[%d] has shape %s and tensors[%d] has shape %s. See unsqueeze."
                .formatted(first, Arrays.toString(begun), i, Arrays.toString(shape)));
      }
      for (int d = 0; d < shape.length; d++) {
        if (d != a.dim() && shape[d] != result[d]) {
          throw new ShapeException(
              "cat: all sizes but that of dim %d must be equal, but dimension %d is %d in tensors[%d] %s and %d in tensors[%d] %s. Give another dim, or make them equal with narrow or expand."
                  .formatted(
                      a.dim(),
                      d,
                      result[d],
                      first,
                      Arrays.toString(begun),
                      shape[d],
                      i,
                      Arrays.toString(shape)));
        }
      }
      result[a.dim()] = CheckedSizes.plus(result[a.dim()], shape[a.dim()], result);
    }
    return List.of(result == null ? new long[] {0} : result);
  }

  static List<long[]> placed(Shapes.Place a, List<long @Nullable []> in) {
    long[] source = in.getFirst();
    if (!Arrays.equals(source, a.part().sizes())) {
      throw new ShapeException(
          "place: source must have the sizes of the part, %s, but has shape %s."
              .formatted(Arrays.toString(a.part().sizes()), Arrays.toString(source)));
    }
    return List.of(a.whole());
  }

  static Tensor catGradient(Backward<ResultDim> b) {
    int dim = b.attributes().dim();
    long[] own = b.sizes(b.position());
    if (isSkipped(own)) {
      return Tensor.zeros(b.grad().dtype(), own);
    }
    long start = 0;
    for (int i = 0; i < b.position(); i++) {
      long[] sizes = b.sizes(i);
      start += isSkipped(sizes) ? 0 : sizes[dim];
    }
    return b.grad().narrow(dim, start, own[dim]);
  }

  static Tensor stack(Inputs in, int dim) {
    @Nullable Tensor[] tensors = in.all();
    Tensor[] wide = new Tensor[tensors.length];
    for (int i = 0; i < tensors.length; i++) {
      Tensor x = tensors[i];
      Tensor first = tensors[0];
      assert x != null && first != null;
      if (!Arrays.equals(x.sizesInternal(), first.sizesInternal())) {
        throw new ShapeException(
            "stack: all tensors must have one shape, but tensors[0] has %s and tensors[%d] has %s."
                .formatted(first.shape(), i, x.shape()));
      }
      wide[i] = x.unsqueeze(dim);
    }
    return Shapes.Operators.CAT.on(new ResultDim(dim), wide);
  }

  static List<Tensor> meshgrid(String indexing, Tensor[] vectors) {
    boolean swapped = indexing.equals("xy");
    if (!swapped && !indexing.equals("ij")) {
      throw new ArgumentException(
          "meshgrid: indexing must be 'ij' or 'xy', but is '%s'.".formatted(indexing));
    }
    long[] sizes = new long[vectors.length];
    for (int i = 0; i < sizes.length; i++) {
      if (vectors[i].dim() > 1) {
        throw new ShapeException(
            "meshgrid: tensors must be vectors, but tensors[%d] has shape %s."
                .formatted(i, vectors[i].shape()));
      }
      sizes[place(i, swapped, sizes.length)] = vectors[i].numel();
    }
    var result = new ArrayList<Tensor>(vectors.length);
    for (int i = 0; i < sizes.length; i++) {
      long[] own = new long[sizes.length];
      Arrays.fill(own, 1);
      own[place(i, swapped, sizes.length)] = vectors[i].numel();
      result.add(vectors[i].view(own).expand(sizes));
    }
    return List.copyOf(result);
  }

  private static int place(int i, boolean swapped, int rank) {
    return swapped && rank > 1 && i < 2 ? 1 - i : i;
  }
}
