package taper.tensor;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;

/// Modes of recording, and gradients as values.
///
/// Modes are per thread, nest, and can be written both as `try (var _ = Autograd.noGrad()) { … }` and, where a value
/// comes out, as `Autograd.noGrad(() -> …)`.
public final class Autograd {
  private Autograd() {}

  /// Records nothing until the guard is closed.
  public static Guard noGrad() {
    return setGradEnabled(false);
  }

  /// Records nothing while `body` runs.
  public static <T> T noGrad(Supplier<T> body) {
    try (var _ = noGrad()) {
      return body.get();
    }
  }

  /// Records nothing while `body` runs.
  public static void noGrad(Runnable body) {
    try (var _ = noGrad()) {
      body.run();
    }
  }

  /// Records again, inside a [#noGrad()].
  public static Guard enableGrad() {
    return setGradEnabled(true);
  }

  /// Records or not, until the guard is closed.
  public static Guard setGradEnabled(boolean on) {
    Context context = Context.current();
    boolean before = context.gradMode;
    context.gradMode = on;
    return () -> context.gradMode = before;
  }

  /// Whether operators are recorded on this thread.
  public static boolean isGradEnabled() {
    return Context.current().gradMode;
  }

  /// Records nothing, and does not keep track of views either, until the guard is closed: the fastest mode.
  public static Guard inferenceMode() {
    Context context = Context.current();
    boolean grad = context.gradMode;
    boolean inference = context.inferenceMode;
    context.gradMode = false;
    context.inferenceMode = true;
    return () -> {
      context.gradMode = grad;
      context.inferenceMode = inference;
    };
  }

  /// Runs `body` in [#inferenceMode()].
  public static <T> T inferenceMode(Supplier<T> body) {
    try (var _ = inferenceMode()) {
      return body.get();
    }
  }

  /// Notes where each operator was called, and stops at the first gradient that is NaN with the forward call that it
  /// belongs to. Slow.
  public static Guard anomalyDetection() {
    Context context = Context.current();
    boolean before = context.anomalyMode;
    context.anomalyMode = true;
    return () -> context.anomalyMode = before;
  }

  /// Runs `body` with [#anomalyDetection()].
  ///
  /// @throws Exception what `body` throws
  public static <T> T anomalyDetection(Callable<T> body) throws Exception {
    try (var _ = anomalyDetection()) {
      return body.call();
    }
  }

  /// The gradients of scalar `output` by `inputs`; the tensors' own `grad` stays as it is.
  ///
  /// @return one gradient per input
  /// @throws AutogradException if an input has no influence on the output; see the longer form
  public static List<Tensor> grad(Tensor output, Tensor... inputs) {
    List<@Nullable Tensor> grads =
        grad(List.of(output), List.of(inputs), List.of(), false, false, false);
    return grads.stream().map(java.util.Objects::requireNonNull).toList();
  }

  /// The gradients of `outputs` by `inputs`.
  ///
  /// @param gradOutputs the gradient by each output; empty if the outputs are scalars
  /// @param retainGraph whether another pass may follow
  /// @param createGraph whether the gradients are themselves recorded, for higher derivatives
  /// @param allowUnused whether an input without influence gets null instead of an error
  /// @return one gradient per input
  public static List<@Nullable Tensor> grad(
      List<Tensor> outputs,
      List<Tensor> inputs,
      List<Tensor> gradOutputs,
      boolean retainGraph,
      boolean createGraph,
      boolean allowUnused) {
    if (!gradOutputs.isEmpty() && gradOutputs.size() != outputs.size()) {
      throw new ArgumentException(
          "grad: there must be one gradient per output, but there are %d gradients and %d outputs."
              .formatted(gradOutputs.size(), outputs.size()));
    }
    var engine = new Engine(retainGraph || createGraph, createGraph);
    for (int i = 0; i < outputs.size(); i++) {
      addRoot(engine, "grad", outputs.get(i), gradOutputs.isEmpty() ? null : gradOutputs.get(i));
    }
    for (int i = 0; i < inputs.size(); i++) {
      Node.Edge edge = inputs.get(i).edge();
      if (edge == null) {
        throw new AutogradException(
            "grad: input %d must require grad, but does not. Call requiresGrad_(true) on it before it is used."
                .formatted(i));
      }
      engine.capture(edge);
    }
    List<@Nullable Tensor> result = engine.run();
    for (int i = 0; i < result.size(); i++) {
      if (result.get(i) == null && !allowUnused) {
        throw new AutogradException(
            "grad: every input must take part in the outputs, but input %d, of shape %s, does not. Pass allowUnused to get null for it."
                .formatted(i, inputs.get(i).shape()));
      }
    }
    return result;
  }

  static void backward(
      Tensor root, @Nullable Tensor gradient, boolean retainGraph, boolean createGraph) {
    var engine = new Engine(retainGraph || createGraph, createGraph);
    addRoot(engine, "backward", root, gradient);
    engine.run();
  }

  private static void addRoot(Engine engine, String what, Tensor root, @Nullable Tensor gradient) {
    Node.Edge edge = root.edge();
    if (edge == null) {
      throw new AutogradException(
          "%s: the tensor must have been computed from one that requires grad, but this %s tensor of shape %s was not. Call requiresGrad_(true) on a leaf, and check that no detach() or noGrad() lies between."
              .formatted(what, root.dtype(), root.shape()));
    }
    if (gradient == null) {
      if (root.numel() != 1) {
        throw new AutogradException(
            "%s: without a gradient argument the tensor must be a scalar, but it has shape %s. Reduce it with sum() or mean(), or pass the gradient."
                .formatted(what, root.shape()));
      }
      if (root.dtype().isComplex()) {
        throw new AutogradException(
            "%s: without a gradient argument the tensor must be real, but is %s. Take real() or abs() of it, or pass the gradient."
                .formatted(what, root.dtype()));
      }
      gradient = noGrad(() -> Tensor.ones(root.dtype(), root.sizes()));
    } else if (!gradient.shape().equals(root.shape())) {
      throw new ShapeException(
          "%s: the gradient must have the shape of the tensor, %s, but has %s."
              .formatted(what, root.shape(), gradient.shape()));
    }
    engine.root(edge, gradient);
  }

  /// A copy without a history.
  static Tensor detachedClone(Tensor x) {
    return Copies.converted(x, x.dtype());
  }

  static AutogradException freed(Node node) {
    return new AutogradException(
        "%s: the graph must not have been walked before, but its saved tensors were freed by an earlier backward or by the end of their memory scope. Pass retainGraph to the first backward if a second one follows."
            .formatted(node.name()));
  }
}
