package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FftTest {
  /// The transform by its definition.
  private static Complex[] definition(Complex[] x) {
    Complex[] result = new Complex[x.length];
    for (int k = 0; k < x.length; k++) {
      double re = 0;
      double im = 0;
      for (int j = 0; j < x.length; j++) {
        double angle = -2 * Math.PI * ((long) j * k % x.length) / x.length;
        re += x[j].re() * Math.cos(angle) - x[j].im() * Math.sin(angle);
        im += x[j].re() * Math.sin(angle) + x[j].im() * Math.cos(angle);
      }
      result[k] = new Complex(re, im);
    }
    return result;
  }

  private static Complex[] numbers(int n) {
    var random = new SplittableRandom(n);
    Complex[] result = new Complex[n];
    for (int i = 0; i < n; i++) {
      result[i] = new Complex(random.nextDouble(-1, 1), random.nextDouble(-1, 1));
    }
    return result;
  }

  private static void assertClose(Tensor actual, Complex[] expected, int count) {
    Complex[] a = actual.toComplexArray();
    assertThat(a).hasSize(count);
    for (int i = 0; i < count; i++) {
      assertThat(a[i].re()).isCloseTo(expected[i].re(), within(1e-11));
      assertThat(a[i].im()).isCloseTo(expected[i].im(), within(1e-11));
    }
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 19, 20, 26, 34, 49, 60, 64, 97, 121,
        128, 143, 210, 256, 289, 331, 720, 1009
      })
  void agreesWithTheDefinition(int n) {
    Complex[] x = numbers(n);
    Complex[] expected = definition(x);

    Tensor spectrum = Fft.fft(Tensor.of(x, n));

    assertClose(spectrum, expected, n);
    assertClose(Fft.ifft(spectrum), x, n);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 14, 15, 16, 34, 35, 97, 100})
  void transformOfRealNumbersIsTheFirstHalf(int n) {
    Complex[] x = numbers(n);
    double[] real = new double[n];
    for (int i = 0; i < n; i++) {
      real[i] = x[i].re();
      x[i] = Complex.of(real[i]);
    }

    Tensor half = Fft.rfft(Tensor.of(real, n));

    assertClose(half, definition(x), n / 2 + 1);
    Tensor back = Fft.irfft(half, o -> o.n(n));
    assertThat(back.toDoubleArray()).containsExactly(real, within(1e-13));
  }

  @Test
  void linesInTheMiddleOfATensorAreTransformedApart() {
    Tensor x = Tensor.of(numbers(5 * 6 * 37), 5, 6, 37);

    Tensor spectra = Fft.fft(x, o -> o.dim(1));

    for (int i = 0; i < 5; i++) {
      for (int j = 0; j < 37; j += 9) {
        Complex[] line = x.select(0, i).select(1, j).toComplexArray();
        assertClose(spectra.select(0, i).select(1, j), definition(line), 6);
      }
    }
  }

  @Test
  void shiftsPutFrequencyZeroInTheMiddle() {
    assertThat(Fft.fftshift(Fft.fftfreq(5, 0.2)).toFloatArray())
        .containsExactly(-2f, -1f, 0f, 1f, 2f);
    assertThat(Fft.rfftfreq(4, 1).toFloatArray()).containsExactly(0f, 0.25f, 0.5f);
    Tensor x = Tensor.arange(5);
    assertThat(Fft.ifftshift(Fft.fftshift(x)).toLongArray()).containsExactly(0, 1, 2, 3, 4);
  }

  @Test
  void refusesWhatPyTorchRefuses() {
    assertThatThrownBy(() -> Fft.rfft(Tensor.of(numbers(3))))
        .hasMessage("rfft: the tensor must be real, but is complex128. Use fft.");
    assertThatThrownBy(() -> Fft.fft(Tensor.ones(DType.FLOAT16, 4)))
        .hasMessage(
            "fft: the tensor must not be of a 16-bit type, but is float16. Convert it with"
                + " .to(DType.FLOAT32).");
    assertThatThrownBy(() -> Fft.fft(Tensor.ones(4), o -> o.n(0)))
        .hasMessage(
            "fft: there must be elements to transform, but dimension 0 of shape [4] has 0.");
    assertThatThrownBy(() -> Fft.fftn(Tensor.ones(2, 2), o -> o.dim(0, -2)))
        .hasMessage("fftn: dims must be different, but are [0, -2].");
  }

  @Test
  void signalComesBackFromItsShortTimeTransform() {
    Tensor x = Tensor.of(numbers(2 * 100), 2, 100).real().contiguous();
    Tensor window = Tensor.hannWindow(DType.FLOAT64, 16, true);

    Tensor spectra = x.stft(16, o -> o.window(window));
    Tensor back = spectra.istft(16, o -> o.window(window).length(100));

    assertThat(spectra.shape().toArray()).containsExactly(2, 9, 26);
    assertThat(back.toDoubleArray()).containsExactly(x.toDoubleArray(), within(1e-13));
  }

  @Test
  void windowsEndWherePyTorchsDo() {
    assertThat(Tensor.hannWindow(4).toFloatArray()).containsExactly(0f, 0.5f, 1f, 0.5f);
    assertThat(Tensor.bartlettWindow(DType.FLOAT64, 5, false).toDoubleArray())
        .containsExactly(0, 0.5, 1, 0.5, 0);
    assertThat(Tensor.kaiserWindow(DType.FLOAT64, 3, false, 0).toDoubleArray())
        .containsExactly(1, 1, 1);
    assertThat(Tensor.hammingWindow(1).toFloatArray()).containsExactly(1f);
  }
}
