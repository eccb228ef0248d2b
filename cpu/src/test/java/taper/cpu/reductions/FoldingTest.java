package taper.cpu.reductions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.cpu.Guarded;
import taper.cpu.GuardedMemory;
import taper.cpu.assembler.CpuFeatures;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Parallel;
import taper.cpu.x86.X86Folding;
import taper.tensor.DType;
import taper.tensor.internal.Elements;
import taper.tensor.spi.Strided;

/// Foldings over guarded memory, along and down, of sizes around the vector widths.
class FoldingTest {
  private final int threads = Parallel.threads();

  @AfterEach
  void restore() {
    Parallel.setThreads(threads);
  }

  record Engine(String name, Folding folding) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Engine> engines() {
    var engines = new ArrayList<>(List.of(new Engine("java", new JavaFolding())));
    CpuFeatures features = CpuFeatures.current();
    if (features.unavailable() == null) {
      engines.add(new Engine("avx2", new X86Folding(Isa.AVX2)));
      if (features.isa() == Isa.AVX512) {
        engines.add(new Engine("avx512", new X86Folding(Isa.AVX512)));
      }
    }
    return engines.stream();
  }

  private static double[] expected(
      Fold fold, Strided x, boolean[] reduced, double[] centers, int lines) {
    double[] result = new double[lines];
    java.util.Arrays.fill(result, fold.identity());
    var elements = new Elements(x);
    for (long i = 0; i < x.numel(); i++) {
      int line = 0;
      long rest = i;
      int weight = 1;
      for (int d = x.rank() - 1; d >= 0; d--) {
        if (!reduced[d]) {
          line += (int) (rest % x.size(d)) * weight;
          weight *= (int) x.size(d);
        }
        rest /= x.size(d);
      }
      double center = fold.isCentered() ? centers[line] : 0;
      double value =
          fold.formula().at(new double[] {elements.at(i), center, elements.at(i)}, new double[0]);
      result[line] = fold.join(result[line], value);
    }
    return result;
  }

  private static void check(Folding folding, Guarded x, boolean[] reduced) {
    Strided strided = x.strided();
    Lines lines = Lines.of(strided, reduced);
    for (Fold fold : Fold.values()) {
      double[] centers = fold.isCentered() ? new double[(int) lines.count()] : new double[0];
      for (int i = 0; i < centers.length; i++) {
        centers[i] = 30 + i * 0.25;
      }

      double[] result = folding.fold(fold, lines, strided, centers);

      double[] expected = expected(fold, strided, reduced, centers, (int) lines.count());
      for (int i = 0; i < expected.length; i++) {
        if (Double.compare(expected[i], result[i]) != 0) {
          assertThat(Math.abs(result[i] - expected[i]))
              .as("%s of %s, line %s: %s, not %s", fold, strided, i, result[i], expected[i])
              .isLessThanOrEqualTo(1e-12 * Math.abs(expected[i]) + 1e-9);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void rowsOfAllSizes(Engine engine) {
    var random = new Random(1);
    for (DType dtype : new DType[] {DType.FLOAT32, DType.FLOAT64}) {
      for (int n : new int[] {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 35, 67, 101, 1009}) {
        for (GuardedMemory.Side side : GuardedMemory.Side.values()) {
          try (Guarded x =
              Guarded.of(dtype, side, 1, new long[] {3, n}, new long[] {n, 1}).fill(random)) {
            check(engine.folding, x, new boolean[] {false, true});
            check(engine.folding, x, new boolean[] {true, false});
            check(engine.folding, x, new boolean[] {true, true});
            check(engine.folding, x, new boolean[] {false, false});
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void allChoicesOfDimensions(Engine engine) {
    var random = new Random(2);
    for (DType dtype : new DType[] {DType.FLOAT32, DType.FLOAT64}) {
      try (Guarded x = Guarded.of(dtype, 2, 3, 5, 7, 9).fill(random)) {
        for (int choice = 0; choice < 32; choice++) {
          boolean[] reduced = new boolean[5];
          for (int d = 0; d < 5; d++) {
            reduced[d] = (choice >> d & 1) != 0;
          }
          check(engine.folding, x, reduced);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void longRowsAndColumnsAreCutIntoPieces(Engine engine) {
    var random = new Random(3);
    for (long[] sizes :
        new long[][] {{100_003}, {2, 40_001}, {40_001, 3}, {3, 9000, 5}, {3, 2051}}) {
      try (Guarded x = Guarded.of(DType.FLOAT32, sizes).fill(random)) {
        for (int choice = 1; choice < 1 << sizes.length; choice++) {
          boolean[] reduced = new boolean[sizes.length];
          for (int d = 0; d < sizes.length; d++) {
            reduced[d] = (choice >> d & 1) != 0;
          }
          Parallel.setThreads(1);
          Lines lines = Lines.of(x.strided(), reduced);
          double[] once = engine.folding.fold(Fold.SUM, lines, x.strided(), new double[0]);
          Parallel.setThreads(3);
          double[] again = engine.folding.fold(Fold.SUM, lines, x.strided(), new double[0]);

          assertThat(again).isEqualTo(once);
          check(engine.folding, x, reduced);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("engines")
  void nanIsNeverLost(Engine engine) {
    for (long[] sizes : new long[][] {{1, 37}, {37, 1}, {5, 37}}) {
      for (int at = 0; at < sizes[0] * sizes[1]; at++) {
        try (Guarded x = Guarded.of(DType.FLOAT32, sizes).fill(new Random(4))) {
          new Elements(x.strided()).set(at, Double.NaN);
          for (Fold fold : Fold.values()) {
            for (boolean[] reduced : new boolean[][] {{true, true}, {true, false}}) {
              Lines lines = Lines.of(x.strided(), reduced);
              double[] centers =
                  fold.isCentered() ? new double[(int) lines.count()] : new double[0];

              double[] result = engine.folding.fold(fold, lines, x.strided(), centers);

              int line = reduced[1] ? 0 : (int) (at % sizes[1]);
              assertThat(result[line]).as("%s with NaN at %s", fold, at).isNaN();
            }
          }
        }
      }
    }
  }
}
