package taper.cpu.products;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.cpu.products.Products.Bias;
import taper.tensor.spi.Strided;

class MatmulTest {
  private static final long[][] SIZES = {
    {1, 1, 1},
    {1, 1, 7},
    {2, 3, 4},
    {1, 17, 5},
    {17, 1, 5},
    {5, 15, 3},
    {6, 16, 9},
    {7, 17, 16},
    {8, 31, 17},
    {13, 32, 31},
    {14, 33, 33},
    {15, 47, 64},
    {29, 48, 65},
    {3, 49, 127},
    {31, 7, 300},
    {64, 10, 128},
    {10, 128, 64},
    {16, 64, 255},
    {65, 65, 65},
    {97, 101, 103},
    {40, 300, 20},
    {300, 40, 530},
    {128, 257, 260},
    {1, 300, 300},
    {300, 1, 300},
    {4, 10, 1100},
    {40, 100, 1024},
    {29, 1040, 70},
    {0, 3, 4},
    {3, 0, 4},
    {3, 4, 0}
  };

  @ParameterizedTest
  @MethodSource("taper.cpu.products.Implementation#all")
  void multipliesMatricesOfAllSizesAndOrders(Implementation it) {
    for (long[] s : SIZES) {
      for (int order = 0; order < 4; order++) {
        try (var operands = new Operands(it.dtype())) {
          Strided a = matrix(operands, s[0], s[2], (order & 1) != 0);
          Strided b = matrix(operands, s[2], s[1], (order & 2) != 0);
          check(it, operands, s, a, b, Bias.NONE, false, false);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("taper.cpu.products.Implementation#all")
  void appliesEpilogues(Implementation it) {
    for (long[] s : SIZES) {
      for (int order = 0; order < 4; order++) {
        try (var operands = new Operands(it.dtype())) {
          Strided a = matrix(operands, s[0], s[2], (order & 1) != 0);
          Strided b = matrix(operands, s[2], s[1], (order & 2) != 0);
          check(it, operands, s, a, b, Bias.ROWS, order == 1, true);
          check(it, operands, s, a, b, Bias.COLUMNS, order == 2, order != 0);
          check(it, operands, s, a, b, Bias.NONE, true, false);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("taper.cpu.products.Implementation#all")
  void takesGapsBetweenElements(Implementation it) {
    for (long[] s : SIZES) {
      try (var operands = new Operands(it.dtype())) {
        Strided a = operands.strided(new long[] {s[0], s[2]}, new long[] {3 * s[2] + 2, 3});
        Strided b = operands.strided(new long[] {s[2], s[1]}, new long[] {2, 2 * s[2] + 1});
        check(it, operands, s, a, b, Bias.NONE, false, false);
        Strided rows = operands.strided(new long[] {s[0], s[2]}, new long[] {s[2] + 5, 1});
        Strided expanded = operands.strided(new long[] {s[2], s[1]}, new long[] {0, 1});
        check(it, operands, s, rows, expanded, Bias.NONE, false, false);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("taper.cpu.products.Implementation#all")
  void multipliesBatchesWithExpandedOperands(Implementation it) {
    try (var operands = new Operands(it.dtype())) {
      Strided a = operands.strided(new long[] {2, 3, 5, 19}, new long[] {3 * 95, 95, 19, 1});
      Strided b = operands.strided(new long[] {2, 3, 19, 18}, new long[] {0, 19 * 18, 18, 1});
      Strided c = operands.fresh(2, 3, 5, 18);

      it.products().matmul(c, a, b, Bias.NONE, null, false, false);

      for (long i = 0; i < 2; i++) {
        for (long j = 0; j < 3; j++) {
          for (long r = 0; r < 5; r++) {
            for (long q = 0; q < 18; q++) {
              double sum = 0;
              for (long p = 0; p < 19; p++) {
                sum += Operands.at(a, i, j, r, p) * Operands.at(b, i, j, p, q);
              }
              assertThat(Math.abs(Operands.at(c, i, j, r, q) - sum)).isLessThan(it.tolerance(19));
            }
          }
        }
      }
    }
  }

  private static Strided matrix(Operands operands, long rows, long columns, boolean turned) {
    return operands.strided(
        new long[] {rows, columns}, turned ? new long[] {1, rows} : new long[] {columns, 1});
  }

  private static void check(
      Implementation it,
      Operands operands,
      long[] s,
      Strided a,
      Strided b,
      Bias where,
      boolean accumulate,
      boolean relu) {
    Strided c = accumulate ? operands.random(s[0], s[1]) : operands.fresh(s[0], s[1]);
    @Nullable Strided bias =
        switch (where) {
          case NONE -> null;
          case ROWS -> operands.random(s[0]);
          case COLUMNS -> operands.random(s[1]);
          case SCALED_ROWS, SCALED_ROWS_AND_ADDEND, SCALED_COLUMNS ->
              throw new AssertionError(where);
        };
    double[] expected = new double[(int) (s[0] * s[1])];
    for (long i = 0; i < s[0]; i++) {
      for (long j = 0; j < s[1]; j++) {
        double sum = accumulate ? Operands.at(c, i, j) : 0;
        for (long p = 0; p < s[2]; p++) {
          sum += Operands.at(a, i, p) * Operands.at(b, p, j);
        }
        if (bias != null) {
          sum += Operands.at(bias, where == Bias.ROWS ? i : j);
        }
        expected[(int) (i * s[1] + j)] = relu ? Math.max(sum, 0) : sum;
      }
    }

    it.products().matmul(c, a, b, where, bias, accumulate, relu);

    double worst = 0;
    for (long i = 0; i < s[0]; i++) {
      for (long j = 0; j < s[1]; j++) {
        double e = Math.abs(Operands.at(c, i, j) - expected[(int) (i * s[1] + j)]);
        worst = Math.max(worst, Double.isNaN(e) ? Double.POSITIVE_INFINITY : e);
      }
    }
    assertThat(worst)
        .as(
            "%s, m n k %s, strides %s %s, bias %s, accumulate %s, relu %s",
            it,
            Arrays.toString(s),
            Arrays.toString(a.strides()),
            Arrays.toString(b.strides()),
            where,
            accumulate,
            relu)
        .isLessThan(it.tolerance(s[2]));
  }
}
