package taper.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceFourier;
import taper.tensor.spi.AlongDims;

/// Short-time Fourier transforms, and the operators that [Fft] is made of.
public sealed interface Spectral permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the spectra of overlapping windows of a signal, one column each, with hops of a quarter of a window.
  ///
  /// - Shape: `[*b t] -> [*b f w]`, with at most one dimension `b`
  /// - Types: floating -> the complex type of such parts
  ///
  /// @param nFft the length of the transforms
  default Tensor stft(long nFft) {
    return stft(nFft, o -> o);
  }

  /// Returns the spectra of overlapping windows of a signal, one column each.
  ///
  /// - Shape: `[*b t] -> [*b f w]`, with at most one dimension `b`; `f` is `nFft/2 + 1` if one-sided, else `nFft`
  /// - Types: floating or complex -> complex
  ///
  /// @param nFft the length of the transforms
  /// @param options such as `o -> o.hopLength(128).window(Tensor.hannWindow(512))`
  /// @throws ShapeException if the signal is shorter than a window, or the window longer than a transform
  default Tensor stft(long nFft, UnaryOperator<StftOptions> options) {
    return ShortTime.forward(self(), nFft, options.apply(StftOptions.DEFAULT));
  }

  /// Returns the signal whose [#stft] this is, with hops of a quarter of a window.
  ///
  /// @param nFft the length of the transforms
  default Tensor istft(long nFft) {
    return istft(nFft, o -> o);
  }

  /// Returns the signal whose [#stft] this is: the least-squares fit to the spectra of all windows.
  ///
  /// - Shape: `[*b f w] -> [*b t]`
  /// - Source: Griffin, Lim 1984, Signal estimation from modified short-time Fourier transform
  ///
  /// @param nFft the length of the transforms
  /// @param options those of [#stft], and the length of the signal
  /// @throws ArgumentException if windows leave parts of the signal out
  default Tensor istft(long nFft, UnaryOperator<StftOptions> options) {
    return ShortTime.inverse(self(), nFft, options.apply(StftOptions.DEFAULT));
  }

  /// A Fourier transform.
  ///
  /// @param dims the dimensions, counted from 0
  /// @param forward whether the exponent is negative
  /// @param scale the factor of the result
  /// @param size of a transform to real numbers the size of the result, else 0
  record Transform(int[] dims, boolean forward, double scale, long size)
      implements AlongDims.NoScalar {
    @Override
    public int[] alongDims() {
      return dims;
    }

    public Transform {
      if (dims.length == 0) {
        throw new ArgumentException(
            "fft: there must be a dimension to transform, but dims are [].");
      }
    }

    Transform(int[] dims, boolean forward, double scale) {
      this(dims, forward, scale, 0);
    }
  }

  /// The declarations behind the methods above.
  final class Operators {
    static final Family FAMILY = new Family("spectral");

    static final Operator<Transform> COMPLEX =
        FAMILY
            .<Transform>structured("fftComplex", "self[*b] -> [*b]", ReferenceFourier.COMPLEX)
            .dtypes(DTypes.SAME_FLOATING.complex())
            .gradient(
                "self",
                Keeps.NOTHING,
                b -> {
                  Transform a = b.attributes();
                  return Operators.COMPLEX.on(
                      new Transform(a.dims(), !a.forward(), a.scale()), b.grad());
                })
            .gradientName("FftC2CBackward0")
            .torch(
                "aten::_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) ->"
                    + " Tensor")
            .sample(new Transform(new int[] {1}, true, 1), "c64[3 4]")
            .sample(new Transform(new int[] {0, 2}, false, 0.5), "c64[6 2 5]")
            .sample(new Transform(new int[] {0}, true, 1), "c64[17 2]")
            .sample(new Transform(new int[] {0}, true, 1), "c64[21 2]")
            .declare();

    static final Operator<Transform> FROM_REAL =
        FAMILY
            .<Transform>structured("fftFromReal", "self[*] -> [*]", ReferenceFourier.FROM_REAL)
            .shape((a, in) -> {
              int dim = a.dims()[0];
              long[] sizes = sizes(in);
              return resized(in, dim, sizes[dim] / 2 + 1);
            })
            .dtypes(DTypes.SAME_FLOATING.withoutHalf().results(DTypes.Result.COMPLEX))
            .gradient("self", Keeps.NOTHING, b -> fromRealGradient(b))
            .gradientName("FftR2CBackward0")
            .torch(
                "aten::_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) ->"
                    + " Tensor")
            .sample(new Transform(new int[] {1}, true, 1), "f32[3 8]")
            .sample(new Transform(new int[] {0}, false, 0.5), "f32[7 2]")
            .sample(new Transform(new int[] {0}, true, 1), "f32[1 2]")
            .sample(new Transform(new int[] {0}, true, 1), "f32[2 2]")
            .sample(new Transform(new int[] {0}, true, 1), "f32[34]")
            .declare();

    static final Operator<Transform> TO_REAL =
        FAMILY
            .<Transform>structured("fftToReal", "self[*] -> [*]", ReferenceFourier.TO_REAL)
            .shape((a, in) -> {
              long[] sizes = in.getFirst();
              int dim = a.dims()[0];
              if (a.size() < 1 || sizes[dim] != a.size() / 2 + 1) {
                throw new ShapeException(
                    "fftToReal: dimension %d must have half of %d elements and one more, but self has shape %s."
                        .formatted(dim, a.size(), Arrays.toString(sizes)));
              }
              return resized(in, dim, a.size());
            })
            .dtypes(DTypes.SAME_FLOATING.complex().results(DTypes.Result.REAL))
            .gradient("self", Keeps.NOTHING, b -> toRealGradient(b))
            .gradientName("FftC2RBackward0")
            .torch(
                "aten::_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) ->"
                    + " Tensor")
            .sample(new Transform(new int[] {1}, false, 1, 8), "c64[3 5]")
            .sample(new Transform(new int[] {0}, true, 0.5, 7), "c64[4 2]")
            .sample(new Transform(new int[] {0}, false, 1, 1), "c64[1 2]")
            .sample(new Transform(new int[] {0}, false, 1, 2), "c64[2 2]")
            .declare();

    private static long[] sizes(List<long @Nullable []> in) {
      long[] sizes = in.get(0);
      assert sizes != null;
      return sizes.clone();
    }

    private static List<long[]> resized(List<long @Nullable []> in, int dim, long size) {
      long[] sizes = sizes(in);
      sizes[dim] = size;
      return List.of(sizes);
    }

    /// The transform back, of the half that was computed; the other half was not, so it counts as zeros.
    private static Tensor fromRealGradient(Backward<Transform> b) {
      Transform a = b.attributes();
      int dim = a.dims()[0];
      Tensor whole = Fft.resized(b.grad(), dim, b.sizes("self")[dim]);
      return COMPLEX.on(new Transform(a.dims(), !a.forward(), a.scale()), whole).real();
    }

    /// The transform back; what the other half of the spectrum would have got goes to its conjugate.
    private static Tensor toRealGradient(Backward<Transform> b) {
      Transform a = b.attributes();
      int dim = a.dims()[0];
      Tensor half = FROM_REAL.on(new Transform(a.dims(), !a.forward(), a.scale()), b.grad());
      double[] factors = new double[Math.toIntExact(half.size(dim))];
      for (int k = 0; k < factors.length; k++) {
        factors[k] = k == 0 || 2L * k == a.size() ? 1 : 2;
      }
      long[] along = new long[half.dim()];
      Arrays.fill(along, 1);
      along[dim] = factors.length;
      return half.mul(Tensor.of(factors).to(b.grad().dtype()).reshape(along));
    }

    private Operators() {}
  }
}
