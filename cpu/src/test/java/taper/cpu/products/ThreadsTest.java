package taper.cpu.products;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.cpu.parallel.Parallel;
import taper.cpu.products.Products.Bias;
import taper.tensor.spi.Strided;

class ThreadsTest {
  private final int threads = Parallel.threads();

  @AfterEach
  void restoreThreads() {
    Parallel.setThreads(threads);
  }

  @ParameterizedTest
  @MethodSource("taper.cpu.products.Implementation#all")
  void numberOfThreadsDoesNotChangeABitOfAProduct(Implementation it) {
    try (var operands = new Operands(it.dtype())) {
      long[][] sizes = {{64, 128, 3136}, {300, 500, 70}, {500, 300, 400}, {1, 3000, 700}};
      for (long[] s : sizes) {
        for (int order = 0; order < 4; order++) {
          Strided a =
              operands.strided(
                  new long[] {s[0], s[2]},
                  (order & 1) != 0 ? new long[] {1, s[0]} : new long[] {s[2], 1});
          Strided b =
              operands.strided(
                  new long[] {s[2], s[1]},
                  (order & 2) != 0 ? new long[] {1, s[2]} : new long[] {s[1], 1});
          Strided one = operands.fresh(s[0], s[1]);
          Strided three = operands.fresh(s[0], s[1]);

          Parallel.setThreads(1);
          it.products().matmul(one, a, b, Bias.NONE, null, false, false);
          Parallel.setThreads(3);
          it.products().matmul(three, a, b, Bias.NONE, null, false, false);

          assertThat(one.memory().mismatch(three.memory())).isEqualTo(-1);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("taper.cpu.products.Implementation#all")
  void numberOfThreadsDoesNotChangeABitOfAConvolution(Implementation it) {
    try (var operands = new Operands(it.dtype())) {
      Window window = new Window(1, 1, 1, 1, 1, 1, 1);
      Strided x = operands.random(20, 6, 14, 14);
      Strided weight = operands.random(10, 6, 3, 3);
      Strided dy = operands.random(20, 10, 14, 14);
      Strided[][] results = new Strided[2][];
      for (int i = 0; i < 2; i++) {
        Parallel.setThreads(i == 0 ? 1 : 3);
        results[i] =
            new Strided[] {
              operands.fresh(20, 10, 14, 14),
              operands.fresh(20, 6, 14, 14),
              operands.fresh(10, 6, 3, 3)
            };
        it.products().convolution(window, results[i][0], x, weight, Epilogue.NOTHING);
        it.products().convolutionInputGradient(window, results[i][1], dy, weight);
        it.products().convolutionWeightGradient(window, results[i][2], dy, x);
      }

      for (int i = 0; i < 3; i++) {
        assertThat(results[0][i].memory().mismatch(results[1][i].memory())).isEqualTo(-1);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("taper.cpu.products.Implementation#all")
  void numberOfThreadsDoesNotChangeABitOfTheGradientOfOneImage(Implementation it) {
    try (var operands = new Operands(it.dtype())) {
      Window window = new Window(2, 2, 1, 1, 1, 1, 1);
      Strided weight = operands.random(16, 3, 4, 4);
      Strided dy = operands.random(1, 16, 50, 40);
      Strided one = operands.fresh(1, 3, 100, 80);
      Strided three = operands.fresh(1, 3, 100, 80);

      Parallel.setThreads(1);
      it.products().convolutionInputGradient(window, one, dy, weight);
      Parallel.setThreads(3);
      it.products().convolutionInputGradient(window, three, dy, weight);

      assertThat(one.memory().mismatch(three.memory())).isEqualTo(-1);
    }
  }
}
