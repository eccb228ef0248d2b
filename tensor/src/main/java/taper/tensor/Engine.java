package taper.tensor;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;
import taper.tensor.internal.Scope;

/// One walk from outputs back to leaves.
///
/// First the part of the graph that can be reached is counted, without recursion, so that depth does not matter. Then
/// nodes whose gradients are complete run, the youngest first. Each node runs inside a memory frame: what its formula
/// makes and does not return is gone at once. Gradients on their way are pinned by the node that waits for them; when it
/// has run, they go too. A gradient that only the engine knows is added to in place.
final class Engine {
  private final boolean retainGraph;
  private final boolean createGraph;
  private final IdentityHashMap<Node, Task> tasks = new IdentityHashMap<>();
  private final List<Root> roots = new ArrayList<>();
  private final List<Node.Edge> captures = new ArrayList<>();

  private record Root(Node.Edge edge, Tensor gradient) {}

  private static final class Task {
    final Node node;
    final @Nullable Tensor[] grads;
    int waitsFor;
    boolean needed = true;
    boolean seen;

    Task(Node node) {
      this.node = node;
      this.grads = new Tensor[node.outputCount()];
    }
  }

  Engine(boolean retainGraph, boolean createGraph) {
    this.retainGraph = retainGraph;
    this.createGraph = createGraph;
  }

  void root(Node.Edge edge, Tensor gradient) {
    roots.add(new Root(edge, gradient));
  }

  void capture(Node.Edge edge) {
    captures.add(edge);
  }

  private Task task(Node node) {
    return tasks.computeIfAbsent(node, Task::new);
  }

  /// Walks, and returns what was captured, in order; null where no gradient arrived.
  List<@Nullable Tensor> run() {
    Context context = Context.current();
    boolean mode = context.gradMode;
    context.gradMode = createGraph;
    @Nullable Tensor[] captured = new Tensor[captures.size()];
    try {
      List<Node> order = count();
      if (!captures.isEmpty()) {
        prune(order);
      }
      try (var _ = Scope.frame(context)) {
        for (Root root : roots) {
          arrive(root.edge, root.gradient);
        }
      }
      walk(context, captured);
    } finally {
      context.gradMode = mode;
      for (Task task : tasks.values()) {
        dropGrads(task); // after an error; otherwise nothing is left
      }
    }
    List<@Nullable Tensor> result = new ArrayList<>();
    for (Tensor tensor : captured) {
      result.add(tensor);
    }
    return result;
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

  /// Leaves out nodes from which no captured tensor can be reached.
  private void prune(List<Node> order) {
    for (Node node : order) {
      task(node).needed = false;
    }
    for (Node.Edge capture : captures) {
      task(capture.node()).needed = true;
    }
    order.sort(Comparator.comparingLong(Node::sequence)); // children are older than parents
    // Leaves come first in a walk from the oldest; accumulators have the highest number but no
    // children.
    for (Node node : order) {
      Task task = task(node);
      for (Node.Edge edge : node.edges()) {
        task.needed |= edge != null && task(edge.node()).needed;
      }
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
      if (task.needed) {
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
    }
  }

  private void step(Context context, Task task, @Nullable Tensor[] captured) {
    boolean any = false;
    for (Tensor grad : task.grads) {
      any |= grad != null;
    }
    if (!any) {
      return;
    }
    Node node = task.node;
    if (node.hasPreHooks()) {
      runHooks(task);
    }
    for (int c = 0; c < captured.length; c++) {
      Node.Edge capture = captures.get(c);
      Tensor grad = capture.node() == node ? task.grads[capture.output()] : null;
      if (grad != null) {
        boolean own = createGraph || captured.length == 1 && grad.isExclusive();
        captured[c] = own ? grad : Autograd.detachedClone(grad);
        adopt(captured[c]);
      }
    }
    if (!captures.isEmpty() && node instanceof AccumulateGrad) {
      return; // grad() leaves the tensors' own gradients alone
    }
    try (var _ = Scope.frame(context)) {
      @Nullable Tensor[] results = node.apply(task.grads);
      if (context.anomalyMode) {
        checkNan(node, results);
      }
      Node.@Nullable Edge[] edges = node.edges();
      for (int i = 0; i < results.length; i++) {
        Tensor result = results[i];
        Node.Edge edge = edges[i];
        if (result != null && edge != null && task(edge.node()).needed) {
          arrive(edge, result);
        }
      }
    }
    if (!retainGraph) {
      node.release();
    }
  }

  private static void adopt(@Nullable Tensor tensor) {
    if (tensor != null) {
      tensor.adopt();
    }
  }

  /// Puts a gradient where `edge` leads, adding it to what is there.
  private void arrive(Node.Edge edge, Tensor gradient) {
    Task task = task(edge.node());
    Tensor before = task.grads[edge.output()];
    if (before == null) {
      gradient.pin();
      task.grads[edge.output()] = gradient;
    } else if (!createGraph
        && before.isExclusive()
        && before.isContiguous() // an expanded gradient has less memory than elements
        && before.dtype() == gradient.dtype()) {
      before.add_(gradient);
    } else {
      Tensor sum = before.add(gradient);
      sum.pin();
      task.grads[edge.output()] = sum;
      before.unpin();
    }
  }

  private static void runHooks(Task task) {
    for (int o = 0; o < task.grads.length; o++) {
      for (UnaryOperator<Tensor> hook : List.copyOf(task.node.preHooks(o))) {
        Tensor grad = task.grads[o];
        if (grad != null) {
          grad.adopt(); // the hook may keep it
          Tensor replaced = Checks.hooked(grad, hook.apply(grad));
          if (replaced != null && replaced != grad) {
            replaced.pin();
            grad.unpin();
            task.grads[o] = replaced;
          }
        }
      }
    }
  }

  private static void checkNan(Node node, @Nullable Tensor[] results) {
    for (int i = 0; i < results.length; i++) {
      Tensor result = results[i];
      if (result != null && Autograd.noGrad(() -> result.isnan().any().itemBoolean())) {
        var error =
            new AutogradException(
                "%s: gradients must be numbers, but gradient %d is NaN. The cause is the forward call in the stack trace below."
                    .formatted(node.name(), i));
        Throwable origin = node.origin();
        if (origin != null) {
          error.initCause(origin);
        }
        throw error;
      }
    }
  }
}
