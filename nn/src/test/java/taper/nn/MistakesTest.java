package taper.nn;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import taper.tensor.DType;
import taper.tensor.TaperException;
import taper.tensor.Tensor;

/// The common mistakes, made inside a network: the message begins with the path of the layer.
final class MistakesTest {
  private static void says(ThrowingCallable mistake, String message) {
    assertThatThrownBy(mistake).isInstanceOf(TaperException.class).hasMessage(message);
  }

  private static Sequential network() {
    return new Sequential(
        new Sequential(new Conv2d(1, 2, 3), new ReLU()), new Flatten(), new Linear(4, 2));
  }

  @Test
  void imagesWithOtherChannels() {
    says(
        () -> network().call(Tensor.ones(1, 3, 5, 5)),
        "0.0 (Conv2d): conv2d: input must have groups × i channels, but input [1, 3, 5, 5] has 3"
            + " and weight [2, 1, 3, 3] takes 1 in each of 1 groups. Permute the input to [n c h"
            + " w], or create the weight for its channels.");
  }

  @Test
  void aLinearLayerMadeForAnotherImageSize() {
    says(
        () -> network().call(Tensor.ones(1, 1, 5, 5)),
        "2 (Linear): linear: dimension k is 18 in x [1, 18], but 4 in weight [2, 4]. They must be"
            + " equal; see transpose and reshape.");
  }

  @Test
  void inputsOfAnotherType() {
    says(
        () -> network().call(Tensor.ones(DType.FLOAT64, 1, 1, 4, 4)),
        "0.0 (Conv2d): conv2d: inputs must have one dtype, but input is float64 and weight is"
            + " float32. Convert one of them with .to(dtype).");
    says(
        () -> new Sequential(new Embedding(5, 2)).call(Tensor.ones(3)),
        "0 (Embedding): embedding: indices must be int64, but is float32. Convert it with"
            + " .to(DType.INT64).");
  }

  @Test
  void wordsOutsideTheVocabulary() {
    says(
        () -> new Sequential(new Embedding(5, 2)).call(Tensor.of(new long[] {4, 5})),
        "0 (Embedding): embedding: indices must be in 0..4, but indices[1] is 5.");
  }
}
