package taper.cpu.x86;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.cpu.Guarded;
import taper.cpu.assembler.Isa;
import taper.tensor.Activations.Along;
import taper.tensor.DType;
import taper.tensor.internal.Elements;
import taper.tensor.spi.Strided;

/// Softmax over guarded memory, of lines of all sizes around the vector widths.
class SoftmaxKernelTest {

  static Stream<Isa> isas() {
    return FunctionsTest.isas().stream();
  }

  private static void check(Isa isa, DType dtype, boolean logarithm, int dim, long... sizes) {
    var kernel = new SoftmaxKernel(isa, dtype, logarithm);
    try (Guarded x = Guarded.of(dtype, sizes).fill(new Random(1));
        Guarded out = Guarded.of(dtype, sizes)) {
      kernel.run(new Along(dim), new Strided[] {out.strided()}, new Strided[] {x.strided()});

      long length = sizes[dim];
      long inner = x.strided().stride(dim);
      for (long i = 0; i < x.strided().numel(); i++) {
        long start = i / (length * inner) * length * inner + i % inner;
        double max = Double.NEGATIVE_INFINITY;
        for (long k = 0; k < length; k++) {
          max = Math.max(max, x.at(start + k * inner));
        }
        double sum = 0;
        for (long k = 0; k < length; k++) {
          sum += Math.exp(x.at(start + k * inner) - max);
        }
        double shifted = x.at(i) - max;
        double expected = logarithm ? shifted - Math.log(sum) : Math.exp(shifted) / sum;
        double precision = dtype == DType.FLOAT32 ? 3e-7 : 1e-14;
        double scale = 1 + Math.abs(shifted); // the subtraction rounds to the elements' type
        assertThat(out.at(i))
            .isEqualTo(expected, within(precision * scale * (logarithm ? 1 : expected)));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("isas")
  void linesOfAllSizes(Isa isa) {
    for (DType dtype : new DType[] {DType.FLOAT32, DType.FLOAT64}) {
      for (boolean logarithm : new boolean[] {false, true}) {
        for (int n : new int[] {1, 2, 7, 8, 9, 10, 15, 16, 17, 31, 33, 67, 1009}) {
          check(isa, dtype, logarithm, 1, 3, n);
          check(isa, dtype, logarithm, 0, n, 3);
          check(isa, dtype, logarithm, 1, 2, n, 5);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("isas")
  void extremesDoNotOverflowAndNanFillsItsRow(Isa isa) {
    var kernel = new SoftmaxKernel(isa, DType.FLOAT32, false);
    try (Guarded x = Guarded.of(DType.FLOAT32, 3, 5);
        Guarded out = Guarded.of(DType.FLOAT32, 3, 5)) {
      var elements = new Elements(x.strided());
      elements.set(0, 1e30);
      elements.set(1, -1e30);
      elements.set(7, Double.NaN);
      elements.set(12, Double.NEGATIVE_INFINITY);

      kernel.run(new Along(1), new Strided[] {out.strided()}, new Strided[] {x.strided()});

      assertThat(out.at(0)).isEqualTo(1);
      assertThat(out.at(1)).isZero();
      for (int i = 5; i < 10; i++) {
        assertThat(out.at(i)).isNaN();
      }
      assertThat(out.at(12)).isZero();
      assertThat(out.at(13)).isEqualTo(0.25);
    }
  }
}
