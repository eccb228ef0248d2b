package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Functions with a gradient of their own.
final class FunctionTest {
  private static Tensor leaf(float... values) {
    return Tensor.of(values).requiresGrad_();
  }

  private static class Exp extends Function {
    @Override
    protected List<Tensor> forward(Saver saver, List<Tensor> inputs) {
      Tensor y = inputs.getFirst().exp();
      saver.save(y);
      return List.of(y);
    }

    @Override
    protected List<@Nullable Tensor> backward(Saver saver, @Nullable Tensor[] grads) {
      return List.of(grads[0].mul(saver.saved(0)));
    }
  }

  @Test
  void aSavedOutputCarriesTheSecondDerivative() {
    Tensor x = leaf(2);

    Tensor y = new Exp().apply(x).getFirst();
    Tensor first = Autograd.grad(y.sum(), List.of(x), o -> o.createGraph(true)).getFirst();
    Tensor second = Autograd.grad(first.sum(), x).getFirst();

    assertThat(y.gradFn().name()).isEqualTo("ExpBackward");
    assertThat(second.item()).isEqualTo((float) Math.exp(2));
  }

  @Test
  void onceDifferentiableFunctionsSaySo() {
    final class Once extends Exp {
      @Override
      protected boolean isOnceDifferentiable() {
        return true;
      }
    }
    Tensor x = leaf(2);

    Tensor y = new Once().apply(x).getFirst();
    Tensor first = Autograd.grad(y.sum(), List.of(x), o -> o.createGraph(true)).getFirst();

    assertThatThrownBy(() -> Autograd.grad(first.sum(), x))
        .isInstanceOf(UnsupportedException.class)
        .hasMessage(
            "OnceBackward: the gradient must not be differentiated again, but a second derivative"
                + " was asked for. The function says that it is differentiable only once.");
  }

  @Test
  void gradientsThatHaveNotArrivedAreZerosOrNull() {
    final class Two extends Function {
      private final boolean materialize;
      @Nullable String seen;

      Two(boolean materialize) {
        this.materialize = materialize;
      }

      @Override
      protected List<Tensor> forward(Saver saver, List<Tensor> inputs) {
        saver.materializeGrads(materialize);
        return List.of(inputs.getFirst().mul(2), inputs.getFirst().mul(3));
      }

      @Override
      protected List<@Nullable Tensor> backward(Saver saver, @Nullable Tensor[] grads) {
        seen = grads[1] == null ? "null" : "%.0f".formatted(grads[1].item());
        return List.of(grads[0].mul(2));
      }
    }
    var zeros = new Two(true);
    var none = new Two(false);

    zeros.apply(leaf(1)).getFirst().sum().backward();
    none.apply(leaf(1)).getFirst().sum().backward();

    assertThat(zeros.seen).isEqualTo("0");
    assertThat(none.seen).isEqualTo("null");
  }

  private static final class AddOne extends Function {
    private final boolean says;

    AddOne(boolean says) {
      this.says = says;
    }

    @Override
    protected List<Tensor> forward(Saver saver, List<Tensor> inputs) {
      Tensor x = inputs.getFirst();
      x.add_(1);
      if (says) {
        saver.markDirty(x);
      }
      return List.of(x);
    }

    @Override
    protected List<@Nullable Tensor> backward(Saver saver, @Nullable Tensor[] grads) {
      return List.of(grads[0].mul(5));
    }
  }

  @Test
  void inPlaceFunctionsChangeTheHistoryOfTheirInput() {
    Tensor x = leaf(2);
    Tensor y = x.mul(3);

    Tensor z = new AddOne(true).apply(y).getFirst();
    y.sum().backward();

    assertThat(z).isSameAs(y);
    assertThat(y.item()).isEqualTo(7);
    assertThat(x.grad().item()).isEqualTo(15);
    assertThatThrownBy(() -> new AddOne(false).apply(x.mul(3)))
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "AddOne: forward must say which inputs it changes in place, but changed input 0 without"
                + " that. Call saver.markDirty on it.");
    assertThatThrownBy(() -> new AddOne(true).apply(x))
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "AddOne: forward must not change a leaf that requires grad, nor a view, in place, but"
                + " input 0, a float32 tensor of shape [1], is one. Apply it to a clone().");
  }

  @Test
  void gradientsAreBroughtToTheShapeOfTheInput() {
    final class Shaped extends Function {
      private final long[] sizes;

      Shaped(long... sizes) {
        this.sizes = sizes;
      }

      @Override
      protected List<Tensor> forward(Saver saver, List<Tensor> inputs) {
        return List.of(inputs.getFirst().mul(1));
      }

      @Override
      protected List<@Nullable Tensor> backward(Saver saver, @Nullable Tensor[] grads) {
        return List.of(Tensor.ones(DType.FLOAT64, sizes));
      }
    }
    Tensor x = leaf(1, 2);

    new Shaped(3, 2).apply(x).getFirst().sum().backward();

    assertThat(x.grad().toFloatArray()).containsExactly(3, 3);
    assertThat(x.grad().dtype()).isEqualTo(DType.FLOAT32);
    assertThatThrownBy(() -> new Shaped(3).apply(x).getFirst().sum().backward())
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "ShapedBackward: backward must return gradients of the shapes of the inputs, but input"
                + " 0 has shape [2] and its gradient [3].");
  }

  @Test
  void outputsCanBeConstants() {
    final class Sorting extends Function {
      @Override
      protected List<Tensor> forward(Saver saver, List<Tensor> inputs) {
        Tensor constant = inputs.getFirst().mul(2);
        saver.markNonDifferentiable(constant);
        return List.of(inputs.getFirst().mul(2), constant);
      }

      @Override
      protected List<@Nullable Tensor> backward(Saver saver, @Nullable Tensor[] grads) {
        return List.of(grads[0].mul(2));
      }
    }

    List<Tensor> out = new Sorting().apply(leaf(1));

    assertThat(out.get(0).requiresGrad()).isTrue();
    assertThat(out.get(1).requiresGrad()).isFalse();
  }

  @Test
  void aScopeLetsGoOfWhatAFunctionSaved() {
    Tensor x = leaf(1, 2, 3);
    long before = Memory.allocated();
    for (int i = 0; i < 3; i++) {
      try (var _ = Memory.scope()) {
        new Exp().apply(x).getFirst().sum();
      }
    }

    assertThat(Memory.allocated()).isEqualTo(before);
  }
}
