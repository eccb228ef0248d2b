package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import taper.tensor.ArgumentException;
import taper.tensor.Autograd;
import taper.tensor.Checkpoint;
import taper.tensor.Memory;
import taper.tensor.Tensor;

/// Training with activations that are computed twice instead of kept.
final class CheckpointedTrainingTest {
  private static final int LAYERS = 24;
  private static final int WIDTH = 64;
  private static final int BATCH = 512;

  /// What a training left behind: its losses, and the most bytes that a step held beyond what there was before it.
  private record Run(List<Double> losses, float[] weights, long activations) {}

  /// Three steps of gradient descent on a network of 24 hidden layers.
  private static Run train(BiFunction<Sequential, Tensor, Tensor> forward) {
    Tensor.manualSeed(7);
    var model = new Sequential();
    for (int layer = 0; layer < LAYERS; layer++) {
      model.append(new Sequential(new Linear(WIDTH, WIDTH), new GELU(), new Dropout(0.1)));
    }
    Tensor x = Tensor.randn(BATCH, WIDTH);
    Tensor target = Tensor.randn(BATCH, WIDTH);
    var losses = new ArrayList<Double>();
    long activations = 0;
    step(model, forward, x, target); // makes the gradients
    for (int step = 0; step < 3; step++) {
      long before = Memory.allocated();
      Memory.resetMaxAllocated();
      losses.add(step(model, forward, x, target));
      activations = Math.max(activations, Memory.maxAllocated() - before);
    }
    return new Run(losses, model.parameters().getFirst().toFloatArray(), activations);
  }

  private static double step(
      Sequential model, BiFunction<Sequential, Tensor, Tensor> forward, Tensor x, Tensor target) {
    try (var _ = Memory.scope()) {
      model.zeroGrad(false);
      Tensor loss = forward.apply(model, x).mseLoss(target);
      loss.backward();
      Autograd.noGrad(() -> model.parameters().forEach(p -> p.sub_(p.grad().mul(0.1))));
      return loss.item();
    }
  }

  @Test
  void checkpointedTrainingTakesLessThanHalfOfTheMemoryAtEqualLosses() {
    Run plain = train(Sequential::call);
    Run segments = train((model, x) -> model.callCheckpointed(6, x));
    Run layers =
        train((model, x) -> {
          for (Module layer : model) {
            x = Checkpoint.run(layer::call, x);
          }
          return x;
        });

    assertThat(segments.losses).containsExactlyElementsOf(plain.losses);
    assertThat(layers.losses).containsExactlyElementsOf(plain.losses);
    assertThat(segments.weights).containsExactly(plain.weights);
    assertThat(layers.weights).containsExactly(plain.weights);
    assertThat(segments.activations).isLessThan(plain.activations / 2);
    assertThat(layers.activations).isLessThan(plain.activations / 2);
  }

  @Test
  void checkpointsNestInsideSequentials() {
    final class Checkpointed extends Module {
      private final Module inner;

      Checkpointed(Module inner) {
        this.inner = inner;
      }

      @Override
      protected Tensor forward(Tensor x) {
        return Checkpoint.run(inner::call, x);
      }
    }
    Tensor.manualSeed(1);
    var a = new Sequential(new Linear(4, 4), new Tanh(), new Dropout(0.5));
    var b = new Sequential(new Linear(4, 4), new Tanh());
    var plain = new Sequential(a, b);
    var checkpointed = new Checkpointed(new Sequential(new Checkpointed(a), new Checkpointed(b)));
    Tensor x = Tensor.randn(8, 4);

    Tensor.manualSeed(2);
    plain.call(x).sum().backward();
    float[] expected = a.parameters().getFirst().grad().toFloatArray();
    plain.zeroGrad();
    Tensor.manualSeed(2);
    checkpointed.call(x).sum().backward();

    assertThat(a.parameters().getFirst().grad().toFloatArray()).containsExactly(expected);
  }

  @Test
  void thereAreAtMostAsManySegmentsAsModules() {
    assertThatThrownBy(() -> new Sequential(new Tanh()).callCheckpointed(2, Tensor.ones(1)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("Sequential: segments must be in 1..1, the number of modules, but is 2.");
  }
}
