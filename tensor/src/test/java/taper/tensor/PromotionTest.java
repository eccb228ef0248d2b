package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class PromotionTest {

  @Test
  void wholeNumbersStayWhole() {
    Tensor x = Tensor.of(new long[] {1, 2}, 2);

    assertThat(x.add(x).dtype()).isEqualTo(DType.INT64);
    assertThat(x.add(1L).dtype()).isEqualTo(DType.INT64);
    assertThat(x.add(Tensor.scalar(1L)).dtype()).isEqualTo(DType.INT64);
    assertThat(x.add(1.5).dtype()).isEqualTo(DType.FLOAT32);
    assertThat(x.add(Tensor.of(new int[] {1}, 1)).dtype()).isEqualTo(DType.INT64);
    assertThat(x.add(Tensor.of(new boolean[] {true}, 1)).dtype()).isEqualTo(DType.INT64);
  }

  @Test
  void aScalarOfTheSameKindDoesNotWiden() {
    Tensor x = Tensor.of(new float[] {1, 2}, 2);

    assertThat(x.add(Tensor.scalar(DType.FLOAT64, 1)).dtype()).isEqualTo(DType.FLOAT32);
    assertThat(x.add(Tensor.of(new double[] {1}, 1)).dtype()).isEqualTo(DType.FLOAT64);
    assertThat(x.to(DType.INT32).add(Tensor.scalar(1L)).dtype()).isEqualTo(DType.INT32);
    assertThat(x.to(DType.INT32).add(Tensor.scalar(DType.FLOAT64, 1)).dtype())
        .isEqualTo(DType.FLOAT64);
  }
}
