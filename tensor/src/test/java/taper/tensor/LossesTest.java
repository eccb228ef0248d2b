package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

final class LossesTest {

  private static Tensor labels(long... classes) {
    return Tensor.of(classes);
  }

  @Test
  void crossEntropyOfEqualLogitsIsTheLogarithmOfTheNumberOfClasses() {
    Tensor loss = Tensor.zeros(4, 10).crossEntropy(labels(0, 3, 9, 5));

    assertThat(loss.item()).isCloseTo(Math.log(10), within(1e-6));
  }

  @Test
  void crossEntropyStaysFiniteAtExtremeLogits() {
    Tensor logits = Tensor.of(new float[] {-800, 800, 800, -800}, 2, 2).requiresGrad_();

    Tensor loss = logits.crossEntropy(labels(0, 0));
    loss.backward();

    assertThat(loss.item()).isEqualTo(800);
    assertThat(logits.grad().toFloatArray()).containsExactly(-0.5f, 0.5f, 0, 0);
  }

  @Test
  void ignoredLabelsCountNeitherInTheSumNorInTheMean() {
    Tensor logits = Tensor.randn(3, 4);

    Tensor all = logits.narrow(0, 0, 2).crossEntropy(labels(1, 2));
    Tensor ignoring = logits.crossEntropy(labels(1, 2, -100));

    assertThat(ignoring.item()).isCloseTo(all.item(), within(1e-6));
  }

  @Test
  void aLabelBeyondTheClassesIsNamedWithItsPosition() {
    Tensor logits = Tensor.zeros(2, 3, 2);
    Tensor target = Tensor.of(new long[] {0, 1, 2, 3}, 2, 2);

    assertThatThrownBy(() -> logits.crossEntropy(target))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "crossEntropy: labels must be in 0..2, one of 3 classes, or the ignoreIndex -100, but"
                + " target[1, 1] is 3. Classes are counted from 0.");
  }

  @Test
  void floatingLabelsAreRejectedWithTheConversion() {
    assertThatThrownBy(() -> Tensor.zeros(4, 10).crossEntropy(Tensor.zeros(4)))
        .isInstanceOf(DTypeException.class)
        .hasMessage(
            "crossEntropy: target must be int64, but is float32. Convert it with"
                + " .to(DType.INT64).");
  }

  @Test
  void lossesAreOneStepOfTheGraph() {
    Tensor x = Tensor.randn(3, 4).requiresGrad_();

    assertThat(x.mseLoss(Tensor.zeros(3, 4)).gradFn().name()).isEqualTo("MseLossBackward0");
    assertThat(x.crossEntropy(labels(0, 1, 2)).gradFn().name()).isEqualTo("NllLossBackward0");
  }

  @Test
  void klDivergenceOverTheBatchDividesByTheSamples() {
    Tensor logs = Tensor.randn(4, 5).logSoftmax(1);
    Tensor target = Tensor.randn(4, 5).softmax(1);

    Tensor sum = logs.klDiv(target, o -> o.reduction(Reduction.SUM));
    Tensor mean = logs.klDiv(target, o -> o.batchMean());

    assertThat(mean.item()).isCloseTo(sum.item() / 4, within(1e-6));
  }
}
