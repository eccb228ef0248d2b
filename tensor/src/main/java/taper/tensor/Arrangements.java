package taper.tensor;

import java.lang.ref.Reference;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.Shapes.AsStrided;
import taper.tensor.Shapes.Diagonal;
import taper.tensor.Shapes.Place;
import taper.tensor.internal.Context;
import taper.tensor.internal.Elements;
import taper.tensor.spi.CheckedSizes;
import taper.tensor.spi.Strided;

/// Rearrangements that are made of a few others: pieces, repetitions, stacks, diagonals, grids.
final class Arrangements {
  private Arrangements() {}

  // Pieces

  /// `x`, which must have at least `rank` dimensions.
  static Tensor deep(String op, Tensor x, int rank) {
    if (x.dim() < rank) {
      throw new ShapeException(
          "%s: self must have at least %d dimension%s, but has shape %s."
              .formatted(op, rank, rank == 1 ? "" : "s", x.shape()));
    }
    return x;
  }

  static List<Tensor> sections(String op, Tensor x, int sections, int dim) {
    int at = Views.existing(op, dim, x);
    if (sections < 1) {
      throw new ArgumentException(
          "%s: there must be at least 1 section, but sections is %d.".formatted(op, sections));
    }
    Views.countable(op, sections);
    long size = x.size(at);
    long[] sizes = new long[sections];
    for (int i = 0; i < sections; i++) {
      sizes[i] = size / sections + (i < size % sections ? 1 : 0);
    }
    return Views.split(x, sizes, at);
  }

  /// The pieces before, between and after `indices`, which are cut to the dimension as the bounds of slices are.
  static List<Tensor> between(String op, Tensor x, long[] indices, int dim) {
    int at = Views.existing(op, dim, x);
    var result = new ArrayList<Tensor>(indices.length + 1);
    long start = 0;
    for (int i = 0; i <= indices.length; i++) {
      long end = i < indices.length ? indices[i] : x.size(at);
      result.add(x.slice(at, start, end, 1));
      start = end;
    }
    return Views.severalOf(result);
  }

  static List<Tensor> split(Tensor x, Tensor indicesOrSections, int dim) {
    if (indicesOrSections.dim() > 1) {
      throw new ShapeException(
          "tensorSplit: indicesOrSections must have at most 1 dimension, but has shape %s."
              .formatted(indicesOrSections.shape()));
    }
    if (indicesOrSections.dtype() != DType.INT64) {
      throw new DTypeException(
          "tensorSplit: indicesOrSections must be int64, but is %s. Convert it with .to(DType.INT64)."
              .formatted(indicesOrSections.dtype()));
    }
    return indicesOrSections.dim() == 0
        ? sections("tensorSplit", x, Math.toIntExact(indicesOrSections.itemLong()), dim)
        : between("tensorSplit", x, indicesOrSections.toLongArray(), dim);
  }

  static List<Tensor> equalSections(String op, Tensor x, int sections, int rank, int dim) {
    deep(op, x, rank);
    if (sections < 1 || x.size(dim) % sections != 0) {
      throw new ShapeException(
          "%s: dimension %d must be a multiple of sections, but is %d in shape %s and sections is %d. See tensorSplit."
              .formatted(op, dim, x.size(dim), x.shape(), sections));
    }
    return sections(op, x, sections, dim);
  }

  // Repetition and rotation

  /// `repeats` with ones in front, so that there is one for each of `rank` dimensions.
  static long[] padded(long[] repeats, int rank) {
    long[] result = new long[Math.max(rank, repeats.length)];
    Arrays.fill(result, 1);
    System.arraycopy(repeats, 0, result, result.length - repeats.length, repeats.length);
    return result;
  }

  static Tensor repeatInterleave(Tensor x, Tensor repeats, int dim, long outputSize) {
    Tensor whole = x.dim() == 0 ? x.view(1) : x;
    int at = Checks.dim("repeatInterleave", dim, whole.dim());
    if (repeats.dim() > 1
        || repeats.dim() == 1 && repeats.numel() != 1 && repeats.numel() != whole.size(at)) {
      throw new ShapeException(
          "repeatInterleave: repeats must be one number or one for each of the %d indices of dimension %d, but has shape %s."
              .formatted(whole.size(at), at, repeats.shape()));
    }
    boolean one = repeats.numel() == 1 && whole.size(at) != 1;
    Tensor each = one ? repeats.reshape(1).expand(whole.size(at)) : repeats.reshape(-1);
    Tensor index = repeatedIndices(each, outputSize);
    return whole.indexSelect(at, index);
  }

  /// Index `i` of `repeats`, `repeats[i]` times.
  static Tensor repeatedIndices(Tensor repeats, long outputSize) {
    if (repeats.dim() != 1) {
      throw new ShapeException(
          "repeatInterleave: repeats must have 1 dimension, but has shape %s."
              .formatted(repeats.shape()));
    }
    if (repeats.dtype() != DType.INT64 && repeats.dtype() != DType.INT32) {
      throw new DTypeException(
          "repeatInterleave: repeats must be int64 or int32, but is %s. Convert it with .to(DType.INT64)."
              .formatted(repeats.dtype()));
    }
    long[] counts = repeats.toLongArray();
    long sum = 0;
    for (long count : counts) {
      if (count < 0) {
        throw new ArgumentException(
            "repeatInterleave: repeats must not be negative, but one is %d.".formatted(count));
      }
      sum = count > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + count;
    }
    if (outputSize >= 0 && outputSize != sum) {
      throw new ShapeException(
          "repeatInterleave: outputSize must be the sum of repeats, %d, but is %d."
              .formatted(sum, outputSize));
    }
    Tensor indices = Tensor.empty(DType.INT64, sum);
    var elements = new Elements(indices.data());
    long to = 0;
    for (int i = 0; i < counts.length; i++) {
      for (long end = to + counts[i]; to < end; to++) {
        elements.set(to, (long) i);
      }
    }
    Reference.reachabilityFence(indices);
    return indices;
  }

  static Tensor rot90(Tensor x, long k, int dim0, int dim1) {
    deep("rot90", x, 2);
    int first = Checks.dim("rot90", dim0, x.dim());
    int second = Checks.dim("rot90", dim1, x.dim());
    if (first == second) {
      throw new ArgumentException(
          "rot90: the dimensions must differ, but are %d and %d.".formatted(dim0, dim1));
    }
    return switch ((int) Math.floorMod(k, 4L)) {
      case 1 -> x.flip(second).transpose(first, second);
      case 2 -> x.flip(first, second);
      case 3 -> x.flip(first).transpose(first, second);
      default -> x.clone();
    };
  }

  // Diagonals and parts

  /// Where the vectors of the last dimension of `x` lie in matrices of zeros.
  static Place embedding(Tensor x, long offset, int dim1, int dim2) {
    deep("diagEmbed", x, 1);
    int rank = x.dim() + 1;
    int first = Checks.dim("diagEmbed", dim1, rank);
    int second = Checks.dim("diagEmbed", dim2, rank);
    if (first == second) {
      throw new ArgumentException(
          "diagEmbed: dim1 and dim2 must differ, but are %d and %d.".formatted(dim1, dim2));
    }
    long side = x.size(-1) + Math.abs(offset);
    long[] sizes = new long[rank];
    int from = 0;
    for (int d = 0; d < rank; d++) {
      sizes[d] = d == first || d == second ? side : x.size(from++);
    }
    Strided whole = Views.dense(x.dtype(), sizes);
    Strided part = Views.diagonal(whole, new Diagonal(offset, first, second));
    return new Place(sizes, Views.within(whole, part));
  }

  /// A copy of `x` in which `source` takes the place of `part`, a view of `x`.
  static Tensor replaced(String op, Tensor x, Tensor part, Tensor source) {
    if (!Arrays.equals(part.sizesInternal(), source.sizesInternal())) {
      throw new ShapeException(
          "%s: source must have the shape of the part that it replaces, %s, but has shape %s."
              .formatted(op, part.shape(), source.shape()));
    }
    return Shapes.replaceGeometry(x, source.to(x.dtype()), x.data(), part.data());
  }

  static Tensor resize(Tensor x, long[] sizes) {
    if (x.requiresGrad()) {
      throw new AutogradException(
          "resize_: a tensor that requires grad must keep its sizes, but shape %s was asked to become %s. Use detach() first, or reshape."
              .formatted(x.shape(), Arrays.toString(sizes)));
    }
    for (long size : sizes) {
      if (size < 0) {
        throw new ShapeException(
            "resize_: sizes must not be negative, but the shape is %s."
                .formatted(Arrays.toString(sizes)));
      }
    }
    long wanted = CheckedSizes.bytes(x.dtype(), sizes);
    if (Arrays.equals(sizes, x.sizesInternal())) {
      return x;
    }
    long bytes = x.storage().byteSize() - x.storageOffset() * x.dtype().byteSize();
    if (wanted <= bytes) {
      x.seeAs(x.data().view(0, sizes.clone(), Strided.contiguousStrides(sizes)));
      return x;
    }
    Tensor larger = Tensor.allocate(Context.current(), x.dtype(), sizes, x.device());
    long held = bytes / x.dtype().byteSize();
    Strided beginning = larger.data().view(0, new long[] {held}, new long[] {1});
    return x.whileHeld(old -> {
      Copies.raw(beginning, old.view(0, new long[] {held}, new long[] {1}));
      return x.setData(larger);
    });
  }

  // Several tensors

  static List<Tensor> broadcast(String op, List<Tensor> tensors) {
    long[] sizes =
        broadcast(op, tensors.stream().map(Tensor::sizesInternal).toArray(long[][]::new));
    return tensors.stream().map(x -> x.expand(sizes)).toList();
  }

  /// The shape to which all broadcast.
  static long[] broadcast(String op, long[]... shapes) {
    long[] common = new long[0];
    for (int i = 0; i < shapes.length; i++) {
      common =
          Signature.parse(op, "tensors...[*] -> [*]")
              .broadcast(
                  common,
                  "the shape so far " + Arrays.toString(common),
                  shapes[i],
                  "tensors[" + i + "] " + Arrays.toString(shapes[i]));
    }
    return common;
  }

  static List<Tensor> some(String op, List<Tensor> tensors) {
    if (tensors.isEmpty()) {
      throw new ArgumentException(
          op + ": there must be at least one tensor, but the list is empty.");
    }
    return tensors;
  }

  static Tensor hstack(List<Tensor> tensors) {
    List<Tensor> wide = some("hstack", tensors).stream().map(Tensor::atleast1d).toList();
    return Tensor.cat(wide, wide.getFirst().dim() == 1 ? 0 : 1);
  }

  static Tensor columnStack(List<Tensor> tensors) {
    return hstack(
        some("columnStack", tensors).stream()
            .map(x -> x.dim() <= 1 ? x.reshape(x.numel(), 1) : x)
            .toList());
  }

  static Tensor blockDiag(List<Tensor> tensors) {
    DType dtype = tensors.getFirst().dtype();
    long columns = 0;
    var blocks = new ArrayList<Tensor>(tensors.size());
    for (Tensor x : tensors) {
      if (x.dim() > 2) {
        throw new ShapeException(
            "blockDiag: tensors must have at most 2 dimensions, but tensors[%d] has shape %s."
                .formatted(blocks.size(), x.shape()));
      }
      dtype = dtype.promote(x.dtype());
      Tensor block = x.atleast2d();
      columns = CheckedSizes.plus(columns, block.size(1), block.sizesInternal());
      blocks.add(block);
    }
    var rows = new ArrayList<Tensor>(tensors.size());
    long before = 0;
    for (Tensor block : blocks) {
      long height = block.size(0);
      long after = columns - before - block.size(1);
      Tensor left = Tensor.zeros(dtype, height, before);
      Tensor right = Tensor.zeros(dtype, height, after);
      rows.add(Tensor.cat(List.of(left, block.to(dtype), right), 1));
      before += block.size(1);
    }
    return Tensor.cat(rows, 0);
  }

  static Tensor cartesianProduct(List<Tensor> vectors) {
    for (int i = 0; i < vectors.size(); i++) {
      if (vectors.get(i).dim() != 1) {
        throw new ShapeException(
            "cartesianProd: tensors must be vectors, but tensors[%d] has shape %s."
                .formatted(i, vectors.get(i).shape()));
      }
    }
    if (vectors.size() == 1) {
      return vectors.getFirst();
    }
    List<Tensor> grids = Views.meshgrid("ij", vectors.toArray(Tensor[]::new));
    return Tensor.stack(grids.stream().map(Tensor::flatten).toList(), 1);
  }

  private static final int MOST_CHOSEN = 1 << 16;

  static Tensor combinations(Tensor x, int r, boolean withReplacement) {
    if (x.dim() != 1) {
      throw new ShapeException(
          "combinations: self must be a vector, but has shape %s.".formatted(x.shape()));
    }
    if (r < 0) {
      throw new ArgumentException("combinations: r must not be negative, but is %d.".formatted(r));
    }
    if (r == 0) {
      return Tensor.empty(x.dtype(), 0);
    }
    if (r > MOST_CHOSEN || x.numel() > Integer.MAX_VALUE) {
      throw new ArgumentException(
          "combinations: r must be at most %d and self have at most %d elements, but r is %d and self has %d."
              .formatted(MOST_CHOSEN, Integer.MAX_VALUE, r, x.numel()));
    }
    int n = Math.toIntExact(x.numel());
    Tensor indices = Tensor.empty(DType.INT64, choices(n, r, withReplacement), r);
    var elements = new Elements(indices.data());
    int[] pick = IntStream.range(0, r).map(i -> withReplacement ? 0 : i).toArray();
    for (long i = 0; i < elements.numel(); i += r) {
      for (int j = 0; j < r; j++) {
        elements.set(i + j, (long) pick[j]);
      }
      advance(pick, n, withReplacement);
    }
    Reference.reachabilityFence(indices);
    return x.get(Index.of(indices));
  }

  /// How many ways there are to choose `r` of `n`, at most [Long#MAX_VALUE].
  private static long choices(int n, int r, boolean withReplacement) {
    long from = withReplacement ? (long) n + r - 1 : n;
    if (n == 0 || from < r) {
      return 0;
    }
    BigInteger count = BigInteger.ONE;
    for (long i = 1; i <= r && count.bitLength() < Long.SIZE; i++) {
      count = count.multiply(BigInteger.valueOf(from - r + i)).divide(BigInteger.valueOf(i));
    }
    return count.bitLength() < Long.SIZE ? count.longValueExact() : Long.MAX_VALUE;
  }

  /// Goes on to the next rising choice; after the last it stays.
  private static void advance(int[] pick, int n, boolean withReplacement) {
    int r = pick.length;
    for (int i = r - 1; i >= 0; i--) {
      int last = withReplacement ? n - 1 : n - r + i;
      if (pick[i] < last) {
        pick[i]++;
        for (int j = i + 1; j < r; j++) {
          pick[j] = withReplacement ? pick[i] : pick[j - 1] + 1;
        }
        return;
      }
    }
  }

  /// The rows and columns of the elements of a triangle, in row-major order.
  static Tensor triangle(
      String op, DType dtype, long rows, long columns, long offset, boolean upper) {
    if (rows < 0 || columns < 0) {
      throw new ArgumentException(
          "%s: rows and columns must not be negative, but are %d and %d."
              .formatted(op, rows, columns));
    }
    long diagonal = Views.triangle(offset).diagonal();
    BigInteger below = below(rows, columns, upper ? diagonal - 1 : diagonal);
    BigInteger all = BigInteger.valueOf(rows).multiply(BigInteger.valueOf(columns));
    BigInteger wanted = upper ? all.subtract(below) : below;
    long count = wanted.bitLength() < Long.SIZE ? wanted.longValueExact() : Long.MAX_VALUE;
    Tensor result = Tensor.empty(DType.INT64, 2, count);
    var elements = new Elements(result.data());
    long k = 0;
    for (long i = upper ? 0 : Math.max(0, -diagonal); k < count; i++) {
      long from = upper ? Math.max(0, i + diagonal) : 0;
      long to = upper ? columns : Math.min(columns, i + diagonal + 1);
      for (long j = from; j < to; j++, k++) {
        elements.set(k, i);
        elements.set(count + k, j);
      }
    }
    Reference.reachabilityFence(result);
    return result.to(dtype);
  }

  /// How many elements of a matrix lie on or below `diagonal`.
  private static BigInteger below(long rows, long columns, long diagonal) {
    long first = Math.min(rows, Math.max(0, -diagonal));
    boolean beyond = diagonal < columns - Long.MAX_VALUE;
    long full = beyond ? rows : Math.min(rows, Math.max(first, columns - diagonal));
    BigInteger rising = BigInteger.valueOf(full - first);
    BigInteger ends =
        BigInteger.valueOf(first + diagonal + 1)
            .add(BigInteger.valueOf(full))
            .add(BigInteger.valueOf(diagonal));
    return rising
        .multiply(ends)
        .shiftRight(1)
        .add(BigInteger.valueOf(rows - full).multiply(BigInteger.valueOf(columns)));
  }

  /// The sum of the gradients that reach the elements of a tensor through a view of any geometry.
  static Tensor gradientThrough(Tensor grad, Strided base, AsStrided part) {
    long low = Math.min(0, part.offset());
    long high =
        Math.max(
            extent(base.sizes(), base.strides()),
            part.offset() + extent(part.sizes(), part.strides()));
    var shifted = new AsStrided(part.sizes(), part.strides(), part.offset() - low);
    Tensor memory =
        Shapes.Operators.AS_STRIDED_ADD.on(shifted, Tensor.zeros(grad.dtype(), high - low), grad);
    Tensor counts = counts(base, low, high);
    Tensor shared = counts == null ? memory : memory.div(counts);
    return shared.asStrided(base.sizes(), base.strides(), -low);
  }

  /// How many elements of `base` share each place of the memory, or null if none do.
  private static @Nullable Tensor counts(Strided base, long low, long high) {
    boolean overlaps = false;
    for (int d = 0; d < base.rank(); d++) {
      overlaps |= base.stride(d) == 0 && base.size(d) > 1;
    }
    if (!overlaps || base.numel() == 0) {
      return null;
    }
    var own = new AsStrided(base.sizes(), base.strides(), -low);
    return Shapes.Operators.AS_STRIDED_ADD.on(
        own, Tensor.zeros(DType.FLOAT64, high - low), Tensor.ones(DType.FLOAT64, base.sizes()));
  }

  static Strided restrided(Shapes.Restride a, Strided x) {
    AsStrided part = a.part();
    Views.checkGeometry("asStrided", part.sizes(), part.strides(), part.offset());
    if (a.selfStrides().length != x.rank()) {
      throw new ArgumentException(
          "asStrided: there must be a stride for each dimension of self %s, but there are %d."
              .formatted(Arrays.toString(x.sizes()), a.selfStrides().length));
    }
    return x.view(part.offset(), part.sizes(), part.strides());
  }

  /// How many neighbouring elements of memory a geometry spans.
  static long extent(long[] sizes, long[] strides) {
    long last = 0;
    for (int d = 0; d < sizes.length; d++) {
      if (sizes[d] == 0) {
        return 0;
      }
      last = CheckedSizes.plus(last, CheckedSizes.times(sizes[d] - 1, strides[d], sizes), sizes);
    }
    return CheckedSizes.plus(last, 1, sizes);
  }
}
