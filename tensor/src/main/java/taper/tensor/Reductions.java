package taper.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceReductions;
import taper.tensor.spi.AlongDims;
import taper.tensor.spi.CheckedSizes;

/// Sums, means, extremes and norms along dimensions.
public sealed interface Reductions permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the sum of all elements.
  ///
  /// - Types: whole numbers and truth values are summed as `int64`
  /// - Gradient: the same to every element
  default Tensor sum() {
    return Operators.SUM.on(Reduce.all(), self());
  }

  /// Returns the sum of all elements, which are converted to `dtype` first.
  default Tensor sum(DType dtype) {
    return self().to(dtype).sum().to(dtype);
  }

  /// Returns the sums along `dim`, which is gone from the result.
  default Tensor sum(int dim) {
    return sum(dim, false);
  }

  /// Returns the sums along `dim`.
  ///
  /// @param keepDim whether the dimension stays, with size 1
  /// @throws ArgumentException if there is no such dimension
  default Tensor sum(int dim, boolean keepDim) {
    return Operators.SUM.on(Reduce.along("sum", dim, keepDim, self()), self());
  }

  /// Returns the sums along `dims`; none means all.
  ///
  /// @param keepDim whether reduced dimensions stay, with size 1
  /// @throws ArgumentException if there is no such dimension, or one is named twice
  default Tensor sum(int[] dims, boolean keepDim) {
    return Operators.SUM.on(Reduce.along("sum", dims, keepDim, self()), self());
  }

  /// Returns the sums along `dims` of the elements, which are converted to `dtype` first; no dims means all.
  default Tensor sum(int[] dims, boolean keepDim, DType dtype) {
    return self().to(dtype).sum(dims, keepDim).to(dtype);
  }

  /// Returns the sum of all elements that are not NaN.
  default Tensor nansum() {
    return nansum(new int[0], false);
  }

  /// Returns the sums along `dims` of the elements that are not NaN; no dims means all.
  ///
  /// - Types: whole numbers and truth values are summed as `int64`
  /// - Gradient: none to NaN
  ///
  /// @param keepDim whether reduced dimensions stay, with size 1
  default Tensor nansum(int[] dims, boolean keepDim) {
    Tensor x = self();
    if (x.isComplex()) {
      throw new DTypeException(
          "nansum: self must be real, but is %s. Use real(), imag(), abs() or viewAsReal()."
              .formatted(x.dtype()));
    }
    return (x.dtype().isFloatingPoint() ? x.maskedFill(x.isnan(), 0) : x).sum(dims, keepDim);
  }

  /// Returns the mean of all elements.
  ///
  /// - Types: floating
  ///
  /// @throws DTypeException if the elements are not floating-point numbers
  default Tensor mean() {
    return Operators.MEAN.on(Reduce.all(), self());
  }

  /// Returns the mean of all elements, which are converted to `dtype` first.
  default Tensor mean(DType dtype) {
    return self().to(dtype).mean();
  }

  /// Returns the means along `dim`, which is gone from the result.
  default Tensor mean(int dim) {
    return mean(dim, false);
  }

  /// Returns the means along `dim`.
  ///
  /// @param keepDim whether the dimension stays, with size 1
  /// @throws ArgumentException if there is no such dimension
  default Tensor mean(int dim, boolean keepDim) {
    return Operators.MEAN.on(Reduce.along("mean", dim, keepDim, self()), self());
  }

  /// Returns the means along `dims`; none means all.
  ///
  /// @param keepDim whether reduced dimensions stay, with size 1
  /// @throws ArgumentException if there is no such dimension, or one is named twice
  default Tensor mean(int[] dims, boolean keepDim) {
    return Operators.MEAN.on(Reduce.along("mean", dims, keepDim, self()), self());
  }

  /// Returns the means along `dims` of the elements, which are converted to `dtype` first; no dims means all.
  default Tensor mean(int[] dims, boolean keepDim, DType dtype) {
    return self().to(dtype).mean(dims, keepDim);
  }

  /// Returns the mean of all elements that are not NaN.
  default Tensor nanmean() {
    return nanmean(new int[0], false);
  }

  /// Returns the means along `dims` of the elements that are not NaN; no dims means all.
  ///
  /// - Types: floating
  /// - Gradient: none to NaN
  ///
  /// @param keepDim whether reduced dimensions stay, with size 1
  /// @throws DTypeException if the elements are not floating-point numbers
  default Tensor nanmean(int[] dims, boolean keepDim) {
    if (self().dtype().category() < DType.FLOAT32.category()) {
      throw new DTypeException(
          "nanmean: self must be of a floating dtype, but is %s. Convert it with .to(DType.FLOAT32)."
              .formatted(self().dtype()));
    }
    return nansum(dims, keepDim).div(self().isnan().logicalNot().sum(dims, keepDim));
  }

  /// Returns how many elements are not 0, `int64`.
  default Tensor countNonzero() {
    return countNonzero(new int[0]);
  }

  /// Returns how many elements are not 0 along `dims`; none means all.
  ///
  /// @throws ArgumentException if there is no such dimension, or one is named twice
  default Tensor countNonzero(int... dims) {
    Tensor x = self();
    return (x.dtype() == DType.BOOL ? x : x.ne(0)).sum(dims, false);
  }

  /// Returns the product of all elements.
  ///
  /// - Types: whole numbers and truth values are multiplied as `int64`
  default Tensor prod() {
    return Operators.PROD.on(Reduce.all(), self());
  }

  /// Returns the products along `dim`, which is gone from the result.
  default Tensor prod(int dim) {
    return prod(dim, false);
  }

  /// Returns the products along `dim`.
  ///
  /// @param keepDim whether the dimension stays, with size 1
  /// @throws ArgumentException if there is no such dimension
  default Tensor prod(int dim, boolean keepDim) {
    return Operators.PROD.on(Reduce.along("prod", dim, keepDim, self()), self());
  }

  /// Returns the product of all elements, which are converted to `dtype` first.
  default Tensor prod(DType dtype) {
    return self().to(dtype).prod().to(dtype);
  }

  /// Returns the products along `dim` of the elements, which are converted to `dtype` first.
  default Tensor prod(int dim, boolean keepDim, DType dtype) {
    return self().to(dtype).prod(dim, keepDim).to(dtype);
  }

  /// Returns the largest element; NaN if there is one.
  ///
  /// - Gradient: the same part to each of equal largest elements
  ///
  /// @throws ShapeException if there are no elements
  default Tensor max() {
    return Operators.MAX.on(Reduce.all(), self());
  }

  /// Returns the largest elements along `dim`, and where they are.
  ///
  /// - Gradient: all of it to the element at the returned index
  ///
  /// @throws ShapeException if the dimension is empty
  default Extremes max(int dim, boolean keepDim) {
    return Extremes.of(Operators.MAX_DIM, "max", dim, keepDim, self());
  }

  /// Returns the largest elements along `dim`, and where they are.
  default Extremes max(int dim) {
    return max(dim, false);
  }

  /// Returns the smallest element; NaN if there is one.
  ///
  /// - Gradient: the same part to each of equal smallest elements
  ///
  /// @throws ShapeException if there are no elements
  default Tensor min() {
    return Operators.MIN.on(Reduce.all(), self());
  }

  /// Returns the smallest elements along `dim`, and where they are.
  ///
  /// - Gradient: all of it to the element at the returned index
  ///
  /// @throws ShapeException if the dimension is empty
  default Extremes min(int dim, boolean keepDim) {
    return Extremes.of(Operators.MIN_DIM, "min", dim, keepDim, self());
  }

  /// Returns the smallest elements along `dim`, and where they are.
  default Extremes min(int dim) {
    return min(dim, false);
  }

  /// Returns the larger of both elements: [Pointwise#maximum(Tensor)].
  default Tensor max(Tensor other) {
    return self().maximum(other);
  }

  /// Returns the smaller of both elements: [Pointwise#minimum(Tensor)].
  default Tensor min(Tensor other) {
    return self().minimum(other);
  }

  /// Returns the largest element.
  ///
  /// - Gradient: the same part to each of equal elements
  ///
  /// @throws ShapeException if nothing is left to choose from
  default Tensor amax() {
    return Operators.AMAX.on(Reduce.all(), self());
  }

  /// Returns the largest elements along `dim`, which is gone from the result.
  default Tensor amax(int dim) {
    return amax(dim, false);
  }

  /// Returns the largest elements along `dim`.
  ///
  /// @param keepDim whether the dimension stays, with size 1
  /// @throws ArgumentException if there is no such dimension
  default Tensor amax(int dim, boolean keepDim) {
    return Operators.AMAX.on(Reduce.along("amax", dim, keepDim, self()), self());
  }

  /// Returns the largest elements along `dims`; none means all.
  ///
  /// @param keepDim whether reduced dimensions stay, with size 1
  /// @throws ArgumentException if there is no such dimension, or one is named twice
  default Tensor amax(int[] dims, boolean keepDim) {
    return Operators.AMAX.on(Reduce.along("amax", dims, keepDim, self()), self());
  }

  /// Returns the smallest element.
  ///
  /// - Gradient: the same part to each of equal elements
  ///
  /// @throws ShapeException if nothing is left to choose from
  default Tensor amin() {
    return Operators.AMIN.on(Reduce.all(), self());
  }

  /// Returns the smallest elements along `dim`, which is gone from the result.
  default Tensor amin(int dim) {
    return amin(dim, false);
  }

  /// Returns the smallest elements along `dim`.
  ///
  /// @param keepDim whether the dimension stays, with size 1
  /// @throws ArgumentException if there is no such dimension
  default Tensor amin(int dim, boolean keepDim) {
    return Operators.AMIN.on(Reduce.along("amin", dim, keepDim, self()), self());
  }

  /// Returns the smallest elements along `dims`; none means all.
  ///
  /// @param keepDim whether reduced dimensions stay, with size 1
  /// @throws ArgumentException if there is no such dimension, or one is named twice
  default Tensor amin(int[] dims, boolean keepDim) {
    return Operators.AMIN.on(Reduce.along("amin", dims, keepDim, self()), self());
  }

  /// Returns the smallest and the largest element.
  ///
  /// - Gradient: the same part to each of equal elements
  ///
  /// @throws ShapeException if there are no elements
  default MinMax aminmax() {
    return new MinMax(self().amin(), self().amax());
  }

  /// Returns the smallest and the largest elements along `dim`.
  ///
  /// @param keepDim whether the dimension stays, with size 1
  /// @throws ArgumentException if there is no such dimension
  default MinMax aminmax(int dim, boolean keepDim) {
    return new MinMax(self().amin(dim, keepDim), self().amax(dim, keepDim));
  }

  /// Returns the index of the largest element in row-major order; the first of equal ones.
  ///
  /// - Types: the result is `int64`
  ///
  /// @throws ShapeException if there are no elements
  default Tensor argmax() {
    return Operators.place(Operators.ARGMAX, Reduce.all(), self());
  }

  /// Returns the indices of the largest elements along `dim`, which is gone from the result.
  default Tensor argmax(int dim) {
    return argmax(dim, false);
  }

  /// Returns the indices of the largest elements along `dim`.
  ///
  /// @param keepDim whether the dimension stays, with size 1
  /// @throws ArgumentException if there is no such dimension
  default Tensor argmax(int dim, boolean keepDim) {
    return Operators.place(Operators.ARGMAX, Reduce.along("argmax", dim, keepDim, self()), self());
  }

  /// Returns the index of the smallest element in row-major order; the first of equal ones.
  ///
  /// - Types: the result is `int64`
  ///
  /// @throws ShapeException if there are no elements
  default Tensor argmin() {
    return Operators.place(Operators.ARGMIN, Reduce.all(), self());
  }

  /// Returns the indices of the smallest elements along `dim`, which is gone from the result.
  default Tensor argmin(int dim) {
    return argmin(dim, false);
  }

  /// Returns the indices of the smallest elements along `dim`.
  ///
  /// @param keepDim whether the dimension stays, with size 1
  /// @throws ArgumentException if there is no such dimension
  default Tensor argmin(int dim, boolean keepDim) {
    return Operators.place(Operators.ARGMIN, Reduce.along("argmin", dim, keepDim, self()), self());
  }

  /// Returns whether any element is not 0.
  ///
  /// - Types: the result is `bool`, but `uint8` stays `uint8`
  default Tensor any() {
    return Operators.truth(Operators.ANY, Reduce.all(), self());
  }

  /// Returns whether any element is not 0 along `dim`, which is gone from the result.
  default Tensor any(int dim) {
    return any(dim, false);
  }

  /// Returns whether any element is not 0 along `dim`.
  ///
  /// @param keepDim whether the dimension stays, with size 1
  /// @throws ArgumentException if there is no such dimension
  default Tensor any(int dim, boolean keepDim) {
    return Operators.truth(Operators.ANY, Reduce.along("any", dim, keepDim, self()), self());
  }

  /// Returns whether any element is not 0 along `dims`; none means all.
  ///
  /// @param keepDim whether reduced dimensions stay, with size 1
  /// @throws ArgumentException if there is no such dimension, or one is named twice
  default Tensor any(int[] dims, boolean keepDim) {
    return Operators.truth(Operators.ANY, Reduce.along("any", dims, keepDim, self()), self());
  }

  /// Returns whether no element is 0.
  ///
  /// - Types: the result is `bool`, but `uint8` stays `uint8`
  default Tensor all() {
    return Operators.truth(Operators.ALL, Reduce.all(), self());
  }

  /// Returns whether no element is 0 along `dim`, which is gone from the result.
  default Tensor all(int dim) {
    return all(dim, false);
  }

  /// Returns whether no element is 0 along `dim`.
  ///
  /// @param keepDim whether the dimension stays, with size 1
  /// @throws ArgumentException if there is no such dimension
  default Tensor all(int dim, boolean keepDim) {
    return Operators.truth(Operators.ALL, Reduce.along("all", dim, keepDim, self()), self());
  }

  /// Returns whether no element is 0 along `dims`; none means all.
  ///
  /// @param keepDim whether reduced dimensions stay, with size 1
  /// @throws ArgumentException if there is no such dimension, or one is named twice
  default Tensor all(int[] dims, boolean keepDim) {
    return Operators.truth(Operators.ALL, Reduce.along("all", dims, keepDim, self()), self());
  }

  /// Returns the variance of all elements, with Bessel's correction.
  default Tensor var() {
    return var(new int[0], 1, false);
  }

  /// Returns the variance of all elements.
  ///
  /// @param unbiased whether with Bessel's correction
  default Tensor var(boolean unbiased) {
    return var(new int[0], unbiased ? 1 : 0, false);
  }

  /// Returns the variances along `dim`, which is gone from the result, with Bessel's correction.
  default Tensor var(int dim) {
    return var(dim, false);
  }

  /// Returns the variances along `dim`, with Bessel's correction.
  default Tensor var(int dim, boolean keepDim) {
    return var(new int[] {dim}, 1, keepDim);
  }

  /// Returns the variances along `dims`; none means all.
  ///
  /// - Types: floating
  ///
  /// @param correction what is taken off the number of elements before dividing: 1 for an unbiased estimate, 0 for the
  ///     mean square
  default Tensor var(int[] dims, double correction, boolean keepDim) {
    Reduce over = Reduce.along("var", dims, keepDim, self());
    return self().isComplex()
        ? Statistical.complexVar(self(), over, correction)
        : Operators.VAR.on(new Variance(over, correction), self());
  }

  /// Returns the standard deviation of all elements, with Bessel's correction.
  default Tensor std() {
    return std(new int[0], 1, false);
  }

  /// Returns the standard deviation of all elements.
  ///
  /// @param unbiased whether with Bessel's correction
  default Tensor std(boolean unbiased) {
    return std(new int[0], unbiased ? 1 : 0, false);
  }

  /// Returns the standard deviations along `dim`, which is gone from the result, with Bessel's correction.
  default Tensor std(int dim) {
    return std(dim, false);
  }

  /// Returns the standard deviations along `dim`, with Bessel's correction.
  default Tensor std(int dim, boolean keepDim) {
    return std(new int[] {dim}, 1, keepDim);
  }

  /// Returns the standard deviations along `dims`; none means all.
  ///
  /// - Types: floating
  /// - Gradient: 0 where the result is 0
  ///
  /// @param correction what is taken off the number of elements before dividing
  default Tensor std(int[] dims, double correction, boolean keepDim) {
    Reduce over = Reduce.along("std", dims, keepDim, self());
    return self().isComplex()
        ? Statistical.complexVar(self(), over, correction).sqrt()
        : Operators.STD.on(new Variance(over, correction), self());
  }

  /// Returns the variances and means along `dims`; none means all.
  ///
  /// @param correction what is taken off the number of elements before dividing
  default VarMean varMean(int[] dims, double correction, boolean keepDim) {
    if (self().isComplex()) {
      return new VarMean(self().var(dims, correction, keepDim), self().mean(dims, keepDim));
    }
    Tensor[] out =
        Operators.VAR_MEAN.all(
            new Variance(Reduce.along("varMean", dims, keepDim, self()), correction), self());
    return new VarMean(out[0], out[1]);
  }

  /// Returns the variance and the mean of all elements, with Bessel's correction.
  default VarMean varMean() {
    return varMean(new int[0], 1, false);
  }

  /// Returns the standard deviation and the mean of all elements, with Bessel's correction.
  default StdMean stdMean() {
    return stdMean(new int[0], 1, false);
  }

  /// Returns the standard deviations and means along `dims`; none means all.
  ///
  /// @param correction what is taken off the number of elements before dividing
  default StdMean stdMean(int[] dims, double correction, boolean keepDim) {
    return new StdMean(self().std(dims, correction, keepDim), self().mean(dims, keepDim));
  }

  /// Returns the logarithms of the sums of the exponentials along `dim`, which is gone from the result.
  default Tensor logsumexp(int dim) {
    return logsumexp(dim, false);
  }

  /// Returns the logarithms of the sums of the exponentials along `dim`.
  ///
  /// @param keepDim whether the dimension stays, with size 1
  /// @throws ArgumentException if there is no such dimension
  default Tensor logsumexp(int dim, boolean keepDim) {
    return Operators.LOGSUMEXP.on(Reduce.along("logsumexp", dim, keepDim, self()), self());
  }

  /// Returns the logarithms of the sums of the exponentials along `dims`; none means all.
  ///
  /// @param keepDim whether reduced dimensions stay, with size 1
  /// @throws ArgumentException if there is no such dimension, or one is named twice
  default Tensor logsumexp(int[] dims, boolean keepDim) {
    return Operators.LOGSUMEXP.on(Reduce.along("logsumexp", dims, keepDim, self()), self());
  }

  /// Returns the Euclidean norm of all elements.
  default Tensor norm() {
    return norm(2);
  }

  /// Returns the norm of order `p` of all elements.
  default Tensor norm(double p) {
    return norm(p, new int[0], false);
  }

  /// Returns the norms of order `p` along `dims`; none means all.
  ///
  /// - Types: floating
  /// - Gradient: 0 where the norm is 0
  ///
  /// @param p the order: 2 is Euclid's, 1 the sum of absolute values, infinity the largest, 0 the number of elements
  ///     that are not 0
  default Tensor norm(double p, int[] dims, boolean keepDim) {
    Tensor x = self().isComplex() ? self().abs() : self();
    return Operators.NORM.on(new Norm(p, Reduce.along("norm", dims, keepDim, x)), x);
  }

  /// Returns the Frobenius norm (`fro`) or the nuclear norm (`nuc`) of matrices.
  ///
  /// @param name `fro`, the root of the sum of squares, or `nuc`, the sum of singular values
  /// @param dims the dimensions of the matrices; none means all
  /// @param keepDim whether they stay, with size 1
  /// @throws ArgumentException if `name` is something else
  default Tensor norm(String name, int[] dims, boolean keepDim) {
    return Statistical.norm(self(), name, dims, keepDim);
  }

  /// Returns the Frobenius norm (`fro`) or the nuclear norm (`nuc`) of a matrix.
  ///
  /// @throws ArgumentException if `name` is something else
  default Tensor norm(String name) {
    return norm(name, new int[0], false);
  }

  /// Returns the norm of order `p` of the difference to `other`; both broadcast.
  ///
  /// - Shape: `[*b], [*b] -> []`
  /// - Gradient: 0 where the norm is 0
  default Tensor dist(Tensor other, double p) {
    return self().sub(other).norm(p);
  }

  /// Returns the Euclidean distance to `other`; both broadcast.
  default Tensor dist(Tensor other) {
    return dist(other, 2);
  }

  /// Returns the slices along `dim`, scaled down to a norm of `maxNorm` where theirs is larger.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: floating
  ///
  /// @param p the order of the norm, positive
  /// @throws ArgumentException if there is no such dimension, `p` is not positive or `maxNorm` negative
  /// @throws ShapeException if there are fewer than 2 dimensions
  default Tensor renorm(double p, int dim, double maxNorm) {
    return Statistical.renorm(self(), p, dim, maxNorm);
  }

  /// Scales the slices along `dim` down to a norm of `maxNorm` where theirs is larger, in place.
  default Tensor renorm_(double p, int dim, double maxNorm) {
    return self().mul_(Statistical.renormScale(self(), p, dim, maxNorm));
  }

  /// Returns this tensor summed over the dimensions that were broadcast from `sizes`.
  ///
  /// @throws ShapeException if this tensor's shape is none to which `sizes` can be expanded
  default Tensor sumToSize(long... sizes) {
    long[] own = self().sizes();
    boolean fits = sizes.length <= own.length;
    for (int d = 0; fits && d < sizes.length; d++) {
      fits = sizes[d] == 1 || sizes[d] == own[own.length - sizes.length + d];
    }
    if (!fits) {
      throw new ShapeException(
          "sumToSize: the sizes must be those of a tensor that expands to shape %s, but are %s."
              .formatted(self().shape(), Arrays.toString(sizes)));
    }
    if (sizes.length == 0) {
      return sum();
    }
    if (Arrays.equals(own, sizes)) {
      return self();
    }
    int lead = own.length - sizes.length;
    int[] dims =
        IntStream.range(0, own.length)
            .filter(d -> d < lead || sizes[d - lead] == 1 && own[d] != 1)
            .toArray();
    Tensor result = dims.length == 0 ? self() : sum(dims, true);
    return lead > 0 ? result.view(sizes) : result;
  }

  /// The largest or smallest elements along a dimension.
  ///
  /// @param values the elements
  /// @param indices where they are along the dimension, `int64`
  record Extremes(Tensor values, Tensor indices) {
    static Extremes of(
        Operator<Reduce> operator, String name, int dim, boolean keepDim, Tensor self) {
      Tensor[] out = operator.all(Reduce.along(name, dim, keepDim, self), self);
      return new Extremes(out[0], out[1]);
    }
  }

  /// Smallest and largest elements.
  ///
  /// @param min the smallest
  /// @param max the largest
  record MinMax(Tensor min, Tensor max) {}

  /// Standard deviations and means.
  ///
  /// @param std the standard deviations
  /// @param mean the means
  record StdMean(Tensor std, Tensor mean) {}

  /// Variances and means.
  ///
  /// @param var the variances
  /// @param mean the means
  record VarMean(Tensor var, Tensor mean) {}

  /// Along which dimensions to reduce.
  ///
  /// @param dims sorted, counted from 0; null for all
  /// @param keepDim whether reduced dimensions stay, with size 1
  record Reduce(int @Nullable [] dims, boolean keepDim) implements AlongDims {
    @Override
    public int @Nullable [] alongDims() {
      return dims;
    }

    private static final Reduce ALL = new Reduce(null, false);

    /// All dimensions, none of which stays.
    public static Reduce all() {
      return ALL;
    }

    static Reduce along(String op, int dim, boolean keepDim, Tensor x) {
      return new Reduce(new int[] {Checks.dim(op, dim, x.dim())}, keepDim);
    }

    static Reduce along(String op, int[] dims, boolean keepDim, Tensor x) {
      if (dims.length == 0) {
        return new Reduce(null, keepDim);
      }
      int[] sorted = Arrays.stream(dims).map(d -> Checks.dim(op, d, x.dim())).sorted().toArray();
      for (int i = 1; i < sorted.length; i++) {
        if (sorted[i] == sorted[i - 1]) {
          throw new ArgumentException(
              "%s: dims must be different, but dim %d appears twice in %s."
                  .formatted(op, sorted[i], Arrays.toString(dims)));
        }
      }
      return new Reduce(sorted, keepDim);
    }

    /// Whether dimension `d` is reduced.
    public boolean reduces(int d) {
      if (dims == null) {
        return true;
      }
      for (int dim : dims) {
        if (dim == d) {
          return true;
        }
      }
      return false;
    }

    List<long[]> shape(List<long @Nullable []> in) {
      return List.of(shape(sizes(in)));
    }

    /// The shapes of two outputs.
    List<long[]> shapes(List<long @Nullable []> in) {
      long[] shape = shape(sizes(in));
      return List.of(shape, shape);
    }

    private static long[] sizes(List<long @Nullable []> in) {
      long[] sizes = in.get(0);
      assert sizes != null;
      return sizes;
    }

    private long[] shape(long[] sizes) {
      long[] result = new long[sizes.length];
      int rank = 0;
      for (int d = 0; d < sizes.length; d++) {
        if (!reduces(d)) {
          result[rank++] = sizes[d];
        } else if (keepDim) {
          result[rank++] = 1;
        }
      }
      return Arrays.copyOf(result, rank);
    }

    /// As [#shape(List)], for operators that need an element to choose.
    List<long[]> shapeOfChoice(String op, List<long @Nullable []> in) {
      long[] sizes = sizes(in);
      for (int d = 0; d < sizes.length; d++) {
        if (sizes[d] == 0 && reduces(d)) {
          throw new ShapeException(
              "%s: there must be an element to choose, but dimension %d of shape %s is empty."
                  .formatted(op, d, Arrays.toString(sizes)));
        }
      }
      return shape(in);
    }

    /// As [#shapeOfChoice(String, List)], for two outputs.
    List<long[]> shapesOfChoice(String op, List<long @Nullable []> in) {
      if (dims == null || dims.length != 1) {
        throw new ArgumentException(
            "%s: places are counted along one dimension, but dims are %s."
                .formatted(op, Arrays.toString(dims)));
      }
      List<long[]> shape = shapeOfChoice(op, in);
      return List.of(shape.getFirst(), shape.getFirst());
    }

    /// How many elements of a tensor of `sizes` are reduced to one.
    long count(long[] sizes) {
      long count = 1;
      for (int d = 0; d < sizes.length; d++) {
        count = CheckedSizes.times(count, reduces(d) ? sizes[d] : 1, sizes);
      }
      return count;
    }

    /// `reduced` seen with the dimensions that were reduced, at size 1, so that it broadcasts against `sizes`.
    Tensor restore(Tensor reduced, long[] sizes) {
      if (keepDim || sizes.length == 0) {
        return reduced;
      }
      long[] kept = sizes.clone();
      for (int d = 0; d < kept.length; d++) {
        if (reduces(d)) {
          kept[d] = 1;
        }
      }
      return reduced.view(kept);
    }

    /// The sums of `x` over the reduced dimensions, which stay.
    Tensor sumKept(Tensor x) {
      return Operators.SUM.on(new Reduce(dims, true), x);
    }

    /// The means of `x` over the reduced dimensions, which stay.
    Tensor meanKept(Tensor x) {
      return Operators.MEAN.on(new Reduce(dims, true), x);
    }
  }

  /// What variance to compute.
  ///
  /// @param over the dimensions
  /// @param correction what is taken off the number of elements before dividing
  record Variance(Reduce over, double correction) implements AlongDims {
    @Override
    public int @Nullable [] alongDims() {
      return over.dims();
    }
  }

  /// What norm to compute.
  ///
  /// @param p the order
  /// @param over the dimensions
  record Norm(double p, Reduce over) implements AlongDims {
    @Override
    public int @Nullable [] alongDims() {
      return over.dims();
    }
  }

  /// How to accumulate.
  ///
  /// @param dim the dimension, counted from 0
  /// @param reverse whether from the end
  record Cumulative(int dim, boolean reverse) implements AlongDims {
    @Override
    public int[] alongDims() {
      return new int[] {dim};
    }
  }

  /// Where along a dimension elements are placed or picked.
  ///
  /// @param dim the dimension, counted from 0
  /// @param size its size
  record Place(int dim, long size) implements AlongDims {
    @Override
    public int[] alongDims() {
      return new int[] {dim};
    }
  }

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("reductions");

    static final Operator<Reduce> SUM =
        FAMILY
            .<Reduce>structured("sum", "self[*] -> [*]", ReferenceReductions.SUM)
            .shape(Reduce::shape)
            .dtypes(DTypes.SUM.complexByParts())
            .gradient(
                "self",
                Keeps.NOTHING,
                b -> b.attributes().restore(b.grad(), b.sizes("self")).expand(b.sizes("self")))
            .torch("aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor")
            .torch(
                "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType?"
                    + " dtype=None) -> Tensor")
            .sample(Reduce.all(), "f32[3 4]")
            .sample(new Reduce(new int[] {1}, false), "f32[3 4 2]")
            .sample(new Reduce(new int[] {0, 2}, true), "f32[3 4 2]")
            .sample(Reduce.all(), "f32[]")
            .sample(new Reduce(new int[] {1}, false), "i64[3 4]")
            .sample(Reduce.all(), "f32[0 4]")
            .sample(new Reduce(new int[] {1}, false), "f32[3 0]")
            .sample(Reduce.all(), "bool[5]")
            .sample(new Reduce(new int[] {1}, false), "c64[3 4 2]")
            .declare();

    static final Operator<Reduce> MEAN =
        FAMILY
            .<Reduce>structured("mean", "self[*] -> [*]", ReferenceReductions.MEAN)
            .shape(Reduce::shape)
            .dtypes(DTypes.SAME_FLOATING.complexByParts())
            .gradient(
                "self", Keeps.NOTHING, b -> meanGradient(b.attributes(), b.grad(), b.sizes("self")))
            .torch("aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor")
            .torch(
                "aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType?"
                    + " dtype=None) -> Tensor")
            .sample(Reduce.all(), "f32[3 4]")
            .sample(new Reduce(new int[] {1}, false), "f32[3 4 2]")
            .sample(new Reduce(new int[] {0, 2}, true), "f32[3 4 2]")
            .sample(Reduce.all(), "f32[]")
            .sample(new Reduce(new int[] {1}, false), "f32[0 4]")
            .sample(new Reduce(new int[] {1}, false), "c64[3 4 2]")
            .rejects(
                Reduce.all(),
                "i64[3]",
                "mean: self must be of a floating dtype, but is int64. Convert it with"
                    + " .to(DType.FLOAT32).")
            .declare();

    static final Operator<Reduce> PROD =
        FAMILY
            .<Reduce>structured("prod", "self[*] -> [*]", ReferenceReductions.PROD)
            .shape(Reduce::shape)
            .dtypes(DTypes.SUM.complex())
            .gradient(
                "self",
                Keeps.inputs("self").andOutputs(0),
                b -> prodGradient(b.attributes(), b.grad(), b.input("self"), b.output()))
            .torch("aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor")
            .torch(
                "aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType?"
                    + " dtype=None) -> Tensor")
            .sample(Reduce.all(), "f32[3 4]")
            .sample(new Reduce(new int[] {1}, false), "f32[3 4 2]")
            .sample(Reduce.all(), "f32[]")
            .sample(new Reduce(new int[] {1}, false), "i64[3 4]")
            .sample(new Reduce(new int[] {1}, false), "f32[3 0]")
            .sample(new Reduce(new int[] {1}, false), "f32[3 4] in 0..0")
            .sample(Reduce.all(), "f32[4] in 0..0")
            .sample(new Reduce(new int[] {1}, false), "c64[3 4 2]")
            .declare();

    static final Operator<Reduce> MAX =
        FAMILY
            .<Reduce>structured("max", "self[*] -> [*]", ReferenceReductions.AMAX)
            .shape((a, in) -> a.shapeOfChoice("max", in))
            .dtypes(DTypes.SAME)
            .gradient(
                "self",
                Keeps.inputs("self").andOutputs(0),
                b -> shared(b.attributes(), b.grad(), b.input("self"), b.output()))
            .gradientName("MaxBackward1")
            .torch("aten::max(Tensor self) -> Tensor")
            .sample(Reduce.all(), "f32[3 4]")
            .sample(Reduce.all(), "f32[]")
            .sample(Reduce.all(), "i64[3]")
            .rejects(
                Reduce.all(),
                "f32[0 4]",
                "max: there must be an element to choose, but dimension 0 of shape [0, 4] is"
                    + " empty.")
            .declare();

    static final Operator<Reduce> MAX_DIM =
        FAMILY
            .<Reduce>structured("maxDim", "self[*] -> [*], [*]", ReferenceReductions.MAX_DIM)
            .shape((a, in) -> a.shapesOfChoice("max", in))
            .dtypes(DTypes.SAME.results(DTypes.Result.COMPUTED, DTypes.Result.INT64))
            .gradient(
                "self",
                Keeps.NOTHING.andOutputs(1),
                b -> placed(b.attributes(), b.grad(), b.output(1), b.sizes("self")))
            .gradientName("MaxBackward0")
            .torch(
                "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor"
                    + " indices)")
            .sample(new Reduce(new int[] {1}, false), "f32[3 4]")
            .sample(new Reduce(new int[] {0}, true), "f32[3 4 2]")
            .sample(new Reduce(new int[] {1}, false), "i64[3 4]")
            .sample(new Reduce(new int[] {0}, false), "f32[]")
            .rejects(
                new Reduce(new int[] {1}, false),
                "f32[3 0]",
                "max: there must be an element to choose, but dimension 1 of shape [3, 0] is"
                    + " empty.")
            .declare();

    static final Operator<Reduce> MIN =
        FAMILY
            .<Reduce>structured("min", "self[*] -> [*]", ReferenceReductions.AMIN)
            .shape((a, in) -> a.shapeOfChoice("min", in))
            .dtypes(DTypes.SAME)
            .gradient(
                "self",
                Keeps.inputs("self").andOutputs(0),
                b -> shared(b.attributes(), b.grad(), b.input("self"), b.output()))
            .gradientName("MinBackward1")
            .torch("aten::min(Tensor self) -> Tensor")
            .sample(Reduce.all(), "f32[3 4]")
            .sample(Reduce.all(), "f32[]")
            .sample(Reduce.all(), "i64[3]")
            .rejects(
                Reduce.all(),
                "f32[0 4]",
                "min: there must be an element to choose, but dimension 0 of shape [0, 4] is"
                    + " empty.")
            .declare();

    static final Operator<Reduce> MIN_DIM =
        FAMILY
            .<Reduce>structured("minDim", "self[*] -> [*], [*]", ReferenceReductions.MIN_DIM)
            .shape((a, in) -> a.shapesOfChoice("min", in))
            .dtypes(DTypes.SAME.results(DTypes.Result.COMPUTED, DTypes.Result.INT64))
            .gradient(
                "self",
                Keeps.NOTHING.andOutputs(1),
                b -> placed(b.attributes(), b.grad(), b.output(1), b.sizes("self")))
            .gradientName("MinBackward0")
            .torch(
                "aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor"
                    + " indices)")
            .sample(new Reduce(new int[] {1}, false), "f32[3 4]")
            .sample(new Reduce(new int[] {0}, true), "f32[3 4 2]")
            .sample(new Reduce(new int[] {1}, false), "i64[3 4]")
            .sample(new Reduce(new int[] {0}, false), "f32[]")
            .rejects(
                new Reduce(new int[] {1}, false),
                "f32[3 0]",
                "min: there must be an element to choose, but dimension 1 of shape [3, 0] is"
                    + " empty.")
            .declare();

    static final Operator<Reduce> AMAX =
        FAMILY
            .<Reduce>structured("amax", "self[*] -> [*]", ReferenceReductions.AMAX)
            .shape((a, in) -> a.shapeOfChoice("amax", in))
            .dtypes(DTypes.SAME)
            .gradient(
                "self",
                Keeps.inputs("self").andOutputs(0),
                b -> shared(b.attributes(), b.grad(), b.input("self"), b.output()))
            .torch("aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor")
            .sample(Reduce.all(), "f32[3 4]")
            .sample(new Reduce(new int[] {1}, false), "f32[3 4 2]")
            .sample(new Reduce(new int[] {0, 2}, true), "f32[3 4 2]")
            .sample(Reduce.all(), "f32[]")
            .sample(new Reduce(new int[] {1}, false), "i64[3 4]")
            .rejects(
                Reduce.all(),
                "f32[0 4]",
                "amax: there must be an element to choose, but dimension 0 of shape [0, 4] is"
                    + " empty.")
            .declare();

    static final Operator<Reduce> AMIN =
        FAMILY
            .<Reduce>structured("amin", "self[*] -> [*]", ReferenceReductions.AMIN)
            .shape((a, in) -> a.shapeOfChoice("amin", in))
            .dtypes(DTypes.SAME)
            .gradient(
                "self",
                Keeps.inputs("self").andOutputs(0),
                b -> shared(b.attributes(), b.grad(), b.input("self"), b.output()))
            .torch("aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor")
            .sample(Reduce.all(), "f32[3 4]")
            .sample(new Reduce(new int[] {1}, false), "f32[3 4 2]")
            .sample(new Reduce(new int[] {0, 2}, true), "f32[3 4 2]")
            .sample(Reduce.all(), "f32[]")
            .sample(new Reduce(new int[] {1}, false), "i64[3 4]")
            .rejects(
                Reduce.all(),
                "f32[0 4]",
                "amin: there must be an element to choose, but dimension 0 of shape [0, 4] is"
                    + " empty.")
            .declare();

    static final Operator<Reduce> ARGMAX =
        FAMILY
            .<Reduce>structured("argmax", "self[*] -> [*]", ReferenceReductions.ARGMAX)
            .shape((a, in) -> a.shapeOfChoice("argmax", in))
            .dtypes(DTypes.ANY.results(DTypes.Result.INT64))
            .notDifferentiable()
            .torch("aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor")
            .sample(Reduce.all(), "f32[3 4]")
            .sample(new Reduce(new int[] {1}, false), "f32[3 4 2]")
            .sample(new Reduce(new int[] {0}, true), "i64[3 4]")
            .rejects(
                Reduce.all(),
                "f32[0 4]",
                "argmax: there must be an element to choose, but dimension 0 of shape [0, 4] is"
                    + " empty.")
            .declare();

    static final Operator<Reduce> ARGMIN =
        FAMILY
            .<Reduce>structured("argmin", "self[*] -> [*]", ReferenceReductions.ARGMIN)
            .shape((a, in) -> a.shapeOfChoice("argmin", in))
            .dtypes(DTypes.ANY.results(DTypes.Result.INT64))
            .notDifferentiable()
            .torch("aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor")
            .sample(Reduce.all(), "f32[3 4]")
            .sample(new Reduce(new int[] {1}, false), "f32[3 4 2]")
            .sample(new Reduce(new int[] {0}, true), "i64[3 4]")
            .rejects(
                Reduce.all(),
                "f32[0 4]",
                "argmin: there must be an element to choose, but dimension 0 of shape [0, 4] is"
                    + " empty.")
            .declare();

    static final Operator<Reduce> ANY =
        FAMILY
            .<Reduce>structured("any", "self[*] -> [*]", ReferenceReductions.ANY)
            .shape(Reduce::shape)
            .dtypes(DTypes.ANY.results(DTypes.Result.BOOL))
            .notDifferentiable()
            .torch("aten::any(Tensor self) -> Tensor")
            .torch("aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor")
            .sample(Reduce.all(), "bool[3 4]")
            .sample(new Reduce(new int[] {1}, false), "f32[3 4 2]")
            .sample(Reduce.all(), "f32[0]")
            .declare();

    static final Operator<Reduce> ALL =
        FAMILY
            .<Reduce>structured("all", "self[*] -> [*]", ReferenceReductions.ALL)
            .shape(Reduce::shape)
            .dtypes(DTypes.ANY.results(DTypes.Result.BOOL))
            .notDifferentiable()
            .torch("aten::all(Tensor self) -> Tensor")
            .torch("aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor")
            .sample(Reduce.all(), "bool[3 4]")
            .sample(new Reduce(new int[] {1}, false), "f32[3 4 2]")
            .sample(Reduce.all(), "f32[0]")
            .declare();

    static final Operator<Variance> VAR =
        FAMILY
            .<Variance>structured("var", "self[*] -> [*]", ReferenceReductions.VAR)
            .shape((a, in) -> a.over().shape(in))
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "self",
                Keeps.inputs("self"),
                b -> varGradient(b.attributes(), b.grad(), b.input("self")))
            .torch("aten::var(Tensor self, bool unbiased=True) -> Tensor")
            .torch(
                "aten::var.correction(Tensor self, int[1]? dim, *, int? correction, bool"
                    + " keepdim=False) -> Tensor")
            .sample(new Variance(Reduce.all(), 1), "f32[3 4]")
            .sample(new Variance(new Reduce(new int[] {1}, false), 0), "f32[3 4 2]")
            .sample(new Variance(new Reduce(new int[] {0, 2}, true), 1), "f32[3 4 2]")
            .sample(new Variance(Reduce.all(), 1), "f32[5] in -800..800")
            .declare();

    static final Operator<Variance> STD =
        FAMILY
            .<Variance>structured("std", "self[*] -> [*]", ReferenceReductions.STD)
            .shape((a, in) -> a.over().shape(in))
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "self",
                Keeps.inputs("self").andOutputs(0),
                b ->
                    varGradient(
                        b.attributes(),
                        b.grad().div(b.output().mul(2)).maskedFill(b.output().eq(0), 0),
                        b.input("self")))
            .torch("aten::std(Tensor self, bool unbiased=True) -> Tensor")
            .torch(
                "aten::std.correction(Tensor self, int[1]? dim, *, int? correction, bool"
                    + " keepdim=False) -> Tensor")
            .sample(new Variance(Reduce.all(), 1), "f32[3 4]")
            .sample(new Variance(new Reduce(new int[] {1}, false), 0), "f32[3 4 2]")
            .sample(new Variance(new Reduce(new int[] {0, 2}, true), 1), "f32[3 4 2]")
            .sample(new Variance(Reduce.all(), 1), "f32[5] in -800..800")
            .declare();

    static final Operator<Variance> VAR_MEAN =
        FAMILY
            .<Variance>structured("varMean", "self[*] -> [*], [*]", ReferenceReductions.VAR_MEAN)
            .shape((a, in) -> a.over().shapes(in))
            .dtypes(DTypes.SAME_FLOATING)
            .gradient("self", Keeps.inputs("self"), Reductions.Operators::varMeanGradient)
            .torch(
                "aten::var_mean.correction(Tensor self, int[1]? dim, *, int? correction, bool"
                    + " keepdim=False) -> (Tensor, Tensor)")
            .sample(new Variance(Reduce.all(), 1), "f32[3 4]")
            .sample(new Variance(new Reduce(new int[] {1}, false), 0), "f32[3 4 2]")
            .sample(new Variance(new Reduce(new int[] {0, 2}, true), 1), "f32[3 4 2]")
            .sample(new Variance(Reduce.all(), 1), "f32[5] in -800..800")
            .declare();

    static final Operator<Reduce> LOGSUMEXP =
        FAMILY
            .<Reduce>structured("logsumexp", "self[*] -> [*]", ReferenceReductions.LOGSUMEXP)
            .shape(Reduce::shape)
            .dtypes(DTypes.FLOATING)
            .gradient(
                "self",
                Keeps.inputs("self").andOutputs(0),
                b -> logsumexpGradient(b.attributes(), b.grad(), b.input("self"), b.output()))
            .torch("aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor")
            .sample(Reduce.all(), "f32[3 4]")
            .sample(new Reduce(new int[] {1}, false), "f32[3 4 2]")
            .sample(new Reduce(new int[] {0, 2}, true), "f32[3 4 2]")
            .sample(Reduce.all(), "f32[]")
            .sample(new Reduce(new int[] {1}, false), "f32[3 4] in -800..800")
            .declare();

    static final Operator<Norm> NORM =
        FAMILY
            .<Norm>structured("norm", "self[*] -> [*]", ReferenceReductions.NORM)
            .shape((a, in) -> a.over().shape(in))
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "self",
                Keeps.inputs("self").andOutputs(0),
                b -> normGradient(b.attributes(), b.grad(), b.input("self"), b.output()))
            .torch(
                "aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False)"
                    + " -> Tensor")
            .torch(
                "aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool"
                    + " keepdim=False, *, ScalarType? dtype=None) -> Tensor")
            .sample(new Norm(2, Reduce.all()), "f32[3 4]")
            .sample(new Norm(2, new Reduce(new int[] {1}, true)), "f32[3 4 2]")
            .sample(new Norm(1, new Reduce(new int[] {1}, false)), "f32[3 4 2]")
            .sample(new Norm(3, Reduce.all()), "f32[3 4]")
            .sample(new Norm(1.5, Reduce.all()), "f32[3 4] in 0.5..2")
            .sample(
                new Norm(Double.POSITIVE_INFINITY, new Reduce(new int[] {1}, false)), "f32[3 4]")
            .sample(new Norm(2, Reduce.all()), "f32[5] in -800..800")
            .declare();

    static final Operator<Place> PLACE =
        FAMILY
            .<Place>structured(
                "placeAlong", "self[*], indices[*] -> [*]", ReferenceReductions.PLACE)
            .shape((a, in) -> {
              long[] sizes = in.get(0).clone();
              Checks.shape("placeAlong", "indices", in.get(1), sizes);
              if (sizes.length > 0) {
                sizes[a.dim()] = a.size();
              }
              return List.of(sizes);
            })
            .check((a, in) -> Indexes.checkPlaces("placeAlong", in[1], a.size()))
            .dtypes(DTypes.SAME.fixed("indices", DType.INT64).complexByParts())
            .gradient(
                "self",
                Keeps.inputs("indices"),
                b -> Operators.PICK.on(b.attributes(), b.grad(), b.input("indices")))
            .own()
            .sample(new Place(1, 4), "f32[3 1], i64[3 1] in 0..3")
            .declare();

    static final Operator<Place> PICK =
        FAMILY
            .<Place>structured("pickAlong", "self[*], indices[*] -> [*]", ReferenceReductions.PICK)
            .shape((a, in) -> {
              long[] places = in.get(1).clone();
              long[] self = places.clone();
              if (self.length > 0) {
                self[a.dim()] = a.size();
              }
              Checks.shape("pickAlong", "self", in.get(0), self);
              return List.of(places);
            })
            .check((a, in) -> Indexes.checkPlaces("pickAlong", in[1], a.size()))
            .dtypes(DTypes.SAME.fixed("indices", DType.INT64).complexByParts())
            .gradient(
                "self",
                Keeps.inputs("indices"),
                b -> Operators.PLACE.on(b.attributes(), b.grad(), b.input("indices")))
            .own()
            .sample(new Place(1, 4), "f32[3 4], i64[3 1] in 0..3")
            .declare();

    /// Where an extreme is, which truth values do not have.
    private static Tensor place(Operator<Reduce> operator, Reduce over, Tensor x) {
      Checks.numbers(operator.name(), x);
      return operator.on(over, x);
    }

    /// Truth values, which are `uint8` for a tensor of that type.
    private static Tensor truth(Operator<Reduce> operator, Reduce over, Tensor x) {
      Tensor result = operator.on(over, x.isComplex() ? x.ne(0) : x);
      return x.dtype() == DType.UINT8 ? result.to(DType.UINT8) : result;
    }

    private static Tensor meanGradient(Reduce a, Tensor grad, long[] sizes) {
      return a.restore(grad, sizes).div(a.count(sizes)).expand(sizes);
    }

    /// The product of all other elements: the whole product divided by the element, unless there is a zero.
    private static Tensor prodGradient(Reduce a, Tensor grad, Tensor x, Tensor result) {
      long[] sizes = x.sizes();
      Tensor g = a.restore(grad, sizes);
      if (!x.eq(0).any().itemBoolean()) {
        return g.mul(a.restore(result, sizes).div(x).conj());
      }
      int[] dims = a.dims();
      Tensor others =
          dims == null
              ? productOfOthers(x.reshape(-1), 0).view(sizes)
              : productOfOthers(x, dims[0]);
      return g.mul(others.conj());
    }

    /// Products of the elements before each and after each, by doubling steps, so that every derivative of it is right at
    /// zeros too.
    private static Tensor productOfOthers(Tensor x, int dim) {
      if (x.dim() == 0) {
        return Tensor.onesLike(x);
      }
      long n = x.size(dim);
      Tensor one = Tensor.onesLike(x.narrow(dim, 0, 1));
      Tensor before = Tensor.cat(List.of(one, x.narrow(dim, 0, n - 1)), dim);
      Tensor after = Tensor.cat(List.of(x.narrow(dim, 1, n - 1), one), dim);
      for (long step = 1; step < n; step *= 2) {
        before =
            Tensor.cat(
                List.of(
                    before.narrow(dim, 0, step),
                    before.narrow(dim, step, n - step).mul(before.narrow(dim, 0, n - step))),
                dim);
        after =
            Tensor.cat(
                List.of(
                    after.narrow(dim, 0, n - step).mul(after.narrow(dim, step, n - step)),
                    after.narrow(dim, n - step, step)),
                dim);
      }
      return before.mul(after);
    }

    /// The same part of the gradient to each of the elements that equal the result.
    static Tensor shared(Reduce a, Tensor grad, Tensor x, Tensor result) {
      long[] sizes = x.sizes();
      Tensor extreme = a.restore(result, sizes);
      Tensor mask = x.eq(extreme).logicalOr(x.isnan().logicalAnd(extreme.isnan()));
      return a.restore(grad, sizes).div(a.sumKept(mask)).where(mask, 0);
    }

    static Tensor placed(Reduce a, Tensor grad, Tensor indices, long[] sizes) {
      int[] dims = a.dims();
      assert dims != null;
      long size = sizes.length == 0 ? 1 : sizes[dims[0]];
      return PLACE.on(new Place(dims[0], size), a.restore(grad, sizes), a.restore(indices, sizes));
    }

    private static Tensor varGradient(Variance a, Tensor grad, Tensor x) {
      double divisor = Math.max(0, a.over().count(x.sizes()) - a.correction());
      return a.over().restore(grad, x.sizes()).mul(2 / divisor).mul(x.sub(a.over().meanKept(x)));
    }

    private static @Nullable Tensor varMeanGradient(Backward<Variance> b) {
      Tensor x = b.input("self");
      Variance a = b.attributes();
      Tensor byVar = b.hasGrad(0) ? varGradient(a, b.grad(0), x) : null;
      Tensor byMean = b.hasGrad(1) ? meanGradient(a.over(), b.grad(1), x.sizes()) : null;
      return byVar == null ? byMean : byMean == null ? byVar : byVar.add(byMean);
    }

    private static Tensor logsumexpGradient(Reduce a, Tensor grad, Tensor x, Tensor result) {
      long[] sizes = x.sizes();
      return a.restore(grad, sizes).mul(x.sub(a.restore(result, sizes)).exp());
    }

    private static Tensor normGradient(Norm a, Tensor grad, Tensor x, Tensor result) {
      long[] sizes = x.sizes();
      Tensor g = a.over().restore(grad, sizes);
      Tensor norm = a.over().restore(result, sizes);
      double p = a.p();
      if (p == 0) {
        return Tensor.zeros(x.dtype(), sizes);
      }
      if (p == 1) {
        return x.sign().mul(g);
      }
      Tensor none = norm.eq(0);
      if (p == 2) {
        return x.mul(g.div(norm).maskedFill(none, 0));
      }
      if (Double.isInfinite(p)) {
        Tensor mask = x.abs().eq(norm);
        return x.sign().mul(g.div(a.over().sumKept(mask)).where(mask, 0));
      }
      Tensor scale = g.div(norm.pow(p - 1)).maskedFill(none, 0);
      return p < 2
          ? x.sign().mul(x.abs().pow(p - 1).maskedFill(x.eq(0), 0)).mul(scale)
          : x.mul(x.abs().pow(p - 2)).mul(scale);
    }

    private Operators() {}
  }
}
