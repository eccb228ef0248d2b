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

  @Test
  void aRectifierBeforeAPoolGivesWhatItGivesBehindIt() {
    Tensor.manualSeed(3);
    float nan = Float.NaN;
    Tensor x = Tensor.randn(2, 3, 5, 6).round().add(0.0); // many are equal, and no zero has a sign
    x.narrow(3, 2, 1).narrow(2, 1, 1).fill_(nan);
    for (int size : new int[] {2, 3}) {
      var relu = new ReLU();
      var pool = new MaxPool2d(size, o -> o.stride(2).padding(1));
      Tensor a = x.clone().requiresGrad_();
      Tensor b = x.clone().requiresGrad_();

      Tensor expected = pool.call(relu.call(a));
      Tensor actual = new Sequential(relu, pool).call(b);
      Tensor seed = Tensor.randn(2, 3, expected.size(2), expected.size(3));
      expected.backward(seed);
      actual.backward(seed);

      assertThat(actual.toFloatArray()).isEqualTo(expected.toFloatArray());
      assertThat(b.grad().toFloatArray()).isEqualTo(a.grad().toFloatArray());
    }
  }

  @Test
  void aHookSeesWhatARectifierBeforeAPoolMakes() {
    var relu = new ReLU();
    var seen = new Tensor[1];
    relu.registerForwardHook((module, in, out) -> {
      seen[0] = out.getFirst();
      return null;
    });

    new Sequential(relu, new MaxPool2d(2)).call(input().reshape(1, 1, 2, 2));

    assertThat(seen[0].toFloatArray()).containsExactly(0, 2, 0, 4);
  }

  @Test
  void aRectifierThatOverwritesItsInputDoesSoBeforeAPool() {
    Tensor x = input().reshape(1, 1, 2, 2);

    new Sequential(new ReLU(true), new MaxPool2d(2)).call(x);

    assertThat(x.toFloatArray()).containsExactly(0, 2, 0, 4);
  }
}
