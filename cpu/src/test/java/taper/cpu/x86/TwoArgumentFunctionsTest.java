package taper.cpu.x86;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import taper.cpu.assembler.Isa;
import taper.tensor.DType;
import taper.tensor.Parameters;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

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
    var pairs = new ArrayList<double[]>();
    for (double x : SPECIAL) {
      for (double y : SPECIAL) {
        pairs.add(new double[] {x, y});
      }
    }
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

  private static Strided strided(MemorySegment memory, DType type, long n) {
    return Strided.of(memory, 0, type, new long[] {n}, new long[] {1});
  }

  @ParameterizedTest
  @MethodSource("functions")
  void floatFunctionsAreAccurate(Isa isa, Arithmetic arithmetic) {
    Kernel kernel = kernel(isa, arithmetic, DType.FLOAT32);
    List<double[]> pairs = pairs();
    int n = pairs.size();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment x = arena.allocate(JAVA_FLOAT, n);
      MemorySegment y = arena.allocate(JAVA_FLOAT, n);
      MemorySegment z = arena.allocate(JAVA_FLOAT, n);
      for (int i = 0; i < n; i++) {
        x.setAtIndex(JAVA_FLOAT, i, (float) pairs.get(i)[0]);
        y.setAtIndex(JAVA_FLOAT, i, (float) pairs.get(i)[1]);
      }

      kernel.run(
          Parameters.NONE,
          new Strided[] {strided(z, DType.FLOAT32, n)},
          new Strided[] {strided(x, DType.FLOAT32, n), strided(y, DType.FLOAT32, n)});

      for (int i = 0; i < n; i++) {
        float a = x.getAtIndex(JAVA_FLOAT, i);
        float b = y.getAtIndex(JAVA_FLOAT, i);
        double truth = truth(arithmetic, a, b);
        float value = z.getAtIndex(JAVA_FLOAT, i);
        assertThat(FunctionsTest.ulps(value, truth))
            .as("%s of %s and %s is %s, but should be %s", arithmetic, a, b, value, truth)
            .isLessThan(1);
        if (truth == 0) {
          assertThat(Math.copySign(1, value))
              .as("the sign of %s of %s and %s", arithmetic, a, b)
              .isEqualTo((float) Math.copySign(1, truth));
        }
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
    int n = pairs.size();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment x = arena.allocate(JAVA_DOUBLE, n);
      MemorySegment y = arena.allocate(JAVA_DOUBLE, n);
      MemorySegment z = arena.allocate(JAVA_DOUBLE, n);
      for (int i = 0; i < n; i++) {
        x.setAtIndex(JAVA_DOUBLE, i, pairs.get(i)[0]);
        y.setAtIndex(JAVA_DOUBLE, i, pairs.get(i)[1]);
      }

      kernel.run(
          Parameters.NONE,
          new Strided[] {strided(z, DType.FLOAT64, n)},
          new Strided[] {strided(x, DType.FLOAT64, n), strided(y, DType.FLOAT64, n)});

      for (int i = 0; i < n; i++) {
        Double truth = arithmetic.at(pairs.get(i)[0], pairs.get(i)[1]);
        Double value = z.getAtIndex(JAVA_DOUBLE, i);
        assertThat(value)
            .as("%s of %s and %s", arithmetic, pairs.get(i)[0], pairs.get(i)[1])
            .isEqualTo(truth);
      }
    }
  }
}
