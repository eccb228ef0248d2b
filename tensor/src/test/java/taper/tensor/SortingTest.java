package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SortingTest {

  /// Sizes around those at which the algorithm changes.
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 48, 49, 200, 201, 4096, 4097})
  void sortingIsStableAndPutsNanLast(int n) {
    Tensor.manualSeed(7);
    Tensor x = Tensor.randint(-20, 20, n).to(DType.FLOAT64).div(4.0);
    x = x.maskedFill(Tensor.randint(0, 9, n).eq(0), Double.NaN);
    double[] values = x.toDoubleArray();
    long[] expected =
        IntStream.range(0, n)
            .boxed()
            .sorted(Comparator.comparingDouble(i -> values[i] + 0.0))
            .mapToLong(i -> i)
            .toArray();

    for (DType dtype : new DType[] {DType.FLOAT64, DType.FLOAT32, DType.BFLOAT16}) {
      assertThat((long[]) x.to(dtype).argsort().toArray()).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = DType.class,
      names = {"INT64", "INT32", "INT16", "INT8", "UINT8", "BOOL"})
  void descendingOrderOfWholeNumbersKeepsEqualOnesInTheirOrder(DType dtype) {
    Tensor.manualSeed(3);
    Tensor x = Tensor.randint(0, 200, 300).sub(100).to(dtype);
    Tensor wide = x.to(DType.INT64);
    long[] values = (long[]) wide.toArray();
    long[] expected =
        IntStream.range(0, 300)
            .boxed()
            .sorted(Comparator.comparingLong(i -> -values[i]))
            .mapToLong(i -> i)
            .toArray();

    assertThat((long[]) x.argsort(0, true).toArray()).isEqualTo(expected);
  }

  @Test
  void sortingAlongAnInnerDimensionSortsColumns() {
    Tensor x = Tensor.of(new float[] {3, 1, 2, 5, 1, 4}, 3, 2);

    var sorted = x.sort(0, false);

    assertThat(sorted.values().toFloatArray()).containsExactly(1, 1, 2, 4, 3, 5);
    assertThat((long[]) sorted.indices().reshape(-1).toArray()).containsExactly(2, 0, 1, 2, 0, 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5, 31, 33, 250, 500})
  void theLargestAreTheBeginningOfTheSortedElements(int k) {
    Tensor.manualSeed(11);
    Tensor x = Tensor.randn(3, 500);

    var top = x.topk(k);
    var sorted = x.sort(-1, true);

    assertThat(top.values().equal(sorted.values().narrow(1, 0, k))).isTrue();
    assertThat(top.indices().equal(sorted.indices().narrow(1, 0, k))).isTrue();
  }

  @Test
  void tiesAreSettledAsInPyTorch() {
    Tensor x = Tensor.of(new long[] {1, 1, 1, 1, 1, 1, 1});

    assertThat(x.median(0).indices().itemLong()).isEqualTo(3);
    assertThat(x.mode().indices().itemLong()).isEqualTo(6);
  }

  @Test
  void medianOfAnEvenNumberIsTheLowerOne() {
    assertThat(Tensor.of(new float[] {4, 1, 3, 2}).median().item()).isEqualTo(2);
  }

  @Test
  void nanMakesTheMedianNanButNotTheOtherOne() {
    Tensor x = Tensor.of(new float[] {4, Float.NaN, 3});

    assertThat(x.median().item()).isNaN();
    assertThat(x.nanmedian().item()).isEqualTo(3);
    assertThat(x.median(0).indices().itemLong()).isEqualTo(1);
  }

  @Test
  void distinctElementsComeWithPlacesAndCounts() {
    Tensor x = Tensor.of(new long[] {3, 1, 3, 2, 3, 1}, 2, 3);

    var unique = x.unique(o -> o.returnInverse(true).returnCounts(true));

    assertThat((long[]) unique.values().toArray()).containsExactly(1, 2, 3);
    assertThat(unique.inverse().toString()).isEqualTo("tensor([[2, 0, 2],\n        [1, 2, 0]])");
    assertThat((long[]) unique.counts().toArray()).containsExactly(2, 1, 3);
  }

  @Test
  void distinctRowsComeInOrder() {
    Tensor x = Tensor.of(new long[] {2, 1, 1, 5, 2, 1}, 3, 2);

    var unique = x.unique(o -> o.dim(0).returnInverse(true));

    assertThat((long[][]) unique.values().toArray()).isDeepEqualTo(new long[][] {{1, 5}, {2, 1}});
    assertThat((long[]) unique.inverse().toArray()).containsExactly(1, 0, 1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void consecutiveElementsAreCountedAcrossRuns(boolean inverse) {
    Tensor x = Tensor.arange(5000).floorDivide(700L);

    var unique = x.uniqueConsecutive(o -> o.returnCounts(true).returnInverse(inverse));

    assertThat((long[]) unique.values().toArray()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    assertThat((long[]) unique.counts().toArray())
        .containsExactly(700, 700, 700, 700, 700, 700, 700, 100);
    assertThat(unique.inverse() == null).isEqualTo(!inverse);
    if (inverse) {
      assertThat(unique.inverse().equal(x)).isTrue();
    }
  }

  @Test
  void placesAreLeftOrRightOfEqualElements() {
    Tensor sorted = Tensor.of(new float[] {1, 3, 3, 5});
    Tensor values = Tensor.of(new float[] {0, 3, 6, Float.NaN});

    assertThat((long[]) Tensor.searchsorted(sorted, values).toArray()).containsExactly(0, 1, 4, 4);
    assertThat((long[]) values.bucketize(sorted, o -> o.right(true)).toArray())
        .containsExactly(0, 3, 4, 4);
  }

  @Test
  void membershipIgnoresNan() {
    Tensor x = Tensor.of(new float[] {1, Float.NaN, 3, -0f});

    boolean[] found = (boolean[]) x.isin(Tensor.of(new float[] {3, Float.NaN, 0})).toArray();

    assertThat(found).containsExactly(false, false, true, true);
  }

  @Test
  void quantilesLieBetweenNeighbours() {
    Tensor x = Tensor.of(new double[] {4, 1, 3, 2});

    assertThat(x.quantile(0.5).item()).isEqualTo(2.5);
    assertThat(x.quantile(0.9, 0, true).sizes()).containsExactly(1);
  }

  @Test
  void numbersBeyondTheElementsAreRefused() {
    Tensor x = Tensor.randn(3, 4);

    assertThatThrownBy(() -> x.topk(5))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("topk: k must be in 0..4, the size of dimension 1, but is 5.");
    assertThatThrownBy(() -> x.kthvalue(0, 0))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("kthvalue: k must be in 1..3, the size of dimension 0, but is 0.");
    assertThatThrownBy(() -> x.gt(0).median())
        .isInstanceOf(DTypeException.class)
        .hasMessage(
            "median: self must hold numbers, but is bool. Convert it with .to(DType.INT64).");
  }

  @Test
  void runningProductsHaveRightGradientsAtZeros() {
    Tensor x = Tensor.of(new double[] {2, 0, 3, 0, 5}).requiresGrad_(true);

    x.cumprod(0).sum().backward();

    // 2, 2a, 2a·3, 2a·3b, … with a = b = 0: by the first zero 2 + 6 + 0 + 0
    assertThat(x.grad().toDoubleArray()).containsExactly(1, 8, 0, 0, 0);
  }

  @Test
  void masksHideElementsAndTheirGradients() {
    Tensor x = Tensor.of(new double[] {1, 2, 3, 4}).requiresGrad_(true);
    Tensor mask = Tensor.of(new boolean[] {true, false, true, false});

    Tensor mean = Masked.mean(x, o -> o.mask(mask));
    mean.backward();

    assertThat(mean.item()).isEqualTo(2);
    assertThat(x.grad().toDoubleArray()).containsExactly(0.5, 0, 0.5, 0);
    assertThat(Masked.amax(x, o -> o.mask(mask.logicalNot()).dim(0)).item()).isEqualTo(4);
  }

  @Test
  void histogramsCountTheUpperEdgeOfTheLastBin() {
    Tensor x = Tensor.of(new float[] {0, 0.5f, 1, 2, 3});

    assertThat(x.histc(3, 0, 3).toFloatArray()).containsExactly(2, 1, 2);
    var histogram = x.histogram(Tensor.of(new float[] {0, 1, 3}), o -> o.density(true));
    assertThat(histogram.hist().toFloatArray()).containsExactly(0.4f, 0.3f);
    assertThat((long[]) Tensor.of(new long[] {1, 3, 1}).bincount().toArray())
        .containsExactly(0, 2, 0, 1);
  }

  @Test
  void sortedDoublesOfManyMagnitudesAreInOrder() {
    Tensor.manualSeed(5);
    Tensor x = Tensor.randn(10_000).to(DType.FLOAT64).mul(20).exp().mul(Tensor.randn(10_000));
    double[] expected = x.toDoubleArray();
    Arrays.sort(expected);

    assertThat(x.sort().values().toDoubleArray()).isEqualTo(expected);
  }
}
