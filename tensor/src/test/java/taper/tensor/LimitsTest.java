package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Collections;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import taper.tensor.spi.AlongDims;

/// Numbers so large that sums and products of them overflow, and places outside of a tensor: they are refused, never
/// followed.
final class LimitsTest {
  private static final long HUGE = Long.MAX_VALUE;

  private static Tensor numbers(long... values) {
    return Tensor.of(values);
  }

  private static void says(ThrowingCallable mistake, String message) {
    assertThatThrownBy(mistake).isInstanceOf(TaperException.class).hasMessage(message);
  }

  private static void refused(ThrowingCallable mistake) {
    assertThatThrownBy(mistake).isInstanceOf(TaperException.class);
  }

  @Test
  void aPartNeverReachesBeyondItsTensor() {
    says(
        () -> Tensor.zeros(4).narrow(0, 1, HUGE),
        "narrow: start and length must lie inside dimension 0, but start 1 and length"
            + " 9223372036854775807 exceed its size 4 in shape [4].");
  }

  @Test
  void diagonalsFarOutside() {
    assertThat(Tensor.ones(2, 2).tril(HUGE).toFloatArray()).containsExactly(1, 1, 1, 1);
    assertThat(Tensor.ones(2, 2).tril(Long.MIN_VALUE).toFloatArray()).containsExactly(0, 0, 0, 0);
    assertThat(Tensor.ones(2, 2).triu(HUGE).toFloatArray()).containsExactly(0, 0, 0, 0);
    assertThat(Tensor.ones(2, 2).triu(Long.MIN_VALUE).toFloatArray()).containsExactly(1, 1, 1, 1);
    assertThat(Tensor.trilIndices(2, 2, HUGE).shape()).isEqualTo(Shape.of(2, 4));
    assertThat(Tensor.triuIndices(2, 2, HUGE).shape()).isEqualTo(Shape.of(2, 0));
  }

  @Test
  void triangles() {
    assertThat(Tensor.trilIndices(3, 2, 0).toLongArray())
        .containsExactly(0, 1, 1, 2, 2, 0, 0, 1, 0, 1);
    assertThat(Tensor.triuIndices(2, 3, 1).toLongArray()).containsExactly(0, 0, 1, 1, 2, 2);
    assertThat(Tensor.triuIndices(3, 2, -1).toLongArray())
        .containsExactly(0, 0, 1, 1, 2, 0, 1, 0, 1, 1);
    assertThat(Tensor.trilIndices(4, 3, -2).toLongArray()).containsExactly(2, 3, 3, 0, 0, 1);
    refused(() -> Tensor.trilIndices(1L << 40, 1L << 40, 0));
    refused(() -> Tensor.triuIndices(HUGE, HUGE, 0));
  }

  @Test
  void moreRepetitionsThanThereIsMemoryFor() {
    refused(() -> Tensor.zeros(2).repeatInterleave(numbers(1L << 62, 1L << 62), 0));
    refused(() -> Tensor.zeros(2).repeatInterleave(numbers(1L << 62, 3), 0));
    says(
        () -> Tensor.zeros(4).repeatInterleave(-1),
        "repeatInterleave: repeats must not be negative, but is -1.");
  }

  @Test
  void moreChoicesThanThereIsMemoryFor() {
    refused(() -> Tensor.arange(1000).combinations(30));
    refused(() -> Tensor.arange(1000).combinations(40, true));
    assertThat(Tensor.arange(3).combinations(2, true).toLongArray())
        .containsExactly(0, 0, 0, 1, 0, 2, 1, 1, 1, 2, 2, 2);
    assertThat(Tensor.arange(2).combinations(3).shape()).isEqualTo(Shape.of(0, 3));
  }

  @Test
  void countsOfHugeNumbers() {
    refused(() -> numbers(HUGE).bincount());
    refused(() -> numbers(HUGE).oneHot());
  }

  @Test
  void sequencesAcrossTheWholeRange() {
    refused(() -> Tensor.arange(Long.MIN_VALUE, HUGE, 1));
    assertThat(Tensor.arange(Long.MIN_VALUE, HUGE, 1L << 62).toLongArray())
        .containsExactly(Long.MIN_VALUE, -(1L << 62), 0, 1L << 62);
    says(
        () -> Tensor.randint(5, 5, 3),
        "randint: low must be below high, but low is 5 and high is 5.");
  }

  @Test
  void transformsOfNoLength() {
    says(() -> Fft.fftfreq(-1, 1), "fftfreq: n must not be negative, but is -1.");
    says(() -> Fft.rfftfreq(-1, 1), "rfftfreq: n must not be negative, but is -1.");
    refused(() -> Fft.fftfreq(1L << 50, 1));
    says(() -> Tensor.ones(30).stft(0), "stft: nFft must be at least 1, but is 0.");
  }

  @Test
  void exchangesWithRowsThatAreNotThere() {
    Tensor a = Tensor.ones(2, 2);
    Tensor b = Tensor.ones(2, 1);
    for (int[] pivots : new int[][] {{0, 0}, {5, 9}, {-1, 1}}) {
      Tensor exchanges = Tensor.of(pivots);
      assertThatThrownBy(() -> Linalg.luSolve(a, exchanges, b))
          .isInstanceOf(ArgumentException.class)
          .hasMessageContaining("luSolve: pivots must be in 1..2, but one is " + pivots[0] + ".");
      assertThatThrownBy(() -> Linalg.luUnpack(a, exchanges))
          .isInstanceOf(ArgumentException.class)
          .hasMessageContaining("luUnpack: pivots must be in 1..2, but one is " + pivots[0] + ".");
    }
    assertThatThrownBy(() -> Linalg.ldlSolve(a, Tensor.of(new int[] {0, 0}), b, false))
        .isInstanceOf(ArgumentException.class);
    assertThatThrownBy(() -> Linalg.ldlSolve(a, Tensor.of(new int[] {5, -9}), b, false))
        .isInstanceOf(ArgumentException.class);
    assertThatThrownBy(() -> Linalg.ldlSolve(a, Tensor.of(new int[] {1, -2}), b, false))
        .isInstanceOf(ArgumentException.class);
  }

  @Test
  void factorsOfMatricesWithNaN() {
    double nan = Double.NaN;
    says(
        () -> Linalg.cholesky(Tensor.of(new double[] {nan, 1, 2, 3}, 2, 2)),
        "cholesky: matrices must be positive-definite, but the matrix is not (its leading minor of"
            + " order 1 is not positive).");
    refused(() -> Linalg.cholesky(Tensor.of(new double[] {1, nan, nan, 3}, 2, 2)));
  }

  @Test
  void valuesThatDoNotFit() {
    says(
        () -> Tensor.full(DType.UINT8, 300, 2),
        "full: the value must be in -255..255 to fit into uint8, but is 300.0. Use a wider dtype.");
    says(
        () -> Tensor.zeros(DType.INT8, 2).fill_(-129),
        "fill_: the value must be in -128..127 to fit into int8, but is -129.0. Use a wider"
            + " dtype.");
    refused(() -> Tensor.full(DType.INT64, Double.NaN, 2));
    refused(() -> Tensor.zeros(DType.INT32, 2).fill_(Double.POSITIVE_INFINITY));
    assertThat(Tensor.full(DType.UINT8, -1, 1).toLongArray()).containsExactly(255);
    assertThat(Tensor.full(DType.INT64, HUGE, 1).toLongArray()).containsExactly(HUGE);
    assertThat(Tensor.full(DType.INT8, 2.7, 1).toLongArray()).containsExactly(2);
    assertThat(Tensor.full(DType.BOOL, 300, 1).toLongArray()).containsExactly(1);
  }

  private static final String BYTES =
      "tensor: the number of bytes must be below 2^63, but the shape is ";
  private static final String ELEMENTS =
      "tensor: the number of elements must be below 2^63, but the shape is ";

  @Test
  void resultsOfMoreBytesThanCanBeCounted() {
    Tensor one = Tensor.ones(1);
    Tensor line = one.expand(1L << 31);
    Tensor longer = one.expand(1L << 60);

    says(() -> one.expand(1L << 62).add(1), BYTES + "[4611686018427387904].");
    says(() -> line.outer(line), BYTES + "[2147483648, 2147483648].");
    says(() -> line.unsqueeze(1).mul(line), BYTES + "[2147483648, 2147483648].");
    says(() -> longer.unsqueeze(1).mul(one.expand(8)), ELEMENTS + "[1152921504606846976, 8].");
    says(() -> Tensor.cat(Collections.nCopies(16, longer), 0), ELEMENTS + "[8070450532247928832].");
    refused(() -> Tensor.stack(Collections.nCopies(16, longer), 0));
    refused(() -> Tensor.zeros(4).resize_(1L << 32, 1L << 32));
    refused(() -> Tensor.blockDiag(one.expand(HUGE), one.expand(HUGE)));
  }

  @Test
  void noElementsAreFewEnoughWhateverTheOtherSizes() {
    Tensor none = Tensor.zeros(0, 1L << 32, 1L << 32);

    assertThat(none.numel()).isZero();
    assertThat(none.add(1).shape()).isEqualTo(none.shape());
    assertThat(none.transpose(0, 2).contiguous().numel()).isZero();
    says(() -> none.flatten(1, 2), ELEMENTS + "[4294967296, 4294967296].");
    says(() -> none.sum(0), ELEMENTS + "[4294967296, 4294967296].");
  }

  @Test
  void callsOfOperatorsByHandAreCheckedLikeThoseOfMethods() {
    Tensor x = Tensor.zeros(3, 4);
    Tensor number = Catalogue.number(2.5);

    says(
        () -> Scans.Operators.CUMMAX.all(new Reductions.Cumulative(-2, false), x),
        "cummax: dims must lie in an input of 2 dimensions, counted from 0, but are [-2].");
    says(
        () -> Shapes.Operators.PERMUTE.on(new Shapes.Dims(new int[] {1, 1}), x),
        "permute: dims must be different, but are [1, 1].");
    says(
        () -> Shapes.Operators.SELECT.on(new Shapes.Select(0, 0), Tensor.scalar(1f)),
        "select: dims must lie in an input of 0 dimensions, counted from 0, but are [0].");
    says(
        () -> Reductions.Operators.MAX_DIM.all(new Reductions.Reduce(new int[0], false), x),
        "max: places are counted along one dimension, but dims are [].");
    refused(() -> Shapes.Operators.SELECT.on(new Shapes.Select(0, 5), x));
    refused(() -> Shapes.Operators.SLICE.on(new Shapes.Slice(0, 1, -1, 1), x));
    refused(() -> Shapes.Operators.UNSQUEEZE.on(new Shapes.ResultDim(3), x));
    refused(() -> Shapes.Operators.CAT.on(new Shapes.ResultDim(-1), x));
    says(
        () -> Pointwise.Operators.DIV.on(Operator.None.NONE, x, x, x),
        "div: the inputs must be self[*b], other[*b] -> [*b], but 3 were given.");
    says(
        () -> Activations.Operators.RELU.inPlace(Operator.None.NONE, number),
        "relu_: self must be a tensor, but is the Java number 2.5, which cannot be written. Use relu.");
    says(
        () -> Shapes.Operators.UNSQUEEZE.on(new Shapes.ResultDim(0), number),
        "unsqueeze: self must be a tensor, but is the Java number 2.5, which has no memory to see. Use Tensor.scalar.");
  }

  @Test
  void aGeometryHasAStrideForEachSize() {
    says(
        () -> Tensor.emptyStrided(DType.UINT8, new long[] {1}, new long[0]),
        "emptyStrided: there must be a stride for each size, and neither they nor offset may be negative, but sizes are [1], strides [] and offset is 0.");
    refused(() -> Tensor.emptyStrided(DType.UINT8, new long[] {3, 3}, new long[] {1L << 62, 1}));
  }

  @Test
  void attributesThatNameDimensionsOfAnInputAreChecked() {
    int found = 0;
    for (Operator<?> operator : Catalogue.operators()) {
      Record attributes = operator.samples().getFirst().attributes();
      boolean names =
          Arrays.stream(attributes.getClass().getRecordComponents())
              .anyMatch(component -> component.getName().matches("dims?|dim[0-9]|axis|over"));
      if (names && !(attributes instanceof Shapes.ResultDim)) {
        assertThat(attributes).as(operator.name()).isInstanceOf(AlongDims.class);
        found++;
      }
    }
    assertThat(found).isGreaterThan(50);
  }
}
