package taper.cpu.x86;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import taper.cpu.assembler.Isa;
import taper.tensor.DType;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Kernel;

/// Functions of two numbers against the scalar ones, on all pairs of special numbers and on many others.
class TwoArgumentFunctionsTest {
  private static final double[] SPECIAL = {
    0,
    -0.0,
    1,
    -1,
    2,
    -2,
    0.5,
    -0.5,
    3,
    -3,
    1e30,
    -1e30,
    1e-30,
    1e-42,
    -1e-42,
    16777215,
    -16777217,
    2.5,
    3.4e38,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.NaN
  };

  static Stream<Arguments> functions() {
    return FunctionsTest.isas().stream()
        .flatMap(isa ->
            Stream.of(
                    Arithmetic.FMOD,
                    Arithmetic.REMAINDER,
                    Arithmetic.FLOOR_DIVIDE,
                    Arithmetic.ATAN2,
                    Arithmetic.HYPOT)
                .map(arithmetic -> Arguments.of(isa, arithmetic)));
  }

  static Stream<Arguments> divisions() {
    return FunctionsTest.isas().stream()
        .flatMap(isa ->
            Stream.of(Arithmetic.FMOD, Arithmetic.REMAINDER, Arithmetic.FLOOR_DIVIDE)
                .map(arithmetic -> Arguments.of(isa, arithmetic)));
  }

  private static List<double[]> pairs() {
    List<double[]> pairs = OnArrays.pairs(SPECIAL);
    var random = new Random(3);
    for (int i = 0; i < 50_000; i++) {
      pairs.add(new double[] {random.nextGaussian() * 10, random.nextGaussian()});
      pairs.add(
          new double[] {
            Math.exp(random.nextGaussian() * 20) * (random.nextBoolean() ? 1 : -1),
            Math.exp(random.nextGaussian() * 20)
          });
    }
    return pairs;
  }

  private static Kernel kernel(Isa isa, Arithmetic arithmetic, DType type) {
    var formula = new Formula.Binary(arithmetic, Formula.input(0), Formula.input(1));
    Kernel kernel =
        PointwiseKernel.of(isa, formula, type == DType.FLOAT64, List.of(type, type), type);
    assertThat(kernel).isNotNull();
    return kernel;
  }

  @ParameterizedTest
  @MethodSource("functions")
  void floatFunctionsAreAccurate(Isa isa, Arithmetic arithmetic) {
    Kernel kernel = kernel(isa, arithmetic, DType.FLOAT32);
    List<double[]> pairs = pairs();
    float[] x = OnArrays.floats(pairs, 0);
    float[] y = OnArrays.floats(pairs, 1);

    float[] z = OnArrays.run(kernel, x, y);

    for (int i = 0; i < z.length; i++) {
      double truth = truth(arithmetic, x[i], y[i]);
      assertThat(FunctionsTest.ulps(z[i], truth))
          .as("%s of %s and %s is %s, but should be %s", arithmetic, x[i], y[i], z[i], truth)
          .isLessThan(1);
      if (truth == 0) {
        assertThat(Math.copySign(1, z[i]))
            .as("the sign of %s of %s and %s", arithmetic, x[i], y[i])
            .isEqualTo((float) Math.copySign(1, truth));
      }
    }
  }

  /// The result in `float32` arithmetic, where a sum or quotient of a division is rounded; else the scalar function.
  private static double truth(Arithmetic arithmetic, float a, float b) {
    return switch (arithmetic) {
      case FMOD -> a % b;
      case REMAINDER -> {
        float r = a % b;
        yield r != 0 && (r < 0) != (b < 0) ? r + b : r;
      }
      case FLOOR_DIVIDE -> {
        float r = a % b;
        float quotient = (a - r) / b;
        quotient = r != 0 && (r < 0) != (b < 0) ? quotient - 1 : quotient;
        float floor = (float) Math.floor(quotient);
        floor = quotient - floor > 0.5f ? floor + 1 : floor;
        floor = quotient == 0 ? Math.copySign(0f, a / b) : floor;
        yield b == 0 ? a / b : floor;
      }
      default -> arithmetic.at((double) a, (double) b);
    };
  }

  @ParameterizedTest
  @MethodSource("divisions")
  void doubleDivisionsAreExact(Isa isa, Arithmetic arithmetic) {
    Kernel kernel = kernel(isa, arithmetic, DType.FLOAT64);
    List<double[]> pairs = pairs();
    double[] x = OnArrays.doubles(pairs, 0);
    double[] y = OnArrays.doubles(pairs, 1);

    double[] z = OnArrays.run(kernel, x, y);

    for (int i = 0; i < z.length; i++) {
      assertThat(z[i])
          .as("%s of %s and %s", arithmetic, x[i], y[i])
          .isEqualTo((Double) arithmetic.at(x[i], y[i]));
    }
  }

  static Stream<Arguments> lengthsAndAngles() {
    return FunctionsTest.isas().stream()
        .flatMap(isa ->
            Stream.of(Arithmetic.ATAN2, Arithmetic.HYPOT)
                .map(arithmetic -> Arguments.of(isa, arithmetic)));
  }

  @ParameterizedTest
  @MethodSource("lengthsAndAngles")
  void doubleLengthsAndAnglesAreAccurate(Isa isa, Arithmetic arithmetic) {
    Kernel kernel = kernel(isa, arithmetic, DType.FLOAT64);
    List<double[]> pairs = new ArrayList<>(pairs());
    double[] far = {1.7e308, -1.2e308, 8e307, 1e200, -1e-200, 3e-308, 5e-324, -4e-320, 0, 1};
    for (double x : far) {
      for (double y : far) {
        pairs.add(new double[] {x, y});
      }
    }
    double[] x = OnArrays.doubles(pairs, 0);
    double[] y = OnArrays.doubles(pairs, 1);

    double[] z = OnArrays.run(kernel, x, y);

    for (int i = 0; i < z.length; i++) {
      double truth = arithmetic.at(x[i], y[i]);
      boolean right =
          Double.compare(z[i], truth) == 0 || Math.abs(z[i] - truth) <= 3 * Math.ulp(truth);
      assertThat(right)
          .as("%s of %s and %s is %s, but should be %s", arithmetic, x[i], y[i], z[i], truth)
          .isTrue();
      if (truth == 0) {
        assertThat(Math.copySign(1, z[i])).isEqualTo(Math.copySign(1, truth));
      }
    }
  }
}
