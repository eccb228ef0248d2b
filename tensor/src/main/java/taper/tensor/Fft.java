package taper.tensor;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.Spectral.Transform;
import taper.tensor.internal.Elements;
import taper.tensor.spi.CheckedSizes;

/// Discrete Fourier transforms: `torch.fft`.
///
/// ```java
/// Tensor spectrum = Fft.rfft(signal);
/// Tensor image = Fft.fft2(pixels, o -> o.norm(Fft.Norm.ORTHO));
/// ```
///
/// Any length takes `O(n log n)` steps. Whole numbers become `float32`; 16-bit types are refused. Gradients are
/// transforms, too.
public final class Fft {
  private Fft() {}

  /// By what transforms of `n` elements are divided.
  public enum Norm {
    /// Transforms back by `n`.
    BACKWARD,
    /// All by the square root of `n`, so that they keep lengths.
    ORTHO,
    /// Transforms forward by `n`.
    FORWARD;

    double scale(boolean forward, long n) {
      return switch (this) {
        case BACKWARD -> forward ? 1 : 1.0 / n;
        case FORWARD -> forward ? 1.0 / n : 1;
        case ORTHO -> 1 / Math.sqrt(n);
      };
    }
  }

  /// What can be chosen of a transform along one dimension.
  ///
  /// @param n how many elements are transformed, the input being cut off or padded with zeros; -1 for all
  /// @param dim the dimension
  /// @param norm by what results are divided
  public record Options(long n, int dim, Norm norm) {
    /// PyTorch's defaults: the last dimension.
    public static final Options DEFAULT = new Options(-1, -1, Norm.BACKWARD);

    /// These options with the given number of elements.
    ///
    /// @throws ArgumentException if it is negative
    public Options n(long elements) {
      if (elements < 0) {
        throw new ArgumentException(
            "fft: n must not be negative, but is %d. Leave it out for all elements."
                .formatted(elements));
      }
      return new Options(elements, dim, norm);
    }

    /// These options with the given dimension.
    public Options dim(int dimension) {
      return new Options(n, dimension, norm);
    }

    /// These options with the given norm.
    public Options norm(Norm by) {
      return new Options(n, dim, by);
    }
  }

  /// What can be chosen of a transform along several dimensions.
  ///
  /// @param s how many elements are transformed along each, -1 for all; null for all along each
  /// @param dim the dimensions; null for the last ones if `s` is given, else all, or the last two
  /// @param norm by what results are divided
  public record ManyOptions(long @Nullable [] s, int @Nullable [] dim, Norm norm) {
    /// PyTorch's defaults.
    public static final ManyOptions DEFAULT = new ManyOptions(null, null, Norm.BACKWARD);

    /// These options with the given numbers of elements.
    public ManyOptions s(long... elements) {
      return new ManyOptions(elements, dim, norm);
    }

    /// These options with the given dimensions.
    public ManyOptions dim(int... dimensions) {
      return new ManyOptions(s, dimensions, norm);
    }

    /// These options with the given norm.
    public ManyOptions norm(Norm by) {
      return new ManyOptions(s, dim, by);
    }
  }

  // One dimension

  /// The transform along the last dimension.
  public static Tensor fft(Tensor x) {
    return fft(x, o -> o);
  }

  /// The transform along a dimension.
  ///
  /// - Shape: `[* m] -> [* n]`
  /// - Types: real or complex -> complex
  ///
  /// @throws ArgumentException if nothing is left to transform
  public static Tensor fft(Tensor x, UnaryOperator<Options> options) {
    return complex("fft", x, many(options), true);
  }

  /// The inverse of [#fft(Tensor)].
  public static Tensor ifft(Tensor x) {
    return ifft(x, o -> o);
  }

  /// The inverse of [#fft(Tensor, UnaryOperator)].
  public static Tensor ifft(Tensor x, UnaryOperator<Options> options) {
    return complex("ifft", x, many(options), false);
  }

  /// The first half of the transform of real numbers along the last dimension.
  public static Tensor rfft(Tensor x) {
    return rfft(x, o -> o);
  }

  /// The first half of the transform of real numbers along a dimension; the other half is its mirror image.
  ///
  /// - Shape: `[* m] -> [* n/2+1]`
  /// - Types: real -> complex
  ///
  /// @throws DTypeException if `x` is complex
  public static Tensor rfft(Tensor x, UnaryOperator<Options> options) {
    return fromReal("rfft", x, many(options), true);
  }

  /// The inverse of [#rfft(Tensor)]: an even number of real elements.
  public static Tensor irfft(Tensor x) {
    return irfft(x, o -> o);
  }

  /// The inverse of [#rfft(Tensor, UnaryOperator)].
  ///
  /// - Shape: `[* m] -> [* n]`; without `n`, it is `2 (m - 1)`
  /// - Types: complex -> real
  public static Tensor irfft(Tensor x, UnaryOperator<Options> options) {
    return toReal("irfft", x, many(options), false);
  }

  /// The real transform of the first half of a signal that is its own mirror image, along the last dimension.
  public static Tensor hfft(Tensor x) {
    return hfft(x, o -> o);
  }

  /// The real transform of the first half of a signal that is its own mirror image.
  ///
  /// - Shape: `[* m] -> [* n]`; without `n`, it is `2 (m - 1)`
  /// - Types: complex -> real
  public static Tensor hfft(Tensor x, UnaryOperator<Options> options) {
    return toReal("hfft", x, many(options), true);
  }

  /// The inverse of [#hfft(Tensor)].
  public static Tensor ihfft(Tensor x) {
    return ihfft(x, o -> o);
  }

  /// The inverse of [#hfft(Tensor, UnaryOperator)].
  ///
  /// - Shape: `[* m] -> [* n/2+1]`
  /// - Types: real -> complex
  public static Tensor ihfft(Tensor x, UnaryOperator<Options> options) {
    return fromReal("ihfft", x, many(options), false);
  }

  // Two dimensions

  /// The transform along the last two dimensions.
  public static Tensor fft2(Tensor x) {
    return fft2(x, o -> o);
  }

  /// The transform along two dimensions.
  public static Tensor fft2(Tensor x, UnaryOperator<ManyOptions> options) {
    return complex("fft2", x, lastTwo(options), true);
  }

  /// The inverse of [#fft2(Tensor)].
  public static Tensor ifft2(Tensor x) {
    return ifft2(x, o -> o);
  }

  /// The inverse of [#fft2(Tensor, UnaryOperator)].
  public static Tensor ifft2(Tensor x, UnaryOperator<ManyOptions> options) {
    return complex("ifft2", x, lastTwo(options), false);
  }

  /// The half of the transform of real numbers along the last two dimensions.
  public static Tensor rfft2(Tensor x) {
    return rfft2(x, o -> o);
  }

  /// The half of the transform of real numbers along two dimensions.
  public static Tensor rfft2(Tensor x, UnaryOperator<ManyOptions> options) {
    return fromReal("rfft2", x, lastTwo(options), true);
  }

  /// The inverse of [#rfft2(Tensor)].
  public static Tensor irfft2(Tensor x) {
    return irfft2(x, o -> o);
  }

  /// The inverse of [#rfft2(Tensor, UnaryOperator)].
  public static Tensor irfft2(Tensor x, UnaryOperator<ManyOptions> options) {
    return toReal("irfft2", x, lastTwo(options), false);
  }

  /// [#hfftn] along the last two dimensions.
  public static Tensor hfft2(Tensor x) {
    return hfft2(x, o -> o);
  }

  /// [#hfftn] along two dimensions.
  public static Tensor hfft2(Tensor x, UnaryOperator<ManyOptions> options) {
    return toReal("hfft2", x, lastTwo(options), true);
  }

  /// The inverse of [#hfft2(Tensor)].
  public static Tensor ihfft2(Tensor x) {
    return ihfft2(x, o -> o);
  }

  /// The inverse of [#hfft2(Tensor, UnaryOperator)].
  public static Tensor ihfft2(Tensor x, UnaryOperator<ManyOptions> options) {
    return fromReal("ihfft2", x, lastTwo(options), false);
  }

  // Any number of dimensions

  /// The transform along all dimensions.
  public static Tensor fftn(Tensor x) {
    return fftn(x, o -> o);
  }

  /// The transform along several dimensions.
  public static Tensor fftn(Tensor x, UnaryOperator<ManyOptions> options) {
    return complex("fftn", x, options.apply(ManyOptions.DEFAULT), true);
  }

  /// The inverse of [#fftn(Tensor)].
  public static Tensor ifftn(Tensor x) {
    return ifftn(x, o -> o);
  }

  /// The inverse of [#fftn(Tensor, UnaryOperator)].
  public static Tensor ifftn(Tensor x, UnaryOperator<ManyOptions> options) {
    return complex("ifftn", x, options.apply(ManyOptions.DEFAULT), false);
  }

  /// The half of the transform of real numbers along all dimensions.
  public static Tensor rfftn(Tensor x) {
    return rfftn(x, o -> o);
  }

  /// The half of the transform of real numbers along several dimensions: that along the last of them.
  public static Tensor rfftn(Tensor x, UnaryOperator<ManyOptions> options) {
    return fromReal("rfftn", x, options.apply(ManyOptions.DEFAULT), true);
  }

  /// The inverse of [#rfftn(Tensor)].
  public static Tensor irfftn(Tensor x) {
    return irfftn(x, o -> o);
  }

  /// The inverse of [#rfftn(Tensor, UnaryOperator)].
  public static Tensor irfftn(Tensor x, UnaryOperator<ManyOptions> options) {
    return toReal("irfftn", x, options.apply(ManyOptions.DEFAULT), false);
  }

  /// The real transform of half a signal that is its own mirror image, along all dimensions.
  public static Tensor hfftn(Tensor x) {
    return hfftn(x, o -> o);
  }

  /// The real transform of half a signal that is its own mirror image, along several dimensions.
  public static Tensor hfftn(Tensor x, UnaryOperator<ManyOptions> options) {
    return toReal("hfftn", x, options.apply(ManyOptions.DEFAULT), true);
  }

  /// The inverse of [#hfftn(Tensor)].
  public static Tensor ihfftn(Tensor x) {
    return ihfftn(x, o -> o);
  }

  /// The inverse of [#hfftn(Tensor, UnaryOperator)].
  public static Tensor ihfftn(Tensor x, UnaryOperator<ManyOptions> options) {
    return fromReal("ihfftn", x, options.apply(ManyOptions.DEFAULT), false);
  }

  // Frequencies

  /// Moves frequency 0 to the middle of `dims`, or of all dimensions if none are given.
  public static Tensor fftshift(Tensor x, int... dims) {
    return shifted("fftshift", x, dims, true);
  }

  /// Undoes [#fftshift].
  public static Tensor ifftshift(Tensor x, int... dims) {
    return shifted("ifftshift", x, dims, false);
  }

  /// The frequencies of a transform of `n` samples that lie `d` apart, in cycles per unit of `d`, `float32`.
  public static Tensor fftfreq(long n, double d) {
    return fftfreq(DType.FLOAT32, n, d);
  }

  /// The frequencies of a transform of `n` samples that lie `d` apart, in cycles per unit of `d`.
  public static Tensor fftfreq(DType dtype, long n, double d) {
    return frequencies("fftfreq", dtype, n, d, n);
  }

  /// The frequencies of the first half of a transform of `n` samples that lie `d` apart, `float32`.
  public static Tensor rfftfreq(long n, double d) {
    return rfftfreq(DType.FLOAT32, n, d);
  }

  /// The frequencies of the first half of a transform of `n` samples that lie `d` apart.
  public static Tensor rfftfreq(DType dtype, long n, double d) {
    return frequencies("rfftfreq", dtype, n, d, n / 2 + 1);
  }

  private static Tensor frequencies(String op, DType dtype, long n, double d, long count) {
    if (n < 0) {
      throw new ArgumentException("%s: n must not be negative, but is %d.".formatted(op, n));
    }
    Tensor result = Tensor.empty(dtype, count);
    var elements = new Elements(result.data());
    for (long k = 0; k < count; k++) {
      boolean negative = count == n && k >= (n + 1) / 2;
      elements.set(k, (negative ? k - n : k) * (1.0 / (n * d)));
    }
    Reference.reachabilityFence(result);
    return result;
  }

  private static Tensor shifted(String op, Tensor x, int[] dims, boolean forward) {
    int[] along =
        dims.length == 0
            ? IntStream.range(0, x.dim()).toArray()
            : Arrays.stream(dims).map(d -> Checks.dim(op, d, x.dim())).toArray();
    if (along.length == 0) {
      return x;
    }
    long[] shifts =
        Arrays.stream(along)
            .mapToLong(d -> forward ? x.size(d) / 2 : (x.size(d) + 1) / 2)
            .toArray();
    return x.roll(shifts, along);
  }

  // How they are made

  private static ManyOptions many(UnaryOperator<Options> options) {
    Options one = options.apply(Options.DEFAULT);
    return new ManyOptions(
        one.n() == -1 ? null : new long[] {one.n()}, new int[] {one.dim()}, one.norm());
  }

  private static ManyOptions lastTwo(UnaryOperator<ManyOptions> options) {
    ManyOptions many = options.apply(ManyOptions.DEFAULT);
    return many.dim() == null ? many.dim(-2, -1) : many;
  }

  /// The dimensions of a transform and how many elements of each are transformed.
  private record Plan(Tensor x, int[] dims, long[] sizes, Norm norm) {

    static Plan of(String op, Tensor x, ManyOptions options) {
      long[] s = options.s();
      int[] dim = options.dim();
      if (x.dim() == 0 && (dim == null ? s != null : dim.length > 0)) {
        throw new ShapeException(
            "%s: the tensor must have at least 1 dimension, but has shape [].".formatted(op));
      }
      int[] dims =
          dim != null
              ? Arrays.stream(dim).map(d -> Checks.dim(op, d, x.dim())).toArray()
              : IntStream.range(s == null ? 0 : Math.max(0, x.dim() - s.length), x.dim()).toArray();
      if (s != null && s.length != dims.length) {
        throw new ArgumentException(
            "%s: there must be one size for each dimension, but sizes are %s and dims %s."
                .formatted(op, Arrays.toString(s), Arrays.toString(dim == null ? dims : dim)));
      }
      if (Arrays.stream(dims).distinct().count() != dims.length) {
        throw new ArgumentException(
            "%s: dims must be different, but are %s.".formatted(op, Arrays.toString(dim)));
      }
      long[] sizes = new long[dims.length];
      for (int i = 0; i < sizes.length; i++) {
        sizes[i] = s == null || s[i] == -1 ? -1 : s[i];
      }
      return new Plan(x, dims, sizes, options.norm());
    }

    /// The sizes where all elements are transformed; the last one is `last` then.
    Plan filled(String op, long last) {
      long[] filled = sizes.clone();
      for (int i = 0; i < filled.length; i++) {
        if (filled[i] == -1) {
          filled[i] = i == filled.length - 1 && last >= 0 ? last : x.size(dims[i]);
        }
        if (filled[i] < 1) {
          throw new ArgumentException(
              "%s: there must be elements to transform, but dimension %d of shape %s has %d."
                  .formatted(op, dims[i], x.shape(), filled[i]));
        }
      }
      return new Plan(x, dims, filled, norm);
    }

    double scale(boolean forward, int from, int to) {
      return norm.scale(forward, CheckedSizes.numel(sizes, from, to));
    }

    int last() {
      return dims.length - 1;
    }

    int[] others() {
      return Arrays.copyOf(dims, last());
    }
  }

  /// `x` as a type that can be transformed.
  private static Tensor floating(String op, Tensor x) {
    if (x.dtype().isHalf()) {
      throw new DTypeException(
          "%s: the tensor must not be of a 16-bit type, but is %s. Convert it with .to(DType.FLOAT32)."
              .formatted(op, x.dtype()));
    }
    return x.dtype().isDifferentiable() ? x : x.to(DType.FLOAT32);
  }

  private static Tensor complex(String op, Tensor input, ManyOptions options, boolean forward) {
    Tensor x = floating(op, input);
    Plan plan = Plan.of(op, x, options).filled(op, -1);
    Tensor z = x.to(x.dtype().toComplex());
    for (int i = 0; i < plan.dims.length; i++) {
      z = resized(z, plan.dims[i], plan.sizes[i]);
    }
    return transformed(z, plan.dims, forward, plan.scale(forward, 0, plan.dims.length));
  }

  private static Tensor transformed(Tensor z, int[] dims, boolean forward, double scale) {
    return dims.length == 0
        ? z
        : Spectral.Operators.COMPLEX.on(new Transform(dims, forward, scale), z);
  }

  private static void requireDims(String op, Plan plan) {
    if (plan.dims.length == 0) {
      throw new ArgumentException(
          "%s: there must be a dimension to transform, but there is none.".formatted(op));
    }
  }

  private static Tensor fromReal(String op, Tensor input, ManyOptions options, boolean forward) {
    if (input.isComplex()) {
      throw new DTypeException(
          "%s: the tensor must be real, but is %s. Use %s."
              .formatted(op, input.dtype(), forward ? "fft" : "ifft"));
    }
    Tensor x = floating(op, input);
    Plan plan = Plan.of(op, x, options);
    requireDims(op, plan);
    plan = plan.filled(op, -1);
    for (int i = 0; i < plan.dims.length; i++) {
      x = resized(x, plan.dims[i], plan.sizes[i]);
    }
    int last = plan.last();
    var half =
        new Transform(new int[] {plan.dims[last]}, forward, plan.scale(forward, last, last + 1));
    Tensor z = Spectral.Operators.FROM_REAL.on(half, x);
    return transformed(z, plan.others(), forward, plan.scale(forward, 0, last));
  }

  private static Tensor toReal(String op, Tensor input, ManyOptions options, boolean forward) {
    Tensor x = floating(op, input);
    Plan plan = Plan.of(op, x, options);
    requireDims(op, plan);
    int last = plan.last();
    plan = plan.filled(op, 2 * (x.size(plan.dims[last]) - 1));
    Tensor z = x.to(x.dtype().toComplex());
    for (int i = 0; i < last; i++) {
      z = resized(z, plan.dims[i], plan.sizes[i]);
    }
    z = resized(z, plan.dims[last], plan.sizes[last] / 2 + 1);
    z = transformed(z, plan.others(), forward, plan.scale(forward, 0, last));
    var half =
        new Transform(
            new int[] {plan.dims[last]},
            forward,
            plan.scale(forward, last, last + 1),
            plan.sizes[last]);
    return Spectral.Operators.TO_REAL.on(half, z);
  }

  /// `x` with `size` elements along `dim`: the first ones, or all and zeros.
  static Tensor resized(Tensor x, int dim, long size) {
    long now = x.size(dim);
    if (size <= now) {
      return size == now ? x : x.narrow(dim, 0, size);
    }
    long[] more = x.shape().toArray();
    more[dim] = size - now;
    return Tensor.cat(List.of(x, Tensor.zeros(x.dtype(), more)), dim);
  }
}
