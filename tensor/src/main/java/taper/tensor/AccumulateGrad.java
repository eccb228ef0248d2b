package taper.tensor;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;
import taper.tensor.internal.Scope;

/// The end of the graph: adds what arrives to the `grad` of a leaf. Backward passes of several threads that arrive at one
/// leaf take turns.
final class AccumulateGrad extends Node {
  private final Tensor leaf;
  private @Nullable HookList<Consumer<Tensor>> afterwards;

  AccumulateGrad(Tensor leaf) {
    this.leaf = leaf;
  }

  /// Calls `hook` with the leaf whenever its gradient has been added to.
  Guard addAfterwards(Consumer<Tensor> hook) {
    synchronized (leaf.meta()) {
      HookList<Consumer<Tensor>> hooks = afterwards;
      if (hooks == null) {
        hooks = new HookList<>();
        afterwards = hooks;
      }
      return hooks.add(hook);
    }
  }

  @Override
  public String name() {
    return "AccumulateGrad";
  }

  @Override
  int outputCount() {
    return 1;
  }

  @Override
  @Nullable Edge[] edges() {
    return new Edge[0];
  }

  @Override
  long sequence() {
    return Long.MAX_VALUE;
  }

  @Override
  @Nullable Tensor[] apply(@Nullable Tensor[] grads) {
    Tensor grad = grads[0];
    Meta meta = leaf.meta();
    if (grad != null && meta.requiresGrad) {
      synchronized (meta) {
        add(meta, grad);
      }
    }
    return new Tensor[0];
  }

  private void add(Meta meta, Tensor grad) {
    Tensor sum = meta.grad;
    boolean graph = Context.current().gradMode;
    if (sum == null) {
      boolean steal = !graph && grad.isExclusive() && grad.isContiguous();
      Tensor own = steal ? grad : graph ? grad.clone() : Autograd.detachedClone(grad);
      own.adopt();
      meta.grad = own;
    } else if (graph) {
      Tensor own = sum.add(grad);
      own.adopt();
      meta.grad = own;
    } else {
      sum.add_(grad);
    }
    if (afterwards != null) {
      Context context = Context.current();
      Scope inside = Scope.leaveFrames(context);
      try {
        for (Consumer<Tensor> hook : afterwards.all()) {
          hook.accept(leaf);
        }
      } finally {
        Scope.reenter(context, inside);
      }
    }
  }

  @Override
  void release() {}

  @Override
  boolean isReleased() {
    return false;
  }
}
