package taper.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;
import taper.tensor.internal.Scope;

/// What is called while the engine passes a node: first the hooks of the tensors that the node made, then those that
/// retain gradients, then the node's own, before and after it runs.
final class NodeHooks {
  final HookList<Node.PreHook> before = new HookList<>();
  final HookList<Node.Hook> after = new HookList<>();
  private final List<HookList<UnaryOperator<Tensor>>> tensors = new CopyOnWriteArrayList<>();
  private final Map<Integer, Tensor> retaining = new ConcurrentHashMap<>();

  /// The hooks of output `output`.
  synchronized HookList<UnaryOperator<Tensor>> of(int output) {
    while (tensors.size() <= output) {
      tensors.add(new HookList<>());
    }
    return tensors.get(output);
  }

  /// Has the gradient of output `output` added to the `grad` of `tensor`, after all hooks.
  void retain(int output, Tensor tensor) {
    retaining.put(output, tensor);
  }

  /// No longer does so.
  void forget(int output, Tensor tensor) {
    retaining.remove(output, tensor);
  }

  /// Calls the hooks of tensors with what has arrived for each output, and puts what they return in its place.
  void tensorHooks(@Nullable Tensor[] grads, boolean createGraph) {
    for (int o = 0; o < Math.min(grads.length, tensors.size()); o++) {
      for (UnaryOperator<Tensor> hook : tensors.get(o).all()) {
        Tensor grad = grads[o];
        if (grad != null) {
          grad.adopt(); // the hook may keep it
          put(grads, o, Checks.hooked("registerHook", grad, called(() -> hook.apply(grad))));
        }
      }
    }
    retaining.forEach((output, tensor) -> {
      Tensor grad = grads[output];
      if (grad != null) {
        retain(tensor.meta(), grad, createGraph);
      }
    });
  }

  private static void retain(Meta meta, Tensor grad, boolean createGraph) {
    synchronized (meta) {
      Tensor sum = meta.grad;
      Tensor own =
          sum != null ? sum.add(grad) : createGraph ? grad.clone() : Autograd.detachedClone(grad);
      own.adopt();
      meta.grad = own;
    }
  }

  /// Calls the node's hooks that come before it.
  void before(@Nullable Tensor[] grads) {
    for (Node.PreHook hook : before.all()) {
      List<@Nullable Tensor> shown = shown(grads);
      List<@Nullable Tensor> replaced = called(() -> hook.before(shown));
      if (replaced != null) {
        counted("registerPreHook", grads.length, replaced.size());
        for (int o = 0; o < grads.length; o++) {
          Tensor grad = grads[o];
          Tensor other = replaced.get(o);
          put(grads, o, grad == null ? other : Checks.hooked("registerPreHook", grad, other));
        }
      }
    }
  }

  /// Calls the node's hooks that come after it, and returns the gradients of its inputs, perhaps replaced.
  @Nullable Tensor[] after(@Nullable Tensor[] results, @Nullable Tensor[] grads) {
    @Nullable Tensor[] current = results;
    for (Node.Hook hook : after.all()) {
      List<@Nullable Tensor> shown = shown(current);
      List<@Nullable Tensor> outputs = shown(grads);
      List<@Nullable Tensor> replaced = called(() -> hook.after(shown, outputs));
      if (replaced != null) {
        counted("registerHook", current.length, replaced.size());
        current = replaced.toArray(new Tensor[0]);
      }
    }
    return current;
  }

  /// What `hook` returns. What it makes is the user's.
  private static <R> @Nullable R called(Supplier<@Nullable R> hook) {
    Context context = Context.current();
    Scope inside = Scope.leaveFrames(context);
    try {
      return hook.get();
    } finally {
      Scope.reenter(context, inside);
    }
  }

  private static List<@Nullable Tensor> shown(@Nullable Tensor[] grads) {
    for (Tensor grad : grads) {
      if (grad != null) {
        grad.adopt(); // the hook may keep it
      }
    }
    return Arrays.asList(grads.clone());
  }

  private static void counted(String what, int expected, int actual) {
    if (expected != actual) {
      throw new AutogradException(
          "%s: a hook must return as many gradients as it was given, that is %d, but returned %d. Return null to leave them as they are."
              .formatted(what, expected, actual));
    }
  }

  /// Replaces a gradient that waits for its node.
  private static void put(@Nullable Tensor[] grads, int output, @Nullable Tensor replaced) {
    Tensor grad = grads[output];
    if (replaced != null && replaced != grad) {
      replaced.pin();
      grads[output] = replaced;
      if (grad != null) {
        grad.unpin();
      }
    }
  }
}
