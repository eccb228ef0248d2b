package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class GuardsTest {
  private static Arguments of(String name, Supplier<Guard> guard) {
    return arguments(name, guard);
  }

  static Stream<Arguments> guards() {
    return Stream.of(
        of("noGrad", Autograd::noGrad),
        of("enableGrad", Autograd::enableGrad),
        of("inferenceMode", Autograd::inferenceMode),
        of("setDetectAnomaly", Autograd::anomalyDetection),
        of("savedTensorsHooks", () -> Autograd.savedTensorsHooks(x -> x, (Tensor x) -> x)),
        of("withDefault", () -> DType.withDefault(DType.FLOAT64)),
        of("PrintOptions.use", () -> PrintOptions.use(o -> o.precision(2))),
        of("Interpreter.use", () -> Interpreter.use(Call::proceed)));
  }

  /// All that guards set.
  private record InForce(
      boolean grad,
      boolean inference,
      boolean anomaly,
      DType dtype,
      PrintOptions printing,
      int interpreted,
      boolean saved) {
    static InForce now() {
      return new InForce(
          Autograd.isGradEnabled(),
          Autograd.isInferenceMode(),
          Autograd.isAnomalyEnabled(),
          DType.defaultFloating(),
          PrintOptions.current(),
          frames((InterpreterFrame) taper.tensor.internal.Context.current().interpreters),
          taper.tensor.internal.Context.current().savedHooks != null);
    }

    private static int frames(@Nullable InterpreterFrame frame) {
      return frame == null ? 0 : 1 + frames(frame.inner());
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("guards")
  void guardsThatAreClosedInAnyOrderLeaveNothingBehind(String name, Supplier<Guard> guard) {
    InForce before = InForce.now();
    int[][] orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int[] order : orders) {
      Guard[] open = {guard.get(), Autograd.enableGrad(), guard.get()};

      for (int which : order) {
        open[which].close();
      }

      assertThat(InForce.now()).as(Arrays.toString(order)).isEqualTo(before);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("guards")
  void closingAGuardTwiceDoesNothing(String name, Supplier<Guard> guard) {
    InForce before = InForce.now();
    Guard closed = guard.get();
    closed.close();
    try (var _ = guard.get()) {
      InForce inside = InForce.now();

      closed.close();

      assertThat(InForce.now()).isEqualTo(inside);
    }
    assertThat(InForce.now()).isEqualTo(before);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("guards")
  void aGuardIsClosedOnItsThread(String name, Supplier<Guard> guard) throws InterruptedException {
    var failure = new AtomicReference<@Nullable Throwable>();
    try (var open = guard.get()) {
      InForce inside = InForce.now();
      Runnable closing = open::close;

      Thread.ofPlatform()
          .name("other")
          .start(() -> {
            InForce there = InForce.now();
            try {
              closing.run();
            } catch (IllegalStateException e) {
              failure.set(e);
            }
            assertThat(InForce.now()).isEqualTo(there);
          })
          .join();

      assertThat(InForce.now()).isEqualTo(inside);
    }
    assertThat(failure.get())
        .hasMessage(
            name
                + ": a guard must be closed on the thread that opened it, '"
                + Thread.currentThread().getName()
                + "', but was closed on 'other'. Let each thread open its own.");
  }

  @Test
  void anOuterGuardEndsThoseThatWereForgottenInside() {
    try (var _ = Autograd.noGrad()) {
      var _ = Autograd.enableGrad();
      var _ = Autograd.noGrad();
    }

    assertThat(Autograd.isGradEnabled()).isTrue();
  }

  @Test
  void scopesThatAreClosedInAnyOrderLeaveNothingBehind() {
    Memory.Scope outer = Memory.scope("outer");
    Memory.Scope inner = Memory.scope("inner");
    Tensor x = Tensor.ones(2);

    outer.close();
    inner.close();
    Tensor y = Tensor.ones(2);

    assertThat(x.isReleased()).isTrue();
    assertThat(y.isReleased()).isFalse();
    assertThatThrownBy(() -> inner.own(y))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "scope: a memory scope must be open, and takes tensors on the thread that opened it, but 'inner' is closed.");
  }

  @Test
  void aScopeBelongsToItsThread() throws InterruptedException {
    var failures = new AtomicReference<String>("");
    try (var scope = Memory.scope("step")) {
      Tensor x = Tensor.ones(2);
      Runnable closing = scope::close;
      Thread.ofPlatform()
          .name("other")
          .start(() -> {
            try {
              closing.run();
            } catch (IllegalStateException e) {
              failures.set(e.getMessage());
            }
            try {
              scope.own(Tensor.ones(2));
            } catch (IllegalStateException e) {
              failures.updateAndGet(first -> first + "\n" + e.getMessage());
            }
          })
          .join();
      assertThat(x.isReleased()).isFalse();
    }

    assertThat(failures.get())
        .isEqualTo(
            "scope: a memory scope must be closed on the thread that opened it, but 'step' was closed on 'other'. Let each thread open its own.\n"
                + "scope: a memory scope must be open, and takes tensors on the thread that opened it, but 'step' was asked on 'other'.");
  }

  @Test
  void aPartOfALeafThatIsAViewIsNotWrittenWhileGradientsAreRecorded() {
    Tensor leaf = Tensor.ones(4).view(2, 2).requiresGrad_();

    assertThatThrownBy(() -> leaf.select(0, 0).mul_(2))
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "mul_: a view of a leaf that requires grad must not be changed in place while gradients are recorded, but this float32 tensor of shape [2] is one. Use mul, or wrap the change in Autograd.noGrad().");
    assertThatThrownBy(() -> leaf.t().fill_(2)).isInstanceOf(AutogradException.class);
    assertThatThrownBy(() -> leaf.view(4).narrow(0, 1, 2).copy_(Tensor.zeros(2)))
        .isInstanceOf(AutogradException.class);
    assertThat(leaf.isLeaf()).isTrue();
    assertThat(leaf.toFloatArray()).containsExactly(1, 1, 1, 1);

    Autograd.noGrad(() -> {
      leaf.select(0, 0).mul_(2);
    });
    leaf.square().sum().backward();

    assertThat(leaf.isLeaf()).isTrue();
    assertThat(leaf.grad()).isNotNull();
    assertThat(leaf.grad().toFloatArray()).containsExactly(4, 4, 2, 2);
  }

  @Test
  void aViewThatDoesNotRequireGradMayStillTakeAHistory() {
    Tensor base = Tensor.ones(4);
    Tensor w = Tensor.ones(2).requiresGrad_();

    assertThatCode(() -> base.view(2, 2).select(0, 0).mul_(w)).doesNotThrowAnyException();

    assertThat(base.isLeaf()).isFalse();
  }
}
