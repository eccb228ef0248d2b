package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ConvolutionsTest {

  @Test
  void theWindowIsNotTurnedAround() {
    Tensor x = Tensor.arange(DType.FLOAT32, 0, 9, 1).view(1, 1, 3, 3);
    Tensor weight = Tensor.of(new float[] {1, 0, 0, 2}, 1, 1, 2, 2);

    Tensor y = x.conv2d(weight, Tensor.of(new float[] {100}));

    assertThat(y.toFloatArray()).containsExactly(108, 111, 117, 120);
  }

  @Test
  void anImageWithoutBatchGivesAResultWithoutBatch() {
    Tensor y =
        Tensor.ones(3, 8, 8).conv2d(Tensor.ones(4, 3, 3, 3), null, o -> o.stride(2).padding(1));

    assertThat(y.shape()).isEqualTo(Shape.of(4, 4, 4));
  }

  @Test
  void paddingSameKeepsTheSizeAndPutsTheExtraLineAtTheEnd() {
    Tensor x = Tensor.ones(1, 1, 3);

    Tensor y = x.conv1d(Tensor.ones(1, 1, 4), null, o -> o.padding("same"));

    assertThat(y.toFloatArray()).containsExactly(3, 3, 2);
  }

  @Test
  void secondOrderGradientsOfConvolutionsExist() {
    Tensor x = Tensor.ones(1, 2, 4, 4).requiresGrad_();
    Tensor weight = Tensor.ones(2, 1, 3, 3).requiresGrad_();
    Tensor y = x.conv2d(weight, null, o -> o.groups(2));

    Tensor g = Autograd.grad(y.mul(y).sum(), List.of(x), o -> o.createGraph(true)).getFirst();
    List<Tensor> second = Autograd.grad(g.sum(), x, weight);

    assertThat(second.get(0).sum().item()).isEqualTo(2 * 2 * 9 * 9 * 4);
    assertThat(second.get(1).shape()).isEqualTo(Shape.of(2, 1, 3, 3));
  }

  @Test
  void maxPoolingGivesTheGradientToTheFirstOfTheLargest() {
    Tensor x = Tensor.of(new float[] {1, 3, 3, 2}, 1, 1, 2, 2).requiresGrad_();

    x.maxPool2d(2).sum().backward();

    assertThat(x.grad().toFloatArray()).containsExactly(0, 1, 0, 0);
  }

  @Test
  void channelsThatDoNotFitAreNamed() {
    assertThatThrownBy(() -> Tensor.ones(8, 3, 32, 32).conv2d(Tensor.ones(16, 4, 3, 3), null))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "conv2d: input must have groups × i channels, but input [8, 3, 32, 32] has 3 and weight"
                + " [16, 4, 3, 3] takes 4 in each of 1 groups. Permute the input to [n"
                + " c h w], or create the weight for its channels.");
  }
}
