package taper.tensor;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The node of a custom function.
final class FunctionNode extends Node {
  private final Function function;
  private final Function.Saver context;
  private final @Nullable Edge[] edges;
  private final int outputs;
  private boolean released;

  FunctionNode(Function function, Function.Saver context, List<Tensor> inputs, int outputs) {
    this.function = function;
    this.context = context;
    this.outputs = outputs;
    this.edges = new Edge[inputs.size()];
    for (int i = 0; i < edges.length; i++) {
      edges[i] = inputs.get(i).edge();
    }
  }

  @Override
  public String name() {
    return function.name() + "Backward";
  }

  @Override
  int outputCount() {
    return outputs;
  }

  @Override
  @Nullable Edge[] edges() {
    return edges;
  }

  @Override
  @Nullable Tensor[] apply(@Nullable Tensor[] grads) {
    if (released) {
      throw Autograd.freed(this);
    }
    List<@Nullable Tensor> result = function.backward(context.reading(this, edges), grads);
    if (result.size() != edges.length) {
      throw new AutogradException(
          "%s: backward must return one gradient per input, that is %d, but returned %d."
              .formatted(name(), edges.length, result.size()));
    }
    return result.toArray(new Tensor[0]);
  }

  @Override
  void release() {
    released = true;
    context.release();
  }

  @Override
  boolean isReleased() {
    return released;
  }
}
