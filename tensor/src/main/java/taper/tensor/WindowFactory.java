package taper.tensor;

import java.util.function.DoubleUnaryOperator;

/// The static methods of [Tensor] that make windows for spectra.
///
/// A periodic window is a symmetric one of one more element, without its last: what transforms need. It is the default.
abstract sealed class WindowFactory extends ProductFactory permits TensorFactory {

  /// The Hann window `½ - ½ cos(2πi/n)`, `float32`.
  public static Tensor hannWindow(long length) {
    return hannWindow(DType.defaultFloating(), length, true);
  }

  /// The Hann window `½ - ½ cos(2πi/n)`.
  ///
  /// @param periodic whether `n` is the length, or one less
  public static Tensor hannWindow(DType dtype, long length, boolean periodic) {
    return hammingWindow("hannWindow", dtype, length, periodic, 0.5, 0.5);
  }

  /// The Hamming window `0.54 - 0.46 cos(2πi/n)`, `float32`.
  public static Tensor hammingWindow(long length) {
    return hammingWindow(DType.defaultFloating(), length, true, 0.54, 0.46);
  }

  /// The Hamming window `alpha - beta cos(2πi/n)`.
  ///
  /// @param periodic whether `n` is the length, or one less
  public static Tensor hammingWindow(
      DType dtype, long length, boolean periodic, double alpha, double beta) {
    return hammingWindow("hammingWindow", dtype, length, periodic, alpha, beta);
  }

  private static Tensor hammingWindow(
      String op, DType dtype, long length, boolean periodic, double alpha, double beta) {
    return window(op, dtype, length, periodic, x -> alpha - beta * Math.cos(2 * Math.PI * x));
  }

  /// The Blackman window `0.42 - ½ cos(2πi/n) + 0.08 cos(4πi/n)`, `float32`.
  public static Tensor blackmanWindow(long length) {
    return blackmanWindow(DType.defaultFloating(), length, true);
  }

  /// The Blackman window `0.42 - ½ cos(2πi/n) + 0.08 cos(4πi/n)`.
  ///
  /// @param periodic whether `n` is the length, or one less
  public static Tensor blackmanWindow(DType dtype, long length, boolean periodic) {
    return window(
        "blackmanWindow",
        dtype,
        length,
        periodic,
        x -> 0.42 - 0.5 * Math.cos(2 * Math.PI * x) + 0.08 * Math.cos(4 * Math.PI * x));
  }

  /// The Bartlett window, a triangle, `float32`.
  public static Tensor bartlettWindow(long length) {
    return bartlettWindow(DType.defaultFloating(), length, true);
  }

  /// The Bartlett window `1 - |2i/n - 1|`, a triangle.
  ///
  /// @param periodic whether `n` is the length, or one less
  public static Tensor bartlettWindow(DType dtype, long length, boolean periodic) {
    return window("bartlettWindow", dtype, length, periodic, x -> 1 - Math.abs(2 * x - 1));
  }

  /// The Kaiser window with a `beta` of 12, `float32`.
  public static Tensor kaiserWindow(long length) {
    return kaiserWindow(DType.defaultFloating(), length, true, 12);
  }

  /// The Kaiser window `I₀(beta √(1 - (2i/n - 1)²)) / I₀(beta)`, of the modified Bessel function.
  ///
  /// @param periodic whether `n` is the length, or one less
  public static Tensor kaiserWindow(DType dtype, long length, boolean periodic, double beta) {
    double most = bessel(beta);
    return window(
        "kaiserWindow",
        dtype,
        length,
        periodic,
        x -> bessel(beta * Math.sqrt(Math.max(0, 1 - (2 * x - 1) * (2 * x - 1)))) / most);
  }

  /// The modified Bessel function of order 0, by its power series.
  private static double bessel(double x) {
    double sum = 1;
    double term = 1;
    for (int k = 1; term > sum * 1e-17; k++) {
      term *= x / (2 * k) * (x / (2 * k));
      sum += term;
    }
    return sum;
  }

  private static final int BLOCK = 1 << 16;

  private static Tensor window(
      String op, DType dtype, long length, boolean periodic, DoubleUnaryOperator shape) {
    if (length < 0) {
      throw new ArgumentException(
          "%s: the length must not be negative, but is %d.".formatted(op, length));
    }
    if (!dtype.isFloatingPoint()) {
      throw new DTypeException(
          "%s: the dtype must be floating, but is %s. Use DType.FLOAT32.".formatted(op, dtype));
    }
    Tensor result = Tensor.empty(dtype, length);
    double n = periodic ? length : length - 1;
    for (long from = 0; from < length; from += BLOCK) {
      double[] values = new double[(int) Math.min(BLOCK, length - from)];
      for (int i = 0; i < values.length; i++) {
        values[i] = length == 1 ? 1 : shape.applyAsDouble((from + i) / n);
      }
      Tensor part = result.narrow(0, from, values.length);
      Memory.tidy(() -> part.copy_(Tensor.of(values, values.length)));
      part.releaseNow();
    }
    return result;
  }

  WindowFactory() {}
}
