package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import taper.tensor.Distances.ComputeMode;
import taper.tensor.Embeddings.BagMode;

/// Losses over sequences, embeddings, attention, dropouts and distances, where difference quotients and golden cases do not
/// reach.
final class FunctionalTest {

  // Connectionist temporal classification

  @Test
  void ctcLossIsTheSumOverAllAlignments() {
    Tensor.manualSeed(1);
    Tensor logs = Tensor.randn(DType.FLOAT64, 4, 1, 3).logSoftmax(2);

    double loss =
        logs.ctcLoss(lengths(1, 1), lengths(4), lengths(2), o -> o.reduction(Reduction.SUM)).item();

    assertThat(Math.exp(-loss)).isCloseTo(sumOverAlignments(logs, List.of(1, 1)), within(1e-12));
  }

  /// The probability of `labels` by trying every sequence of classes.
  private static double sumOverAlignments(Tensor logs, List<Integer> labels) {
    double sum = 0;
    for (int code = 0; code < 81; code++) {
      var collapsed = new ArrayList<Integer>();
      double log = 0;
      int before = 0;
      for (int t = 0, rest = code; t < 4; t++, rest /= 3) {
        int label = rest % 3;
        log += logs.get(t, 0, label).item();
        if (label != 0 && label != before) {
          collapsed.add(label);
        }
        before = label;
      }
      sum += collapsed.equals(labels) ? Math.exp(log) : 0;
    }
    return sum;
  }

  @Test
  void ctcGradientPassesThroughLogSoftmax() {
    Tensor.manualSeed(2);
    Tensor x = Tensor.randn(DType.FLOAT64, 5, 2, 4).requiresGrad_();

    ctc(x).backward();

    Tensor grad = x.grad();
    assertThat(grad).isNotNull();
    double step = 1e-6;
    for (long[] at : new long[][] {{0, 0, 0}, {2, 1, 3}, {4, 0, 2}, {4, 1, 1}}) {
      Tensor more = x.detach().clone();
      more.get(at).add_(step);
      double slope = (ctc(more).item() - ctc(x.detach()).item()) / step;
      assertThat(grad.get(at).item()).isCloseTo(slope, within(1e-5));
    }
  }

  private static Tensor ctc(Tensor x) {
    Tensor targets = Tensor.of(new long[] {1, 3, 2, 0}, 2, 2);
    return x.logSoftmax(2).ctcLoss(targets, lengths(5, 4), lengths(2, 1));
  }

  @Test
  void impossibleSequencesLoseInfinityOrNothing() {
    Tensor logs = Tensor.randn(DType.FLOAT64, 2, 1, 3).logSoftmax(2).requiresGrad_();
    Tensor targets = lengths(1, 1);

    Tensor infinite = logs.ctcLoss(targets, lengths(2), lengths(2));
    Tensor none = logs.ctcLoss(targets, lengths(2), lengths(2), o -> o.zeroInfinity(true));
    none.backward();

    assertThat(infinite.item()).isInfinite();
    assertThat(none.item()).isZero();
    assertThat(logs.grad()).isNotNull();
    assertThat(logs.grad().abs().sum().item()).isZero();
  }

  @Test
  void ctcLossRejectsLabelsOutsideTheClasses() {
    Tensor logs = Tensor.randn(4, 1, 3).logSoftmax(2);

    assertThatThrownBy(() -> logs.ctcLoss(lengths(1, 3), lengths(4), lengths(2)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "ctcLoss: labels must be in 0..2, one of 3 classes, or the ignoreIndex 0, but"
                + " target[1] is 3. Classes are counted from 0.");
  }

  private static Tensor lengths(long... values) {
    return Tensor.of(values);
  }

  // Embeddings

  @Test
  void rowsBeyondTheNormAreScaledDownInPlace() {
    Tensor weight = Tensor.of(new double[] {3, 4, 0.3, 0.4, 6, 8}, 3, 2);

    Tensor rows = lengths(0, 1).embedding(weight, o -> o.maxNorm(1));

    assertThat(rows.toDoubleArray())
        .containsExactly(new double[] {0.6, 0.8, 0.3, 0.4}, within(1e-6));
    assertThat(weight.toDoubleArray())
        .containsExactly(new double[] {0.6, 0.8, 0.3, 0.4, 6, 8}, within(1e-6));
  }

  @Test
  void gradientsOfRowsAreDividedByHowOftenTheyAreNamed() {
    Tensor weight = Tensor.ones(DType.FLOAT64, 3, 1).requiresGrad_();

    lengths(0, 0, 2).embedding(weight, o -> o.scaleGradByFreq(true)).sum().backward();

    assertThat(weight.grad()).isNotNull();
    assertThat(weight.grad().toDoubleArray()).containsExactly(1, 0, 1);
  }

  @Test
  void emptyBagsAndPaddingGiveZeros() {
    Tensor weight = Tensor.of(new double[] {1, 2, 3, 4}, 2, 2);
    for (BagMode mode : BagMode.values()) {
      Tensor bags =
          lengths(1, 0, 0).embeddingBag(weight, lengths(0, 0, 1), o -> o.mode(mode).paddingIdx(0));

      assertThat(bags.toDoubleArray()).as(mode.name()).containsExactly(0, 0, 3, 4, 0, 0);
    }
  }

  // Attention

  @Test
  void queriesThatMayLookAtNothingGetNothing() {
    Tensor x = Tensor.randn(DType.FLOAT64, 2, 3).requiresGrad_();
    Tensor mask = Tensor.of(new boolean[] {true, true, false, false}, 2, 2);

    Tensor out = x.scaledDotProductAttention(x, x, o -> o.mask(mask));
    out.sum().backward();

    assertThat(out.get(1).abs().sum().item()).isZero();
    assertThat(x.grad()).isNotNull();
    assertThat(x.grad().isfinite().all().itemBoolean()).isTrue();
  }

  @Test
  void headsOfQueriesShareThoseOfKeys() {
    Tensor query = Tensor.randn(DType.FLOAT64, 2, 4, 5, 3);
    Tensor key = Tensor.randn(DType.FLOAT64, 2, 2, 6, 3);
    Tensor value = Tensor.randn(DType.FLOAT64, 2, 2, 6, 7);

    Tensor shared = query.scaledDotProductAttention(key, value, o -> o.enableGqa(true));

    for (int head = 0; head < 4; head++) {
      Tensor own =
          query
              .select(1, head)
              .scaledDotProductAttention(key.select(1, head / 2), value.select(1, head / 2));
      assertThat(shared.select(1, head).allclose(own)).isTrue();
    }
  }

  @Test
  void causalQueriesLookBackOnly() {
    Tensor x = Tensor.randn(DType.FLOAT64, 3, 4);

    Tensor out = x.scaledDotProductAttention(x, x, o -> o.causal(true));

    assertThat(out.get(0).allclose(x.get(0))).isTrue();
    Tensor first = x.narrow(0, 0, 2);
    assertThat(out.get(1).allclose(first.scaledDotProductAttention(first, first).get(1))).isTrue();
  }

  // Dropouts

  @Test
  void alphaDropoutKeepsMeanAndVariance() {
    Tensor.manualSeed(3);
    Tensor x = Tensor.randn(DType.FLOAT64, 100_000);

    Tensor dropped = x.alphaDropout(0.3, true);

    assertThat(dropped.mean().item()).isCloseTo(0, within(0.02));
    assertThat(dropped.var().item()).isCloseTo(1, within(0.02));
  }

  @Test
  void channelsAreDroppedAsAWhole() {
    Tensor.manualSeed(4);

    Tensor dropped = Tensor.ones(DType.FLOAT64, 8, 10, 3, 3).dropout2d(0.5, true);

    Tensor sums = dropped.sum(new int[] {2, 3}, false);
    assertThat(sums.eq(0).logicalOr(sums.eq(18)).all().itemBoolean()).isTrue();
    assertThat(sums.eq(0).any().itemBoolean()).isTrue();
  }

  // Distances

  @Test
  void distancesFromAProductAgreeWithThoseFromDifferences() {
    Tensor x = Tensor.randn(DType.FLOAT64, 30, 5);
    Tensor y = Tensor.randn(DType.FLOAT64, 7, 5);

    Tensor product = x.cdist(y, 2, ComputeMode.MATRIX_PRODUCT);
    Tensor exact = x.cdist(y, 2, ComputeMode.EXACT);

    assertThat(product.allclose(exact)).isTrue();
  }

  @Test
  void equalVectorsHaveNoGradientOfTheirDistance() {
    Tensor x = Tensor.ones(DType.FLOAT64, 2, 3).requiresGrad_();

    x.pdist().sum().backward();

    assertThat(x.grad()).isNotNull();
    assertThat(x.grad().abs().sum().item()).isZero();
  }
}
