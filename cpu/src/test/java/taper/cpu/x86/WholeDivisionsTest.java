package taper.cpu.x86;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import taper.cpu.assembler.Isa;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.Parameters;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

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

  private static Strided strided(MemorySegment memory, long n) {
    return Strided.of(memory, 0, DType.INT64, new long[] {n}, new long[] {1});
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOOR_DIVIDE", "REMAINDER", "FMOD"})
  void quotientsAndRemaindersAreExact(Arithmetic arithmetic) {
    Kernel kernel = kernel(arithmetic);
    List<long[]> pairs = pairs();
    int n = pairs.size();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment x = arena.allocate(JAVA_LONG, n);
      MemorySegment y = arena.allocate(JAVA_LONG, n);
      MemorySegment z = arena.allocate(JAVA_LONG, n);
      for (int i = 0; i < n; i++) {
        x.setAtIndex(JAVA_LONG, i, pairs.get(i)[0]);
        y.setAtIndex(JAVA_LONG, i, pairs.get(i)[1]);
      }

      kernel.run(
          Parameters.NONE,
          new Strided[] {strided(z, n)},
          new Strided[] {strided(x, n), strided(y, n)});

      for (int i = 0; i < n; i++) {
        assertThat(z.getAtIndex(JAVA_LONG, i))
            .as("%s of %d and %d", arithmetic, pairs.get(i)[0], pairs.get(i)[1])
            .isEqualTo(arithmetic.at(pairs.get(i)[0], pairs.get(i)[1]));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOOR_DIVIDE", "REMAINDER", "FMOD"})
  void aDivisorOfZeroIsAnErrorWhereverItLies(Arithmetic arithmetic) {
    Kernel kernel = kernel(arithmetic);
    try (Arena arena = Arena.ofConfined()) {
      for (int n = 1; n < 20; n++) {
        MemorySegment x = arena.allocate(JAVA_LONG, n);
        MemorySegment y = arena.allocate(JAVA_LONG, n);
        y.asSlice(0, 8L * n).fill((byte) 1);
        Strided[] out = {strided(arena.allocate(JAVA_LONG, n), n)};
        Strided[] in = {strided(x, n), strided(y, n)};
        kernel.run(Parameters.NONE, out, in);
        y.setAtIndex(JAVA_LONG, n - 1, 0);

        assertThatThrownBy(() -> kernel.run(Parameters.NONE, out, in))
            .isInstanceOf(ArgumentException.class)
            .hasMessageContaining("whole numbers must not be divided by 0, but a divisor is 0");
      }
    }
  }
}
