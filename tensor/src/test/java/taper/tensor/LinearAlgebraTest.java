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

  @Test
  void aBetaOfZeroLeavesTheSumUnread() {
    Tensor nan = Tensor.full(DType.FLOAT32, Double.NaN, 2);
    Tensor matrix = Tensor.ones(2, 3);
    Tensor vector = Tensor.ones(3);

    assertThat(nan.addmv(matrix, vector, 0, 2).toFloatArray()).containsExactly(6, 6);
    assertThat(nan.addr(vector.narrow(0, 0, 2), vector.narrow(0, 0, 2), 0, 1).toFloatArray())
        .containsExactly(1, 1, 1, 1);
  }

  @Test
  void aSumThatDoesNotBroadcastIsNamed() {
    assertThatThrownBy(() -> Tensor.ones(4).addmv(Tensor.ones(2, 3), Tensor.ones(3)))
        .isInstanceOf(ShapeException.class)
        .hasMessage("addmv: self must broadcast to the product's shape [2], but has shape [4].");
  }

  @Test
  void vdotConjugatesItsFirstOperand() {
    Tensor x = Tensor.of(new Complex[] {Complex.of(1, 2), Complex.of(0, -1)});
    Tensor y = Tensor.of(new Complex[] {Complex.of(3, 0), Complex.of(2, 2)});

    assertThat(x.vdot(y).toComplexArray()).containsExactly(Complex.of(1, -4));
    assertThat(x.dot(y).toComplexArray()).containsExactly(Complex.of(5, 4));
  }

  @Test
  void kronPutsAProductInThePlaceOfEveryElement() {
    Tensor x = Tensor.of(new long[] {1, 2, 3, 4}, 2, 2);
    Tensor y = Tensor.of(new long[] {0, 1}, 1, 2);

    assertThat(x.kron(y).shape().toArray()).containsExactly(2, 4);
    assertThat(x.kron(y).toLongArray()).containsExactly(0, 1, 0, 2, 0, 3, 0, 4);
  }

  @Test
  void tensordotSumsOverTheGivenDimensions() {
    Tensor x = Tensor.arange(DType.FLOAT64, 0, 24, 1).view(2, 3, 4);
    Tensor y = Tensor.arange(DType.FLOAT64, 0, 12, 1).view(4, 3);

    Tensor z = Tensor.tensordot(x, y, new int[] {2, 1}, new int[] {0, 1});

    assertThat(z.toDoubleArray()).containsExactly(Tensor.einsum("ijk,kj->i", x, y).toDoubleArray());
    assertThatThrownBy(() -> Tensor.tensordot(x, y.t(), 1))
        .hasMessage(
            "tensordot: contracted dimensions must have one size, but dimension 2 of a [2, 3, 4] is"
                + " 4 and dimension 0 of b [3, 4] is 3.");
  }

  @Test
  void multiDotTakesVectorsAtItsEnds() {
    Tensor x = Tensor.ones(2);
    Tensor y = Tensor.ones(2, 3);
    Tensor z = Tensor.ones(3);

    assertThat(Linalg.multiDot(x, y, z).item()).isEqualTo(6);
    assertThatThrownBy(() -> Linalg.multiDot(y, y))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "multiDot: neighbours must fit, but tensors[0] has shape [2, 3] and tensors[1] [2,"
                + " 3].");
  }

  @Test
  void crossTakesTheFirstDimensionOfSizeThree() {
    Tensor x = Tensor.of(new double[] {1, 0, 0});
    Tensor y = Tensor.of(new double[] {0, 1, 0});

    assertThat(x.cross(y).toDoubleArray()).containsExactly(0, 0, 1);
    assertThatThrownBy(() -> Tensor.ones(2).cross(Tensor.ones(2)))
        .hasMessage("cross: a dimension must have size 3, but self has shape [2].");
  }

  @Test
  void wholeNumbersAreMultipliedExactly() {
    Tensor x = Tensor.of(new long[] {(1L << 60) + 1, 1, 2, 3}, 2, 2);
    Tensor y = Tensor.of(new long[] {1, 2, 3, 4}, 2, 2);

    assertThat(x.mm(y).toLongArray()).containsExactly((1L << 60) + 4, (1L << 61) + 6, 11, 16);
  }
}
