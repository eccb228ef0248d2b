package taper.tensor;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;

/// The end of the graph: adds what arrives to the `grad` of a leaf.
final class AccumulateGrad extends Node {
  private final Tensor leaf;

  AccumulateGrad(Tensor leaf) {
    this.leaf = leaf;
  }

  Tensor leaf() {
    return leaf;
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
    if (grad == null) {
      return new Tensor[0];
    }
    Meta meta = leaf.meta();
    for (UnaryOperator<Tensor> hook : meta.leafHooks) {
      Tensor replaced = Checks.hooked(grad, hook.apply(grad));
      grad = replaced == null ? grad : replaced;
    }
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
    return new Tensor[0];
  }

  @Override
  void release() {}

  @Override
  boolean isReleased() {
    return false;
  }
}
