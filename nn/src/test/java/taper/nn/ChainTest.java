package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Tensor;

/// What layers in a row compute in one pass is what they compute one by one.
final class ChainTest {

  /// Calls layers one by one, so that nothing is joined.
  private static Tensor oneByOne(Tensor x, @Nullable Tensor addend, Module... layers) {
    Tensor y = x;
    for (int i = 0; i < layers.length; i++) {
      y = layers[i].call(addend != null && i == layers.length - 1 ? y.add(addend) : y);
    }
    return y;
  }

  private static Module[] layers(int kernel, int stride, boolean overwrites, DType dtype) {
    Tensor.manualSeed(5);
    var conv = new Conv2d(18, 20, kernel, o -> o.stride(stride).padding(kernel / 2));
    var norm = new BatchNorm2d(20);
    Autograd.noGrad(() -> {
      norm.weight().uniform_(0.5, 2);
      norm.bias().normal_();
      norm.runningMean().normal_();
      norm.runningVar().uniform_(0.5, 2);
    });
    conv.to(dtype);
    norm.to(dtype);
    return new Module[] {conv, norm, new ReLU(overwrites)};
  }

  private static Tensor image(DType dtype) {
    Tensor.manualSeed(6);
    return Tensor.randn(2, 18, 12, 13).to(dtype);
  }

  private static void assertSame(String what, Tensor actual, Tensor expected) {
    boolean narrow = expected.dtype() == DType.BFLOAT16;
    double scale = narrow ? 2e-2 : 1e-4;
    assertThat(actual.dtype()).isEqualTo(expected.dtype());
    assertThat(actual.shape()).isEqualTo(expected.shape());
    double error = actual.sub(expected).abs().max().item();
    double size = expected.abs().max().item();
    assertThat(error).as(what).isLessThanOrEqualTo(scale * Math.max(1, size));
  }

  @Test
  void evaluationIsTheSameInOnePass() {
    for (DType dtype : new DType[] {DType.FLOAT32, DType.FLOAT64, DType.BFLOAT16}) {
      for (int kernel : new int[] {1, 3}) {
        for (int stride : new int[] {1, 2}) {
          for (boolean overwrites : new boolean[] {false, true}) {
            Module[] layers = layers(kernel, stride, overwrites, dtype);
            for (Module layer : layers) {
              layer.eval();
            }
            Tensor x = image(dtype);
            String what = dtype + " " + kernel + " " + stride + " " + overwrites;

            Autograd.noGrad(() -> {
              Tensor expected = oneByOne(x, null, layers);
              assertSame(what, new Sequential(layers).call(x), expected);
              Tensor addend = Tensor.randn(expected.shape().toArray()).to(dtype);
              assertSame(what, Module.inTurn(x, addend, layers), oneByOne(x, addend, layers));
              assertSame(
                  what, Module.inTurn(x, layers[0], layers[1]), layers[1].call(layers[0].call(x)));
            });
          }
        }
      }
    }
  }

  /// Values, gradients and running statistics of a step of training.
  private static List<Tensor> step(boolean joined, boolean frozen, DType dtype, boolean adds) {
    Module[] layers = layers(3, 1, true, dtype);
    layers[1].parameters().forEach(p -> p.requiresGrad_(!frozen));
    Tensor x = image(dtype).requiresGrad_();
    Tensor addend = adds ? Tensor.randn(2, 20, 12, 13).to(dtype).requiresGrad_() : null;
    Tensor y = joined ? Module.inTurn(x, addend, layers) : oneByOne(x, addend, layers);
    y.square().sum().backward();
    var all = new ArrayList<Tensor>(List.of(y.detach(), x.grad()));
    if (addend != null) {
      all.add(addend.grad());
    }
    for (Module layer : layers) {
      layer.parameters().forEach(p -> all.add(p.requiresGrad() ? p.grad() : Tensor.zeros(1)));
      all.addAll(layer.stateDict().values());
    }
    return all;
  }

  @Test
  void trainingIsTheSameInOnePass() {
    for (DType dtype : new DType[] {DType.FLOAT32, DType.FLOAT64, DType.BFLOAT16}) {
      for (boolean frozen : new boolean[] {false, true}) {
        for (boolean adds : new boolean[] {false, true}) {
          List<Tensor> expected = step(false, frozen, dtype, adds);
          List<Tensor> actual = step(true, frozen, dtype, adds);

          for (int i = 0; i < expected.size(); i++) {
            assertThat(actual.get(i).toDoubleArray())
                .as("%s %s %s %d", dtype, frozen, adds, i)
                .isEqualTo(expected.get(i).toDoubleArray());
          }
        }
      }
    }
  }

  @Test
  void aRectifierInsideAProductChangesNothing() {
    for (DType dtype : new DType[] {DType.FLOAT32, DType.FLOAT64, DType.BFLOAT16}) {
      for (boolean frozen : new boolean[] {false, true}) {
        for (boolean bias : new boolean[] {false, true}) {
          Tensor.manualSeed(7);
          var linear = new Linear(13, 37, o -> o.bias(bias));
          var conv = new Conv2d(18, 20, 3, o -> o.bias(bias).padding(1));
          for (Module layer : new Module[] {linear, conv}) {
            layer.to(dtype);
            layer.parameters().getFirst().requiresGrad_(!frozen);
            Tensor a = image(dtype).requiresGrad_();
            Tensor b = image(dtype).requiresGrad_();

            Tensor expected = new ReLU().call(layer.call(a));
            List<Tensor> parameters = List.copyOf(layer.parameters());
            expected.square().sum().backward();
            List<Tensor> gradients = gradients(parameters);
            layer.zeroGrad();
            Tensor actual = new Sequential(layer, new ReLU(true)).call(b);
            actual.square().sum().backward();

            assertThat(actual.toDoubleArray()).isEqualTo(expected.toDoubleArray());
            assertThat(b.grad().toDoubleArray()).isEqualTo(a.grad().toDoubleArray());
            List<Tensor> again = gradients(parameters);
            for (int i = 0; i < again.size(); i++) {
              assertThat(again.get(i).toDoubleArray()).isEqualTo(gradients.get(i).toDoubleArray());
            }
          }
        }
      }
    }
  }

  private static List<Tensor> gradients(List<Tensor> parameters) {
    return parameters.stream().filter(Tensor::requiresGrad).map(p -> p.grad().clone()).toList();
  }

  @Test
  void gradientsOfGradientsAreTheSameInOnePass() {
    List<Tensor> all = new ArrayList<>();
    for (boolean joined : new boolean[] {true, false}) {
      Module[] layers = layers(1, 1, false, DType.FLOAT64);
      Tensor x = image(DType.FLOAT64).requiresGrad_();
      Tensor addend = Tensor.randn(2, 20, 12, 13).to(DType.FLOAT64).requiresGrad_();
      Tensor y = joined ? Module.inTurn(x, addend, layers) : oneByOne(x, addend, layers);
      List<Tensor> first =
          Autograd.grad(List.of(y.pow(3).sum()), List.of(x, addend), o -> o.createGraph(true));
      first.get(0).square().sum().add(first.get(1).square().sum()).backward();
      all.add(x.grad());
      all.add(addend.grad());
    }

    assertSame("input", all.get(0), all.get(2));
    assertSame("addend", all.get(1), all.get(3));
  }

  @Test
  void errorsNameWhatTheUserCalled() {
    var linear = new Sequential(new Linear(5, 4), new ReLU());
    var conv = new Sequential(new Conv2d(5, 4, 3), new ReLU());

    assertThatThrownBy(() -> linear.call(Tensor.randn(2, 3)))
        .hasMessageStartingWith(
            "0 (Linear): linear: dimension k is 3 in x [2, 3], but 5 in weight");
    assertThatThrownBy(() -> conv.call(Tensor.randn(2, 5, 8, 8).to(DType.FLOAT64)))
        .hasMessageStartingWith("0 (Conv2d): conv2d: inputs must have one dtype");
    assertThatThrownBy(() -> conv.call(Tensor.randn(2, 3, 8, 8)))
        .hasMessageStartingWith("0 (Conv2d): conv2d: input must have groups");
  }

  @Test
  void hooksSeeWhatEachLayerMakes() {
    Module[] layers = layers(1, 1, true, DType.FLOAT32);
    var seen = new ArrayList<Tensor>();
    layers[1].registerForwardHook((module, in, out) -> {
      seen.add(out.getFirst().clone());
      return null;
    });
    Tensor x = image(DType.FLOAT32);

    Tensor y = new Sequential(layers).call(x);

    assertThat(seen).hasSize(1);
    assertThat(seen.getFirst().relu().toFloatArray()).isEqualTo(y.toFloatArray());
    assertThat(seen.getFirst().min().item()).isNegative();
  }

  @Test
  void aNormThatOccursTwiceIsCountedTwice() {
    Module[] layers = layers(1, 1, false, DType.FLOAT32);
    Module[] twice = {layers[0], layers[1], layers[2], layers[1], layers[2]};
    Module[] again = layers(1, 1, false, DType.FLOAT32);
    Tensor x = image(DType.FLOAT32);

    Tensor actual = new Sequential(twice).call(x);
    Tensor expected = oneByOne(x, null, again[0], again[1], again[2], again[1], again[2]);

    assertThat(actual.toFloatArray()).isEqualTo(expected.toFloatArray());
    assertThat(((BatchNorm) layers[1]).runningVar().toFloatArray())
        .isEqualTo(((BatchNorm) again[1]).runningVar().toFloatArray());
  }

  @Test
  void nothingIsOverwrittenThatTheCallerHas() {
    Tensor x = Tensor.randn(2, 20, 5, 5);
    Tensor before = x.clone();
    Tensor addend = Tensor.randn(2, 20, 5, 5);
    Tensor addendBefore = addend.clone();

    Module.inTurn(x, addend, new BatchNorm2d(20), new ReLU());
    Module.inTurn(x, addend, new ReLU());
    Autograd.noGrad(() -> Module.inTurn(x, new BatchNorm2d(20).eval(), new ReLU(true)));

    assertThat(x.toFloatArray()).isEqualTo(before.toFloatArray());
    assertThat(addend.toFloatArray()).isEqualTo(addendBefore.toFloatArray());
  }

  @Test
  void whatIsNotANumberStaysSo() {
    Module[] layers = layers(1, 1, true, DType.FLOAT32);
    Tensor x = image(DType.FLOAT32);
    x.select(0, 0).select(1, 3).fill_(Float.NaN);
    for (Module layer : layers) {
      layer.eval();
    }

    Tensor y = Autograd.noGrad(() -> new Sequential(layers).call(x));

    assertThat(y.isnan().sum().item()).isBetween(1.0, y.numel() - 1.0);
  }
}
