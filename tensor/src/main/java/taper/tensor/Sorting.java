package taper.tensor;

import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.Reductions.Extremes;
import taper.tensor.Reductions.Reduce;
import taper.tensor.internal.ReferenceSorting;
import taper.tensor.spi.AlongDims;
import taper.tensor.spi.Kernel;

/// Order: sorting, ranks, distinct elements, searching.
///
/// NaN counts as the largest element. Sorting leaves equal elements in their order; where a rank could be one of several
/// equal elements, it is the one that PyTorch chooses.
public sealed interface Sorting permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the elements along the last dimension in rising order, and where they were.
  default Extremes sort() {
    return sort(-1, false);
  }

  /// Returns the elements along `dim` in rising order, and where they were.
  default Extremes sort(int dim) {
    return sort(dim, false);
  }

  /// Returns the elements along `dim` in order, and where they were. Equal elements stay in their order.
  ///
  /// - Shape: `[*] -> [*], [*]`
  /// - Gradient: to the element that each came from
  ///
  /// @param descending whether the largest comes first
  /// @throws ArgumentException if there is no such dimension
  default Extremes sort(int dim, boolean descending) {
    Order order = new Order(Checks.dim("sort", dim, self().dim()), descending);
    Tensor[] out = Operators.SORT.all(order, self());
    return new Extremes(out[0], out[1]);
  }

  /// Returns the elements along dimension 0 in rising order.
  default Tensor msort() {
    return sort(0, false).values();
  }

  /// Returns the places of the elements along the last dimension in rising order.
  default Tensor argsort() {
    return argsort(-1, false);
  }

  /// Returns the places of the elements along `dim` in rising order.
  default Tensor argsort(int dim) {
    return argsort(dim, false);
  }

  /// Returns the places of the elements along `dim` in order, `int64`.
  ///
  /// @param descending whether that of the largest comes first
  /// @throws ArgumentException if there is no such dimension
  default Tensor argsort(int dim, boolean descending) {
    try (var _ = Autograd.noGrad()) {
      return sort(dim, descending).indices();
    }
  }

  /// Returns the `k` largest elements along the last dimension, largest first, and where they are.
  default Extremes topk(long k) {
    return topk(k, -1, true, true);
  }

  /// Returns the `k` largest elements along `dim`, largest first, and where they are.
  default Extremes topk(long k, int dim) {
    return topk(k, dim, true, true);
  }

  /// Returns the `k` largest or smallest elements along `dim`, in order, and where they are.
  default Extremes topk(long k, int dim, boolean largest) {
    return topk(k, dim, largest, true);
  }

  /// Returns the `k` largest or smallest elements along `dim`, and where they are.
  ///
  /// - Shape: `[a b c] -> [a k c], [a k c]` for dimension 1
  /// - Gradient: to the elements that were chosen
  ///
  /// @param sorted whether they must be in order; they are in any case
  /// @throws ArgumentException if there is no such dimension, or `k` is not in 0 to its size
  default Extremes topk(long k, int dim, boolean largest, boolean sorted) {
    int at = Checks.dim("topk", dim, self().dim());
    checkCount("topk", k, 0, at);
    Tensor[] out = Operators.TOP_K.all(new TopK(at, k, largest), self());
    return new Extremes(out[0], out[1]);
  }

  private void checkCount(String op, long k, int least, int dim) {
    Operators.requireCount(op, k, least, self().sizesInternal(), dim);
  }

  /// Returns the `k`th smallest elements along the last dimension, counted from 1, and where they are.
  default Extremes kthvalue(long k) {
    return kthvalue(k, -1, false);
  }

  /// Returns the `k`th smallest elements along `dim`, counted from 1, and where they are.
  default Extremes kthvalue(long k, int dim) {
    return kthvalue(k, dim, false);
  }

  /// Returns the `k`th smallest elements along `dim`, counted from 1, and where they are.
  ///
  /// - Gradient: to the element that was chosen
  ///
  /// @param keepDim whether the dimension stays, with size 1
  /// @throws ArgumentException if there is no such dimension, or `k` is not in 1 to its size
  default Extremes kthvalue(long k, int dim, boolean keepDim) {
    int at = Checks.dim("kthvalue", dim, self().dim());
    checkCount("kthvalue", k, 1, at);
    Kth kth = new Kth(new Reduce(new int[] {at}, keepDim), k);
    Tensor[] out = Operators.KTH_VALUE.all(kth, self());
    return new Extremes(out[0], out[1]);
  }

  /// Returns the median of all elements, the lower one of two; NaN if there is one or no element.
  ///
  /// - Gradient: the same part to each of equal elements
  default Tensor median() {
    Checks.numbers("median", self());
    return self().numel() == 0 ? nothing("median") : Operators.MEDIAN.on(Reduce.all(), self());
  }

  /// Returns the medians along `dim`, and where they are.
  default Extremes median(int dim) {
    return median(dim, false);
  }

  /// Returns the medians along `dim`, the lower ones of two, and where they are; NaN where there is one.
  ///
  /// - Gradient: to the element that was chosen
  ///
  /// @param keepDim whether the dimension stays, with size 1
  /// @throws ArgumentException if there is no such dimension
  default Extremes median(int dim, boolean keepDim) {
    Checks.numbers("median", self());
    return Extremes.of(Operators.MEDIAN_DIM, "median", dim, keepDim, self());
  }

  /// Returns the median of the elements that are not NaN; NaN if there are none.
  ///
  /// - Gradient: the same part to each of equal elements
  default Tensor nanmedian() {
    Checks.numbers("nanmedian", self());
    return self().numel() == 0
        ? nothing("nanmedian")
        : Operators.NAN_MEDIAN.on(Reduce.all(), self());
  }

  /// Returns the medians of the elements that are not NaN along `dim`, and where they are.
  default Extremes nanmedian(int dim) {
    return nanmedian(dim, false);
  }

  /// Returns the medians of the elements that are not NaN along `dim`, and where they are.
  ///
  /// @param keepDim whether the dimension stays, with size 1
  /// @throws ArgumentException if there is no such dimension
  default Extremes nanmedian(int dim, boolean keepDim) {
    Checks.numbers("nanmedian", self());
    return Extremes.of(Operators.NAN_MEDIAN_DIM, "nanmedian", dim, keepDim, self());
  }

  private Tensor nothing(String op) {
    if (!self().dtype().isFloatingPoint()) {
      throw new ShapeException(
          "%s: there must be an element to choose, but self has shape %s."
              .formatted(op, self().shape()));
    }
    return self().sum().fill_(Double.NaN);
  }

  /// Returns the most frequent elements along the last dimension, and where they are.
  default Extremes mode() {
    return mode(-1, false);
  }

  /// Returns the most frequent elements along `dim`, and where they are.
  default Extremes mode(int dim) {
    return mode(dim, false);
  }

  /// Returns the most frequent elements along `dim`, the smallest of equally frequent ones, and where one of them
  /// is.
  ///
  /// - Gradient: to the element that was chosen
  ///
  /// @param keepDim whether the dimension stays, with size 1
  /// @throws ArgumentException if there is no such dimension
  default Extremes mode(int dim, boolean keepDim) {
    return Extremes.of(Operators.MODE, "mode", dim, keepDim, self());
  }

  /// Returns the distinct elements, in rising order; each NaN is one of its own.
  ///
  /// - Shape: `[*] -> [n]`
  default Tensor unique() {
    return unique(o -> o).values();
  }

  /// Returns the distinct elements in rising order, or the distinct slices along a dimension:
  /// `x.unique(o -> o.dim(0).returnCounts(true))`.
  ///
  /// @throws ArgumentException if there is no such dimension
  default Unique unique(UnaryOperator<UniqueOptions> options) {
    return Distinct.of(self(), options.apply(UniqueOptions.DEFAULT), true);
  }

  /// Returns the elements without those that equal the one before, in row-major order.
  ///
  /// - Shape: `[*] -> [n]`
  default Tensor uniqueConsecutive() {
    return uniqueConsecutive(o -> o).values();
  }

  /// Returns the elements, or the slices along a dimension, without those that equal the one before.
  ///
  /// @throws ArgumentException if there is no such dimension
  default Unique uniqueConsecutive(UnaryOperator<UniqueOptions> options) {
    return Distinct.of(self(), options.apply(UniqueOptions.DEFAULT), false);
  }

  /// Returns for each element the number of the interval between `boundaries` that it lies in: how many boundaries are
  /// smaller.
  ///
  /// - Shape: `[*], [m] -> [*]`
  /// - Types: both of one type; the result is `int64`
  ///
  /// @param boundaries in rising order
  default Tensor bucketize(Tensor boundaries) {
    return bucketize(boundaries, o -> o);
  }

  /// As [#bucketize(Tensor)], with options: with `right(true)` boundaries equal to the element count as smaller.
  ///
  /// @throws ShapeException if `boundaries` is not a vector
  default Tensor bucketize(Tensor boundaries, UnaryOperator<SearchOptions> options) {
    if (boundaries.dim() != 1) {
      throw new ShapeException(
          "bucketize: boundaries must be a vector, but has shape " + boundaries.shape() + ".");
    }
    return Distinct.search(boundaries, self(), options.apply(SearchOptions.DEFAULT));
  }

  /// Returns for each element whether it is one of `testElements`.
  ///
  /// - Shape: `[*], [*] -> [*]`
  default Tensor isin(Tensor testElements) {
    return Distinct.isin(self(), testElements, false);
  }

  /// Returns for each element whether it is one of `testElements`, or whether it is none.
  ///
  /// @param invert whether it is none
  default Tensor isin(Tensor testElements, boolean invert) {
    return Distinct.isin(self(), testElements, invert);
  }

  /// Distinct elements or slices.
  ///
  /// @param values the elements or slices
  /// @param inverse where each of the input is among them, `int64`; null if not asked for
  /// @param counts how often each occurs, `int64`; null if not asked for
  record Unique(Tensor values, @Nullable Tensor inverse, @Nullable Tensor counts) {}

  /// How to sort.
  ///
  /// @param dim the dimension, counted from 0
  /// @param descending whether the largest comes first
  record Order(int dim, boolean descending) implements AlongDims {
    @Override
    public int[] alongDims() {
      return new int[] {dim};
    }
  }

  /// What to choose.
  ///
  /// @param dim the dimension, counted from 0
  /// @param k how many
  /// @param largest whether the largest
  record TopK(int dim, long k, boolean largest) implements AlongDims {
    @Override
    public int[] alongDims() {
      return new int[] {dim};
    }
  }

  /// What to choose.
  ///
  /// @param over the dimension
  /// @param k the rank, counted from 1
  record Kth(Reduce over, long k) implements AlongDims {
    @Override
    public int @Nullable [] alongDims() {
      return over.dims();
    }
  }

  /// What to say of distinct elements.
  ///
  /// @param inverse whether to say where each element of the input is among them
  record Kinds(boolean inverse) {}

  /// Where the place of a value is.
  ///
  /// @param right whether behind equal elements
  record Search(boolean right) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("sorting");

    private static final DTypes VALUES_AND_PLACES =
        DTypes.SAME.results(DTypes.Result.COMPUTED, DTypes.Result.INT64);

    static final Operator<Order> SORT =
        FAMILY
            .<Order>structured("sort", "self[*b] -> [*b], [*b]", ReferenceSorting.SORT)
            .dtypes(VALUES_AND_PLACES)
            .gradient(
                "self",
                Keeps.NOTHING.andOutputs(1),
                b -> scattered(b.grad(), b.output(1), b.attributes().dim(), b.sizes("self")))
            .torch(
                "aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values,"
                    + " Tensor indices)")
            .torch(
                "aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False)"
                    + " -> (Tensor values, Tensor indices)")
            .torch("aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor")
            .torch("aten::msort(Tensor self) -> Tensor")
            .sample(new Order(1, false), "f32[3 7]")
            .sample(new Order(0, true), "f32[5 4 2]")
            .sample(new Order(1, true), "f32[2 300 2]")
            .sample(new Order(0, false), "i64[97] in -3..3")
            .sample(new Order(0, false), "f32[]")
            .sample(new Order(1, false), "f32[3 0]")
            .sample(new Order(0, false), "bool[5]")
            .declare();

    private static void requireCount(String op, long k, int least, long[] sizes, int dim) {
      long size = sizes.length == 0 ? 1 : sizes[dim];
      if (k < least || k > size) {
        throw new ArgumentException(
            "%s: k must be in %d..%d, the size of dimension %d, but is %d."
                .formatted(op, least, size, dim, k));
      }
    }

    static final Operator<TopK> TOP_K =
        FAMILY
            .<TopK>structured("topk", "self[*] -> [*], [*]", ReferenceSorting.TOP_K)
            .shape((a, in) -> {
              long[] sizes = in.get(0).clone();
              requireCount("topk", a.k(), 0, sizes, a.dim());
              if (sizes.length > 0) {
                sizes[a.dim()] = a.k();
              }
              return List.of(sizes, sizes);
            })
            .dtypes(VALUES_AND_PLACES)
            .gradient(
                "self",
                Keeps.NOTHING.andOutputs(1),
                b -> scattered(b.grad(), b.output(1), b.attributes().dim(), b.sizes("self")))
            .torch(
                "aten::topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) ->"
                    + " (Tensor values, Tensor indices)")
            .sample(new TopK(1, 2, true), "f32[3 7]")
            .sample(new TopK(0, 5, false), "f32[5 4]")
            .sample(new TopK(1, 90, true), "f32[2 300 2]")
            .sample(new TopK(0, 3, false), "i64[97] in -3..3")
            .sample(new TopK(0, 1, true), "f32[]")
            .sample(new TopK(1, 0, true), "f32[3 4]")
            .declare();

    static final Operator<Kth> KTH_VALUE =
        FAMILY
            .<Kth>structured("kthvalue", "self[*] -> [*], [*]", ReferenceSorting.KTH)
            .shape((a, in) -> {
              List<long[]> shapes = a.over().shapesOfChoice("kthvalue", in);
              requireCount(
                  "kthvalue", a.k(), 1, in.get(0), Objects.requireNonNull(a.over().dims())[0]);
              return shapes;
            })
            .dtypes(VALUES_AND_PLACES)
            .gradient(
                "self",
                Keeps.NOTHING.andOutputs(1),
                b -> placed(b.attributes().over(), b.grad(), b.output(1), b.sizes("self")))
            .torch(
                "aten::kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor"
                    + " values, Tensor indices)")
            .sample(new Kth(new Reduce(new int[] {1}, false), 2), "f32[3 4]")
            .sample(new Kth(new Reduce(new int[] {0}, true), 40), "f32[97 3]")
            .sample(new Kth(new Reduce(new int[] {0}, false), 1), "f32[]")
            .sample(new Kth(new Reduce(new int[] {0}, false), 3), "i64[7]")
            .declare();

    static final Operator<Reduce> MEDIAN =
        whole("median", ReferenceSorting.MEDIAN, "aten::median(Tensor self) -> Tensor");

    static final Operator<Reduce> MEDIAN_DIM =
        along(
            "medianDim",
            "median",
            ReferenceSorting.MEDIAN,
            "aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor"
                + " indices)");

    static final Operator<Reduce> NAN_MEDIAN =
        whole("nanmedian", ReferenceSorting.NAN_MEDIAN, "aten::nanmedian(Tensor self) -> Tensor");

    static final Operator<Reduce> NAN_MEDIAN_DIM =
        along(
            "nanmedianDim",
            "nanmedian",
            ReferenceSorting.NAN_MEDIAN,
            "aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values,"
                + " Tensor indices)");

    static final Operator<Reduce> MODE =
        along(
            "mode",
            "mode",
            ReferenceSorting.MODE,
            "aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor"
                + " indices)");

    static final Operator<Kinds> UNIQUE =
        FAMILY
            .<Kinds>structured("unique", "self[*] -> [n], [*], [n], [1]", ReferenceSorting.UNIQUE)
            .shape((a, in) -> Distinct.shapes(a, in.get(0)))
            .dtypes(Distinct.TYPES)
            .notDifferentiable()
            .torch(
                "aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool"
                    + " return_counts=False) -> (Tensor, Tensor, Tensor)")
            .sample(new Kinds(true), "f32[3 1]")
            .declare();

    static final Operator<Kinds> UNIQUE_CONSECUTIVE =
        FAMILY
            .<Kinds>structured(
                "uniqueConsecutive",
                "self[*] -> [n], [*], [n], [1]",
                ReferenceSorting.UNIQUE_CONSECUTIVE)
            .shape((a, in) -> Distinct.shapes(a, in.get(0)))
            .dtypes(Distinct.TYPES)
            .notDifferentiable()
            .torch(
                "aten::unique_consecutive(Tensor self, bool return_inverse=False, bool"
                    + " return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)")
            .sample(new Kinds(true), "f32[3 1]")
            .declare();

    static final Operator<Operator.None> UNIQUE_ROWS =
        FAMILY
            .<Operator.None>structured(
                "uniqueRows", "rows[n m] -> [n], [n], [n], [1]", ReferenceSorting.UNIQUE_ROWS)
            .shape((a, in) -> Distinct.rowShapes(in.get(0)))
            .dtypes(Distinct.ROW_TYPES)
            .notDifferentiable()
            .torch(
                "aten::unique_dim(Tensor self, int dim, bool sorted=True, bool"
                    + " return_inverse=False, bool return_counts=False) -> (Tensor, Tensor,"
                    + " Tensor)")
            .sample(Operator.None.NONE, "f32[3 2]")
            .declare();

    static final Operator<Operator.None> UNIQUE_CONSECUTIVE_ROWS =
        FAMILY
            .<Operator.None>structured(
                "uniqueConsecutiveRows",
                "rows[n m] -> [n], [n], [n], [1]",
                ReferenceSorting.UNIQUE_CONSECUTIVE_ROWS)
            .shape((a, in) -> Distinct.rowShapes(in.get(0)))
            .dtypes(Distinct.ROW_TYPES)
            .notDifferentiable()
            .torch(
                "aten::unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, bool"
                    + " return_counts=False) -> (Tensor, Tensor, Tensor)")
            .sample(Operator.None.NONE, "f32[3 2]")
            .declare();

    static final Operator<Search> SEARCH_SORTED =
        FAMILY
            .<Search>structured(
                "searchsorted",
                "sortedSequence[*], values[*], sorter?[*] -> [*]",
                ReferenceSorting.SEARCH)
            .shape((a, in) -> Distinct.searchShape(in))
            .check((a, in) -> Distinct.checkSorter(in))
            .dtypes(DTypes.SAME.fixed("sorter", DType.INT64).results(DTypes.Result.INT64))
            .notDifferentiable()
            .torch(
                "aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool"
                    + " out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) ->"
                    + " Tensor")
            .torch(
                "aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False,"
                    + " bool right=False) -> Tensor")
            .sample(new Search(false), "f32[1] in 0..0, f32[3 4], none")
            .sample(new Search(true), "f32[2 1] in 0..0, f32[2 3], none")
            .sample(new Search(true), "i64[1] in 3..3, i64[7] in 1..5, none")
            .sample(new Search(false), "f32[3 0], f32[3 2], none")
            .rejects(
                new Search(false),
                "f32[2 3], f32[3 2], none",
                "searchsorted: values must have the sizes of sortedSequence but for the last"
                    + " dimension, but have shape [3, 2] and [2, 3].")
            .declare();

    private static Tensor scattered(Tensor grad, Tensor places, int dim, long[] sizes) {
      return Tensor.zeros(grad.dtype(), sizes).scatter(dim, places, grad);
    }

    private static Tensor placed(Reduce over, Tensor grad, Tensor places, long[] sizes) {
      return Reductions.Operators.placed(over, grad, places, sizes);
    }

    private static Operator<Reduce> whole(String name, Kernel kernel, String schema) {
      return FAMILY
          .<Reduce>structured(name, "self[*] -> [*]", kernel)
          .shape((a, in) -> a.shapeOfChoice(name, in))
          .dtypes(DTypes.SAME)
          .gradient(
              "self",
              Keeps.inputs("self").andOutputs(0),
              b ->
                  Reductions.Operators.shared(
                      b.attributes(), b.grad(), b.input("self"), b.output()))
          .torch(schema)
          .sample(Reduce.all(), "f32[3 5]")
          .sample(Reduce.all(), "f32[]")
          .sample(Reduce.all(), "f32[100]")
          .sample(Reduce.all(), "i64[4]")
          .rejects(
              Reduce.all(),
              "f32[0 4]",
              name
                  + ": there must be an element to choose, but dimension 0 of shape [0, 4] is"
                  + " empty.")
          .declare();
    }

    private static Operator<Reduce> along(
        String name, String method, Kernel kernel, String schema) {
      return FAMILY
          .<Reduce>structured(name, "self[*] -> [*], [*]", kernel)
          .shape((a, in) -> a.shapesOfChoice(method, in))
          .dtypes(VALUES_AND_PLACES)
          .gradient(
              "self",
              Keeps.NOTHING.andOutputs(1),
              b -> placed(b.attributes(), b.grad(), b.output(1), b.sizes("self")))
          .torch(schema)
          .sample(new Reduce(new int[] {1}, false), "f32[3 4]")
          .sample(new Reduce(new int[] {0}, true), "f32[5 4 2]")
          .sample(new Reduce(new int[] {1}, false), "i64[3 70] in -5..5")
          .sample(new Reduce(new int[] {0}, false), "f32[]")
          .rejects(
              new Reduce(new int[] {1}, false),
              "f32[3 0]",
              method
                  + ": there must be an element to choose, but dimension 1 of shape [3, 0] is"
                  + " empty.")
          .declare();
    }

    private Operators() {}
  }
}
