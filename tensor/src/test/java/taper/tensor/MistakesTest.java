package taper.tensor;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// The mistakes that everybody makes once. Each message names both sides and the remedy.
final class MistakesTest {
  private static Tensor labels(long... values) {
    return Tensor.of(values);
  }

  private static Tensor parameter(long... sizes) {
    return Tensor.ones(sizes).requiresGrad_();
  }

  private static void says(ThrowingCallable mistake, String message) {
    assertThatThrownBy(mistake).isInstanceOf(TaperException.class).hasMessage(message);
  }

  @Test
  void productsOfShapesThatDoNotMatch() {
    says(
        () -> Tensor.ones(2, 3).matmul(Tensor.ones(4, 5)),
        "matmul: dimension k is 3 in self [2, 3], but 4 in other [4, 5]. They must be equal; see"
            + " transpose and reshape.");
    says(
        () -> Tensor.ones(2, 3, 4).matmul(Tensor.ones(3, 4, 5)),
        "matmul: shapes must broadcast, but dimension -1 is 2 in self [2, 3, 4] and 3 in other [3,"
            + " 4, 5]. Sizes must be equal or 1; see unsqueeze and expand.");
  }

  @Test
  void shapesThatDoNotBroadcast() {
    says(
        () -> Tensor.ones(2, 3).add(Tensor.ones(2, 4)),
        "add: shapes must broadcast, but dimension -1 is 3 in self [2, 3] and 4 in other [2, 4]."
            + " Sizes must be equal or 1; see unsqueeze and expand.");
    says(
        () -> Tensor.ones(3).add_(Tensor.ones(2, 3)),
        "add_: the result has shape [2, 3], but is written into a tensor of shape [3]. Use add"
            + " instead.");
  }

  @Test
  void imagesWithOtherChannelsThanTheWeight() {
    says(
        () -> Tensor.ones(8, 32, 32, 3).conv2d(Tensor.ones(16, 3, 3, 3), null),
        "conv2d: input must have groups × i channels, but input [8, 32, 32, 3] has 32 and weight"
            + " [16, 3, 3, 3] takes 3 in each of 1 groups. Permute the input to [n c h w], or"
            + " create the weight for its channels.");
    says(
        () -> Tensor.ones(1, 3, 2, 2).conv2d(Tensor.ones(16, 3, 3, 3), null),
        "conv2d: the window must fit into the padded input, but it covers 3 rows of 2 in input [1,"
            + " 3, 2, 2] with weight [16, 3, 3, 3]. Use more padding or a smaller kernel.");
  }

  @Test
  void viewsOfAnotherNumberOfElements() {
    says(
        () -> Tensor.ones(2, 3).view(4, 2),
        "view: the number of elements must stay the same, but [2, 3] has 6 elements and shape [4,"
            + " 2] asks for 8. A size of -1 is worked out from the others.");
    says(
        () -> Tensor.ones(2, 3).transpose(0, 1).view(6),
        "view: the elements must lie densely enough to be seen as [6], but the tensor has shape"
            + " [3, 2] and strides [1, 3]. Use reshape.");
  }

  @Test
  void sizesBeyondAllMemory() {
    says(
        () -> Tensor.zeros(1L << 40, 1L << 40),
        "tensor: the number of elements must be below 2^63, but the shape is [1099511627776,"
            + " 1099511627776].");
    says(
        () -> Tensor.ones(1, 1).expand(1L << 40, 1L << 40),
        "tensor: the number of elements must be below 2^63, but the shape is [1099511627776,"
            + " 1099511627776].");
    says(
        () -> Tensor.ones(0).view(1L << 62, 4, 4),
        "view: the number of elements must be below 2^63, but the shape is [4611686018427387904, 4,"
            + " 4].");
    assertThatThrownBy(() -> Tensor.zeros(1L << 45))
        .isInstanceOf(MemoryLimitException.class)
        .hasMessageStartingWith("memory: 140737488355328 bytes were asked for, but ");
  }

  @Test
  void concatenationOfOtherSizes() {
    says(
        () -> Tensor.cat(List.of(Tensor.ones(2, 3), Tensor.ones(2, 4)), 0),
        "cat: all sizes but that of dim 0 must be equal, but dimension 1 is 3 in tensors[0] [2, 3]"
            + " and 4 in tensors[1] [2, 4]. Give another dim, or make them equal with narrow or"
            + " expand.");
  }

  @Test
  void labelsThatDoNotFitThePredictions() {
    says(
        () -> Tensor.ones(4, 3).crossEntropy(labels(0, 1, 2)),
        "crossEntropy: target must have shape [4], one label for each prediction of self [4, 3],"
            + " but has shape [3]. Dimension 1 of self is that of the classes.");
    says(
        () -> Tensor.ones(3, 3).crossEntropy(Tensor.ones(3, 4)),
        "crossEntropy: probabilities must have the shape of the predictions, [3, 3], but have shape"
            + " [3, 4]. For class indices use int64.");
    says(
        () -> Tensor.ones(3, 3).crossEntropy(labels(0, 1, 3)),
        "crossEntropy: labels must be in 0..2, one of 3 classes, or the ignoreIndex -100, but"
            + " target[2] is 3. Classes are counted from 0.");
    says(
        () -> Tensor.ones(3, 3).binaryCrossEntropyWithLogits(Tensor.ones(3)),
        "binaryCrossEntropyWithLogits: self and target must have one shape, but self is [3, 3] and"
            + " target [3]. See view, squeeze and unsqueeze.");
    says(
        () -> Tensor.ones(3, 1).mul(0.5).binaryCrossEntropy(Tensor.ones(3)),
        "binaryCrossEntropy: self and target must have one shape, but self is [3, 1] and target"
            + " [3]. See view, squeeze and unsqueeze.");
  }

  @Test
  void fractionsWhereWholeNumbersAreNeeded() {
    says(
        () -> Tensor.ones(3, 3).crossEntropy(Tensor.ones(3)),
        "crossEntropy: target must be int64, but is float32. Convert it with .to(DType.INT64).");
    says(
        () -> Tensor.ones(3, 3).nllLoss(Tensor.ones(3)),
        "nllLoss: target must be int64, but is float32. Convert it with .to(DType.INT64).");
    says(
        () -> Tensor.ones(3, 3).gather(0, Tensor.ones(3, 3)),
        "gather: index must be int64, but is float32. Convert it with .to(DType.INT64).");
    says(
        () -> Tensor.ones(3, 3).indexSelect(0, Tensor.ones(3)),
        "indexSelect: index must be int64, but is float32. Convert it with .to(DType.INT64).");
  }

  @Test
  void backwardFromWhatHasNoGradient() {
    says(
        () -> parameter(2, 3).mul(2).backward(),
        "backward: without a gradient argument the tensor must be a scalar, but it has shape [2,"
            + " 3]. Reduce it with sum() or mean(), or pass the gradient.");
    says(
        () -> Tensor.ones(2).sum().backward(),
        "backward: the tensor must have been computed from one that requires grad, but this float32"
            + " tensor of shape [] was not. Call requiresGrad_(true) on a leaf, and check that no"
            + " detach() or noGrad() lies between.");
  }

  @Test
  void backwardTwice() {
    Tensor loss = parameter(2).pow(2).sum();
    loss.backward();

    says(
        loss::backward,
        "PowBackward0: the graph must not have been walked before, but its saved tensors were freed"
            + " by an earlier backward or by the end of their memory scope. Pass retainGraph to the"
            + " first backward if a second one follows.");
  }

  @Test
  void writingToLeaves() {
    says(
        () -> parameter(2).add_(1),
        "add_: a leaf that requires grad must not be changed in place while gradients are recorded,"
            + " but this float32 tensor of shape [2] is one. Use add, or wrap the change in"
            + " Autograd.noGrad().");
    says(
        () -> parameter(2).copy_(Tensor.ones(2)),
        "copy_: a leaf that requires grad must not be changed in place while gradients are"
            + " recorded, but this float32 tensor of shape [2] is one. Use clone() first, or wrap"
            + " the change in Autograd.noGrad().");
    says(
        () -> parameter(2, 2).select(0, 0).mul_(2),
        "mul_: a view of a leaf that requires grad must not be changed in place while gradients are"
            + " recorded, but this float32 tensor of shape [2] is one. Use mul, or wrap the change"
            + " in Autograd.noGrad().");
  }

  @Test
  void writingToWhatBackwardNeeds() {
    Tensor y = parameter(2).exp();
    y.add_(1);

    says(
        () -> y.sum().backward(),
        "ExpBackward0: the result, a float32 tensor of shape [2], must be as it was in the forward"
            + " pass, but has been changed in place since (version 1, expected 0). Use the"
            + " out-of-place form of the operator that changed it, or clone() the tensor first.");
  }

  @Test
  void useAfterRelease() {
    Tensor x;
    try (var _ = Memory.scope("step")) {
      x = Tensor.ones(2, 3);
    }

    says(
        () -> x.add(1),
        "tensor: this float32 tensor of shape [2, 3] must be alive, but was released by scope"
            + " 'step'. Call keep() on it before the scope ends, or use its values inside.");
  }

  @Test
  void dividingWholeNumbersByZero() {
    for (DType type : List.of(DType.UINT8, DType.INT8, DType.INT16, DType.INT32, DType.INT64)) {
      Tensor some = Tensor.ones(type, 100);
      Tensor none = Tensor.zeros(type, 100);

      says(() -> some.floorDivide(none), divided("floorDivide"));
      says(() -> some.remainder(none), divided("remainder"));
      says(() -> some.fmod(none), divided("fmod"));
    }
  }

  private static String divided(String op) {
    return op
        + ": whole numbers must not be divided by 0, but a divisor is 0. Convert the tensors with"
        + " .to(DType.FLOAT32) for infinities.";
  }

  @Test
  void calculatingWithTruthValues() {
    Tensor mask = Tensor.of(new boolean[] {true, false});

    says(
        mask::neg,
        "neg: the inputs must hold numbers, but self is bool. Use logicalNot() or"
            + " logicalXor, or convert it with .to(DType.INT64).");
    says(
        () -> mask.sub(mask),
        "sub: the inputs must hold numbers, but self is bool. Use logicalNot() or"
            + " logicalXor, or convert it with .to(DType.INT64).");
  }

  @Test
  void rangesWithoutAnEnd() {
    says(
        () -> Tensor.arange(0.0, Double.NaN, 1.0),
        "arange: start and end must be finite, but are 0.0 and NaN.");
  }

  @Test
  void hooksThatReturnAnotherShape() {
    String message =
        "registerHook: a hook must return a gradient of the same shape and dtype, but was given [2]"
            + " of float32 and returned [3] of float32. Return the gradient itself to leave it as"
            + " it is.";
    Tensor leaf = parameter(2);
    leaf.registerHook(_ -> Tensor.zeros(3));
    Tensor inner = parameter(2).mul(2);
    inner.registerHook(_ -> Tensor.zeros(3));

    says(() -> leaf.sum().backward(), message);
    says(() -> inner.sum().backward(), message);
  }

  @Test
  void gradientsAndDataOfAnotherType() {
    says(
        () -> parameter(2).setGrad(labels(1, 2)),
        "setGrad: the gradient must have the dtype of the tensor, float32, but has int64. Convert"
            + " it with .to(dtype).");
    says(
        () -> parameter(2).setData(labels(1, 2)),
        "setData: a tensor that requires grad must be floating or complex, but the other is int64."
            + " Convert it with .to(DType.FLOAT32).");
  }

  @Test
  @SuppressWarnings("NullAway") // what is tested is null
  void nothingInThePlaceOfATensor() {
    Tensor x = Tensor.ones(2, 2);
    Tensor nothing = null;
    says(() -> x.add(nothing), "add: other must be a tensor, but is null. Pass a tensor.");
    says(() -> x.matmul(nothing), "matmul: other must be a tensor, but is null. Pass a tensor.");
  }
}
