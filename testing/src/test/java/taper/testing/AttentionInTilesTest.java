package taper.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static taper.testing.TensorAssertions.assertClose;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import taper.tensor.Attention.AttentionOptions;
import taper.tensor.DType;
import taper.tensor.Memory;
import taper.tensor.Tensor;
import taper.tensor.Threads;

/// Attention in one step, at sizes around those of blocks and vectors, against its composition.
final class AttentionInTilesTest {
  private final int threads = Threads.numThreads();

  @BeforeEach
  void seed() {
    Tensor.manualSeed(7);
  }

  @AfterEach
  void restore() {
    Threads.setNumThreads(threads);
  }

  private record Heads(Tensor query, Tensor key, Tensor value, Tensor grad) {
    /// Heads as they come out of a projection: parts of longer rows.
    static Heads random(DType dtype, int queries, int keys, int width, int valueWidth) {
      return new Heads(
          part(dtype, queries, width),
          part(dtype, keys, width),
          part(dtype, keys, valueWidth),
          part(dtype, queries, valueWidth));
    }

    private static Tensor part(DType dtype, int rows, int columns) {
      Tensor all = Tensor.randn(2, rows, 3L * columns + 1).to(dtype);
      return all.narrow(2, 1, 3L * columns).view(2, rows, 3, columns).transpose(1, 2);
    }

    List<Tensor> attend(UnaryOperator<AttentionOptions> options, boolean inOneStep) {
      List<Tensor> leaves =
          Stream.of(query, key, value).map(x -> x.detach().requiresGrad_(true)).toList();
      Tensor out =
          inOneStep
              ? leaves.get(0).scaledDotProductAttention(leaves.get(1), leaves.get(2), options)
              : leaves
                  .get(0)
                  .scaledDotProductAttentionWithWeights(leaves.get(1), leaves.get(2), options)
                  .output();
      out.backward(grad);
      return List.of(
          out.detach(), leaves.get(0).grad(), leaves.get(1).grad(), leaves.get(2).grad());
    }
  }

  private static void check(Heads heads, UnaryOperator<AttentionOptions> options) {
    List<Tensor> expected = heads.attend(options, false);

    List<Tensor> actual = heads.attend(options, true);

    for (int i = 0; i < expected.size(); i++) {
      assertClose(actual.get(i), expected.get(i), new Tolerance(1e-4, 2e-5));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 1, 1", "7, 17, 5, 3", "15, 16, 8, 8", "16, 15, 16, 33", "63, 64, 32, 32",
    "64, 63, 31, 16", "65, 65, 32, 32", "130, 71, 64, 64", "71, 300, 7, 65", "257, 129, 20, 9"
  })
  void agreesWithItsComposition(int queries, int keys, int width, int valueWidth) {
    try (var _ = Memory.scope("attention")) {
      for (DType dtype : List.of(DType.FLOAT32, DType.FLOAT64)) {
        Heads heads = Heads.random(dtype, queries, keys, width, valueWidth);
        check(heads, o -> o);
        check(heads, o -> o.causal(true));
        check(heads, o -> o.scale(-0.3));
        List<Tensor> masks =
            List.of(
                Tensor.randn(queries, keys).to(dtype),
                Tensor.rand(2, 1, 1, keys).gt(0.4),
                Tensor.rand(3, queries, keys).gt(0.7));
        masks.forEach(mask -> check(heads, o -> o.mask(mask)));
      }
    }
  }

  @Test
  void queryThatMayLookAtNothingGetsNothing() {
    Heads heads = Heads.random(DType.FLOAT32, 5, 70, 4, 4);
    Tensor mask = Tensor.ones(DType.BOOL, 5, 70);
    mask.select(0, 2).fill_(0);

    List<Tensor> actual = heads.attend(o -> o.mask(mask), true);

    assertThat(actual.get(0).select(2, 2).abs().sum().item()).isZero();
    assertThat(actual.get(1).select(2, 2).abs().sum().item()).isZero();
    assertThat(actual.get(2).isfinite().all().item()).isEqualTo(1);
  }

  @Test
  void nanReachesTheWholeRowOfItsQueryOnly() {
    Heads heads = Heads.random(DType.FLOAT32, 20, 80, 4, 4);
    heads.query.select(2, 3).fill_(Double.NaN);

    Tensor out = heads.query.scaledDotProductAttention(heads.key, heads.value);

    assertThat(out.isnan().sum().item()).isEqualTo(2 * 3 * 4);
    assertThat(out.select(2, 3).isnan().all().item()).isEqualTo(1);
  }

  @Test
  void resultsDoNotDependOnTheNumberOfThreads() {
    Heads heads = Heads.random(DType.FLOAT32, 150, 150, 16, 16);
    Threads.setNumThreads(1);
    List<Tensor> expected = heads.attend(o -> o.causal(true), true);
    Threads.setNumThreads(3);

    List<Tensor> actual = heads.attend(o -> o.causal(true), true);

    for (int i = 0; i < expected.size(); i++) {
      assertThat(actual.get(i).equal(expected.get(i))).isTrue();
    }
  }
}
