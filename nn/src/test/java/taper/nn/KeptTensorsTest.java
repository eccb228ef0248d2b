package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import taper.tensor.Autograd;
import taper.tensor.Checkpoint;
import taper.tensor.Memory;
import taper.tensor.Tensor;

/// What a user's modules and hooks keep lives on, though layers of this package release what they make.
final class KeptTensorsTest {
  private final List<Tensor> kept = new ArrayList<>();

  /// A module that keeps what it sees and makes.
  private final class Keeping extends Module {
    @Override
    protected Tensor forward(Tensor x) {
      kept.add(x);
      kept.add(x.mul(2));
      return kept.getLast().add(1);
    }
  }

  private void areAlive(int count) {
    assertThat(kept).hasSize(count).noneMatch(Tensor::isReleased);
  }

  private Sequential network() {
    return new Sequential(
        new Linear(3, 3),
        new ReLU(),
        new Sequential(new Linear(3, 3), new Keeping(), new Tanh(), new Linear(3, 3)),
        new Keeping(),
        new Linear(3, 3),
        new ReLU());
  }

  private void keepAll(Module root) {
    for (Module module : root.modules()) {
      module.registerForwardPreHook((_, inputs) -> {
        kept.addAll(inputs);
        kept.add(inputs.getFirst().mul(2));
        return null;
      });
      module.registerForwardHook((_, inputs, outputs) -> {
        kept.addAll(inputs);
        kept.addAll(outputs);
        kept.add(outputs.getFirst().mul(2));
        return null;
      });
    }
  }

  private static Tensor input() {
    return Tensor.ones(2, 3).requiresGrad_();
  }

  private static <T> T each(boolean recorded, Supplier<T> body) {
    return recorded ? body.get() : Autograd.noGrad(body);
  }

  @Test
  void ofAModuleInASequence() {
    Sequential model = network();

    model.call(input()).sum().backward();
    Autograd.noGrad(() -> model.call(input()));

    areAlive(8);
  }

  @Test
  void ofAModuleInACheckpointedSequence() {
    Sequential model = network();

    model.callCheckpointed(3, input()).sum().backward();
    areAlive(6); // those of the second segment twice
    Autograd.noGrad(() -> model.callCheckpointed(3, input()));

    areAlive(10);
  }

  @Test
  void ofHooksOnPartsOfEveryContainer() {
    for (boolean recorded : new boolean[] {true, false}) {
      var encoder =
          new TransformerEncoder(
              new TransformerEncoderLayer(4, 2, o -> o.dimFeedforward(8).dropout(0)), 2);
      var decoder =
          new TransformerDecoder(
              new TransformerDecoderLayer(4, 2, o -> o.dimFeedforward(8).dropout(0)), 2);
      var attention = new MultiheadAttention(4, 2);
      var sequence = new Sequential(new Linear(4, 4), new ReLU(), new Linear(4, 4));
      List.of(encoder, decoder, attention, sequence).forEach(this::keepAll);
      Tensor x = Tensor.randn(3, 2, 4).requiresGrad_();

      Tensor y =
          each(
              recorded,
              () -> {
                Tensor coded = encoder.call(x);
                Tensor decoded = decoder.call(x, coded);
                Tensor seen = attention.call(decoded, decoded, decoded).output();
                return sequence.call(seen).add(Checkpoint.run(sequence::call, seen));
              });
      if (recorded) {
        y.sum().backward();
      }
    }

    assertThat(kept).hasSizeGreaterThan(200).noneMatch(Tensor::isReleased);
  }

  @Test
  void ofAHookOnThePartOfAttention() {
    var attention = new MultiheadAttention(4, 2);
    Linear out = (Linear) attention.namedChildren().get("out_proj");
    out.registerForwardHook((_, _, outputs) -> {
      kept.addAll(outputs);
      return null;
    });
    Tensor x = Tensor.randn(3, 2, 4);

    Autograd.noGrad(() -> attention.call(x, x, x));
    Autograd.noGrad(() -> Memory.tidy(() -> attention.call(x, x, x).output().mul(2)));

    areAlive(2);
  }

  @Test
  void ofBackwardHooks() {
    var model = new Sequential(new Linear(3, 3), new ReLU(), new Linear(3, 3));
    model
        .get(1)
        .registerFullBackwardHook((_, inputs, outputs) -> {
          kept.addAll(inputs);
          kept.addAll(outputs);
          kept.add(outputs.getFirst().mul(2));
          return null;
        });

    model.call(input()).sum().backward();

    areAlive(3);
  }

  @Test
  void ofAPackHookInsideLayers() {
    var model = new Sequential(new Linear(3, 3), new LayerNorm(3), new GELU(), new Linear(3, 3));
    try (var _ =
        Autograd.savedTensorsHooks(
            x -> {
              kept.add(x);
              kept.add(x.mul(1));
              return kept.getLast();
            },
            (Tensor packed) -> packed)) {
      model.call(input()).sum().backward();
    }

    assertThat(kept).hasSizeGreaterThan(5).noneMatch(Tensor::isReleased);
  }
}
