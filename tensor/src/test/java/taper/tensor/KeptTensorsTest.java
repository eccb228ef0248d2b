package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What a user's code keeps while the framework calls it lives on.
final class KeptTensorsTest {
  private final List<Tensor> kept = new ArrayList<>();

  private static Tensor leaf() {
    return Tensor.of(new float[] {1, 2, 3}).requiresGrad_();
  }

  private Tensor keep(Tensor tensor) {
    kept.add(tensor);
    return tensor;
  }

  private void areAlive(int count) {
    assertThat(kept).hasSize(count).noneMatch(Tensor::isReleased);
  }

  @Test
  void ofACheckpointedSegmentInBothRuns() {
    Tensor y = Checkpoint.run(x -> keep(keep(x).mul(2)).exp(), leaf().mul(1));
    areAlive(2);

    y.sum().backward();

    areAlive(4);
    assertThat(kept.get(3).toFloatArray()).containsExactly(2, 4, 6);
  }

  @Test
  void ofACheckpointedSegmentBeyondTheScopeAroundIt() {
    try (var _ = Memory.scope()) {
      Tensor y = Checkpoint.run(x -> keep(x.mul(2)).exp(), leaf().mul(1));
      y.sum().backward();
    }

    areAlive(2);
  }

  @Test
  void ofACheckpointedSegmentWithoutARecord() {
    Autograd.noGrad(() -> Checkpoint.run(x -> keep(x.mul(2)).exp(), leaf()));

    areAlive(1);
  }

  @Test
  void outputsOfASegmentAreTheScopesAroundIt() {
    Tensor y;
    Tensor kept;
    try (var _ = Memory.scope()) {
      y = Checkpoint.run(Tensor::exp, leaf());
      kept = Checkpoint.run(x -> x.exp().keep(), leaf());
    }

    assertThat(y.isReleased()).isTrue();
    assertThat(kept.isReleased()).isFalse();
  }

  @Test
  void whatASegmentHandsBackStaysWhoseItWas() {
    Tensor known = Tensor.ones(3);
    try (var _ = Memory.scope()) {
      Tensor _ = Checkpoint.run(_ -> known, leaf());
    }

    assertThat(known.isReleased()).isFalse();
  }

  @Test
  void ofAPackHookInsideACompositionAndItsGradient() {
    Tensor x = leaf();
    Tensor y;
    try (var _ =
        Autograd.savedTensorsHooks(
            tensor -> keep(keep(tensor).mul(1)), (Tensor packed) -> keep(packed.clone()))) {
      y = x.std().add(x.softmax(0).logsumexp(0)).add(x.norm());
    }
    y.backward();

    assertThat(kept).hasSizeGreaterThan(8).noneMatch(Tensor::isReleased);
  }

  @Test
  void ofACustomFunction() {
    class Square extends Function {
      @Override
      protected List<Tensor> forward(Saver saver, List<Tensor> inputs) {
        Tensor x = keep(inputs.getFirst());
        saver.save(x, keep(x.mul(2)));
        return List.of(keep(x.mul(x)));
      }

      @Override
      protected List<Tensor> backward(Saver saver, Tensor[] grads) {
        keep(saver.saved(0));
        return List.of(keep(keep(grads[0]).mul(keep(saver.saved(1)))));
      }
    }

    new Square().apply(leaf().mul(3)).getFirst().exp().sum().backward();

    areAlive(7);
  }

  @Test
  void ofHooksOfTheBackwardPass() {
    Tensor x = leaf();
    x.registerPostAccumulateGradHook(t -> keep(t.grad().mul(2)));
    Tensor y = x.mul(3);
    y.registerHook(grad -> keep(keep(grad).mul(2)));
    y.gradFn()
        .registerPreHook(grads -> {
          keep(grads.getFirst());
          keep(grads.getFirst().mul(2));
          return null;
        });
    y.gradFn()
        .registerHook((inputs, outputs) -> {
          keep(inputs.getFirst());
          keep(outputs.getFirst());
          keep(inputs.getFirst().mul(2));
          return null;
        });

    y.exp().sum().backward();

    areAlive(8);
  }

  @Test
  void ofAnInterpreterThatSeesABackwardPass() {
    Tensor y = leaf().std().add(leaf().softmax(0).sum());
    Interpreter keeping =
        call -> {
          for (Tensor input : call.inputs()) {
            if (input != null) {
              keep(input);
            }
          }
          List<Tensor> results = call.proceed();
          results.forEach(this::keep);
          keep(results.getFirst().mul(2));
          return results;
        };

    try (var _ = Interpreter.use(keeping)) {
      y.backward();
    }

    assertThat(kept).hasSizeGreaterThan(10).noneMatch(Tensor::isReleased);
  }

  @Test
  void ofCodeThatIsCalledInsideATidiedFunction() {
    Tensor y =
        Memory.tidy(() -> {
          Tensor x = Tensor.ones(3).mul(2);
          return Memory.untidy(List.of(x), () -> keep(keep(x).mul(2))).add(1);
        });

    areAlive(2);
    assertThat(y.isReleased()).isFalse();
  }

  @Test
  void asLongAsTheScopeAroundAFrame() {
    try (var _ = Memory.scope()) {
      Tensor _ = Memory.tidy(() -> Memory.untidy(List.of(), () -> keep(Tensor.ones(3))).add(1));
      areAlive(1);
    }

    assertThat(kept.getFirst().isReleased()).isTrue();
  }

  /// A function that forgets what it should return.
  private record Forgetful(boolean forward) {
    Function function() {
      return new Function() {
        @Override
        public String name() {
          return "Forgetful";
        }

        @Override
        protected List<Tensor> forward(Saver saver, List<Tensor> inputs) {
          return forward ? null : List.of(inputs.getFirst().mul(2));
        }

        @Override
        protected List<Tensor> backward(Saver saver, Tensor[] grads) {
          return null;
        }
      };
    }
  }

  @Test
  void codeThatReturnsNothingIsNamed() {
    assertThatThrownBy(() -> new Forgetful(true).function().apply(leaf()))
        .isInstanceOf(AutogradException.class)
        .hasMessage("Forgetful: forward must return tensors, but returned null.");
    Tensor y = new Forgetful(false).function().apply(leaf()).getFirst().sum();
    assertThatThrownBy(y::backward)
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "ForgetfulBackward: backward must return a list with one gradient per input, but returned null. A gradient that is not there is null in the list.");
    assertThatThrownBy(() -> new Forgetful(false).function().apply(leaf(), null))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("Forgetful: input 1 must be given, but is null.");
    assertThatThrownBy(() -> Checkpoint.run((Tensor x) -> null, leaf()))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("Checkpoint: an output of the segment must be given, but is null.");
    try (var _ = Interpreter.use(_ -> null)) {
      assertThatThrownBy(() -> leaf().exp())
          .isInstanceOf(ArgumentException.class)
          .hasMessage(
              "exp: an interpreter must return the outputs of the call, but returned null. Return call.proceed().");
    }
    assertThat(leaf().exp().numel()).isEqualTo(3);
  }

  @Test
  void outsideOfAllScopes() {
    try (var _ = Memory.scope()) {
      Memory.unscoped(() -> keep(Tensor.ones(3)));
    }

    areAlive(1);
  }

  @Test
  void aScopeThatForeignCodeLeftOpenIsClosedWhenItReturns() {
    long before = Memory.allocated();
    Memory.tidy(() -> {
      Memory.untidy(
          List.of(),
          () -> {
            var _ = Memory.scope();
            return Tensor.ones(1000);
          });
      Tensor _ = Tensor.ones(1000);
    });

    assertThat(Memory.allocated()).isEqualTo(before);
  }

  @Test
  void aScopeThatForeignCodeClosedAroundTheFrameIsNotGoneBackTo() {
    var scope = Memory.scope();
    Tensor y =
        Memory.tidy(() -> {
          Memory.untidy(
              List.of(),
              () -> {
                scope.close();
                return 0;
              });
          return Tensor.ones(3);
        });
    Tensor after = Tensor.ones(3);
    scope.close();

    assertThat(y.isReleased()).isFalse();
    assertThat(after.isReleased()).isFalse();
  }
}
