package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.Tensor;

/// Trees of modules that have no end, or end deeper than the stack.
final class NestedModulesTest {

  private static Sequential nested(int depth) {
    var module = new Sequential(new Identity());
    for (int i = 1; i < depth - 1; i++) {
      module = new Sequential(module);
    }
    return module;
  }

  /// A module that knows the one around it.
  private static final class Inner extends Module {
    @SuppressWarnings("unused") // a field is registered
    private @Nullable Module outer;

    private final Linear linear = new Linear(2, 2);

    @Override
    protected Tensor forward(Tensor x) {
      return linear.call(x);
    }
  }

  private static Map<String, ThrowingCallable> everything(Module module) {
    var all = new LinkedHashMap<String, ThrowingCallable>();
    all.put("call", () -> module.call(Tensor.ones(2)));
    all.put("toString", module::toString);
    all.put("stateDict", module::stateDict);
    all.put("loadStateDict", () -> module.loadStateDict(Map.of()));
    all.put("parameters", module::parameters);
    all.put("buffers", module::buffers);
    all.put("modules", module::modules);
    all.put("train", module::train);
    all.put("eval", module::eval);
    all.put("apply", () -> module.apply(_ -> {}));
    all.put("to", () -> module.to(DType.FLOAT64));
    all.put("zeroGrad", module::zeroGrad);
    all.put("requiresGrad_", () -> module.requiresGrad_(false));
    return all;
  }

  @Test
  void aTreeThatIsTooDeepIsRefusedByEverything() {
    everything(nested(3000))
        .forEach((what, call) ->
            assertThatThrownBy(call)
                .as(what)
                .isInstanceOf(ArgumentException.class)
                .hasMessage(
                    "Sequential: modules must be nested at most 500 deep, but are nested deeper."));
  }

  @Test
  void aDeepTreeIsNotRefused() throws Exception {
    var module = nested(Nesting.LIMIT);
    var task =
        new FutureTask<>(() -> {
          for (ThrowingCallable call : everything(module).values()) {
            try {
              call.call();
            } catch (Throwable e) {
              throw new AssertionError(e);
            }
          }
          return module.toString().lines().count();
        });
    Thread thread = new Thread(null, task, "deep", 1 << 20); // as threads have by default

    thread.start();

    assertThat(task.get()).isEqualTo(2 * 500 - 1);
  }

  @Test
  void aSequenceInsideItselfIsRefusedWhereThatMatters() {
    var module = new Sequential(new Linear(2, 2));
    module.append(new Sequential(module));

    String around =
        "Sequential: modules must not contain themselves, but '1.0' is a Sequential that is around it.";
    for (String what : List.of("toString", "stateDict", "loadStateDict", "apply")) {
      assertThatThrownBy(everything(module).get(what))
          .as(what)
          .isInstanceOf(ArgumentException.class)
          .hasMessage(around);
    }
    assertThatThrownBy(() -> module.call(Tensor.ones(2)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "1 (Sequential): modules must be called at most 500 deep inside each other, but these are called deeper. Does one of them contain itself?");
    assertThat(module.parameters()).hasSize(2);
    assertThat(module.eval().isTraining()).isFalse();
    assertThat(new Linear(2, 2).call(Tensor.ones(2)).numel())
        .isEqualTo(2); // nothing is left behind
  }

  @Test
  void aModuleThatKnowsTheOneAroundItCanBeCalled() {
    var inner = new Inner();
    var outer = new Sequential(inner, new Tanh());
    inner.outer = outer;

    assertThat(outer.call(Tensor.ones(2)).numel()).isEqualTo(2);
    assertThat(outer.parameters()).hasSize(2);
    assertThat(outer.namedModules().keySet()).containsExactly("", "0", "0.linear", "1");
    for (String what : List.of("toString", "stateDict", "loadStateDict", "apply")) {
      assertThatThrownBy(everything(outer).get(what))
          .as(what)
          .isInstanceOf(ArgumentException.class)
          .hasMessage(
              "Sequential: modules must not contain themselves, but '0.outer' is a Sequential that is around it.");
    }
  }

  @Test
  void aModuleInTwoPlacesIsNotInsideItself() {
    var shared = new Linear(2, 2);
    var module = new Sequential(shared, new Sequential(shared, shared));
    var visited = new ArrayList<Module>();

    module.apply(visited::add);

    assertThat(module.stateDict()).hasSize(6);
    assertThat(visited).containsExactly(shared, shared, module.get(1), module);
    assertThat(module.toString().lines()).hasSize(7);
  }

  @Test
  void aCallThatIsDeeperThanTheStackSaysSo() throws Exception {
    final class Endless extends Module {
      @Override
      protected Tensor forward(Tensor x) {
        return deeper(x, 60);
      }

      private Tensor deeper(Tensor x, int steps) {
        return steps == 0 ? call(x) : deeper(x, steps - 1);
      }
    }
    var task =
        new FutureTask<>(() -> {
          assertThatThrownBy(() -> new Endless().call(Tensor.ones(1)))
              .isInstanceOf(ArgumentException.class)
              .hasMessage(
                  "Endless: a call must fit into the stack of its thread, but goes deeper. Does a module contain itself? A larger stack is given with -Xss, or to the constructor of the thread.");
          return new Linear(2, 2).call(Tensor.ones(2)).numel();
        });
    Thread thread = new Thread(null, task, "shallow", 1 << 19);

    thread.start();

    assertThat(task.get()).isEqualTo(2);
  }

  /// A module that prints itself.
  private static final class Printed extends Module {
    @Override
    public String toString() {
      return "Printed\non two lines";
    }
  }

  @Test
  void aModuleMayPrintItself() {
    assertThat(new Sequential(new Sequential(new Printed())))
        .hasToString(
            """
            Sequential(
              (0): Sequential(
                (0): Printed
                on two lines
              )
            )\
            """);
  }
}
