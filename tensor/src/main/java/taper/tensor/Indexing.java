package taper.tensor;

import java.util.List;
import java.util.Map;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceIndexing;
import taper.tensor.spi.AlongDims;

/// Picking elements by index or by condition, and writing them.
///
/// Tensors of indices are `int64` (or `int32`, which is converted). An index out of range is an error that names it.
public sealed interface Indexing permits Tensor {

  /// Returns this tensor.
  Tensor self();

  // x[...]

  /// Returns the part at the given indices of the leading dimensions, as a view.
  ///
  /// - Shape: `[a b c] -> [c]` for two indices
  ///
  /// @param indices count from the end if they are negative
  /// @throws ArgumentException if one lies outside, or there are more than dimensions
  default Tensor get(long... indices) {
    return Indexes.get(self(), Indexes.leading(indices));
  }

  /// Returns the part that the index names: a view if it holds no tensors, else a copy.
  ///
  /// - Shape: as in PyTorch. Where tensors of indices stand side by side, their common shape takes the place of their
  ///   dimensions; where other parts stand between them, it comes first.
  ///
  /// @throws ArgumentException if an index lies outside, there are more than dimensions, or two ellipses
  /// @throws ShapeException if a mask has other sizes than its dimensions, or tensors of indices do not broadcast
  default Tensor get(Index... index) {
    return Indexes.get(self(), index);
  }

  /// Writes `value`, which broadcasts and is converted, into the part that the index names, and returns this tensor.
  ///
  /// @throws ShapeException if the value does not broadcast to the part
  default Tensor set(Tensor value, Index... index) {
    return Indexes.set(self(), value, index, false);
  }

  /// Writes `value` into every element of the part that the index names, and returns this tensor.
  default Tensor set(double value, Index... index) {
    return Indexes.set(self(), Tensor.number(value), index, false);
  }

  /// Writes `value` into every element of the part that the index names, and returns this tensor.
  default Tensor set(long value, Index... index) {
    return Indexes.set(self(), Tensor.number(value), index, false);
  }

  /// Writes `value`, which broadcasts, into the part at the given indices of the leading dimensions.
  default Tensor set(Tensor value, long... indices) {
    return Indexes.set(self(), value, Indexes.leading(indices), false);
  }

  /// Adds `value`, which broadcasts and is converted, to the part that the index names, and returns this tensor. An
  /// element that the index names several times is added to several times.
  default Tensor accumulate(Tensor value, Index... index) {
    return Indexes.set(self(), value, index, true);
  }

  // Along one dimension

  /// Returns the elements that `index` names along dimension `dim`: `out[i][j] = self[index[i][j]][j]` for `dim` 0.
  ///
  /// - Shape: that of `index`, which must be at most as large as this tensor in every other dimension
  /// - Gradient: to this tensor
  ///
  /// @throws ArgumentException if an index lies outside
  /// @throws ShapeException if the numbers of dimensions differ, or `index` is too large
  default Tensor gather(int dim, Tensor index) {
    return Operators.GATHER.on(Indexes.dim("gather", dim, self()), self(), Indexes.typed(index));
  }

  /// Returns a copy with the elements of `source` written where `index` says along dimension `dim`:
  /// `out[index[i][j]][j] = source[i][j]` for `dim` 0. Where several go to one place, one of them wins.
  ///
  /// @throws ArgumentException if an index lies outside
  /// @throws ShapeException if `index` is larger than `source`, or than this tensor in another dimension
  default Tensor scatter(int dim, Tensor index, Tensor source) {
    return Operators.SCATTER.on(Indexes.dim("scatter", dim, self()), self(), index, source);
  }

  /// As [#scatter(int, Tensor, Tensor)] with one number for all.
  default Tensor scatter(int dim, Tensor index, double value) {
    return scatter(dim, index, Indexes.filled("scatter", self(), value, index.sizesInternal()));
  }

  /// Returns a copy with the elements of `source` added to, or multiplied with, those where `index` says along dimension
  /// `dim`.
  ///
  /// @param reduce [Combine#SUM] or [Combine#PROD]: PyTorch's `add` and `multiply`
  default Tensor scatter(int dim, Tensor index, Tensor source, Combine reduce) {
    return self().scatterReduce(dim, index, source, reduce);
  }

  /// Returns a copy with `value` added to, or multiplied with, the elements where `index` says along dimension `dim`.
  default Tensor scatter(int dim, Tensor index, double value, Combine reduce) {
    return scatter(
        dim, index, Indexes.filled("scatter", self(), value, index.sizesInternal()), reduce);
  }

  /// Combines the elements of `source` with those where `index` says along dimension `dim`, in place.
  default Tensor scatter_(int dim, Tensor index, Tensor source, Combine reduce) {
    return self().scatterReduce_(dim, index, source, reduce, true);
  }

  /// Combines `value` with the elements where `index` says along dimension `dim`, in place.
  default Tensor scatter_(int dim, Tensor index, double value, Combine reduce) {
    return scatter_(
        dim, index, Indexes.filled("scatter_", self(), value, index.sizesInternal()), reduce);
  }

  /// Writes the elements of `source` where `index` says along dimension `dim`, in place.
  default Tensor scatter_(int dim, Tensor index, Tensor source) {
    Checks.apart("scatter_", self(), index, source);
    return Operators.SCATTER.inPlace(Indexes.dim("scatter_", dim, self()), self(), index, source);
  }

  /// Writes `value` where `index` says along dimension `dim`, in place.
  default Tensor scatter_(int dim, Tensor index, double value) {
    return scatter_(dim, index, Indexes.filled("scatter_", self(), value, index.sizesInternal()));
  }

  /// Returns a copy with the elements of `source` added where `index` says along dimension `dim`:
  /// `out[index[i][j]][j] += source[i][j]` for `dim` 0.
  ///
  /// @throws ArgumentException if an index lies outside
  /// @throws ShapeException if `index` is larger than `source`, or than this tensor in another dimension
  default Tensor scatterAdd(int dim, Tensor index, Tensor source) {
    return Operators.SCATTER_ADD.on(Indexes.dim("scatterAdd", dim, self()), self(), index, source);
  }

  /// Adds the elements of `source` where `index` says along dimension `dim`, in place.
  default Tensor scatterAdd_(int dim, Tensor index, Tensor source) {
    Checks.apart("scatterAdd_", self(), index, source);
    return Operators.SCATTER_ADD.inPlace(
        Indexes.dim("scatterAdd_", dim, self()), self(), index, source);
  }

  /// Returns the parts of dimension `dim` that `index` names, in its order.
  ///
  /// - Shape: `[a b c], [n] -> [a n c]` for dimension 1
  ///
  /// @throws ArgumentException if an index lies outside
  default Tensor indexSelect(int dim, Tensor index) {
    return Operators.INDEX_SELECT.on(Indexes.dim("indexSelect", dim, self()), self(), index);
  }

  /// Returns a copy with the parts of `source` along `dim` added where `index` says.
  ///
  /// - Shape: `[a b c], [n], [a n c] -> [a b c]` for dimension 1
  ///
  /// @throws ArgumentException if an index lies outside
  /// @throws ShapeException if `source` has other sizes
  default Tensor indexAdd(int dim, Tensor index, Tensor source) {
    return indexAdd(dim, index, source, 1);
  }

  /// Returns a copy with `alpha` times the parts of `source` along `dim` added where `index` says.
  default Tensor indexAdd(int dim, Tensor index, Tensor source, double alpha) {
    return Operators.INDEX_ADD.on(
        Indexes.dim("indexAdd", dim, self()), self(), index, MatrixProducts.scaled(source, alpha));
  }

  /// Adds the parts of `source` along `dim` where `index` says, in place.
  default Tensor indexAdd_(int dim, Tensor index, Tensor source) {
    return indexAdd_(dim, index, source, 1);
  }

  /// Adds `alpha` times the parts of `source` along `dim` where `index` says, in place.
  default Tensor indexAdd_(int dim, Tensor index, Tensor source, double alpha) {
    Checks.apart("indexAdd_", self(), index, source);
    return Operators.INDEX_ADD.inPlace(
        Indexes.dim("indexAdd_", dim, self()), self(), index, MatrixProducts.scaled(source, alpha));
  }

  // By condition

  /// Returns the elements at which `mask` is true, in row-major order; both broadcast.
  ///
  /// - Shape: `[*], [*] -> [n]`
  ///
  /// @throws DTypeException if `mask` is not `bool`
  default Tensor maskedSelect(Tensor mask) {
    return Indexes.maskedSelect(self(), mask);
  }

  /// Returns the places of the elements that are not 0, one in each row, in row-major order, `int64`.
  ///
  /// - Shape: `[*] -> [n r]` for rank `r`
  default Tensor nonzero() {
    Tensor x = self().isComplex() ? self().ne(0) : self();
    return Operators.NONZERO.on(new Count(x.whileHeld(ReferenceIndexing::countNonzero)), x);
  }

  // Tables

  /// Returns the rows of `weight` that this tensor of indices names.
  ///
  /// - Shape: `[*b], weight[v d] -> [*b d]`
  ///
  /// @throws ArgumentException if an index lies outside
  default Tensor embedding(Tensor weight) {
    return Operators.EMBEDDING.on(new Embedding(-1), weight, self());
  }

  /// Returns the rows of `weight` that this tensor of indices names. Row `paddingIdx` gets no gradient.
  ///
  /// - Shape: `[*b], weight[v d] -> [*b d]`
  ///
  /// @param paddingIdx a row, counted from the end if negative
  /// @throws ArgumentException if an index lies outside, or the row is none of the weight's
  default Tensor embedding(Tensor weight, long paddingIdx) {
    long row = Bags.row("embedding", paddingIdx, weight);
    return Operators.EMBEDDING.on(new Embedding(row), weight, self());
  }

  /// Returns a vector of zeros with a one at the place of each index; the length is the largest index plus 1.
  ///
  /// - Shape: `[*b] -> [*b c]`
  ///
  /// @throws ArgumentException if an index is negative
  default Tensor oneHot() {
    return oneHot(-1);
  }

  /// Returns a vector of zeros with a one at the place of each index, `int64`.
  ///
  /// - Shape: `[*b] -> [*b numClasses]`
  ///
  /// @param numClasses the length, or -1 for the largest index plus 1
  /// @throws ArgumentException if an index is negative or too large
  default Tensor oneHot(long numClasses) {
    return Operators.ONE_HOT.on(new Count(Indexes.classes(self(), numClasses)), self());
  }

  /// The dimensions that tensors of indices stand for.
  ///
  /// @param dims one for each tensor, rising
  record Picked(int[] dims) implements AlongDims.NoScalar {
    @Override
    public int[] alongDims() {
      return dims;
    }
  }

  /// How values are written where tensors of indices say.
  ///
  /// @param dims one dimension for each tensor, rising
  /// @param accumulate whether they are added to what is there
  record Put(int[] dims, boolean accumulate) implements AlongDims.NoScalar {
    @Override
    public int[] alongDims() {
      return dims;
    }
  }

  /// A number of elements or classes.
  ///
  /// @param count how many
  record Count(long count) {}

  /// A table of rows.
  ///
  /// @param paddingIdx the row without gradient, or -1 for none
  record Embedding(long paddingIdx) {}

  /// A table of rows, and its size.
  ///
  /// @param rows how many there are
  /// @param paddingIdx the row without gradient, or -1 for none
  record EmbeddingRows(long rows, long paddingIdx) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("indexing");

    static final Operator<Picked> INDEX =
        FAMILY
            .<Picked>structured("index", "self[*], indices...[*] -> [*]", ReferenceIndexing.INDEX)
            .shape((a, in) -> Indexes.pickedShape(a.dims(), in))
            .check((a, in) -> Indexes.checkPicks("index", a.dims(), in, 1))
            .dtypes(DTypes.ANY.fixed("indices", DType.INT64).complexByParts())
            .gradient("self", Keeps.inputs("indices"), Indexes::indexGradient)
            .torch("aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor")
            .sample(new Picked(new int[] {0}), "f32[3 4], i64[5] in -3..2")
            .sample(new Picked(new int[] {1}), "f32[3 4 2], i64[2 2] in 0..3")
            .sample(new Picked(new int[] {0, 2}), "f32[3 4 2], i64[2 1] in 0..2, i64[3] in 0..1")
            .sample(new Picked(new int[] {1, 2}), "f32[3 4 2], i64[3] in 0..3, i64[3] in 0..1")
            .sample(new Picked(new int[] {0}), "f32[3 4], i64[0]")
            .sample(new Picked(new int[] {0}), "c64[3 4], i64[5] in -3..2")
            .rejects(
                new Picked(new int[] {0, 1}),
                "f32[3 4], i64[2] in 0..2",
                "index: there must be a dimension of self for each of the 1 tensors of indices,"
                    + " rising, but they are [0, 1] for shape [3, 4].")
            .rejects(
                new Picked(new int[] {1}),
                "f32[3 4], i64[2] in -5..-5",
                "index: indices of dimension 1 of shape [3, 4] must be in -4..3, but indices[0][0]"
                    + " is -5.")
            .declare();

    static final Operator<Put> INDEX_PUT =
        FAMILY
            .<Put>structured(
                "indexPut",
                "self[*a], values[*b], indices...[*] -> [*a]",
                ReferenceIndexing.INDEX_PUT)
            .shape(Indexes::putShape)
            .check((a, in) -> Indexes.checkPicks("indexPut", a.dims(), in, 2))
            .dtypes(DTypes.SAME.fixed("indices", DType.INT64).complexByParts())
            .gradient("self", Keeps.inputs("indices"), Indexes::putSelfGradient)
            .gradient("values", Keeps.inputs("indices"), Indexes::putValuesGradient)
            .torch(
                "aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool"
                    + " accumulate=False) -> Tensor")
            .sample(new Put(new int[] {0}, false), "f32[7 4], f32[1 4], i64[1] in 0..6")
            .sample(new Put(new int[] {0}, true), "f32[3 4], f32[5 4], i64[5] in 0..2")
            .sample(
                new Put(new int[] {0, 2}, true),
                "f32[3 4 2], f32[2 3 4], i64[2 1] in 0..2, i64[3] in 0..1")
            .sample(new Put(new int[] {0}, true), "c64[3 4], c64[5 4], i64[5] in 0..2")
            .declare();

    static final Operator<Shapes.Dim> GATHER =
        FAMILY
            .<Shapes.Dim>structured(
                "gather", "self[*a], index[*b] -> [*b]", ReferenceIndexing.GATHER)
            .shape(Indexes::gatherShape)
            .check((a, in) -> Indexes.checkAlong("gather", a, in))
            .dtypes(DTypes.ANY.fixed("index", DType.INT64).complexByParts())
            .gradient(
                "self",
                Keeps.inputs("index"),
                b ->
                    Tensor.zeros(b.grad().dtype(), b.sizes("self"))
                        .scatterAdd(b.attributes().dim(), b.input("index"), b.grad()))
            .torch(
                "aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) ->"
                    + " Tensor")
            .sample(new Shapes.Dim(1), "f32[3 4], i64[3 2] in 0..3")
            .sample(new Shapes.Dim(0), "f32[3 4 2], i64[5 4 1] in 0..2")
            .sample(new Shapes.Dim(0), "f32[], i64[] in 0..0")
            .sample(new Shapes.Dim(0), "f32[3 4], i64[0 4]")
            .sample(new Shapes.Dim(1), "c64[3 4], i64[3 2] in 0..3")
            .rejects(
                new Shapes.Dim(0),
                "f32[3 4], i64[3]",
                "gather: index must have as many dimensions as self, but index has shape [3] and"
                    + " self [3, 4].")
            .rejects(
                new Shapes.Dim(0),
                "f32[3 4], i64[1 2] in 3..3",
                "gather: index must be in 0..2, but index[0, 0] is 3.")
            .rejects(
                new Shapes.Dim(0),
                "f32[3 4], i64[3 5]",
                "gather: index must not be larger than self except along dim 0, but dimension 1 is"
                    + " 5 in index [3, 5] and 4 in self [3, 4].")
            .declare();

    static final Operator<Shapes.Dim> SCATTER =
        FAMILY
            .<Shapes.Dim>structured(
                "scatter",
                "self[*a], index[*b], source[*c] -> [*a]",
                ReferenceIndexing.scatter(false))
            .shape((a, in) -> Indexes.scatterShape("scatter", a, in))
            .check((a, in) -> Indexes.checkAlong("scatter", a, in))
            .dtypes(DTypes.SAME.fixed("index", DType.INT64).complexByParts())
            .gradient(
                "self",
                Keeps.inputs("index"),
                b -> b.grad().scatter(b.attributes().dim(), b.input("index"), 0))
            .gradient("source", Keeps.inputs("index"), Indexes::scatterSourceGradient)
            .torch("aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor")
            .torch(
                "aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor")
            .sample(new Shapes.Dim(1), "f32[3 4], i64[3 1] in 0..3, f32[3 1]")
            .sample(new Shapes.Dim(0), "f32[5 4], i64[1 3] in 0..4, f32[2 4]")
            .rejects(
                new Shapes.Dim(0),
                "f32[3 4], i64[2 4] in 0..2, f32[1 4]",
                "scatter: index must not be larger than source, but dimension 0 is 2 in index [2,"
                    + " 4] and 1 in source [1, 4].")
            .rejects(
                new Shapes.Dim(0),
                "f32[3], i64[2] in 0..2, f32[]",
                "scatter: index must not be larger than source, but dimension 0 is 2 in index [2] and"
                    + " 1 in source [].")
            .declare();

    static final Operator<Shapes.Dim> SCATTER_ADD =
        FAMILY
            .<Shapes.Dim>structured(
                "scatterAdd",
                "self[*a], index[*b], source[*c] -> [*a]",
                ReferenceIndexing.scatter(true))
            .shape((a, in) -> Indexes.scatterShape("scatterAdd", a, in))
            .check((a, in) -> Indexes.checkAlong("scatterAdd", a, in))
            .dtypes(DTypes.SAME.fixed("index", DType.INT64).complexByParts())
            .gradient("self", Keeps.NOTHING, Backward::grad)
            .gradient("source", Keeps.inputs("index"), Indexes::scatterSourceGradient)
            .torch("aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor")
            .sample(new Shapes.Dim(1), "f32[3 4], i64[3 5] in 0..3, f32[3 5]")
            .sample(new Shapes.Dim(0), "f32[5 4], i64[2 3] in 0..4, f32[2 4]")
            .sample(new Shapes.Dim(1), "c64[3 4], i64[3 5] in 0..3, c64[3 5]")
            .declare();

    static final Operator<Shapes.Dim> INDEX_SELECT =
        FAMILY
            .<Shapes.Dim>structured(
                "indexSelect", "self[*a], index[*b] -> [*c]", ReferenceIndexing.INDEX_SELECT)
            .shape(Indexes::indexSelectShape)
            .check((a, in) -> Indexes.checkAlong("indexSelect", a, in))
            .dtypes(DTypes.ANY.fixed("index", DType.INT64).complexByParts())
            .gradient(
                "self",
                Keeps.inputs("index"),
                b ->
                    Tensor.zeros(b.grad().dtype(), b.sizes("self"))
                        .indexAdd(b.attributes().dim(), b.input("index"), b.grad()))
            .torch("aten::index_select(Tensor self, int dim, Tensor index) -> Tensor")
            .sample(new Shapes.Dim(0), "f32[3 4], i64[5] in 0..2")
            .sample(new Shapes.Dim(1), "f32[3 4 2], i64[2] in 0..3")
            .sample(new Shapes.Dim(0), "f32[3 4], i64[0]")
            .sample(new Shapes.Dim(0), "f32[], i64[1] in 0..0")
            .rejects(
                new Shapes.Dim(0),
                "f32[], i64[5] in 0..0",
                "indexSelect: index must have one element where self is a single number, but has"
                    + " shape [5].")
            .rejects(
                new Shapes.Dim(0),
                "f32[3 4], i64[2 2]",
                "indexSelect: index must be a vector, but has shape [2, 2].")
            .declare();

    static final Operator<Shapes.Dim> INDEX_ADD =
        FAMILY
            .<Shapes.Dim>structured(
                "indexAdd", "self[*a], index[*b], source[*c] -> [*a]", ReferenceIndexing.INDEX_ADD)
            .shape(Indexes::indexAddShape)
            .check((a, in) -> Indexes.checkAlong("indexAdd", a, in))
            .dtypes(DTypes.SAME.fixed("index", DType.INT64).complexByParts())
            .gradient("self", Keeps.NOTHING, Backward::grad)
            .gradient(
                "source",
                Keeps.inputs("index"),
                b ->
                    b.grad()
                        .indexSelect(b.attributes().dim(), b.input("index"))
                        .reshape(b.sizes("source")))
            .torch(
                "aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar"
                    + " alpha=1) -> Tensor")
            .sample(new Shapes.Dim(0), "f32[3 4], i64[5] in 0..2, f32[5 4]")
            .sample(new Shapes.Dim(1), "f32[3 4 2], i64[2] in 0..3, f32[3 2 2]")
            .sample(new Shapes.Dim(0), "c64[3 4], i64[5] in 0..2, c64[5 4]")
            .rejects(
                new Shapes.Dim(0),
                "f32[3 4], i64[2] in 0..2, f32[3 4]",
                "indexAdd: source must have the sizes of self with 2 along dim 0, [2, 4], but has"
                    + " shape [3, 4].")
            .declare();

    static final Operator<Count> NONZERO =
        FAMILY
            .<Count>structured("nonzero", "self[*] -> [n r]", ReferenceIndexing.NONZERO)
            .shape((a, in) -> Indexes.nonzeroShape(a, in))
            .dtypes(DTypes.ANY.results(DTypes.Result.INT64))
            .notDifferentiable()
            .torch("aten::nonzero(Tensor self) -> Tensor")
            .sample(new Count(12), "f32[3 4] in 1..2")
            .rejects(
                new Count(5),
                "f32[3 4] in 1..2",
                "nonzero: the elements that hold must be as many as the result has, 5, but are 12."
                    + " Another thread may have changed them.")
            .declare();

    static final Operator<Count> MASKED_SELECT =
        FAMILY
            .<Count>structured(
                "maskedSelect", "self[*a], mask[*a] -> [n]", ReferenceIndexing.MASKED_SELECT)
            .shape((a, in) -> {
              Indexes.checkCount("maskedSelect", a.count());
              return List.of(new long[] {a.count()});
            })
            .dtypes(DTypes.ANY.fixed("mask", DType.BOOL).complexByParts())
            .gradient("self", Keeps.inputs("mask"), Indexes::maskedSelectGradient)
            .torch("aten::masked_select(Tensor self, Tensor mask) -> Tensor")
            .sample(new Count(12), "f32[3 4], bool[3 4] in 1..1")
            .sample(new Count(0), "f32[0 4], bool[0 4]")
            .rejects(
                new Count(13),
                "f32[3 4], bool[3 4] in 1..1",
                "maskedSelect: the elements that hold must be as many as the result has, 13, but are"
                    + " 12. Another thread may have changed them.")
            .declare();

    static final Operator<Embedding> EMBEDDING =
        FAMILY
            .<Embedding>structured(
                "embedding", "weight[v d], indices[*b] -> [*b d]", ReferenceIndexing.EMBEDDING)
            .check((a, in) -> {
              Indexes.checkPadding("embedding", a.paddingIdx(), Indexes.rows(in));
              Indexes.checkRows("embedding", "indices", in, 1, Indexes.rows(in));
            })
            .dtypes(DTypes.ANY.fixed("indices", DType.INT64).complexByParts())
            .gradient(
                "weight",
                Keeps.inputs("indices"),
                b ->
                    Operators.EMBEDDING_GRADIENT.on(
                        new EmbeddingRows(b.sizes("weight")[0], b.attributes().paddingIdx()),
                        b.grad(),
                        b.input("indices")))
            .torch(
                "aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool"
                    + " scale_grad_by_freq=False, bool sparse=False) -> Tensor")
            .sample(new Embedding(-1), "f32[7 3], i64[4] in 0..6")
            .sample(new Embedding(4), "f32[5 3], i64[2 6] in 0..4")
            .sample(new Embedding(-1), "f32[5 3], i64[] in 0..4")
            .sample(new Embedding(-1), "f32[5 3], i64[0 2]")
            .rejects(
                new Embedding(6),
                "f32[5 3], i64[2] in 0..4",
                "embedding: paddingIdx must be a row, in 0..4, or -1 for none, but is 6.")
            .rejects(
                new Embedding(-1),
                "f32[5 3], i64[2] in 7..7",
                "embedding: indices must be in 0..4, but indices[0] is 7.")
            .rejects(
                new Embedding(-1),
                "f32[5 3], f32[2]",
                "embedding: indices must be int64, but is float32. Convert it with"
                    + " .to(DType.INT64).")
            .declare();

    static final Operator<EmbeddingRows> EMBEDDING_GRADIENT =
        FAMILY
            .<EmbeddingRows>structured(
                "embeddingGradient",
                "grad[*b d], indices[*b] -> [v d]",
                ReferenceIndexing.EMBEDDING_GRADIENT)
            .sizes((a, _) -> Indexes.gradientRows("embeddingGradient", a.rows(), a.paddingIdx()))
            .check((a, in) -> Indexes.checkRows("embeddingGradient", "indices", in, 1, a.rows()))
            .dtypes(DTypes.SAME_FLOATING.fixed("indices", DType.INT64).complexByParts())
            .gradient("grad", Keeps.inputs("indices"), Indexes::embeddingSecondGradient)
            .gradientName("EmbeddingDenseBackwardBackward0")
            .own()
            .sample(new EmbeddingRows(7, -1), "f32[4 3], i64[4] in 0..6")
            .sample(new EmbeddingRows(5, 2), "f32[2 6 3], i64[2 6] in 0..4")
            .rejects(
                new EmbeddingRows(5, 6),
                "f32[2 3], i64[2] in 0..4",
                "embeddingGradient: paddingIdx must be a row, in 0..4, or -1 for none, but is 6.")
            .rejects(
                new EmbeddingRows(5, -1),
                "f32[2 3], i64[2] in 5..5",
                "embeddingGradient: indices must be in 0..4, but indices[0] is 5.")
            .rejects(
                new EmbeddingRows(5, -1),
                "f32[2 3], i64[3] in 0..4",
                "embeddingGradient: shapes must broadcast, but dimension -1 is 2 in grad [2, 3] and"
                    + " 3 in indices [3]. Sizes must be equal or 1; see unsqueeze and expand.")
            .declare();

    static final Operator<Count> ONE_HOT =
        FAMILY
            .<Count>structured("oneHot", "self[*b] -> [*b c]", ReferenceIndexing.ONE_HOT)
            .sizes((a, shapes) -> {
              Indexes.checkCount("oneHot", a.count());
              return Map.of("c", a.count());
            })
            .check((a, in) -> Indexes.checkRows("oneHot", "self", in, 0, a.count()))
            .dtypes(DTypes.ANY.fixed("self", DType.INT64).results(DTypes.Result.INT64))
            .notDifferentiable()
            .torch("aten::one_hot(Tensor self, int num_classes=-1) -> Tensor")
            .sample(new Count(5), "i64[3] in 0..4")
            .sample(new Count(3), "i64[2 2] in 0..2")
            .rejects(
                new Count(3), "i64[2] in 3..3", "oneHot: self must be in 0..2, but self[0] is 3.")
            .declare();

    private Operators() {}
  }
}
