package taper.tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// One step of the graph that leads from outputs back to leaves: the `gradFn` of a tensor.
///
/// Nodes are made while operators run, on one thread at a time, and are walked by [Autograd].
public abstract sealed class Node
    permits OperatorNode, AccumulateGrad, CopySlices, AsStridedNode, FunctionNode {
  private static final AtomicLong SEQUENCE = new AtomicLong();

  private final long sequence;
  private @Nullable List<List<UnaryOperator<Tensor>>> preHooks;
  private @Nullable Throwable origin;

  Node() {
    this.sequence = SEQUENCE.getAndIncrement();
  }

  /// The name, such as `AddBackward0`.
  public abstract String name();

  /// How many outputs the operator had.
  abstract int outputCount();

  /// Where the gradients of the inputs go; null where none is wanted.
  abstract @Nullable Edge[] edges();

  /// The gradients of the inputs. A null gradient is none.
  abstract @Nullable Tensor[] apply(@Nullable Tensor[] grads);

  /// Lets go of the tensors that were saved.
  abstract void release();

  /// Whether [#release()] has been called.
  abstract boolean isReleased();

  /// Nodes with higher numbers run first.
  long sequence() {
    return sequence;
  }

  /// The nodes that come next on the way to the leaves, in the order of the inputs.
  public List<Node> next() {
    var result = new ArrayList<Node>();
    for (Edge edge : edges()) {
      if (edge != null) {
        result.add(edge.node());
      }
    }
    return result;
  }

  void addPreHook(int output, UnaryOperator<Tensor> hook) {
    if (preHooks == null) {
      preHooks = new ArrayList<>();
    }
    while (preHooks.size() <= output) {
      preHooks.add(new ArrayList<>(1));
    }
    preHooks.get(output).add(hook);
  }

  void removePreHook(int output, UnaryOperator<Tensor> hook) {
    if (preHooks != null && output < preHooks.size()) {
      preHooks.get(output).remove(hook);
    }
  }

  List<UnaryOperator<Tensor>> preHooks(int output) {
    return preHooks == null || output >= preHooks.size() ? List.of() : preHooks.get(output);
  }

  boolean hasPreHooks() {
    return preHooks != null;
  }

  void recordOrigin() {
    origin = new Throwable("the forward call of " + name());
  }

  @Nullable Throwable origin() {
    return origin;
  }

  @Override
  public String toString() {
    return "<" + name() + ">";
  }

  /// One output of a node.
  record Edge(Node node, int output) {}
}
