package taper.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.Indexing.Count;
import taper.tensor.Indexing.Embedding;
import taper.tensor.Indexing.EmbeddingRows;
import taper.tensor.Indexing.Picked;
import taper.tensor.Indexing.Put;
import taper.tensor.Shapes.Dim;
import taper.tensor.Shapes.Slice;
import taper.tensor.internal.Elements;
import taper.tensor.internal.ReferenceIndexing;
import taper.tensor.internal.ReferenceStatistics;
import taper.tensor.spi.Strided;

/// What the declarations of [Indexing] share, and the way from an index to views and picks.
final class Indexes {
  private Indexes() {}

  /// A part of a tensor: a view of it, and for each dimension of the view the tensor of indices that picks from it.
  private record Part(Tensor view, @Nullable Tensor[] picks) {
    int[] dims() {
      return IntStream.range(0, picks.length).filter(d -> picks[d] != null).toArray();
    }

    boolean isView() {
      return dims().length == 0;
    }

    /// The given tensors, followed by those of indices.
    Tensor[] with(Tensor... first) {
      var all = new ArrayList<Tensor>(List.of(first));
      for (Tensor pick : picks) {
        if (pick != null) {
          all.add(pick);
        }
      }
      return all.toArray(Tensor[]::new);
    }
  }

  static Index[] leading(long[] indices) {
    return Arrays.stream(indices).mapToObj(Index::at).toArray(Index[]::new);
  }

  static Tensor get(Tensor x, Index[] index) {
    Part part = part("get", x, index);
    return part.isView()
        ? part.view()
        : Indexing.Operators.INDEX.on(new Picked(part.dims()), part.with(part.view()));
  }

  static Tensor set(Tensor x, Tensor value, Index[] index, boolean accumulate) {
    String op = accumulate ? "accumulate" : "set";
    Part part = part(op, x, index);
    long[] sizes =
        part.isView()
            ? part.view().sizesInternal()
            : pickedSizes(part.dims(), part.with(part.view()));
    if (part.isView()) {
      Tensor view = part.view();
      if (accumulate) {
        view.add_(value.isNumber() ? value : fitted(op, value, sizes).to(x.dtype()));
      } else if (value.isNumber()) {
        var fill = new Creation.Fill(value.data().doubleValue(), value.data().longValue());
        Creation.Operators.FILL.inPlace(fill, view);
      } else {
        view.copy_(fitted(op, value, sizes));
      }
      return x;
    }
    Tensor values =
        value.isNumber()
            ? filled(op, x, value.data().doubleValue(), sizes)
            : fitted(op, value, sizes).to(x.dtype());
    Indexing.Operators.INDEX_PUT.inPlace(
        new Put(part.dims(), accumulate), part.with(part.view(), values));
    return x;
  }

  /// `value` everywhere, seen with the given sizes.
  static Tensor filled(String op, Tensor like, double value, long[] sizes) {
    return filled(op, like, value).expand(sizes);
  }

  /// A tensor of one element, `value`, of the type of `like`.
  ///
  /// @throws ArgumentException if the type cannot hold it
  static Tensor filled(String op, Tensor like, double value) {
    Checks.fits(op, like.dtype(), value);
    return Tensor.full(like.dtype(), value);
  }

  /// `value` expanded to `sizes`; as in PyTorch it may have more leading dimensions of size 1.
  private static Tensor fitted(String op, Tensor value, long[] sizes) {
    long[] own = value.sizesInternal();
    int extra = 0;
    while (own.length - extra > sizes.length && own[extra] == 1) {
      extra++;
    }
    long[] kept = Arrays.copyOfRange(own, extra, own.length);
    int lead = sizes.length - kept.length;
    boolean fits = lead >= 0;
    for (int d = 0; fits && d < kept.length; d++) {
      fits = kept[d] == 1 || kept[d] == sizes[lead + d];
    }
    if (!fits) {
      throw new ShapeException(
          "%s: the value must broadcast to the shape of the indexed part, %s, but has shape %s."
              .formatted(op, Arrays.toString(sizes), Arrays.toString(own)));
    }
    return (extra == 0 ? value : value.reshape(kept)).expand(sizes);
  }

  private static Part part(String op, Tensor x, Index[] index) {
    int taken = 0;
    int ellipses = 0;
    for (Index i : index) {
      switch (i) {
        case Index.At _, Index.Range _, Index.All _, Index.Indices _ -> taken++;
        case Index.Mask mask -> taken += mask.mask().dim();
        case Index.Ellipsis _ -> ellipses++;
        case Index.NewAxis _ -> {}
      }
    }
    if (taken > x.dim()) {
      throw new ArgumentException(
          "%s: there must be at most %d indices for shape %s, but there are %d."
              .formatted(op, x.dim(), x.shape(), taken));
    }
    if (ellipses > 1) {
      throw new ArgumentException(
          "%s: there must be at most one ellipsis, but there are %d.".formatted(op, ellipses));
    }
    var walk = new Walk(op, x);
    for (Index i : index) {
      walk.take(i, x.dim() - taken);
    }
    return walk.end();
  }

  /// Goes through the parts of one index from left to right.
  private static final class Walk {
    private final String op;
    private final Tensor whole;
    private Tensor view;
    private int from; // the next dimension of the whole tensor
    private int to; // the next dimension of the view
    private final List<@Nullable Tensor> picks = new ArrayList<>();

    Walk(String op, Tensor x) {
      this.op = op;
      this.whole = x;
      this.view = x;
    }

    void take(Index index, int left) {
      switch (index) {
        case Index.At at -> select(at.index());
        case Index.Range range -> slice(range);
        case Index.All _ -> skip(1);
        case Index.Ellipsis _ -> skip(left);
        case Index.NewAxis _ -> {
          view = view.unsqueeze(to++);
          picks.add(null);
        }
        case Index.Mask mask -> mask(mask.mask());
        case Index.Indices indices -> {
          if (indices.indices().dim() == 0) {
            select(indices.indices().itemLong());
          } else {
            pick(indices.indices());
          }
        }
      }
    }

    private void skip(int dims) {
      from += dims;
      to += dims;
      for (int d = 0; d < dims; d++) {
        picks.add(null);
      }
    }

    private void select(long index) {
      long at = Views.index(op, index, from++, whole.sizesInternal());
      view = view.select(to, at);
    }

    private void slice(Index.Range range) {
      long size = whole.size(from);
      long start = bound(range.from(), 0, size);
      long end = Math.max(start, bound(range.to(), size, size));
      if (start != 0 || end != size || range.step() != 1) {
        view =
            Shapes.Operators.SLICE.on(
                new Slice(to, start, Math.ceilDiv(end - start, range.step()), range.step()), view);
      }
      skip(1);
    }

    private static long bound(@Nullable Long given, long otherwise, long size) {
      if (given == null) {
        return otherwise;
      }
      long at = given < 0 ? given + size : given;
      return Math.clamp(at, 0, size);
    }

    private void pick(Tensor indices) {
      picks.add(indices);
      from++;
      to++;
    }

    private void mask(Tensor mask) {
      int rank = mask.dim();
      if (rank == 0) { // a mask of one element for a new dimension of one element
        view = view.unsqueeze(to++);
        picks.add(mask.unsqueeze(0).nonzero().select(1, 0));
        return;
      }
      for (int d = 0; d < rank; d++) {
        if (mask.size(d) != whole.size(from + d)) {
          throw new ShapeException(
              "%s: a mask must have the sizes of the dimensions it stands for, but dimension %d of mask %s is %d and dimension %d of shape %s is %d."
                  .formatted(
                      op,
                      d,
                      mask.shape(),
                      mask.size(d),
                      from + d,
                      whole.shape(),
                      whole.size(from + d)));
        }
      }
      Tensor places = mask.nonzero();
      for (int d = 0; d < rank; d++) {
        pick(places.select(1, d));
      }
    }

    Part end() {
      skip(whole.dim() - from);
      return new Part(view, picks.toArray(Tensor[]::new));
    }
  }

  // Shapes

  static Dim dim(String op, int dim, Tensor x) {
    return new Dim(Checks.dim(op, dim, x.dim()));
  }

  /// `index`, whose type does not matter if it is empty.
  static Tensor typed(Tensor index) {
    return index.numel() == 0 ? index.to(DType.INT64) : index;
  }

  private static long[] pickedSizes(int[] dims, Tensor[] tensors) {
    List<long @Nullable []> shapes =
        Arrays.stream(tensors).<long @Nullable []>map(Tensor::sizesInternal).toList();
    return pickedSizes(dims, shapes, 1);
  }

  static List<long[]> pickedShape(int[] dims, List<long @Nullable []> in) {
    return List.of(pickedSizes(dims, in, 1));
  }

  /// The shape of what tensors of indices pick; they begin at position `first` of `in`.
  private static long[] pickedSizes(int[] dims, List<long @Nullable []> in, int first) {
    long[] self = in.get(0);
    assert self != null;
    checkDims(dims, in.size() - first, self);
    Signature signature = Indexing.Operators.INDEX.signature();
    long[] common = new long[0];
    for (int t = first; t < in.size(); t++) {
      long[] shape = in.get(t);
      assert shape != null;
      common =
          signature.broadcast(
              common,
              "the indices before, " + Arrays.toString(common) + ",",
              shape,
              "indices[" + (t - first) + "] " + Arrays.toString(shape));
    }
    boolean adjacent = dims[dims.length - 1] - dims[0] == dims.length - 1;
    int front = adjacent ? dims[0] : 0;
    long[] result = new long[self.length - dims.length + common.length];
    System.arraycopy(common, 0, result, front, common.length);
    int to = 0;
    for (int d = 0; d < self.length; d++) {
      if (Arrays.binarySearch(dims, d) < 0) {
        if (to == front) {
          to += common.length;
        }
        result[to++] = self[d];
      }
    }
    return result;
  }

  /// Each tensor of indices must have a dimension of its own, and they must rise.
  private static void checkDims(int[] dims, int tensors, long[] self) {
    boolean rising = dims.length == tensors && dims.length > 0;
    for (int t = 0; rising && t < dims.length; t++) {
      rising = dims[t] > (t == 0 ? -1 : dims[t - 1]) && dims[t] < self.length;
    }
    if (!rising) {
      throw new ArgumentException(
          "index: there must be a dimension of self for each of the %d tensors of indices, rising, but they are %s for shape %s."
              .formatted(tensors, Arrays.toString(dims), Arrays.toString(self)));
    }
  }

  static List<long[]> putShape(Put a, List<long @Nullable []> in) {
    long[] self = in.get(0);
    long[] values = in.get(1);
    assert self != null && values != null;
    long[] picked = pickedSizes(a.dims(), in, 2);
    if (!Arrays.equals(picked, values)) {
      throw new ShapeException(
          "indexPut: values must have the shape of the indexed part, %s, but has shape %s."
              .formatted(Arrays.toString(picked), Arrays.toString(values)));
    }
    return List.of(self.clone());
  }

  static List<long[]> gatherShape(Dim a, List<long @Nullable []> in) {
    long[] self = in.get(0);
    long[] index = in.get(1);
    assert self != null && index != null;
    checkRank("gather", "index", index, self);
    checkWithin("gather", a.dim(), index, "self", self);
    return List.of(index.clone());
  }

  static List<long[]> scatterShape(String op, Dim a, List<long @Nullable []> in) {
    long[] self = in.get(0);
    long[] index = in.get(1);
    long[] source = in.get(2);
    assert self != null && index != null && source != null;
    checkRank(op, "index", index, self);
    checkRank(op, "source", source, self);
    checkWithin(op, a.dim(), index, "self", self);
    checkWithin(op, -1, index, "source", source);
    return List.of(self.clone());
  }

  private static void checkRank(String op, String name, long[] shape, long[] self) {
    if (Math.max(shape.length, 1) != Math.max(self.length, 1)) {
      throw new ShapeException(
          "%s: %s must have as many dimensions as self, but %s has shape %s and self %s."
              .formatted(op, name, name, Arrays.toString(shape), Arrays.toString(self)));
    }
  }

  private static void checkWithin(String op, int but, long[] index, String name, long[] other) {
    for (int d = 0; d < index.length; d++) {
      long most = d < other.length ? other[d] : 1; // one number is a vector of one element
      if (d != but && index[d] > most) {
        throw new ShapeException(
            "%s: index must not be larger than %s%s, but dimension %d is %d in index %s and %d in %s %s."
                .formatted(
                    op,
                    name,
                    but < 0 ? "" : " except along dim " + but,
                    d,
                    index[d],
                    Arrays.toString(index),
                    most,
                    name,
                    Arrays.toString(other)));
      }
    }
  }

  static List<long[]> indexSelectShape(Dim a, List<long @Nullable []> in) {
    return List.of(selected("indexSelect", a, in));
  }

  private static long[] selected(String op, Dim a, List<long @Nullable []> in) {
    long[] self = in.get(0);
    long[] index = in.get(1);
    assert self != null && index != null;
    if (index.length > 1) {
      throw new ShapeException(
          "%s: index must be a vector, but has shape %s.".formatted(op, Arrays.toString(index)));
    }
    long[] result = self.clone();
    if (result.length > 0) {
      result[a.dim()] = index.length == 0 ? 1 : index[0];
    } else if (index.length > 0 && index[0] != 1) {
      throw new ShapeException(
          "%s: index must have one element where self is a single number, but has shape %s."
              .formatted(op, Arrays.toString(index)));
    }
    return result;
  }

  static List<long[]> indexAddShape(Dim a, List<long @Nullable []> in) {
    long[] self = in.get(0);
    long[] source = in.get(2);
    assert self != null && source != null;
    long[] wanted = selected("indexAdd", a, in);
    if (!Arrays.equals(wanted, source)) {
      throw new ShapeException(
          "indexAdd: source must have the sizes of self with %d along dim %d, %s, but has shape %s."
              .formatted(
                  wanted.length == 0 ? 1 : wanted[a.dim()],
                  a.dim(),
                  Arrays.toString(wanted),
                  Arrays.toString(source)));
    }
    return List.of(self.clone());
  }

  static List<long[]> nonzeroShape(Count a, List<long @Nullable []> in) {
    long[] self = in.get(0);
    assert self != null;
    checkCount("nonzero", a.count());
    return List.of(new long[] {a.count(), self.length});
  }

  // Values of indices

  /// Checks that every place counts from 0 to below `size`.
  ///
  /// @throws ArgumentException at the first that does not
  static void checkPlaces(String op, @Nullable Tensor places, long size) {
    check(op + ": indices", "element ", Objects.requireNonNull(places), 0, size);
  }

  /// Checks that every element of `indices` is in `low..size-1`.
  ///
  /// @throws ArgumentException at the first that is not
  private static void check(String what, String name, Tensor indices, long low, long size) {
    indices.whileHeld(x -> {
      check(what, name, indices, x, low, size);
      return x;
    });
  }

  private static void check(
      String what, String name, Tensor indices, Strided x, long low, long size) {
    Strided once = seenOnce(x);
    if (once.isContiguous()
        && x.dtype() == DType.INT64
        && Libraries.areWithin(once, low, size - 1)) {
      return;
    }
    var elements = new Elements(x);
    for (long i = 0, n = x.numel(); i < n; i++) {
      long index = elements.wholeAt(i);
      if (index < low || index >= size) {
        throw new ArgumentException(
            "%s must be in %d..%d, but %s%s is %d."
                .formatted(what, low, size - 1, name, Labels.position(i, indices), index));
      }
    }
  }

  /// Every element of `x` once, also where a dimension is expanded.
  private static Strided seenOnce(Strided x) {
    for (int d = 0; d < x.rank(); d++) {
      if (x.stride(d) == 0 && x.size(d) > 1) {
        long[] sizes = x.sizes();
        for (int e = d; e < sizes.length; e++) {
          sizes[e] = x.stride(e) == 0 && sizes[e] > 1 ? 1 : sizes[e];
        }
        return x.view(0, sizes, x.strides());
      }
    }
    return x;
  }

  /// Checks tensors of indices, from position `first` of the inputs on, of which each picks from one dimension of the
  /// first input.
  static void checkPicks(String op, int[] dims, @Nullable Tensor[] in, int first) {
    Tensor self = in[0];
    for (int t = 0; t < dims.length; t++) {
      Tensor indices = in[first + t];
      assert self != null && indices != null;
      long size = self.size(dims[t]);
      check(
          "%s: indices of dimension %d of shape %s".formatted(op, dims[t], self.shape()),
          "indices[" + t + "]",
          indices,
          -size,
          size);
    }
  }

  /// Checks a tensor of indices, the second input, that picks from dimension `dim` of the first.
  static void checkAlong(String op, Dim a, @Nullable Tensor[] in) {
    Tensor self = in[0];
    Tensor index = in[1];
    assert self != null && index != null;
    long size = self.dim() == 0 ? 1 : self.size(a.dim());
    check("%s: index".formatted(op), "index", index, 0, size);
  }

  /// Checks a tensor of indices, input `position`, into `size` rows.
  static void checkRows(String op, String name, @Nullable Tensor[] in, int position, long size) {
    Tensor indices = in[position];
    assert indices != null;
    check(op + ": " + name, name, indices, 0, size);
  }

  /// Checks the number of a row that has no gradient, or -1.
  static void checkPadding(String op, long paddingIdx, long rows) {
    if (paddingIdx < -1 || paddingIdx >= rows) {
      throw new ArgumentException(
          "%s: paddingIdx must be a row, in 0..%d, or -1 for none, but is %d."
              .formatted(op, rows - 1, paddingIdx));
    }
  }

  /// The number of rows of the result, checked.
  static Map<String, Long> gradientRows(String op, long rows, long paddingIdx) {
    if (rows < 0) {
      throw new ArgumentException(
          "%s: there must not be fewer than 0 rows, but there are %d.".formatted(op, rows));
    }
    checkPadding(op, paddingIdx, rows);
    return Map.of("v", rows);
  }

  static void checkCount(String op, long count) {
    if (count < 0) {
      throw new ArgumentException(
          "%s: the count must not be negative, but is %d.".formatted(op, count));
    }
  }

  static long rows(@Nullable Tensor[] in) {
    Tensor table = in[0];
    assert table != null;
    return table.size(0);
  }

  // Gradients

  static Tensor indexGradient(Backward<Picked> b) {
    Tensor zeros = Tensor.zeros(b.grad().dtype(), b.sizes("self"));
    return Indexing.Operators.INDEX_PUT.on(
        new Put(b.attributes().dims(), true),
        indices(b, b.attributes().dims().length, 1, zeros, b.grad()));
  }

  static Tensor putSelfGradient(Backward<Put> b) {
    if (b.attributes().accumulate()) {
      return b.grad();
    }
    Tensor zeros = Tensor.zeros(b.grad().dtype(), b.sizes("values"));
    return Indexing.Operators.INDEX_PUT.on(
        b.attributes(), indices(b, b.attributes().dims().length, 2, b.grad(), zeros));
  }

  static Tensor putValuesGradient(Backward<Put> b) {
    return Indexing.Operators.INDEX.on(
        new Picked(b.attributes().dims()), indices(b, b.attributes().dims().length, 2, b.grad()));
  }

  private static Tensor[] indices(Backward<?> b, int count, int first, Tensor... begin) {
    Tensor[] result = Arrays.copyOf(begin, begin.length + count);
    for (int i = 0; i < count; i++) {
      result[begin.length + i] = b.input(first + i);
    }
    return result;
  }

  /// The elements of the gradient that `source` went to; it may be larger than `index`.
  static Tensor scatterSourceGradient(Backward<Dim> b) {
    Tensor picked = b.grad().gather(b.attributes().dim(), b.input("index"));
    long[] sizes = b.sizes("source");
    if (Arrays.equals(sizes, picked.sizesInternal())) {
      return picked;
    }
    var part = new Shapes.AsStrided(picked.sizes(), Strided.contiguousStrides(sizes), 0);
    return Shapes.Operators.PLACE.on(new Shapes.Place(sizes, part), picked);
  }

  static Tensor embeddingSecondGradient(Backward<EmbeddingRows> b) {
    Tensor indices = b.input("indices");
    long padding = b.attributes().paddingIdx();
    Tensor rows = Indexing.Operators.EMBEDDING.on(new Embedding(padding), b.grad(), indices);
    return padding < 0 ? rows : rows.mul(indices.ne(padding).unsqueeze(-1));
  }

  // Values

  static Tensor maskedSelect(Tensor x, Tensor mask) {
    if (mask.dtype() != DType.BOOL) {
      throw new DTypeException(
          "maskedSelect: mask must be bool, but is %s. Convert it with .to(DType.BOOL)."
              .formatted(mask.dtype()));
    }
    long[] sizes =
        Signature.parse("maskedSelect", "self[*b], mask[*b] -> [*b]")
            .apply(List.of(x.sizesInternal(), mask.sizesInternal()))
            .getFirst();
    boolean scalar = sizes.length == 0;
    Tensor self = scalar ? x.view(1) : x.expand(sizes);
    Tensor chosen = scalar ? mask.view(1) : mask.expand(sizes);
    var count = new Count(chosen.whileHeld(ReferenceIndexing::countNonzero));
    return Indexing.Operators.MASKED_SELECT.on(count, self, chosen);
  }

  static Tensor maskedSelectGradient(Backward<Count> b) {
    Tensor zeros = Tensor.zeros(b.grad().dtype(), b.sizes("self"));
    return zeros.maskedScatter(b.input("mask"), b.grad());
  }

  static long classes(Tensor x, long given) {
    if (given < -1) {
      throw new ArgumentException(
          "oneHot: numClasses must not be negative, but is %d. Use -1 for as many as there are."
              .formatted(given));
    }
    if (given >= 0) {
      return given;
    }
    if (given != -1) {
      throw new ArgumentException(
          "oneHot: numClasses must not be negative, or -1 for the largest index plus 1, but is %d."
              .formatted(given));
    }
    if (x.numel() == 0) {
      throw new ArgumentException(
          "oneHot: numClasses must be given where there are no indices, but self has shape %s."
              .formatted(x.shape()));
    }
    long largest = x.whileHeld(ReferenceStatistics::range)[1];
    return Math.max(Math.max(largest, largest + 1), 1);
  }
}
