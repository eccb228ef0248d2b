package taper.cpu.x86;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import taper.cpu.assembler.Isa;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Kernel;

/// Division of whole numbers against Java's, on all pairs of numbers where roundings or signs change, and on many others.
class WholeDivisionsTest {
  private static Kernel kernel(Arithmetic arithmetic) {
    assumeTrue(FunctionsTest.isas().contains(Isa.AVX512), "whole numbers need AVX-512");
    var formula = new Formula.Binary(arithmetic, Formula.input(0), Formula.input(1));
    Kernel kernel =
        PointwiseKernel.ofWhole(
            Isa.AVX512, formula, List.of(DType.INT64, DType.INT64), DType.INT64, DType.INT64);
    assertThat(kernel).isNotNull();
    return kernel;
  }

  private static List<long[]> pairs() {
    var special = new ArrayList<Long>();
    for (int bit : new int[] {0, 1, 10, 11, 12, 31, 32, 51, 52, 53, 54, 61, 62, 63}) {
      for (long near = -2; near <= 2; near++) {
        special.add((1L << bit) + near);
        special.add(-(1L << bit) + near);
      }
    }
    var pairs = new ArrayList<long[]>();
    for (long x : special) {
      for (long y : special) {
        pairs.add(new long[] {x, y});
      }
    }
    var random = new Random(4);
    for (int i = 0; i < 100_000; i++) {
      long x = random.nextLong() >> random.nextInt(64);
      long y = random.nextLong() >> random.nextInt(64);
      pairs.add(new long[] {x, y});
      pairs.add(new long[] {x / 4 * y + random.nextInt(-1, 2), y}); // beside a multiple
    }
    pairs.removeIf(pair -> pair[1] == 0);
    return pairs;
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOOR_DIVIDE", "REMAINDER", "FMOD"})
  void quotientsAndRemaindersAreExact(Arithmetic arithmetic) {
    Kernel kernel = kernel(arithmetic);
    List<long[]> pairs = pairs();
    long[] x = pairs.stream().mapToLong(pair -> pair[0]).toArray();
    long[] y = pairs.stream().mapToLong(pair -> pair[1]).toArray();

    long[] z = OnArrays.run(kernel, x, y);

    for (int i = 0; i < z.length; i++) {
      assertThat(z[i])
          .as("%s of %d and %d", arithmetic, x[i], y[i])
          .isEqualTo(arithmetic.at(x[i], y[i]));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOOR_DIVIDE", "REMAINDER", "FMOD"})
  void aDivisorOfZeroIsAnErrorWhereverItLies(Arithmetic arithmetic) {
    Kernel kernel = kernel(arithmetic);
    for (int n = 1; n < 20; n++) {
      long[] x = new long[n];
      long[] y = new long[n];
      Arrays.fill(y, 0x0101010101010101L);
      OnArrays.run(kernel, x, y);
      y[n - 1] = 0;

      assertThatThrownBy(() -> OnArrays.run(kernel, x, y))
          .isInstanceOf(ArgumentException.class)
          .hasMessageContaining("whole numbers must not be divided by 0, but a divisor is 0");
    }
  }
}
