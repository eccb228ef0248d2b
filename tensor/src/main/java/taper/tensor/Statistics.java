package taper.tensor;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.ReferenceStatistics;

/// Quantiles, histograms, counts and covariances.
public sealed interface Statistics permits Tensor {

  /// How a quantile between two elements follows from them.
  enum Interpolation {
    /// In proportion to the distances.
    LINEAR,
    /// The lower one.
    LOWER,
    /// The higher one.
    HIGHER,
    /// The mean.
    MIDPOINT,
    /// The nearer one.
    NEAREST
  }

  /// Returns this tensor.
  Tensor self();

  /// Returns the `q` quantile of all elements; NaN if there is one.
  ///
  /// @param q in 0..1
  default Tensor quantile(double q) {
    return quantile(Statistical.level(q, self()), null, false, Interpolation.LINEAR);
  }

  /// Returns the `q` quantiles along `dim`.
  ///
  /// @param q in 0..1
  /// @param keepDim whether the dimension stays, with size 1
  default Tensor quantile(double q, int dim, boolean keepDim) {
    return quantile(Statistical.level(q, self()), dim, keepDim, Interpolation.LINEAR);
  }

  /// Returns quantiles of all elements, or along a dimension; NaN where there is one.
  ///
  /// - Shape: a vector `q` becomes the first dimension of the result
  /// - Types: floating, both of one type
  /// - Gradient: to the elements at and between which the quantiles are, and to `q`
  ///
  /// @param q in 0..1, a number or a vector
  /// @param dim the dimension, or null for all elements
  /// @param keepDim whether reduced dimensions stay, with size 1
  /// @throws ArgumentException if `q` lies outside, or there is no such dimension
  default Tensor quantile(
      Tensor q, @Nullable Integer dim, boolean keepDim, Interpolation interpolation) {
    return Statistical.quantile(self(), q, dim, keepDim, interpolation, false);
  }

  /// Returns the `q` quantile of the elements that are not NaN.
  ///
  /// @param q in 0..1
  default Tensor nanquantile(double q) {
    return nanquantile(Statistical.level(q, self()), null, false, Interpolation.LINEAR);
  }

  /// Returns the `q` quantiles of the elements that are not NaN, along `dim`.
  ///
  /// @param q in 0..1
  /// @param keepDim whether the dimension stays, with size 1
  default Tensor nanquantile(double q, int dim, boolean keepDim) {
    return nanquantile(Statistical.level(q, self()), dim, keepDim, Interpolation.LINEAR);
  }

  /// Returns quantiles of the elements that are not NaN, as [#quantile(Tensor, Integer, boolean, Interpolation)] does
  /// of all.
  default Tensor nanquantile(
      Tensor q, @Nullable Integer dim, boolean keepDim, Interpolation interpolation) {
    return Statistical.quantile(self(), q, dim, keepDim, interpolation, true);
  }

  /// Returns how many elements lie in each of 100 bins of equal width between the smallest and the largest.
  default Tensor histc() {
    return histc(100, 0, 0);
  }

  /// Returns how many elements lie in each of `bins` bins of equal width. Elements outside are not counted.
  ///
  /// - Shape: `[*] -> [bins]`
  /// - Types: floating; the result has the type of the elements
  ///
  /// @param min the lower end
  /// @param max the upper end; if both are equal, the smallest and the largest element are meant
  /// @throws ArgumentException if there are no bins or the ends are no interval
  default Tensor histc(long bins, double min, double max) {
    return Statistical.histc(self(), bins, min, max);
  }

  /// Returns how many elements lie in each of `bins` bins of equal width between the smallest and the largest.
  default Histogram histogram(long bins) {
    return histogram(bins, o -> o);
  }

  /// Returns how many elements lie in each of `bins` bins of equal width: `x.histogram(10, o -> o.range(0, 1))`.
  ///
  /// - Types: floating; the result has the type of the elements
  ///
  /// @throws ArgumentException if there are no bins or the range is no interval
  default Histogram histogram(long bins, UnaryOperator<HistogramOptions> options) {
    HistogramOptions o = options.apply(HistogramOptions.DEFAULT);
    Tensor x = self().reshape(-1, 1);
    return one(Statistical.histogram(x, Statistical.edges(x, new long[] {bins}, o), o, true));
  }

  /// Returns how many elements lie in each of the bins between neighbours of `bins`.
  default Histogram histogram(Tensor bins) {
    return histogram(bins, o -> o);
  }

  /// Returns how many elements lie in each of the bins between neighbours of `bins`, a rising vector.
  default Histogram histogram(Tensor bins, UnaryOperator<HistogramOptions> options) {
    HistogramOptions o = options.apply(HistogramOptions.DEFAULT);
    return one(Statistical.histogram(self().reshape(-1, 1), List.of(bins), o, false));
  }

  private static Histogram one(HistogramDd many) {
    return new Histogram(many.hist(), many.binEdges().getFirst());
  }

  /// Returns how many points lie in each box of a grid; the last dimension holds their coordinates.
  ///
  /// - Shape: `[*b d] -> [bins[0] … bins[d-1]]`
  ///
  /// @param bins the number of bins of equal width in each dimension
  default HistogramDd histogramdd(long[] bins, UnaryOperator<HistogramOptions> options) {
    HistogramOptions o = options.apply(HistogramOptions.DEFAULT);
    Tensor x = Statistical.points(self(), bins.length);
    return Statistical.histogram(x, Statistical.edges(x, bins, o), o, true);
  }

  /// Returns how many points lie in each box of a grid; the last dimension holds their coordinates.
  ///
  /// @param bins the edges of the bins in each dimension, rising vectors
  default HistogramDd histogramdd(List<Tensor> bins, UnaryOperator<HistogramOptions> options) {
    HistogramOptions o = options.apply(HistogramOptions.DEFAULT);
    return Statistical.histogram(Statistical.points(self(), bins.size()), bins, o, false);
  }

  /// Returns how often each whole number from 0 on occurs.
  default Tensor bincount() {
    return bincount(null, 0);
  }

  /// Returns how often each whole number from 0 on occurs, or the sums of the weights of those places.
  ///
  /// - Shape: `[n] -> [m]` for the largest element `m - 1`
  /// - Types: whole numbers; the result is `int64`, with weights `float64`, or `float32` if they are
  ///
  /// @param weights one for each element, or null
  /// @param minlength the least length of the result
  /// @throws ArgumentException if an element is negative, or `minlength` is
  default Tensor bincount(@Nullable Tensor weights, long minlength) {
    return Statistical.bincount(self(), weights, minlength);
  }

  /// Returns the covariances of variables, the rows, from observations, the columns.
  default Tensor cov() {
    return cov(o -> o);
  }

  /// Returns the covariances of variables, the rows, from observations, the columns:
  /// `x.cov(o -> o.correction(0).fweights(times))`.
  ///
  /// - Shape: `[v n] -> [v v]`; `[n] -> []`
  ///
  /// @throws ShapeException if there are more than 2 dimensions
  /// @throws ArgumentException if weights are negative or of another number
  default Tensor cov(UnaryOperator<CovOptions> options) {
    return Statistical.cov(self(), options.apply(CovOptions.DEFAULT));
  }

  /// Returns Pearson's correlation coefficients of variables, the rows, from observations, the columns.
  ///
  /// - Shape: `[v n] -> [v v]`; `[n] -> []`
  ///
  /// @throws ShapeException if there are more than 2 dimensions
  default Tensor corrcoef() {
    return Statistical.corrcoef(self());
  }

  /// How many elements lie in each bin.
  ///
  /// @param hist the numbers
  /// @param binEdges the edges of the bins, one more
  record Histogram(Tensor hist, Tensor binEdges) {}

  /// How many points lie in each box of a grid.
  ///
  /// @param hist the numbers
  /// @param binEdges the edges of the bins in each dimension
  record HistogramDd(Tensor hist, List<Tensor> binEdges) {}

  /// Bins of equal width.
  ///
  /// @param bins how many
  /// @param min the lower end
  /// @param max the upper end
  record Histc(long bins, double min, double max) {}

  /// How the bin of an element is found.
  ///
  /// @param even whether bins have equal widths
  record Bins(boolean even) {}

  /// What is counted.
  ///
  /// @param size how many numbers from 0 on
  /// @param dtype the type of the result
  record Bincount(long size, DType dtype) implements DTypes.Chosen {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("statistics");

    static final Operator<Histc> HISTC =
        FAMILY
            .<Histc>structured("histc", "self[*] -> [n]", ReferenceStatistics.HISTC)
            .shape((a, in) -> List.of(new long[] {a.bins()}))
            .dtypes(DTypes.SAME_FLOATING)
            .notDifferentiable()
            .torch("aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor")
            .sample(new Histc(7, -2, 2), "f32[3 40]")
            .sample(new Histc(3, -1, 3), "f32[]")
            .sample(new Histc(3, 0, 1), "f32[0]")
            .declare();

    static final Operator<Bins> HISTOGRAM =
        FAMILY
            .<Bins>structured(
                "histogramdd",
                "self[n d], weight?[n], edges...[*] -> [*]",
                ReferenceStatistics.HISTOGRAM)
            .shape((a, in) -> Statistical.histogramShape(in))
            .dtypes(DTypes.SAME_FLOATING)
            .notDifferentiable()
            .torch(
                "aten::_histogramdd_from_bin_cts(Tensor self, int[] bins, *, float[]? range=None,"
                    + " Tensor? weight=None, bool density=False) -> Tensor")
            .torch(
                "aten::_histogramdd_from_bin_tensors(Tensor self, Tensor[] bins, *, Tensor?"
                    + " weight=None, bool density=False) -> Tensor")
            .sample(new Bins(false), "f32[30 1], none, f32[1] in 0..0")
            .sample(new Bins(false), "f32[9 2], f32[9], f32[1] in 0..0, f32[1] in 0..0")
            .declare();

    static final Operator<Bincount> BINCOUNT =
        FAMILY
            .<Bincount>structured(
                "bincount", "self[n], weights?[n] -> [m]", ReferenceStatistics.BINCOUNT)
            .sizes((a, in) -> Map.of("m", a.size()))
            .check(Statistical::checkCounted)
            .dtypes(DTypes.ANY)
            .notDifferentiable()
            .torch("aten::bincount(Tensor self, Tensor? weights=None, int minlength=0) -> Tensor")
            .sample(new Bincount(5, DType.INT64), "i64[7] in 0..4, none")
            .sample(new Bincount(5, DType.FLOAT32), "i64[7] in 0..3, f32[7]")
            .declare();

    private Operators() {}
  }
}
