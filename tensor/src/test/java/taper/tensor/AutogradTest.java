package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class AutogradTest {

  private static Tensor leaf(float... values) {
    return Tensor.of(values).requiresGrad_();
  }

  @Test
  void gradientsFlowThroughBroadcastArithmetic() {
    Tensor a = Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3).requiresGrad_();
    Tensor b = leaf(10, 20, 30);

    a.mul(b).add(1.0).sum().backward();

    assertThat(a.grad().toFloatArray()).containsExactly(10, 20, 30, 10, 20, 30);
    assertThat(b.grad().toFloatArray()).containsExactly(5, 7, 9);
  }

  @Test
  void gradientsAccumulateOverPasses() {
    Tensor x = leaf(2);

    x.mul(x).sum().backward();
    x.mul(x).sum().backward();

    assertThat(x.grad().item()).isEqualTo(8);
  }

  @Test
  void gradientsOfMatrixProducts() {
    Tensor a = Tensor.of(new float[] {1, 2, 3, 4}, 2, 2).requiresGrad_();
    Tensor b = Tensor.of(new float[] {5, 6, 7, 8}, 2, 2).requiresGrad_();

    a.mm(b).sum().backward();

    assertThat(a.grad().toFloatArray()).containsExactly(11, 15, 11, 15);
    assertThat(b.grad().toFloatArray()).containsExactly(4, 4, 6, 6);
  }

  @Test
  void higherDerivativesComeFromRecordedGradients() {
    Tensor x = leaf(3);
    Tensor y = x.mul(x).mul(x).sum();

    Tensor first = Autograd.grad(y, List.of(x), o -> o.createGraph(true)).getFirst();
    Tensor second = Autograd.grad(first.sum(), x).getFirst();

    assertThat(first.item()).isEqualTo(27);
    assertThat(second.item()).isEqualTo(18);
  }

  @Test
  void aSecondBackwardSaysHowToAskForIt() {
    Tensor x = leaf(3);
    Tensor y = x.mul(x).sum();
    y.backward();

    assertThatThrownBy(y::backward)
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "MulBackward0: the graph must not have been walked before, but its saved tensors were"
                + " freed by an earlier backward or by the end of their memory scope. Pass"
                + " retainGraph to the first backward if a second one follows.");
  }

  @Test
  void anInPlaceWriteToASavedTensorIsNoticed() {
    Tensor x = leaf(3);
    Tensor y = x.exp();
    Tensor z = y.mul(y).sum();
    y.add_(y);

    assertThatThrownBy(z::backward)
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "MulBackward0: other, a float32 tensor of shape [1], must be as it was in the forward"
                + " pass, but has been changed in place since (version 1, expected 0). Use the"
                + " out-of-place form of the operator that changed it, or clone() the tensor"
                + " first.");
  }

  @Test
  void anInPlaceWriteToALeafIsRefused() {
    Tensor x = leaf(3);

    assertThatThrownBy(() -> x.mul_(x))
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "mul_: a leaf that requires grad must not be changed in place while gradients are"
                + " recorded, but this float32 tensor of shape [1] is one. Use mul, or wrap the"
                + " change in Autograd.noGrad().");
  }

  @Test
  void inPlaceWritesToViewsReachTheHistoryOfTheBase() {
    Tensor x = leaf(1, 2, 3, 4);
    Tensor y = x.mul(2.0);
    Tensor half = y.asStrided(new long[] {2}, new long[] {1}, 1);
    Tensor other = y.asStrided(new long[] {4}, new long[] {1}, 0);
    half.mul_(Tensor.of(new float[] {10, 100}));

    assertThat(y.toFloatArray()).containsExactly(2, 40, 600, 8);
    other.sum().backward();

    assertThat(x.grad().toFloatArray()).containsExactly(2, 20, 200, 2);
  }

  @Test
  void aDeepGraphNeedsNoStack() {
    Tensor x = leaf(1);
    Tensor y = x;
    for (int i = 0; i < 100_000; i++) {
      y = y.add(x);
    }

    y.sum().backward();

    assertThat(x.grad().item()).isEqualTo(100_001);
  }
}
