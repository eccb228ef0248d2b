package taper.nn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import taper.tensor.Guard;
import taper.tensor.Memory;
import taper.tensor.Tensor;

/// The hooks of one module.
final class Hooks {
  private final List<ForwardPreHook> before = new CopyOnWriteArrayList<>();
  private final List<ForwardHook> after = new CopyOnWriteArrayList<>();
  private final List<BackwardHook> backward = new CopyOnWriteArrayList<>();

  Guard beforeCalls(ForwardPreHook hook) {
    return added(before, hook);
  }

  Guard afterCalls(ForwardHook hook) {
    return added(after, hook);
  }

  Guard afterBackward(BackwardHook hook) {
    return added(backward, hook);
  }

  private static <H> Guard added(List<H> hooks, H hook) {
    hooks.add(Sizes.given("module", "a hook", hook));
    return () -> {
      for (int i = hooks.size() - 1; i >= 0; i--) {
        if (hooks.get(i) == hook) {
          hooks.remove(i);
          return;
        }
      }
    };
  }

  boolean isEmpty() {
    return before.isEmpty() && after.isEmpty() && backward.isEmpty();
  }

  List<Tensor> run(
      Module module, List<Tensor> inputs, Function<List<Tensor>, List<Tensor>> forward) {
    List<Tensor> in = inputs;
    for (ForwardPreHook hook : before) {
      List<Tensor> given = in;
      List<Tensor> replaced = Memory.untidy(given, () -> hook.before(module, given));
      in = replaced == null ? in : replaced;
    }
    Passage passage = backward.isEmpty() ? null : new Passage(module, List.copyOf(backward));
    if (passage != null) {
      in = passage.entry(in);
    }
    List<Tensor> out = forward.apply(in);
    for (ForwardHook hook : after) {
      List<Tensor> given = in;
      List<Tensor> made = out;
      var seen = new ArrayList<>(given);
      seen.addAll(made);
      List<Tensor> replaced = Memory.untidy(seen, () -> hook.after(module, given, made));
      out = replaced == null ? out : replaced;
    }
    return passage == null ? out : passage.exit(out);
  }

  /// One call of a module between two gates in the graph. Gradients meet the exit first, which notes them, then the
  /// entry, where the hooks run; if no input wants a gradient the exit runs them.
  private static final class Passage {
    private final Module module;
    private final List<BackwardHook> hooks;
    private int inputs;
    private boolean entered;
    private List<@Nullable Tensor> gradOutputs = List.of();

    Passage(Module module, List<BackwardHook> hooks) {
      this.module = module;
      this.hooks = hooks;
    }

    List<Tensor> entry(List<Tensor> in) {
      inputs = in.size();
      entered = in.stream().anyMatch(Tensor::requiresGrad);
      return entered ? new Gate(this::enter).apply(in.toArray(new Tensor[0])) : in;
    }

    List<Tensor> exit(List<Tensor> out) {
      return new Gate(this::leave).apply(out.toArray(new Tensor[0]));
    }

    private List<@Nullable Tensor> leave(List<@Nullable Tensor> grads) {
      gradOutputs = grads;
      if (!entered) {
        enter(new ArrayList<>(Collections.nCopies(inputs, null)));
      }
      return grads;
    }

    private List<@Nullable Tensor> enter(List<@Nullable Tensor> grads) {
      List<@Nullable Tensor> in = grads;
      for (BackwardHook hook : hooks) {
        List<@Nullable Tensor> replaced = hook.backward(module, in, gradOutputs);
        in = replaced == null ? in : replaced;
      }
      return in;
    }
  }

  /// Hands its inputs on, and shows the gradients that come back to `seen`.
  private static final class Gate extends taper.tensor.Function {
    private final Function<List<@Nullable Tensor>, List<@Nullable Tensor>> seen;

    Gate(Function<List<@Nullable Tensor>, List<@Nullable Tensor>> seen) {
      this.seen = seen;
    }

    @Override
    public String name() {
      return "ModuleHook";
    }

    @Override
    protected List<Tensor> forward(Saver saver, List<Tensor> inputs) {
      return inputs;
    }

    @Override
    protected List<@Nullable Tensor> backward(Saver saver, @Nullable Tensor[] grads) {
      for (Tensor grad : grads) {
        if (grad != null) {
          grad.keep(); // hooks see it later, and may keep it
        }
      }
      return seen.apply(Collections.unmodifiableList(Arrays.asList(grads.clone())));
    }
  }
}
