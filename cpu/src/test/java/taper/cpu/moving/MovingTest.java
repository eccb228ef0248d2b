package taper.cpu.moving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.tensor.Catalogue;
import taper.tensor.DType;
import taper.tensor.Tensor;

/// Copies, flips, rolls, picks and places on awkward sizes and layouts, against the reference kernels, for elements of
/// every width.
final class MovingTest {
  private static final List<DType> TYPES =
      List.of(DType.FLOAT32, DType.FLOAT64, DType.BFLOAT16, DType.INT64, DType.UINT8);
  private static final long[][] SHAPES = {
    {0, 3},
    {1, 1},
    {7, 1},
    {1, 9},
    {8, 8},
    {31, 33},
    {64, 65},
    {3, 67},
    {67, 3},
    {5, 17, 6},
    {2, 16, 3, 9}
  };

  static List<Tensor> inputs() {
    var result = new ArrayList<Tensor>();
    Tensor.manualSeed(1);
    for (DType type : TYPES) {
      for (long[] shape : SHAPES) {
        result.add(Tensor.randint(0, 100, shape).to(type));
      }
    }
    return result;
  }

  private static void same(Function<Tensor, Tensor> operator, Tensor x) {
    Tensor expected = Catalogue.withReferenceKernels(() -> operator.apply(x));
    Tensor actual = operator.apply(x);

    assertThat(actual.shape()).isEqualTo(expected.shape());
    assertThat(actual.dtype()).isEqualTo(expected.dtype());
    assertThat(actual.toDoubleArray()).isEqualTo(expected.toDoubleArray());
  }

  @ParameterizedTest
  @MethodSource("inputs")
  void copiesOfTransposedTensors(Tensor x) {
    same(t -> t.T().contiguous(), x);
    same(t -> t.transpose(0, 1).contiguous(), x);
    same(
        t -> t.transpose(0, -1).unsqueeze(1).expand(-1, 3, -1, -1).contiguous(),
        x.atleast3d().flatten(2));
  }

  @ParameterizedTest
  @MethodSource("inputs")
  void copiesIntoTransposedTensors(Tensor x) {
    same(t -> t.clone().T().copy_(t.T().contiguous()).contiguous(), x);
    same(t -> Tensor.zerosLike(t).transpose(0, 1).copy_(t.transpose(0, 1)).contiguous(), x);
  }

  @ParameterizedTest
  @MethodSource("inputs")
  void copiesOfStridedTensors(Tensor x) {
    same(t -> t.slice(-1, 1, Long.MAX_VALUE, 2).contiguous(), x);
    same(t -> t.slice(0, 0, Long.MAX_VALUE, 3).T().contiguous(), x);
  }

  @ParameterizedTest
  @MethodSource("inputs")
  void flipsAndRolls(Tensor x) {
    same(t -> t.flip(-1), x);
    same(t -> t.T().flip(0, 1), x);
    same(t -> t.roll(new long[] {1, -2}, 0, 1), x);
    same(t -> t.transpose(0, 1).roll(5), x);
  }

  @ParameterizedTest
  @MethodSource("inputs")
  void repeatsOfElementsAndRows(Tensor x) {
    for (int times : new int[] {1, 2, 3, 8, 9, 70}) {
      same(t -> t.repeatInterleave(times, 0), x);
      same(t -> t.repeatInterleave(times, t.dim() - 1), x);
      same(t -> t.flatten().repeatInterleave(times), x);
    }
  }

  @Test
  void runsOfEqualNeighbours() {
    for (int n : new int[] {1, 2, 63, 64, 65, 1024, 1025, 40_000, 70_001}) {
      Tensor few = Tensor.randint(0, 2, n);
      Tensor long1 = Tensor.arange(0, n, 1).floorDivide(700);
      Tensor none = Tensor.zeros(n);
      Tensor odd = Tensor.where(few.eq(0), Tensor.full(DType.FLOAT32, -0.0, n), Tensor.zeros(n));
      Tensor nan =
          Tensor.where(few.eq(0), Tensor.full(DType.FLOAT32, Double.NaN, n), Tensor.ones(n));
      for (Tensor x : List.of(few, long1, none, odd, nan, none.div(none))) {
        for (DType type : List.of(DType.FLOAT32, DType.FLOAT64, DType.INT32, DType.INT64)) {
          same(t -> t.uniqueConsecutive(), x.to(type));
          same(
              t -> Objects.requireNonNull(t.uniqueConsecutive(o -> o.returnCounts(true)).counts()),
              x.to(type));
          same(
              t ->
                  Objects.requireNonNull(t.uniqueConsecutive(o -> o.returnInverse(true)).inverse()),
              x.to(type));
        }
      }
    }
  }

  @Test
  void logarithmsOfRunningSumsOfFarNumbers() {
    double infinity = Double.POSITIVE_INFINITY;
    double[][] lines = {
      {-1000, 0, 5}, {-infinity, -infinity, 1}, {0, infinity, 1}, {1, Double.NaN, 2}, {3e38, -3e38}
    };
    for (double[] line : lines) {
      for (DType type : List.of(DType.FLOAT32, DType.FLOAT64)) {
        Tensor x = Tensor.of(line, line.length).to(type);
        Tensor expected = Catalogue.withReferenceKernels(() -> x.logcumsumexp(0));
        assertThat(x.logcumsumexp(0).toDoubleArray()).isEqualTo(expected.toDoubleArray());
      }
    }
  }

  @Test
  void longLinesAreCutIntoPieces() {
    Tensor x = Tensor.randint(0, 3, 200_001).to(DType.FLOAT32);

    same(t -> t.flip(0), x);
    same(t -> t.flip(0).repeatInterleave(2), x);
    same(t -> t.expand(2, -1).contiguous(), x);
    same(t -> t.slice(0, 5, 6, 1).expand(150_000).contiguous(), x);
    same(t -> t.view(3, 66_667).T().contiguous(), x);
    same(Tensor::nonzero, x);
    same(t -> t.eq(1).expand(2, 200_001).nonzero(), x);
    same(t -> t.view(3, 66_667).nonzero(), x);
    same(t -> t.maskedSelect(t.eq(1)), x);
    same(t -> t.to(DType.FLOAT64).maskedSelect(t.eq(1)), x);
  }

  @ParameterizedTest
  @MethodSource("inputs")
  void trianglesAndJoints(Tensor x) {
    same(t -> t.triu(1), x);
    same(t -> t.T().tril(-2), x);
    same(t -> Tensor.cat(List.of(t, t.slice(-1, 1, Long.MAX_VALUE, 1), t), -1), x);
  }

  @ParameterizedTest
  @MethodSource("inputs")
  void picksByIndex(Tensor x) {
    long rows = x.size(0);
    Tensor some = Tensor.arange(0, 3 * rows, 1).remainder(Math.max(rows, 1));
    Tensor each = x.to(DType.INT64).remainder(Math.max(x.size(-1), 1));

    same(t -> t.indexSelect(0, some), x);
    same(t -> t.T().indexSelect(-1, some), x);
    same(t -> t.gather(-1, each), x);
    same(t -> t.T().contiguous().T().gather(-1, each), x);
    same(t -> t.maskedSelect(t.gt(50)), x);
    same(t -> t.T().maskedSelect(t.T().gt(50)), x);
    same(t -> t.gt(50).nonzero(), x);
    same(t -> t.T().nonzero(), x);
  }

  @ParameterizedTest
  @MethodSource("inputs")
  void placesByIndex(Tensor x) {
    long rows = x.size(0);
    Tensor some = Tensor.arange(0, rows, 1).flip(0);
    Tensor each = x.to(DType.INT64).remainder(Math.max(x.size(-1), 1));

    same(t -> Tensor.zerosLike(t).scatter(-1, each, t), x.fill_(3));
    same(t -> t.scatterAdd(-1, each, t), x);
    same(t -> t.T().scatterAdd(0, each.T(), t.T()), x);
    same(t -> t.indexAdd(0, some, t), x);
    same(t -> t.indexPut(List.of(some), t.mul(2)), x);
    same(t -> t.indexPut(List.of(some), t, true), x);
  }
}
