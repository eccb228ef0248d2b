package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import taper.tensor.Autograd;
import taper.tensor.Tensor;

/// Buffers that only the framework holds are reused, and nobody else's ever is.
final class ReuseTest {

  private static Tensor input() {
    return Tensor.of(new float[] {-1, 2, -3, 4}, 2, 2);
  }

  @Test
  void theInputOfASequenceStaysAsItIs() {
    Tensor x = input();

    new Sequential(new ReLU(), new ReLU()).call(x);
    new Sequential(new Identity(), new ReLU()).call(x);
    new Sequential(new Flatten(), new ReLU(), new Tanh()).call(x);

    assertThat(x.toFloatArray()).containsExactly(-1, 2, -3, 4);
  }

  @Test
  void whatTheGraphKeepsStaysAsItIs() {
    Tensor x = input().requiresGrad_();

    new Sequential(new Tanh(), new ReLU()).call(x).sum().backward(); // tanh keeps its output

    double t = 1 - Math.pow(Math.tanh(2), 2);
    assertThat(x.grad().toDoubleArray()[1]).isCloseTo(t, org.assertj.core.data.Offset.offset(1e-6));
    assertThat(x.grad().toDoubleArray()[0]).isZero();
  }

  @Test
  void reusingChangesNoResult() {
    Tensor.manualSeed(1);
    var a = new Linear(2, 3);
    var b = new Linear(3, 2);
    Tensor x = input();
    Tensor expected = b.call(a.call(x).relu()).relu();
    expected.sum().backward();
    float[] gradient = a.parameters().getFirst().grad().toFloatArray();
    a.zeroGrad();

    Tensor actual = new Sequential(a, new ReLU(), b, new ReLU()).call(x);
    actual.sum().backward();

    assertThat(actual.toFloatArray()).isEqualTo(expected.toFloatArray());
    assertThat(a.parameters().getFirst().grad().toFloatArray()).isEqualTo(gradient);
  }

  @Test
  void aGradientThatTheUserHoldsStaysAsItIs() {
    Tensor x = input().requiresGrad_();
    Tensor y = x.relu();
    Tensor seed = Tensor.ones(2, 2);

    y.backward(seed);

    assertThat(seed.toFloatArray()).containsExactly(1, 1, 1, 1);
  }

  @Test
  void aGradientThatAHookSawStaysAsItIs() {
    Tensor x = input().requiresGrad_();
    Tensor middle = x.mul(2.0);
    var seen = new Tensor[1];
    middle.registerHook(grad -> {
      seen[0] = grad;
      return grad;
    });

    middle.relu().sum().backward();

    assertThat(seen[0].toFloatArray()).containsExactly(0, 1, 0, 1);
  }

  @Test
  void modulesCalledByHandNeverOverwrite() {
    Tensor x = input();
    Tensor made = Autograd.noGrad(() -> x.mul(1.0));

    new ReLU().call(made);

    assertThat(made.toFloatArray()).containsExactly(-1, 2, -3, 4);
  }
}
