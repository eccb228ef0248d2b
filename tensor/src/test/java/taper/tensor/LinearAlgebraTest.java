package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class LinearAlgebraTest {

  @Test
  void matmulFollowsTheRanksOfBothOperands() {
    assertThat(shape(new long[] {3}, new long[] {3})).isEmpty();
    assertThat(shape(new long[] {2, 3}, new long[] {3})).containsExactly(2);
    assertThat(shape(new long[] {3}, new long[] {3, 4})).containsExactly(4);
    assertThat(shape(new long[] {2, 3}, new long[] {3, 4})).containsExactly(2, 4);
    assertThat(shape(new long[] {5, 2, 3}, new long[] {3, 4})).containsExactly(5, 2, 4);
    assertThat(shape(new long[] {5, 2, 3}, new long[] {3})).containsExactly(5, 2);
    assertThat(shape(new long[] {3}, new long[] {5, 3, 4})).containsExactly(5, 4);
    assertThat(shape(new long[] {7, 1, 2, 3}, new long[] {5, 3, 4})).containsExactly(7, 5, 2, 4);
    assertThat(shape(new long[] {0, 2, 3}, new long[] {3, 4})).containsExactly(0, 2, 4);
  }

  private static long[] shape(long[] a, long[] b) {
    return Tensor.ones(a).matmul(Tensor.ones(b)).shape().toArray();
  }

  @Test
  void matmulOfBatchesMultipliesMatrixByMatrix() {
    Tensor a = Tensor.arange(DType.FLOAT32, 0, 12, 1).view(2, 1, 2, 3);
    Tensor b = Tensor.arange(DType.FLOAT32, 0, 18, 1).view(3, 3, 2);

    Tensor c = a.matmul(b);

    Tensor last = a.select(0, 1).select(0, 0).mm(b.select(0, 2));
    assertThat(c.select(0, 1).select(0, 2).toFloatArray()).isEqualTo(last.toFloatArray());
  }

  @Test
  void linearIsAProductWithTheTransposedWeightPlusBias() {
    Tensor x = Tensor.of(new float[] {1, 2, 3, 4}, 2, 2);
    Tensor weight = Tensor.of(new float[] {1, 0, 0, 1, 1, 1}, 3, 2);

    Tensor y = x.linear(weight, Tensor.of(new float[] {10, 20, 30}));

    assertThat(y.toFloatArray()).containsExactly(11, 22, 33, 13, 24, 37);
  }

  @Test
  void gradientsOfLinearReachAllOperands() {
    Tensor x = Tensor.of(new float[] {1, 2, 3, 4}, 1, 2, 2).requiresGrad_();
    Tensor weight = Tensor.of(new float[] {1, 0, 0, 1, 1, 1}, 3, 2).requiresGrad_();
    Tensor bias = Tensor.of(new float[] {10, 20, 30}).requiresGrad_();

    x.linear(weight, bias).sum().backward();

    assertThat(x.grad().toFloatArray()).containsExactly(2, 2, 2, 2);
    assertThat(weight.grad().toFloatArray()).containsExactly(4, 6, 4, 6, 4, 6);
    assertThat(bias.grad().toFloatArray()).containsExactly(2, 2, 2);
  }

  @Test
  void aBetaOfZeroLeavesTheAddendUnread() {
    Tensor addend = Tensor.full(DType.FLOAT32, Double.NaN, 1, 1);

    Tensor y = addend.addmm(Tensor.ones(1, 2), Tensor.ones(2, 1), 0, 1);

    assertThat(y.item()).isEqualTo(2);
  }

  @Test
  void matmulNamesBothShapesWhereTheyDoNotMatch() {
    assertThatThrownBy(() -> Tensor.ones(64, 1568).matmul(Tensor.ones(3136, 128)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "matmul: dimension k is 1568 in self [64, 1568], but 3136 in other [3136, 128]."
                + " They must be equal; see transpose and reshape.");
  }
}
