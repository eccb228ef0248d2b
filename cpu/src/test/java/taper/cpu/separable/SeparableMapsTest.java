package taper.cpu.separable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import taper.cpu.assembler.CpuFeatures;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Parallel;
import taper.cpu.products.Operands;
import taper.tensor.DType;
import taper.tensor.Operator;
import taper.tensor.spi.SeparableKernel;
import taper.tensor.spi.Strided;
import taper.tensor.spi.Taps;

class SeparableMapsTest {
  private static final int[] SIZES = {1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 67, 130};

  private static boolean has(Isa isa) {
    CpuFeatures features = CpuFeatures.current();
    return features.unavailable() == null && isa.ordinal() <= features.isa().ordinal();
  }

  private static SeparableMaps maps(Isa isa, Taps... taps) {
    return new SeparableMaps(
        isa,
        SeparableKernel.of(
            (_, _, _) -> taps,
            (_, _, _) -> {
              throw new AssertionError("not for the reference");
            }),
        null);
  }

  private static void run(SeparableMaps maps, Strided y, Strided x) {
    maps.run(Operator.None.NONE, new Strided[] {y}, new Strided[] {x});
  }

  private static void checkAgainstTheDefinition(Isa isa, int from, int to, Taps.Rule rule) {
    Taps rows = Taps.of(3, 4, (o, into) -> into.add(o % 3, 1 + o));
    Taps columns = Taps.of(from, to, rule);
    try (var operands = new Operands(DType.FLOAT32)) {
      Strided x = operands.random(2, 3, from);
      Strided y = operands.fresh(2, 4, to);

      run(maps(isa, rows, columns), y, x);

      for (int n = 0; n < 2; n++) {
        for (int r = 0; r < 4; r++) {
          for (int o = 0; o < to; o++) {
            double expected = 0;
            for (int t = columns.start()[o]; t < columns.start()[o + 1]; t++) {
              expected +=
                  columns.weight()[t] * Operands.at(x, n, r % 3, columns.index()[t]) * (1 + r);
            }
            assertThat(Operands.at(y, n, r, o))
                .as("%s, %d to %d: element %d %d %d", isa, from, to, n, r, o)
                .isCloseTo(expected, within(1e-5));
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Isa.class)
  void anyTapsGiveWhatTheDefinitionSays(Isa isa) {
    if (!has(isa)) {
      return;
    }
    var random = new Random(1);
    for (int from : SIZES) {
      for (int to : SIZES) {
        checkAgainstTheDefinition(
            isa,
            from,
            to,
            (_, into) -> {
              for (int k = random.nextInt(4); k > 0; k--) {
                into.add(random.nextInt(from), random.nextDouble());
              }
            });
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Isa.class)
  void windowsOfEveryStepGiveWhatTheDefinitionSays(Isa isa) {
    if (!has(isa)) {
      return;
    }
    for (int step = 1; step <= 5; step++) {
      int stride = step;
      for (int to : SIZES) {
        checkAgainstTheDefinition(
            isa,
            stride * to + 1,
            to,
            (o, into) -> {
              into.add(o * stride, 0.5);
              into.add(o * stride + 1, 0.5);
            });
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Isa.class)
  void whatNoTapReadsSpreadsNoNaN(Isa isa) {
    if (!has(isa)) {
      return;
    }
    for (int n : SIZES) {
      // The first element is read by nobody; of the others, some by one and some by two.
      Taps taps =
          Taps.of(
              n + 1,
              n,
              (o, into) -> {
                into.add(o + 1, 1);
                if (o % 3 == 0) {
                  into.add(Math.min(o + 2, n), 2);
                }
              });
      try (var operands = new Operands(DType.FLOAT32)) {
        Strided x = operands.random(1, n + 1);
        Operands.put(x, Double.NaN, 0, 0);
        Strided y = operands.fresh(1, n);

        run(maps(isa, taps), y, x);

        for (int o = 0; o < n; o++) {
          assertThat(Operands.at(y, 0, o)).as("%s, %d of %d", isa, o, n).isNotNaN();
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Isa.class)
  void averagesOfEqualElementsAreExact(Isa isa) {
    if (!has(isa)) {
      return;
    }
    for (int k = 1; k < 60; k++) {
      int width = k;
      Taps taps =
          Taps.of(
              k,
              1,
              (_, into) -> {
                for (int i = 0; i < width; i++) {
                  into.add(i, 1.0 / width);
                }
              });
      try (var operands = new Operands(DType.FLOAT32)) {
        Strided x = operands.random(k, k);
        x.memory().fill((byte) 0);
        for (int i = 0; i < k * k; i++) {
          Operands.put(x, 3, i / k, i % k);
        }
        Strided y = operands.fresh(1, 1);

        run(maps(isa, taps, taps), y, x);

        assertThat(Operands.at(y, 0, 0)).as("%s, %d × %d", isa, k, k).isEqualTo(3);
      }
    }
  }

  @Test
  void resultsDoNotDependOnTheNumberOfThreads() {
    int threads = Parallel.threads();
    Isa isa = CpuFeatures.current().isa();
    if (!has(isa)) {
      return;
    }
    Taps rows = Taps.of(300, 301, (o, into) -> into.add(Math.max(0, o - 1), 0.3));
    Taps columns =
        Taps.of(
            500,
            250,
            (o, into) -> {
              into.add(2 * o, 0.1);
              into.add(2 * o + 1, 0.7);
            });
    try (var operands = new Operands(DType.FLOAT32)) {
      Strided x = operands.random(1, 300, 500);
      Strided one = operands.fresh(1, 301, 250);
      Strided three = operands.fresh(1, 301, 250);

      Parallel.setThreads(1);
      run(maps(isa, rows, columns), one, x);
      Parallel.setThreads(3);
      run(maps(isa, rows, columns), three, x);

      assertThat(three.memory().mismatch(one.memory())).isEqualTo(-1);
    } finally {
      Parallel.setThreads(threads);
    }
  }
}
