package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.Parameter;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// Attention with masks, and rows of tables that do not count.
final class MaskedAttentionTest {

  private static Tensor mask(boolean numbers, Tensor left) {
    return numbers
        ? Tensor.zeros(left.shape().toArray()).maskedFill(left, Double.NEGATIVE_INFINITY)
        : left;
  }

  @Test
  void aSequenceThatIsMaskedAsAWholeGivesZerosAndNoGradient() {
    for (boolean weights : new boolean[] {true, false}) {
      for (boolean numbers : new boolean[] {true, false}) {
        Tensor.manualSeed(1);
        var attention = new MultiheadAttention(4, 2, o -> o.batchFirst(true));
        Tensor x = Tensor.randn(2, 3, 4).requiresGrad_();
        Tensor left = Tensor.of(new boolean[] {false, false, true, true, true, true}, 2, 3);

        var result =
            attention.call(
                x, x, x, o -> o.keyPaddingMask(mask(numbers, left)).needWeights(weights));
        result.output().sum().backward();

        Tensor bias = attention.namedParameters().get("out_proj.bias");
        assertThat(result.output().get(1).toFloatArray())
            .containsExactly(bias.expand(3, 4).toFloatArray());
        assertThat(x.grad().get(1).toFloatArray()).containsOnly(0);
        assertThat(x.grad().get(0).abs().sum().item()).isPositive();
        for (Parameter parameter : attention.parameters()) {
          assertThat(parameter.grad().isfinite().all().itemBoolean()).isTrue();
        }
        if (weights) {
          assertThat(result.weights().get(1).toFloatArray()).containsOnly(0);
        }
      }
    }
  }

  @Test
  void masksOfBothKindsAreTakenTogether() {
    Tensor.manualSeed(2);
    var attention = new MultiheadAttention(4, 2);
    Tensor x = Tensor.randn(3, 2, 4);
    Tensor pairs =
        Tensor.of(new boolean[] {false, true, true, false, false, true, false, false, false}, 3, 3);
    Tensor keys = Tensor.of(new boolean[] {false, false, false, true, false, false}, 2, 3);

    float[] expected = null;
    for (boolean first : new boolean[] {true, false}) {
      for (boolean second : new boolean[] {true, false}) {
        for (boolean weights : new boolean[] {true, false}) {
          float[] output =
              attention
                  .call(
                      x,
                      x,
                      x,
                      o ->
                          o.attnMask(mask(first, pairs))
                              .keyPaddingMask(mask(second, keys))
                              .needWeights(weights))
                  .output()
                  .toFloatArray();
          expected = expected == null ? output : expected;
          assertThat(output).usingComparatorWithPrecision(1e-6f).containsExactly(expected);
        }
      }
    }
  }

  @Test
  void masksOfOtherShapesAndTypesAreRefused() {
    var attention = new MultiheadAttention(4, 2);
    Tensor x = Tensor.randn(3, 2, 4);

    assertThatThrownBy(
            () -> attention.call(x, x, x, o -> o.attnMask(Tensor.zeros(DType.BOOL, 3, 4))))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "MultiheadAttention: attention: attnMask must have shape [3, 3] or [4, 3, 3], but has [3, 4].");
    assertThatThrownBy(
            () -> attention.call(x, x, x, o -> o.keyPaddingMask(Tensor.zeros(DType.BOOL, 3, 2))))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "MultiheadAttention: attention: keyPaddingMask must have shape [2, 3], but has [3, 2].");
    assertThatThrownBy(
            () -> attention.call(x, x, x, o -> o.keyPaddingMask(Tensor.zeros(DType.INT64, 2, 3))))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "MultiheadAttention: attention: keyPaddingMask must be bool or floating, but is int64. Convert it with .to(DType.BOOL).");
  }

  @Test
  void thePaddingRowCountsFromTheEndIfItIsNegative() {
    var table = new Embedding(4, 2, o -> o.paddingIdx(-1));
    var bags = new EmbeddingBag(4, 2, o -> o.paddingIdx(-2));
    var plain = new Embedding(4, 2);
    Tensor indices = Tensor.of(new long[] {0, 3, 2}, 1, 3);

    table.call(indices).sum().backward();
    bags.call(indices).sum().backward();
    plain.call(indices).sum().backward();

    assertThat(table).hasToString("Embedding(4, 2, padding_idx=3)");
    assertThat(table.weight().get(3).toFloatArray()).containsOnly(0);
    assertThat(table.weight().grad().sum(1).toFloatArray()).containsExactly(2, 0, 2, 0);
    assertThat(bags).hasToString("EmbeddingBag(4, 2, mode='mean', padding_idx=2)");
    assertThat(bags.weight().get(2).toFloatArray()).containsOnly(0);
    assertThat(bags.weight().grad().sum(1).toFloatArray()).containsExactly(1, 0, 0, 1);
    assertThat(plain).hasToString("Embedding(4, 2)");
    assertThat(plain.weight().grad().sum(1).toFloatArray()).containsExactly(2, 0, 2, 2);
  }

  @Test
  void aPaddingRowThatIsNoneOfTheRowsIsRefused() {
    assertThatThrownBy(() -> new Embedding(4, 2, o -> o.paddingIdx(4)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("Embedding: paddingIdx must be in -4..3, but is 4.");
    assertThatThrownBy(() -> new EmbeddingBag(4, 2, o -> o.paddingIdx(-5)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("EmbeddingBag: paddingIdx must be in -4..3, but is -5.");
    assertThatThrownBy(() -> new Embedding(0, 2, o -> o.paddingIdx(0)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("Embedding: paddingIdx must be a row, but there are no rows.");
  }

  @Test
  void theFunctionMeansTheSameRow() {
    Tensor weight = Tensor.ones(4, 2).requiresGrad_();
    Tensor indices = Tensor.of(new long[] {0, 3, 2});

    indices.embedding(weight, -1).sum().backward();
    indices.embedding(weight, o -> o.paddingIdx(-1)).sum().backward();

    assertThat(weight.grad().sum(1).toFloatArray()).containsExactly(4, 0, 4, 0);
  }
}
