package taper.tensor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;

/// One step of the graph that leads from outputs back to leaves: the `gradFn` of a tensor.
///
/// Nodes are made while operators run, on one thread at a time, and are walked by [Autograd]. Walks of several threads that
/// meet in a node take turns.
public abstract sealed class Node
    permits OperatorNode, AccumulateGrad, CopySlices, AsStridedNode, FunctionNode, ErrorNode {
  private static final AtomicLong SEQUENCE = new AtomicLong();
  private static final VarHandle WALKER;

  static {
    try {
      WALKER = MethodHandles.lookup().findVarHandle(Node.class, "walker", Engine.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long sequence;
  private volatile @Nullable NodeHooks hooks;
  private volatile @Nullable Engine walker;
  private @Nullable Throwable origin;
  private String place = "";

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

  /// The slice of its only input that the node's output is a view of, or null if it is anything else.
  Shapes.@Nullable Slice slice() {
    return null;
  }

  /// Lets go of the tensors that were saved.
  abstract void release();

  /// Whether [#release()] has been called.
  abstract boolean isReleased();

  /// Has `walk` be the only one that runs this node.
  ///
  /// @return null, or the walk that does at present
  final @Nullable Engine claim(Engine walk) {
    return (Engine) WALKER.compareAndExchange(this, null, walk);
  }

  /// Lets other walks run this node again, if `walk` is the one that does.
  final void letGo(Engine walk) {
    WALKER.compareAndSet(this, walk, null);
  }

  /// Nodes with higher numbers run first.
  long sequence() {
    return sequence;
  }

  /// The nodes that come next on the way to the leaves, in the order of the inputs; inputs that want no gradient have none.
  public List<Node> next() {
    return Arrays.stream(edges()).filter(Objects::nonNull).map(Edge::node).toList();
  }

  /// Where the gradient of each input goes; null for an input that wants none.
  public List<@Nullable Edge> nextFunctions() {
    return Arrays.asList(edges().clone());
  }

  /// Calls `hook` before this node runs, with the gradients of its outputs.
  ///
  /// @return a guard that takes the hook away
  public final Guard registerPreHook(PreHook hook) {
    return hooks().before.add(hook);
  }

  /// Calls `hook` after this node has run, with the gradients of its inputs and of its outputs.
  ///
  /// @return a guard that takes the hook away
  public final Guard registerHook(Hook hook) {
    return hooks().after.add(hook);
  }

  /// Sees gradients before a node runs.
  @FunctionalInterface
  public interface PreHook {
    /// Returns what takes the place of the gradients of the node's outputs, or null to leave them. A null gradient is none.
    @Nullable List<@Nullable Tensor> before(List<@Nullable Tensor> gradOutputs);
  }

  /// Sees gradients after a node has run.
  @FunctionalInterface
  public interface Hook {
    /// Returns what takes the place of the gradients of the node's inputs, or null to leave them. A null gradient is none.
    @Nullable List<@Nullable Tensor> after(
        List<@Nullable Tensor> gradInputs, List<@Nullable Tensor> gradOutputs);
  }

  /// The hooks, to add one.
  final NodeHooks hooks() {
    NodeHooks known = hooks;
    return known != null ? known : firstHooks();
  }

  private synchronized NodeHooks firstHooks() {
    NodeHooks known = hooks;
    if (known == null) {
      known = new NodeHooks();
      hooks = known;
    }
    return known;
  }

  /// The hooks, or null if there have never been any.
  final @Nullable NodeHooks knownHooks() {
    return hooks;
  }

  /// Notes the forward call, for [Autograd#anomalyDetection()]; one that a backward pass made, with that pass's node.
  final void recordOrigin() {
    place =
        StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
            .walk(frames -> frames.filter(Node::isOutside).findFirst())
            .map(frame -> frame.toStackTraceElement().toString())
            .orElse("an unknown place");
    origin = new Throwable("the forward call of " + name());
    if (Context.current().runningNode instanceof Node parent && parent.origin != null) {
      origin.initCause(parent.origin);
    }
  }

  private static boolean isOutside(StackWalker.StackFrame frame) {
    var own = Node.class.getProtectionDomain().getCodeSource();
    var other = frame.getDeclaringClass().getProtectionDomain().getCodeSource();
    return other != null && (own == null || !other.getLocation().equals(own.getLocation()));
  }

  @Nullable Throwable origin() {
    return origin;
  }

  /// The line outside this module that made the forward call, such as `Model.forward(Model.java:12)`.
  String place() {
    return place;
  }

  @Override
  public String toString() {
    return "<" + name() + ">";
  }

  /// One output of a node.
  ///
  /// @param node the node
  /// @param output the position of the output
  public record Edge(Node node, int output) {}
}
