package taper.tensor;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceIndexing;
import taper.tensor.spi.AlongDims;

/// Reading and writing of elements that index tensors name.
public sealed interface Scattering permits Tensor {

  /// Returns this tensor.
  Tensor self();

  // Reading

  /// Returns the elements that `index` names, counted in row-major order.
  ///
  /// - Shape: that of `index`
  ///
  /// @param index counts from the end if it is negative
  /// @throws ArgumentException if an index lies outside
  default Tensor take(Tensor index) {
    return Scatters.take(self(), index);
  }

  /// Returns the elements that `indices` names along dimension `dim`, as [Indexing#gather(int, Tensor)]; both broadcast
  /// along the other dimensions.
  ///
  /// @throws ArgumentException if an index lies outside
  /// @throws ShapeException if the numbers of dimensions differ, or they do not broadcast
  default Tensor takeAlongDim(Tensor indices, int dim) {
    return Scatters.takeAlongDim(self(), indices, dim);
  }

  /// Returns the elements that `indices` names, counted in row-major order, in one dimension.
  ///
  /// @throws ArgumentException if an index lies outside
  default Tensor takeAlongDim(Tensor indices) {
    return self().flatten().gather(0, indices.flatten());
  }

  /// Returns the places of the elements that are not 0, one in each row: [Indexing#nonzero()] under NumPy's name.
  default Tensor argwhere() {
    return self().nonzero();
  }

  /// Returns the places of the elements that are not 0: a vector of indices for each dimension, as `x.get` takes them.
  default List<Tensor> nonzeroTuple() {
    Tensor deep = self().dim() == 0 ? self().unsqueeze(0) : self();
    return deep.nonzero().unbind(1);
  }

  /// Returns the places at which this condition is true: a vector of indices for each dimension.
  default List<Tensor> where() {
    return nonzeroTuple();
  }

  // Writing by index

  /// Returns a copy with `values` written where `indices` say: `x[indices] = values`.
  ///
  /// @param indices one tensor for each of the leading dimensions, or null for a dimension that is not indexed; truth
  ///     values stand for the places where they are true
  /// @throws ArgumentException if an index lies outside
  /// @throws ShapeException if `values` does not broadcast to the indexed part
  default Tensor indexPut(List<? extends @Nullable Tensor> indices, Tensor values) {
    return indexPut(indices, values, false);
  }

  /// Returns a copy with `values` written, or added, where `indices` say.
  ///
  /// @param accumulate whether they are added to what is there
  default Tensor indexPut(
      List<? extends @Nullable Tensor> indices, Tensor values, boolean accumulate) {
    return indexPut_(self().clone(), indices, values, accumulate);
  }

  /// Writes `values` where `indices` say, in place.
  default Tensor indexPut_(List<? extends @Nullable Tensor> indices, Tensor values) {
    return indexPut_(self(), indices, values, false);
  }

  /// Writes `values`, or adds them, where `indices` say, in place.
  ///
  /// @param accumulate whether they are added to what is there
  default Tensor indexPut_(
      List<? extends @Nullable Tensor> indices, Tensor values, boolean accumulate) {
    return indexPut_(self(), indices, values, accumulate);
  }

  private static Tensor indexPut_(
      Tensor target, List<? extends @Nullable Tensor> indices, Tensor values, boolean accumulate) {
    Scatters.sameType("indexPut", target, "values", values);
    Index[] index = Scatters.index(indices);
    return accumulate ? target.accumulate(values, index) : target.set(values, index);
  }

  /// Returns a copy with the elements of `source` written where `index` says, counted in row-major order.
  ///
  /// @throws ArgumentException if an index lies outside
  /// @throws ShapeException if `source` and `index` have different numbers of elements
  default Tensor put(Tensor index, Tensor source) {
    return put(index, source, false);
  }

  /// Returns a copy with the elements of `source` written, or added, where `index` says, counted in row-major order.
  ///
  /// @param accumulate whether they are added to what is there
  default Tensor put(Tensor index, Tensor source, boolean accumulate) {
    return Scatters.put(self(), index, source, accumulate);
  }

  /// Writes the elements of `source`, or adds them, where `index` says, in place.
  ///
  /// @param accumulate whether they are added to what is there
  default Tensor put_(Tensor index, Tensor source, boolean accumulate) {
    Checks.apart("put_", self(), index, source);
    if (!self().isContiguous()) {
      return self().copy_(put(index, source, accumulate));
    }
    Scatters.checkPut(index, source, self());
    Index[] at = {Index.of(index.flatten())};
    Tensor flat = self().view(-1);
    if (accumulate) {
      flat.accumulate(source.flatten(), at);
    } else {
      flat.set(source.flatten(), at);
    }
    return self();
  }

  /// Returns a copy with the parts of `source` along `dim` written where `index` says.
  ///
  /// - Shape: `[a b c], [n], [a n c] -> [a b c]` for dimension 1
  ///
  /// @throws ArgumentException if an index lies outside
  /// @throws ShapeException if `source` has other sizes
  default Tensor indexCopy(int dim, Tensor index, Tensor source) {
    return Scatters.indexCopy("indexCopy", self(), dim, index, source, false);
  }

  /// Writes the parts of `source` along `dim` where `index` says, in place.
  default Tensor indexCopy_(int dim, Tensor index, Tensor source) {
    Checks.apart("indexCopy_", self(), index, source);
    return Scatters.indexCopy("indexCopy_", self(), dim, index, source, true);
  }

  /// Returns a copy with `value` in the parts along `dim` that `index` names.
  ///
  /// @throws ArgumentException if an index lies outside
  default Tensor indexFill(int dim, Tensor index, double value) {
    return Scatters.indexFill(
        self(), dim, index, Indexes.filled("indexFill", self(), value), false);
  }

  /// Returns a copy with the complex number `value` in the parts along `dim` that `index` names.
  default Tensor indexFill(int dim, Tensor index, Complex value) {
    return Scatters.indexFill(self(), dim, index, Tensor.full(self().dtype(), value), false);
  }

  /// Returns a copy with the one element of `value` in the parts along `dim` that `index` names.
  ///
  /// @throws ShapeException if `value` has more than 0 dimensions
  default Tensor indexFill(int dim, Tensor index, Tensor value) {
    return Scatters.indexFill(self(), dim, index, value, false);
  }

  /// Writes `value` into the parts along `dim` that `index` names, in place.
  default Tensor indexFill_(int dim, Tensor index, double value) {
    return Scatters.indexFill(
        self(), dim, index, Indexes.filled("indexFill_", self(), value), true);
  }

  /// Writes the one element of `value` into the parts along `dim` that `index` names, in place.
  default Tensor indexFill_(int dim, Tensor index, Tensor value) {
    return Scatters.indexFill(self(), dim, index, value, true);
  }

  /// Returns a copy with the elements of `source`, in row-major order, where `mask` is true; this tensor and the mask
  /// broadcast.
  ///
  /// @throws DTypeException if `mask` is not `bool`, or `source` has another type than this tensor
  /// @throws ShapeException if `source` has fewer elements than `mask` has true ones
  default Tensor maskedScatter(Tensor mask, Tensor source) {
    return Scatters.maskedScatter(self(), mask, source, false);
  }

  /// Writes the elements of `source`, in row-major order, where `mask`, which broadcasts, is true, in place.
  default Tensor maskedScatter_(Tensor mask, Tensor source) {
    Checks.apart("maskedScatter_", self(), mask, source);
    return Scatters.maskedScatter(self(), mask, source, true);
  }

  // Combining

  /// Returns a copy in which the elements of `source` are combined with those of this tensor where `index` says along
  /// dimension `dim`.
  ///
  /// @throws ArgumentException if an index lies outside
  /// @throws ShapeException if `index` is larger than `source`, or than this tensor in another dimension
  default Tensor scatterReduce(int dim, Tensor index, Tensor source, Combine reduce) {
    return scatterReduce(dim, index, source, reduce, true);
  }

  /// Returns a copy in which the elements of `source` are combined where `index` says along dimension `dim`.
  ///
  /// @param includeSelf whether the elements of this tensor take part; if not, those that `index` names are replaced
  default Tensor scatterReduce(
      int dim, Tensor index, Tensor source, Combine reduce, boolean includeSelf) {
    var a = new ScatterReduce(Checks.dim("scatterReduce", dim, self().dim()), reduce, includeSelf);
    return Operators.SCATTER_REDUCE.on(a, self(), index, source);
  }

  /// Combines the elements of `source` with those of this tensor where `index` says along dimension `dim`, in place.
  ///
  /// @param includeSelf whether the elements of this tensor take part; if not, those that `index` names are replaced
  default Tensor scatterReduce_(
      int dim, Tensor index, Tensor source, Combine reduce, boolean includeSelf) {
    Checks.apart("scatterReduce_", self(), index, source);
    var a = new ScatterReduce(Checks.dim("scatterReduce_", dim, self().dim()), reduce, includeSelf);
    return Operators.SCATTER_REDUCE.inPlace(a, self(), index, source);
  }

  /// Returns a copy in which the parts of `source` along `dim` are combined where `index` says.
  ///
  /// - Shape: `[a b c], [n], [a n c] -> [a b c]` for dimension 1
  ///
  /// @param includeSelf whether the elements of this tensor take part; if not, those that `index` names are replaced
  /// @throws ArgumentException if an index lies outside
  /// @throws ShapeException if `source` has other sizes
  default Tensor indexReduce(
      int dim, Tensor index, Tensor source, Combine reduce, boolean includeSelf) {
    Tensor wide = Scatters.along("indexReduce", self(), dim, index, source);
    return scatterReduce(dim, wide, source, reduce, includeSelf);
  }

  /// Combines the parts of `source` along `dim` with those of this tensor where `index` says, in place.
  ///
  /// @param includeSelf whether the elements of this tensor take part; if not, those that `index` names are replaced
  default Tensor indexReduce_(
      int dim, Tensor index, Tensor source, Combine reduce, boolean includeSelf) {
    Tensor wide = Scatters.along("indexReduce_", self(), dim, index, source);
    return scatterReduce_(dim, wide, source, reduce, includeSelf);
  }

  /// Returns the combined elements of segments of dimension `axis`, which follow each other.
  ///
  /// - Shape: `[a b], lengths[n] -> [n b]` for axis 0; with leading dimensions, `lengths` has them too
  ///
  /// @param lengths how long the segments are, `int64`; they add up to the size of the axis
  /// @throws ShapeException if they do not, or `lengths` does not fit the leading dimensions
  default Tensor segmentReduce(Combine reduce, Tensor lengths, int axis) {
    return Scatters.segmentReduce(self(), reduce, lengths, axis, null);
  }

  /// Returns the combined elements of segments of dimension `axis`, each combined with `initial`, too.
  default Tensor segmentReduce(Combine reduce, Tensor lengths, int axis, double initial) {
    return Scatters.segmentReduce(self(), reduce, lengths, axis, initial);
  }

  /// How elements are combined along a dimension.
  ///
  /// @param dim the dimension
  /// @param reduce the way
  /// @param includeSelf whether what is there takes part
  record ScatterReduce(int dim, Combine reduce, boolean includeSelf) implements AlongDims {
    @Override
    public int[] alongDims() {
      return new int[] {dim};
    }
  }

  /// How elements of segments are combined.
  ///
  /// @param axis the dimension
  /// @param reduce the way
  /// @param initial what takes part in each segment, or null
  record SegmentReduce(int axis, Combine reduce, @Nullable Double initial)
      implements AlongDims.NoScalar {
    @Override
    public int[] alongDims() {
      return new int[] {axis};
    }
  }

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("scattering");

    static final Operator<ScatterReduce> SCATTER_REDUCE =
        FAMILY
            .<ScatterReduce>structured(
                "scatterReduce",
                "self[*a], index[*b], source[*c] -> [*a]",
                ReferenceIndexing.SCATTER_REDUCE)
            .shape((a, in) -> Indexes.scatterShape("scatterReduce", new Shapes.Dim(a.dim()), in))
            .check((a, in) -> Indexes.checkAlong("scatterReduce", new Shapes.Dim(a.dim()), in))
            .dtypes(DTypes.SAME.fixed("index", DType.INT64))
            .gradient(
                "self",
                Keeps.inputs("self", "index", "source").andOutputs(0),
                Scatters::reduceSelfGradient)
            .gradient(
                "source",
                Keeps.inputs("self", "index", "source").andOutputs(0),
                Scatters::reduceSourceGradient)
            .torch(
                "aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str"
                    + " reduce, *, bool include_self=True) -> Tensor")
            .torch(
                "aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce,"
                    + " *, bool include_self=True) -> Tensor")
            .sample(new ScatterReduce(1, Combine.SUM, true), "f32[3 4], i64[3 5] in 0..3, f32[3 5]")
            .sample(
                new ScatterReduce(0, Combine.SUM, false), "f32[5 4], i64[2 3] in 0..4, f32[2 4]")
            .sample(
                new ScatterReduce(0, Combine.PROD, true), "f32[5 4], i64[7 3] in 0..4, f32[7 3]")
            .sample(
                new ScatterReduce(0, Combine.PROD, false), "f32[5 4], i64[7 3] in 0..4, f32[7 3]")
            .sample(
                new ScatterReduce(1, Combine.MEAN, true), "f32[3 4], i64[3 7] in 0..3, f32[3 7]")
            .sample(
                new ScatterReduce(1, Combine.MEAN, false), "f32[3 4], i64[3 7] in 0..3, f32[3 7]")
            .sample(
                new ScatterReduce(1, Combine.AMAX, true), "f32[3 4], i64[3 7] in 0..3, f32[3 7]")
            .sample(
                new ScatterReduce(1, Combine.AMAX, false), "f32[3 4], i64[3 7] in 0..3, f32[3 7]")
            .sample(
                new ScatterReduce(0, Combine.AMIN, true), "f32[3 4], i64[5 4] in 0..2, f32[5 4]")
            .sample(new ScatterReduce(0, Combine.AMIN, false), "f32[], i64[3] in 0..0, f32[3]")
            .rejects(
                new ScatterReduce(0, Combine.SUM, true),
                "f32[3], i64[2] in 5..5, f32[2]",
                "scatterReduce: index must be in 0..2, but index[0] is 5.")
            .declare();

    static final Operator<SegmentReduce> SEGMENT_REDUCE =
        FAMILY
            .<SegmentReduce>composite(
                "segmentReduce", "self[*a], lengths[*b] -> [*c]", Scatters::segments)
            .dtypes(DTypes.ANY)
            .check(Scatters::checkSegments)
            .gradient(
                "self", Keeps.inputs("self", "lengths").andOutputs(0), Scatters::segmentGradient)
            .torch(
                "aten::segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor?"
                    + " indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar?"
                    + " initial=None) -> Tensor")
            .sample(new SegmentReduce(0, Combine.SUM, null), "f32[4 3], i64[2] in 2..2")
            .sample(new SegmentReduce(1, Combine.MEAN, null), "f32[2 4], i64[2 2] in 2..2")
            .sample(new SegmentReduce(0, Combine.AMAX, 0.5), "f32[6], i64[2] in 3..3")
            .sample(new SegmentReduce(0, Combine.AMIN, null), "f32[6 2], i64[3] in 2..2")
            .sample(new SegmentReduce(0, Combine.PROD, 2.0), "f32[6 2], i64[3] in 2..2")
            .declare();

    private Operators() {}
  }
}
