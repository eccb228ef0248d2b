package taper.cpu.x86;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import taper.cpu.assembler.CpuFeatures;
import taper.cpu.assembler.Isa;
import taper.tensor.DType;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Function;
import taper.tensor.spi.Kernel;

/// Functions against double precision. The limits are what is documented; lower ones are not promised.
class FunctionsTest {
  private static final Formula X = Formula.input(0);
  private static final int BLOCK = 1 << 16;

  static List<Isa> isas() {
    CpuFeatures features = CpuFeatures.current();
    assumeTrue(features.unavailable() == null, "no assembled code here");
    return features.isa() == Isa.AVX512 ? List.of(Isa.AVX2, Isa.AVX512) : List.of(Isa.AVX2);
  }

  static Stream<Arguments> functions() {
    return isas().stream()
        .flatMap(isa ->
            Stream.of(Function.values())
                .filter(f -> kernel(isa, Formula.apply(f, X), false) != null)
                .map(f -> Arguments.of(isa, f)));
  }

  static Stream<Arguments> wideFunctions() {
    return isas().stream()
        .flatMap(isa ->
            Stream.of(Function.values())
                .filter(f -> kernel(isa, Formula.apply(f, X), true) != null)
                .map(f -> Arguments.of(isa, f)));
  }

  private static Kernel kernel(Isa isa, Formula formula, boolean wide) {
    DType type = wide ? DType.FLOAT64 : DType.FLOAT32;
    int inputs = formula.inputs().size();
    return PointwiseKernel.of(
        isa, formula, wide, IntStream.range(0, inputs).mapToObj(_ -> type).toList(), type);
  }

  /// The distance of `y` from the true value, in units of the last place of the true value as a float.
  static double ulps(float y, double truth) {
    float rounded = (float) truth;
    if (Float.isNaN(rounded) || Float.isNaN(y)) {
      return Float.isNaN(rounded) && Float.isNaN(y) ? 0 : Double.POSITIVE_INFINITY;
    }
    if (y == rounded) {
      return 0;
    }
    if (Float.isInfinite(y)) { // as near as the next number beyond the largest
      y = Math.copySign(Float.MAX_VALUE, y);
      return 1 + Math.abs(y - truth) / Math.ulp(Float.MAX_VALUE);
    }
    if (Float.isInfinite(rounded)) {
      return 1 + Math.abs(y - Math.copySign(Float.MAX_VALUE, rounded)) / Math.ulp(Float.MAX_VALUE);
    }
    return Math.abs(y - truth) / Math.ulp(rounded);
  }

  private record Worst(float x, float y, double ulps) {}

  private static Worst worst(Isa isa, Function function, long firstBits, long count, int step) {
    Kernel kernel = kernel(isa, Formula.apply(function, X), false);
    var worst = new Worst(0, 0, 0);
    var x = new float[BLOCK];
    for (long done = 0; done < count; done += BLOCK) {
      for (int i = 0; i < BLOCK; i++) {
        x[i] = Float.intBitsToFloat((int) (firstBits + (done + i) * step));
      }
      float[] y = OnArrays.run(kernel, x);
      for (int i = 0; i < BLOCK; i++) {
        double error = ulps(y[i], function.at((double) x[i]));
        if (error > worst.ulps) {
          worst = new Worst(x[i], y[i], error);
        }
      }
    }
    return worst;
  }

  @ParameterizedTest
  @MethodSource("functions")
  void floatFunctionsAreAccurateOnADenseSample(Isa isa, Function function) {
    // An odd step visits every exponent and, over the run, all patterns of the low bits.
    Worst worst = worst(isa, function, 0, 1 << 21, 2039);

    assertThat(worst.ulps).as("%s at %s is %s", function, worst.x, worst.y).isLessThan(2);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("functions")
  void floatFunctionsAreAccurateOnAllInputs(Isa isa, Function function) {
    Worst worst = worst(isa, function, 0, 1L << 32, 1);

    assertThat(worst.ulps).as("%s at %s is %s", function, worst.x, worst.y).isLessThan(2);
  }

  @ParameterizedTest
  @MethodSource("wideFunctions")
  void doubleFunctionsAreAccurate(Isa isa, Function function) {
    Kernel kernel = kernel(isa, Formula.apply(function, X), true);
    var random = new Random(1);
    var xs = new ArrayList<Double>();
    for (double special :
        new double[] {
          0,
          -0.0,
          1,
          -1,
          0.5,
          1e-300,
          5e-324,
          1e-310,
          1e300,
          -1e300,
          709.7,
          710,
          -745,
          -746,
          745,
          Double.NaN,
          Double.POSITIVE_INFINITY,
          Double.NEGATIVE_INFINITY,
          Double.MAX_VALUE,
          1e-20,
          0x1.6ac5b262ca1ffp849, // of all numbers nearest to a multiple of π/2
          1e22,
          629112885.5620115,
          133436215.28448434,
          0x1p20,
          3 * Math.PI / 2
        }) {
      xs.add(special);
    }
    for (int i = 0; i < 100_000; i++) {
      xs.add(random.nextGaussian() * Math.pow(10, random.nextInt(-9, 4)));
      xs.add(Double.longBitsToDouble(random.nextLong()));
    }
    double[] x = xs.stream().mapToDouble(Double::doubleValue).toArray();

    double[] y = OnArrays.run(kernel, x);

    for (int i = 0; i < x.length; i++) {
      double truth = function.at(x[i]);
      if (truth == y[i] || (Double.isNaN(truth) && Double.isNaN(y[i]))) {
        continue;
      }
      // The reference is itself up to 1 ulp off.
      assertThat(Math.abs(y[i] - truth) / Math.ulp(truth))
          .as("%s of %s is %s, but should be %s", function, x[i], y[i], truth)
          .isLessThanOrEqualTo(3);
    }
  }

  @ParameterizedTest
  @MethodSource("isas")
  void powerIsAccurateAndKnowsTheSpecialCases(Isa isa) {
    Kernel kernel = kernel(isa, Formula.pow(X, Formula.input(1)), false);
    float inf = Float.POSITIVE_INFINITY;
    List<double[]> pairs =
        OnArrays.pairs(
            0,
            -0f,
            1,
            -1,
            2,
            -2,
            0.5f,
            -0.5f,
            3,
            -3,
            1e10f,
            -1e10f,
            1e-10f,
            inf,
            -inf,
            Float.NaN,
            1e-40f,
            16777215f,
            -16777217f,
            2.5f);
    var random = new Random(2);
    for (int i = 0; i < 100_000; i++) {
      pairs.add(
          new double[] {Math.exp(random.nextGaussian() * 5), (float) random.nextGaussian() * 8});
    }
    float[] x = OnArrays.floats(pairs, 0);
    float[] e = OnArrays.floats(pairs, 1);

    float[] y = OnArrays.run(kernel, x, e);

    for (int i = 0; i < y.length; i++) {
      double truth = Arithmetic.POWER.at((double) x[i], (double) e[i]);
      assertThat(ulps(y[i], truth)).as("%s to the %s", x[i], e[i]).isLessThan(1);
    }
  }

  @ParameterizedTest
  @MethodSource("isas")
  void doublePowerIsAccurateAndKnowsTheSpecialCases(Isa isa) {
    Formula formula = Formula.pow(X, Formula.input(1));
    assumeTrue(isa == Isa.AVX512, "powers of double numbers need AVX-512");
    Kernel kernel = kernel(isa, formula, true);
    double inf = Double.POSITIVE_INFINITY;
    List<double[]> pairs =
        OnArrays.pairs(
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
            1e300,
            -1e300,
            1e-300,
            inf,
            -inf,
            Double.NaN,
            5e-324,
            -1e-310,
            0x1.fffffffffffffp52,
            0x1.fffffffffffffp-1,
            0x1.0000000000001p0,
            0.75,
            1.5,
            2.5);
    var random = new Random(2);
    for (int i = 0; i < 100_000; i++) {
      pairs.add(new double[] {Math.exp(random.nextGaussian() * 20), random.nextGaussian() * 10});
      double x = 1 + random.nextGaussian() * 0.1;
      pairs.add(new double[] {x, random.nextDouble(-700, 700) / Math.log(Math.abs(x))});
    }
    double[] x = OnArrays.doubles(pairs, 0);
    double[] e = OnArrays.doubles(pairs, 1);

    double[] y = OnArrays.run(kernel, x, e);

    for (int i = 0; i < y.length; i++) {
      double truth = Arithmetic.POWER.at(x[i], e[i]);
      if (Double.compare(truth, y[i]) != 0) {
        // The reference is itself up to 1 ulp off.
        assertThat(Math.abs(y[i] - truth) / Math.ulp(truth))
            .as("%s to the %s", x[i], e[i])
            .isLessThanOrEqualTo(3);
      }
    }
  }
}
