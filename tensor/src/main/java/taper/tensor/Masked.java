package taper.tensor;

import java.util.Arrays;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Functions that look only at the elements that a mask lets through: `torch.masked`.
///
/// ```java
/// Tensor means = Masked.mean(x, o -> o.mask(x.gt(0)).dim(1));
/// ```
///
/// A mask is `bool`, true for elements that count, and broadcasts to the shape of the elements. No gradient flows to the
/// others. Where no element counts, the result is that for no elements: 0 for a sum, -∞ for the largest, NaN for a mean.
public final class Masked {
  private Masked() {}

  private static MaskedOptions read(UnaryOperator<MaskedOptions> options) {
    return options.apply(MaskedOptions.DEFAULT);
  }

  /// Sums along the dimensions of the options.
  ///
  /// - Types: whole numbers and truth values are summed as `int64`
  public static Tensor sum(Tensor x, UnaryOperator<MaskedOptions> options) {
    return sum(x, read(options));
  }

  private static Tensor sum(Tensor x, MaskedOptions o) {
    Tensor visible = filled(x, o.mask(), 0);
    DType dtype = o.dtype();
    return dtype == null
        ? visible.sum(o.dimensions(), o.keepDim())
        : visible.sum(o.dimensions(), o.keepDim(), dtype);
  }

  /// Products along the dimensions of the options.
  ///
  /// - Types: whole numbers and truth values are multiplied as `int64`
  public static Tensor prod(Tensor x, UnaryOperator<MaskedOptions> options) {
    MaskedOptions o = read(options);
    DType dtype = o.dtype();
    Tensor result = filled(x, o.mask(), 1);
    result = dtype == null ? result : result.to(dtype);
    int[] dims = o.dimensions();
    int[] sorted =
        dims.length == 0
            ? IntStream.range(0, x.dim()).toArray()
            : Arrays.stream(dims)
                .map(d -> Checks.dim("masked.prod", d, x.dim()))
                .sorted()
                .toArray();
    if (sorted.length == 0) {
      result = result.prod();
    }
    for (int i = sorted.length - 1; i >= 0; i--) {
      result = result.prod(sorted[i], o.keepDim());
    }
    return dtype == null ? result : result.to(dtype);
  }

  /// The largest elements along the dimensions of the options.
  public static Tensor amax(Tensor x, UnaryOperator<MaskedOptions> options) {
    MaskedOptions o = read(options);
    return typed(lowest(x, o.mask()).amax(o.dimensions(), o.keepDim()), o);
  }

  /// The smallest elements along the dimensions of the options.
  public static Tensor amin(Tensor x, UnaryOperator<MaskedOptions> options) {
    MaskedOptions o = read(options);
    return typed(highest(x, o.mask()).amin(o.dimensions(), o.keepDim()), o);
  }

  /// Where the largest elements are along the dimension of the options, or the largest of all.
  ///
  /// - Types: places have the type of `x`, as in PyTorch, if the options have none
  ///
  /// @throws ArgumentException if there are several dimensions
  public static Tensor argmax(Tensor x, UnaryOperator<MaskedOptions> options) {
    MaskedOptions o = read(options);
    Tensor visible = lowest(x, o.mask());
    Tensor result =
        o.dims().isEmpty()
            ? visible.argmax()
            : visible.argmax(only("masked.argmax", o), o.keepDim());
    return result.to(type(x, o));
  }

  /// Where the smallest elements are along the dimension of the options, or the smallest of all.
  ///
  /// - Types: places have the type of `x`, as in PyTorch, if the options have none
  ///
  /// @throws ArgumentException if there are several dimensions
  public static Tensor argmin(Tensor x, UnaryOperator<MaskedOptions> options) {
    MaskedOptions o = read(options);
    Tensor visible = highest(x, o.mask());
    Tensor result =
        o.dims().isEmpty()
            ? visible.argmin()
            : visible.argmin(only("masked.argmin", o), o.keepDim());
    return result.to(type(x, o));
  }

  private static DType type(Tensor x, MaskedOptions o) {
    DType dtype = o.dtype();
    return dtype == null ? x.dtype() : dtype;
  }

  private static int only(String op, MaskedOptions o) {
    if (o.dims().size() != 1) {
      throw new ArgumentException(op + ": there must be one dim, but they are " + o.dims() + ".");
    }
    return o.dims().getFirst();
  }

  /// Means along the dimensions of the options; NaN where no element counts.
  public static Tensor mean(Tensor x, UnaryOperator<MaskedOptions> options) {
    MaskedOptions o = read(options);
    return sum(x, o).div(count(x, o));
  }

  /// How many elements count, as a number or for each element of the result.
  private static Tensor count(Tensor x, MaskedOptions o) {
    Tensor mask = o.mask();
    Tensor counted = mask == null ? Tensor.scalar(true).expand(x.sizes()) : fitted(x, mask);
    return counted.sum(o.dimensions(), o.keepDim());
  }

  /// Medians along the dimension of the options, the last one if there is none; NaN where no element counts.
  ///
  /// @throws ArgumentException if there are several dimensions, or no element counts and the type has no NaN
  public static Tensor median(Tensor x, UnaryOperator<MaskedOptions> options) {
    MaskedOptions o = read(options);
    int dim = o.dims().isEmpty() ? -1 : only("masked.median", o);
    boolean floating = x.dtype().isFloatingPoint();
    Tensor visible = filled(floating ? x : x.to(DType.FLOAT32), o.mask(), Double.NaN);
    Tensor result = visible.nanmedian(dim, o.keepDim()).values();
    if (floating) {
      return result;
    }
    if (result.isnan().any().itemBoolean()) {
      throw new ArgumentException(
          "masked.median: some element must count in each line of whole numbers, but none does in"
              + " one.");
    }
    return result.to(type(x, o));
  }

  /// Norms of order `ord` along the dimensions of the options.
  public static Tensor norm(Tensor x, double ord, UnaryOperator<MaskedOptions> options) {
    return norm(x, ord, read(options));
  }

  private static Tensor norm(Tensor x, double ord, MaskedOptions o) {
    Tensor visible =
        ord == Double.NEGATIVE_INFINITY ? highest(x, o.mask()) : filled(x, o.mask(), 0);
    DType dtype = o.dtype();
    return (dtype == null ? visible : visible.to(dtype)).norm(ord, o.dimensions(), o.keepDim());
  }

  /// Variances along the dimensions of the options, without Bessel's correction if they do not ask for it.
  public static Tensor var(Tensor x, UnaryOperator<MaskedOptions> options) {
    return var(x, read(options));
  }

  private static Tensor var(Tensor x, MaskedOptions o) {
    DType asked = o.dtype();
    DType dtype = asked != null ? asked : x.dtype().isDifferentiable() ? x.dtype() : DType.FLOAT32;
    DType compute = dtype.isDifferentiable() ? dtype : DType.FLOAT32;
    MaskedOptions kept = o.keepDim(true).dtype(dtype);
    Tensor count = count(x, kept);
    Tensor distance = x.sub(sum(x, kept).div(count));
    Tensor total = sum(distance.mul(distance.conj()), o.dtype(compute));
    Tensor divisor = count.reshape(total.sizes());
    if (o.unbiased()) {
      divisor = divisor.sub(1).clampMin(0);
    }
    return total.div(divisor).to(dtype);
  }

  /// Standard deviations along the dimensions of the options, without Bessel's correction if they do not ask for it.
  public static Tensor std(Tensor x, UnaryOperator<MaskedOptions> options) {
    return var(x, read(options)).sqrt();
  }

  /// Logarithms of the sums of the exponentials along the dimensions of the options.
  public static Tensor logsumexp(Tensor x, UnaryOperator<MaskedOptions> options) {
    MaskedOptions o = read(options);
    Tensor result = lowest(x, o.mask()).logsumexp(o.dimensions(), o.keepDim());
    return result.to(type(x, o));
  }

  /// The logarithm of the sum of the exponentials of both elements, of those that count.
  ///
  /// @param xMask which elements of `x` count, or null for all
  /// @param otherMask which elements of `other` count, or null for all
  public static Tensor logaddexp(
      Tensor x, Tensor other, @Nullable Tensor xMask, @Nullable Tensor otherMask) {
    return lowest(x, xMask).logaddexp(lowest(other, otherMask));
  }

  /// Running sums along `dim`.
  public static Tensor cumsum(Tensor x, int dim, UnaryOperator<MaskedOptions> options) {
    MaskedOptions o = read(options);
    return filled(x, o.mask(), 0).cumsum(dim, type(x, o));
  }

  /// Running products along `dim`.
  public static Tensor cumprod(Tensor x, int dim, UnaryOperator<MaskedOptions> options) {
    MaskedOptions o = read(options);
    return filled(x, o.mask(), 1).cumprod(dim, type(x, o));
  }

  /// The softmax along `dim`, with a share of 0 for elements that do not count.
  public static Tensor softmax(Tensor x, int dim, UnaryOperator<MaskedOptions> options) {
    MaskedOptions o = read(options);
    return typed(lowest(x, o.mask()), o).softmax(dim);
  }

  /// The logarithm of the softmax along `dim`.
  public static Tensor logSoftmax(Tensor x, int dim, UnaryOperator<MaskedOptions> options) {
    MaskedOptions o = read(options);
    return typed(lowest(x, o.mask()), o).logSoftmax(dim);
  }

  /// The softmax of the negated elements along `dim`.
  public static Tensor softmin(Tensor x, int dim, UnaryOperator<MaskedOptions> options) {
    MaskedOptions o = read(options);
    return typed(highest(x, o.mask()), o).softmin(dim);
  }

  /// The elements divided by the norm of order `ord` of those that count along `dim`, and 0 for the others.
  public static Tensor normalize(
      Tensor x, double ord, int dim, UnaryOperator<MaskedOptions> options) {
    return normalize(x, ord, dim, 1e-12, options);
  }

  /// The elements divided by the norm of order `ord` of those that count along `dim`, and 0 for the others.
  ///
  /// @param eps the least divisor
  public static Tensor normalize(
      Tensor x, double ord, int dim, double eps, UnaryOperator<MaskedOptions> options) {
    MaskedOptions o = read(options);
    Tensor norm = norm(x, ord, o.dim(dim).keepDim(true));
    return filled(x, o.mask(), 0).div(norm.maximum(Tensor.fullLike(norm.detach(), eps)));
  }

  private static Tensor typed(Tensor x, MaskedOptions o) {
    DType dtype = o.dtype();
    return dtype == null ? x : x.to(dtype);
  }

  /// The mask, in the shape of `x`.
  private static Tensor fitted(Tensor x, Tensor mask) {
    return mask.to(DType.BOOL).expand(x.sizes());
  }

  private static Tensor filled(Tensor x, @Nullable Tensor mask, double value) {
    if (mask == null) {
      return x;
    }
    Tensor hidden = fitted(x, mask).logicalNot();
    return x.dtype().isDifferentiable()
        ? x.maskedFill(hidden, value)
        : x.maskedFill(hidden, (long) value);
  }

  /// With -∞ or the least number in the place of elements that do not count.
  private static Tensor lowest(Tensor x, @Nullable Tensor mask) {
    if (mask == null || x.dtype().isFloatingPoint()) {
      return filled(x, mask, Double.NEGATIVE_INFINITY);
    }
    return x.maskedFill(fitted(x, mask).logicalNot(), least(x.dtype()));
  }

  /// With ∞ or the largest number in the place of elements that do not count.
  private static Tensor highest(Tensor x, @Nullable Tensor mask) {
    if (mask == null || x.dtype().isFloatingPoint()) {
      return filled(x, mask, Double.POSITIVE_INFINITY);
    }
    long largest = x.dtype() == DType.UINT8 ? 255 : ~least(x.dtype());
    return x.maskedFill(fitted(x, mask).logicalNot(), largest);
  }

  private static long least(DType dtype) {
    if (!dtype.isIntegral()) {
      throw new DTypeException(
          "masked: there is no least or largest number of type %s. Convert it with .to(DType.INT64)."
              .formatted(dtype));
    }
    return dtype == DType.UINT8 ? 0 : Long.MIN_VALUE >> (64 - 8 * dtype.byteSize());
  }
}
