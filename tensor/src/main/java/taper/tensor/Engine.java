package taper.tensor;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;
import taper.tensor.internal.Scope;

/// One walk from outputs back to leaves.
///
/// First the part of the graph that can be reached is counted, without recursion, so that depth does not matter. Then
/// nodes whose gradients are complete run, the youngest first. Each node runs inside a memory frame: what its formula
/// makes and does not return is gone at once. Gradients on their way are pinned by the node that waits for them; when it
/// has run, they go too. A gradient that only the engine knows is added to in place. Gradients of slices wait for each other,
/// see [Parts].
///
/// A node is run by one walk at a time, since it may have something in the making: a walk that meets another thread's in a
/// node waits for its end before it begins. Leaves are shared by all.
///
/// A walk with targets goes no further than those: nodes behind them do not run, and keep what they have saved.
final class Engine {
  private final boolean retainGraph;
  private final boolean createGraph;
  private final boolean capturing;
  private final IdentityHashMap<Node, Task> tasks = new IdentityHashMap<>();
  private final List<Root> roots = new ArrayList<>();
  private final List<Node.Edge> targets = new ArrayList<>();
  private final Thread thread = Thread.currentThread();
  private final List<Node> claimed = new ArrayList<>();
  private boolean ended;

  /// Held by a walk that has met another, until it has all its nodes: two such walks do not meet again and again.
  private static final ReentrantLock MEETING = new ReentrantLock();

  private record Root(Node.Edge edge, Tensor gradient) {}

  private static final class Task {
    final Node node;
    final @Nullable Tensor[] grads;
    @Nullable Parts @Nullable [] parts; // by output, where there are no grads yet
    int waitsFor;
    boolean reached = true; // whether its gradient is wanted, for itself or on the way to others
    boolean runs = true;
    boolean seen;

    Task(Node node) {
      this.node = node;
      this.grads = new Tensor[node.outputCount()];
    }
  }

  /// @param capturing whether the gradients of targets are returned, and leaves do not accumulate
  Engine(boolean retainGraph, boolean createGraph, boolean capturing) {
    this.retainGraph = retainGraph;
    this.createGraph = createGraph;
    this.capturing = capturing;
  }

  void root(Node.Edge edge, Tensor gradient) {
    roots.add(new Root(edge, gradient));
  }

  /// Has the walk go to where `edge` leads, and no further than other targets need.
  void target(Node.Edge edge) {
    targets.add(edge);
  }

  private Task task(Node node) {
    return tasks.computeIfAbsent(node, Task::new);
  }

  /// Walks, and returns the gradients of the targets, in order; null where none arrived.
  List<@Nullable Tensor> run() {
    Context context = Context.current();
    boolean mode = context.gradMode;
    List<Runnable> outer = context.passEndings;
    var endings = new ArrayList<Runnable>();
    context.gradMode = createGraph;
    context.passEndings = endings;
    @Nullable Tensor[] captured = new Tensor[targets.size()];
    try {
      List<Node> order = count();
      if (!targets.isEmpty()) {
        prune(order);
      }
      claim(order, outer != null);
      try (var _ = Scope.frame(context)) {
        for (Root root : roots) {
          arrive(root.edge, root.gradient);
        }
      }
      walk(context, captured);
    } finally {
      context.gradMode = mode;
      context.passEndings = outer;
      for (Task task : tasks.values()) {
        dropGrads(task); // after an error; otherwise nothing is left
      }
      end();
      endings.forEach(Runnable::run);
    }
    return Arrays.asList(captured);
  }

  // Walks that meet

  /// Claims all nodes that will run.
  ///
  /// @param inside whether this walk runs inside another: then it cannot wait for one that may wait for that
  private void claim(List<Node> order, boolean inside) {
    Engine other = tryClaim(order);
    if (other == null) {
      return;
    }
    if (inside) {
      throw new AutogradException(
          "backward: a backward pass inside another must not meet one of another thread, but both go through one graph. Let one thread go through a graph at a time.");
    }
    MEETING.lock();
    try {
      while (other != null) {
        other.awaitEnd();
        other = tryClaim(order);
      }
    } finally {
      MEETING.unlock();
    }
  }

  /// Claims all nodes or none, and returns the walk that has one of them, or null.
  private @Nullable Engine tryClaim(List<Node> order) {
    for (Node node : order) {
      if (!(node instanceof AccumulateGrad) && task(node).runs) {
        Engine other = node.claim(this);
        if (other == null) {
          claimed.add(node);
        } else if (other.thread != thread) {
          letGo();
          return other;
        }
      }
    }
    return null;
  }

  private void letGo() {
    for (Node node : claimed) {
      node.letGo(this);
    }
    claimed.clear();
  }

  private synchronized void end() {
    letGo();
    ended = true;
    notifyAll();
  }

  private synchronized void awaitEnd() {
    boolean interrupted = false;
    while (!ended) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Counts how many gradients each reachable node waits for, and returns the nodes, parents before children.
  private List<Node> count() {
    var stack = new ArrayDeque<Node>();
    var order = new ArrayList<Node>();
    for (Root root : roots) {
      push(root.edge.node(), stack, order);
    }
    while (!stack.isEmpty()) {
      Node node = stack.pop();
      for (Node.Edge edge : node.edges()) {
        if (edge != null) {
          task(edge.node()).waitsFor++;
          push(edge.node(), stack, order);
        }
      }
    }
    return order;
  }

  private void push(Node node, ArrayDeque<Node> stack, List<Node> order) {
    Task task = task(node);
    if (!task.seen) {
      task.seen = true;
      stack.push(node);
      order.add(node);
    }
  }

  /// Leaves out nodes from which no target can be reached.
  private void prune(List<Node> order) {
    for (Node node : order) {
      task(node).reached = false;
    }
    for (Node.Edge target : targets) {
      task(target.node()).reached = true;
    }
    order.sort(Comparator.comparingLong(Node::sequence)); // children are older than parents
    // Leaves come first in a walk from the oldest; accumulators have the highest number but no
    // children.
    for (Node node : order) {
      Task task = task(node);
      task.runs = !capturing && task.reached && node instanceof AccumulateGrad;
      for (Node.Edge edge : node.edges()) {
        task.runs |= edge != null && task(edge.node()).reached;
      }
      task.reached |= task.runs;
    }
  }

  private void walk(Context context, @Nullable Tensor[] captured) {
    var ready =
        new PriorityQueue<Task>(Comparator.comparingLong((Task t) -> t.node.sequence()).reversed());
    for (Task task : tasks.values()) {
      if (task.waitsFor == 0) {
        ready.add(task);
      }
    }
    while (!ready.isEmpty()) {
      Task task = ready.poll();
      if (task.reached) {
        step(context, task, captured);
      }
      for (Node.Edge edge : task.node.edges()) {
        if (edge != null) {
          Task next = task(edge.node());
          if (--next.waitsFor == 0) {
            ready.add(next);
          }
        }
      }
      dropGrads(task);
    }
  }

  private static void dropGrads(Task task) {
    for (int o = 0; o < task.grads.length; o++) {
      Tensor grad = task.grads[o];
      if (grad != null) {
        task.grads[o] = null;
        grad.unpin();
      }
      Parts parts = task.parts == null ? null : task.parts[o];
      if (parts != null) {
        parts.drop();
      }
    }
    task.parts = null;
  }

  private static boolean isEmpty(Task task) {
    for (Tensor grad : task.grads) {
      if (grad != null) {
        return false;
      }
    }
    return true;
  }

  private void step(Context context, Task task, @Nullable Tensor[] captured) {
    if (task.parts != null) {
      try (var _ = Scope.frame(context)) {
        for (int o = 0; o < task.grads.length; o++) {
          join(task, o);
        }
      }
    }
    if (isEmpty(task)) {
      return;
    }
    Node node = task.node;
    NodeHooks hooks = node.knownHooks();
    if (hooks != null) {
      hooks.tensorHooks(task.grads, createGraph);
    }
    if (capturing) {
      capture(task, captured);
    }
    if (!task.runs) {
      return;
    }
    if (hooks != null) {
      hooks.before(task.grads);
    }
    Shapes.Slice slice = hooks != null || createGraph || context.anomalyMode ? null : node.slice();
    try (var _ = Scope.frame(context)) {
      if (slice == null || !arrivesAsPart(node, slice, task.grads[0])) {
        run(context, task, hooks);
      }
    }
    if (!retainGraph) {
      node.release();
    }
  }

  /// Runs the formulas of a node, and puts what they return where it belongs.
  private void run(Context context, Task task, @Nullable NodeHooks hooks) {
    Node node = task.node;
    @Nullable Tensor[] results =
        context.anomalyMode ? watched(context, node, task.grads) : node.apply(task.grads);
    if (hooks != null) {
      results = hooks.after(results, task.grads);
    }
    Node.@Nullable Edge[] edges = node.edges();
    for (int i = 0; i < results.length; i++) {
      Tensor result = results[i];
      Node.Edge edge = edges[i];
      if (result != null && edge != null && task(edge.node()).reached) {
        arrive(edge, result);
      }
    }
  }

  private void capture(Task task, @Nullable Tensor[] captured) {
    for (int c = 0; c < captured.length; c++) {
      Node.Edge target = targets.get(c);
      Tensor grad = target.node() == task.node ? task.grads[target.output()] : null;
      if (grad != null) {
        boolean own = createGraph || captured.length == 1 && grad.isExclusive();
        Tensor result = own ? grad : Autograd.detachedClone(grad);
        result.adopt();
        captured[c] = result;
      }
    }
  }

  /// Puts a gradient where `edge` leads, adding it to what is there.
  private void arrive(Node.Edge edge, Tensor gradient) {
    Task task = task(edge.node());
    join(task, edge.output());
    Tensor before = task.grads[edge.output()];
    if (before == null) {
      gradient.pin();
      task.grads[edge.output()] = gradient;
    } else if (mayAddTo(before, gradient)) {
      before.add_(gradient);
    } else {
      Tensor sum = before.add(gradient);
      sum.pin();
      task.grads[edge.output()] = sum;
      before.unpin();
    }
  }

  private boolean mayAddTo(Tensor before, Tensor gradient) {
    return !createGraph
        && before.isExclusive()
        && before.isContiguous() // an expanded gradient has less memory than elements
        && before.dtype() == gradient.dtype();
  }

  /// Puts the gradient of a slice where those of other slices of the same tensor are, if it can.
  private boolean arrivesAsPart(Node node, Shapes.Slice slice, @Nullable Tensor gradient) {
    Node.Edge edge = node.edges()[0];
    if (edge == null
        || gradient == null
        || !(node instanceof OperatorNode<?> of)
        || of.inputType() != gradient.dtype()) {
      return false;
    }
    Task task = task(edge.node());
    if (!task.reached) {
      return true;
    }
    int output = edge.output();
    Tensor before = task.grads[output];
    if (before != null) {
      if (!mayAddTo(before, gradient)) {
        return false;
      }
      Parts.addTo(before, slice, gradient);
      return true;
    }
    if (task.parts == null) {
      task.parts = new Parts[task.grads.length];
    }
    Parts parts = task.parts[output];
    if (parts == null) {
      parts = new Parts(of.inputSizes(0));
      task.parts[output] = parts;
    }
    parts.add(slice, gradient);
    if (parts.areEnough()) {
      join(task, output);
    }
    return true;
  }

  /// Makes one gradient of the parts that have arrived, if there are any.
  private static void join(Task task, int output) {
    Parts parts = task.parts == null ? null : task.parts[output];
    if (task.parts != null && parts != null) {
      task.parts[output] = null;
      task.grads[output] = parts.joined();
    }
  }

  // Anomalies

  private static @Nullable Tensor[] watched(Context context, Node node, @Nullable Tensor[] grads) {
    Object outer = context.runningNode;
    context.runningNode = node;
    @Nullable Tensor[] results;
    try {
      results = node.apply(grads);
    } catch (TaperException e) {
      if (node.origin() != null && e.getCause() == null) {
        e.initCause(node.origin());
      }
      throw e;
    } finally {
      context.runningNode = outer;
    }
    if (context.anomalyChecksNan) {
      checkNan(node, results);
    }
    return results;
  }

  private static void checkNan(Node node, @Nullable Tensor[] results) {
    for (int i = 0; i < results.length; i++) {
      Tensor result = results[i];
      if (result != null && Autograd.noGrad(() -> result.isnan().any().itemBoolean())) {
        Throwable origin = node.origin();
        var error =
            new AutogradException(
                "%s: gradients must be numbers, but gradient %d is NaN. %s"
                    .formatted(
                        node.name(),
                        i,
                        origin == null
                            ? "Switch anomalyDetection on before the forward pass to learn which"
                                + " call it belongs to."
                            : "It belongs to the forward call at %s; the cause below has the whole stack."
                                .formatted(node.place())));
        if (origin != null) {
          error.initCause(origin);
        }
        throw error;
      }
    }
  }
}
