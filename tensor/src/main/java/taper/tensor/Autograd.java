package taper.tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
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
    return Setting.of("noGrad", Setting.Mode.GRAD, false);
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
    return Setting.of("enableGrad", Setting.Mode.GRAD, true);
  }

  /// Records again while `body` runs.
  public static <T> T enableGrad(Supplier<T> body) {
    try (var _ = enableGrad()) {
      return body.get();
    }
  }

  /// Records or not, until the guard is closed.
  public static Guard setGradEnabled(boolean on) {
    return Setting.of("setGradEnabled", Setting.Mode.GRAD, on);
  }

  /// Whether operators are recorded on this thread.
  public static boolean isGradEnabled() {
    return Context.current().gradMode;
  }

  /// Records nothing, and lets no tensor that is made take part in a graph later, until the guard is closed: the fastest
  /// mode.
  public static Guard inferenceMode() {
    return inferenceMode(true);
  }

  /// Switches [#inferenceMode()] on or, inside of it, off until the guard is closed.
  public static Guard inferenceMode(boolean on) {
    boolean grad = !on && (isGradEnabled() || isInferenceMode());
    return Setting.both(
        Setting.of("inferenceMode", Setting.Mode.GRAD, grad),
        Setting.of("inferenceMode", Setting.Mode.INFERENCE, on));
  }

  /// Runs `body` in [#inferenceMode()].
  public static <T> T inferenceMode(Supplier<T> body) {
    try (var _ = inferenceMode()) {
      return body.get();
    }
  }

  /// Whether [#inferenceMode()] is in force on this thread.
  public static boolean isInferenceMode() {
    return Context.current().inferenceMode;
  }

  /// Notes where each operator was called, and stops at the first gradient that is NaN with the forward call that it
  /// belongs to. Errors of a backward pass get that call as their cause. Slow.
  public static Guard anomalyDetection() {
    return setDetectAnomaly(true, true);
  }

  /// Runs `body` with [#anomalyDetection()].
  ///
  /// @throws Exception what `body` throws
  public static <T> T anomalyDetection(Callable<T> body) throws Exception {
    try (var _ = anomalyDetection()) {
      return body.call();
    }
  }

  /// Switches [#anomalyDetection()] on or off until the guard is closed.
  public static Guard setDetectAnomaly(boolean on) {
    return setDetectAnomaly(on, true);
  }

  /// As the shorter form.
  ///
  /// @param checkNan whether gradients that are NaN are errors, too
  public static Guard setDetectAnomaly(boolean on, boolean checkNan) {
    return Setting.both(
        Setting.of("setDetectAnomaly", Setting.Mode.ANOMALY, on),
        Setting.of("setDetectAnomaly", Setting.Mode.ANOMALY_NAN, checkNan));
  }

  /// Whether [#anomalyDetection()] is in force on this thread.
  public static boolean isAnomalyEnabled() {
    return Context.current().anomalyMode;
  }

  // Saved tensors

  /// Keeps what `pack` returns in the place of every tensor that the graph saves until the guard is closed, and gives it to
  /// `unpack` when the backward pass needs the tensor again: on disk, compressed, on another device.
  ///
  /// ```java
  /// try (var _ = Autograd.savedTensorsHooks(
  ///     x -> x.to(DType.BFLOAT16), (Tensor packed) -> packed.to(DType.FLOAT32))) {
  ///   loss = model.call(x).mean();
  /// }
  /// ```
  ///
  /// The tensor given to `pack` must not be changed. Changes of a saved tensor in place go unnoticed while hooks are in
  /// force. Hooks do not see what other hooks, inside or outside, have seen: the innermost count.
  ///
  /// @param pack what to keep of a tensor
  /// @param unpack the tensor again, with the same shape and type
  /// @param <P> what is kept
  public static <P> Guard savedTensorsHooks(
      Function<? super Tensor, ? extends P> pack, Function<? super P, Tensor> unpack) {
    return SavedTensorHooks.use(new SavedTensorHooks.Custom<>(pack, unpack));
  }

  /// Runs `body` with [#savedTensorsHooks(Function, Function)].
  public static <P, T> T savedTensorsHooks(
      Function<? super Tensor, ? extends P> pack,
      Function<? super P, Tensor> unpack,
      Supplier<T> body) {
    try (var _ = savedTensorsHooks(pack, unpack)) {
      return body.get();
    }
  }

  /// Keeps every tensor that the graph saves in the memory of the CPU until the guard is closed, and brings it back to its
  /// device for the backward pass.
  public static Guard saveOnCpu() {
    record Moved(Tensor tensor, Device device) {}
    return savedTensorsHooks(
        tensor -> new Moved(tensor.to(Device.CPU), tensor.device()),
        (Moved moved) -> moved.tensor().to(moved.device()));
  }

  // Gradients

  /// The gradients of scalar `output` by `inputs`; the tensors' own `grad` stays as it is.
  ///
  /// @return one gradient per input
  /// @throws AutogradException if an input has no influence on the output; see the longer form
  public static List<Tensor> grad(Tensor output, Tensor... inputs) {
    List<@Nullable Tensor> grads = grad(List.of(output), List.of(inputs), o -> o);
    return grads.stream().map(Objects::requireNonNull).toList();
  }

  /// The gradients of `output` by `inputs`, with options.
  ///
  /// @return one gradient per input
  public static List<@Nullable Tensor> grad(
      Tensor output, List<Tensor> inputs, UnaryOperator<GradOptions> options) {
    return grad(List.of(output), inputs, options);
  }

  /// The gradients of `outputs` by `inputs`, with options: `o -> o.gradOutputs(v).createGraph(true)`. The tensors' own
  /// `grad` stays as it is.
  ///
  /// @return one gradient per input, which may be null only with [GradOptions#allowUnused()]
  /// @throws AutogradException if an output has no history, an input does not require grad or takes no part, or the graph
  /// was freed
  public static List<@Nullable Tensor> grad(
      List<Tensor> outputs, List<Tensor> inputs, UnaryOperator<GradOptions> options) {
    GradOptions chosen = options.apply(GradOptions.DEFAULT);
    counted("grad", chosen.gradOutputs().size(), outputs.size());
    return chosen.isGradsBatched()
        ? batched(outputs, inputs, chosen)
        : grad(outputs, inputs, chosen);
  }

  private static void counted(String what, int gradients, int outputs) {
    if (gradients != 0 && gradients != outputs) {
      throw new ArgumentException(
          "%s: there must be one gradient per output, but there are %d gradients and %d outputs."
              .formatted(what, gradients, outputs));
    }
  }

  private static List<@Nullable Tensor> grad(
      List<Tensor> outputs, List<Tensor> inputs, GradOptions options) {
    List<Tensor> given = options.gradOutputs();
    boolean create = options.createGraph();
    var engine = new Engine(options.retainGraph() || create, create, true);
    for (int i = 0; i < outputs.size(); i++) {
      addRoot(engine, "grad", outputs.get(i), given.isEmpty() ? null : given.get(i));
    }
    for (int i = 0; i < inputs.size(); i++) {
      engine.target(edgeOfInput("grad", inputs.get(i), i));
    }
    List<@Nullable Tensor> result = engine.run();
    for (int i = 0; i < result.size(); i++) {
      if (result.get(i) == null && options.materializeGrads()) {
        Tensor input = inputs.get(i);
        result.set(i, noGrad(() -> Tensor.zeros(input.dtype(), input.sizes())));
      } else if (result.get(i) == null && !options.allowUnused()) {
        throw new AutogradException(
            "grad: every input must take part in the outputs, but input %d, of shape %s, does not. Pass allowUnused to get null for it."
                .formatted(i, inputs.get(i).shape()));
      }
    }
    return result;
  }

  private static Node.Edge edgeOfInput(String what, Tensor input, int position) {
    Node.Edge edge = input.edge();
    if (edge == null) {
      throw new AutogradException(
          "%s: input %d must require grad, but does not. Call requiresGrad_(true) on it before it is used."
              .formatted(what, position));
    }
    return edge;
  }

  /// One pass for each index of dimension 0 of the gradients of the outputs.
  private static List<@Nullable Tensor> batched(
      List<Tensor> outputs, List<Tensor> inputs, GradOptions options) {
    List<Tensor> given = options.gradOutputs();
    if (given.isEmpty() || given.stream().anyMatch(g -> g.dim() == 0 || g.size(0) == 0)) {
      throw new ArgumentException(
          "grad: with isGradsBatched each output must have a gradient with one more dimension in"
              + " front, of at least one index, but not all have. Pass gradOutputs.");
    }
    long count = given.getFirst().size(0);
    var passes = new ArrayList<List<@Nullable Tensor>>();
    for (long k = 0; k < count; k++) {
      long index = k;
      boolean last = k == count - 1;
      passes.add(
          grad(
              outputs,
              inputs,
              options
                  .gradOutputs(given.stream().map(g -> g.select(0, index)).toList())
                  .retainGraph(options.retainGraph() || !last)));
    }
    List<@Nullable Tensor> result = new ArrayList<>();
    for (int i = 0; i < inputs.size(); i++) {
      var parts = new ArrayList<Tensor>();
      for (List<@Nullable Tensor> pass : passes) {
        Tensor part = pass.get(i);
        if (part != null) {
          parts.add(part);
        }
      }
      result.add(parts.isEmpty() ? null : Tensor.stack(parts, 0));
    }
    return result;
  }

  /// Computes the gradients of scalar `tensors` by the leaves that they depend on, and adds them to their `grad`.
  public static void backward(Tensor... tensors) {
    backward(List.of(tensors), o -> o);
  }

  /// As the shorter form, with options: `o -> o.gradTensors(v).retainGraph(true)`.
  ///
  /// @throws AutogradException if a tensor has no history or, without a gradient, is no scalar, or the graph was freed
  public static void backward(List<Tensor> tensors, UnaryOperator<BackwardOptions> options) {
    BackwardOptions chosen = options.apply(BackwardOptions.DEFAULT);
    List<Tensor> given = chosen.gradTensors();
    counted("backward", given.size(), tensors.size());
    boolean create = chosen.createGraph();
    var engine = new Engine(chosen.retainGraph() || create, create, false);
    for (int i = 0; i < tensors.size(); i++) {
      addRoot(engine, "backward", tensors.get(i), given.isEmpty() ? null : given.get(i));
    }
    for (int i = 0; i < chosen.inputs().size(); i++) {
      Tensor input = chosen.inputs().get(i);
      engine.target(edgeOfInput("backward", input, i));
      input.retainGrad();
    }
    engine.run();
  }

  static void backward(
      Tensor root, @Nullable Tensor gradient, boolean retainGraph, boolean createGraph) {
    var engine = new Engine(retainGraph || createGraph, createGraph, false);
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
    } else if (gradient.dtype() != root.dtype()) {
      gradient = gradient.to(root.dtype());
    }
    engine.root(edge, gradient);
  }

  // Derivatives of functions

  /// The outputs of a function, and a product of its derivative with a vector.
  ///
  /// @param outputs what the function returned
  /// @param products the product, one tensor for each input (`vjp`, `vhp`, `hvp`) or output (`jvp`)
  public record Products(List<Tensor> outputs, List<Tensor> products) {}

  /// The output of a function, and a product of its derivative with a vector.
  ///
  /// @param output what the function returned
  /// @param product the product
  public record Product(Tensor output, Tensor product) {
    Product(Products all) {
      this(all.outputs.getFirst(), all.products.getFirst());
    }
  }

  private static Function<List<Tensor>, List<Tensor>> several(UnaryOperator<Tensor> function) {
    return in -> List.of(function.apply(in.getFirst()));
  }

  /// The derivative of every element of `function(input)` by every element of `input`, by reverse mode: one pass for each
  /// element of the output.
  ///
  /// - Shape: that of the output, followed by that of the input
  public static Tensor jacobian(UnaryOperator<Tensor> function, Tensor input) {
    return jacobian(function, input, o -> o);
  }

  /// As the shorter form, with options.
  public static Tensor jacobian(
      UnaryOperator<Tensor> function, Tensor input, UnaryOperator<JacobianOptions> options) {
    return Derivatives.jacobian(several(function), List.of(input), options).getFirst().getFirst();
  }

  /// The derivatives of each output by each input: the one at `[o][i]` has the shape of output `o`, followed by that of
  /// input `i`.
  public static List<List<Tensor>> jacobian(
      Function<List<Tensor>, List<Tensor>> function,
      List<Tensor> inputs,
      UnaryOperator<JacobianOptions> options) {
    return Derivatives.jacobian(function, inputs, options);
  }

  /// The second derivatives of scalar `function(input)`.
  ///
  /// - Shape: that of the input, twice
  public static Tensor hessian(UnaryOperator<Tensor> function, Tensor input) {
    return hessian(function, input, o -> o);
  }

  /// As the shorter form, with options.
  public static Tensor hessian(
      UnaryOperator<Tensor> function, Tensor input, UnaryOperator<JacobianOptions> options) {
    return Derivatives.hessian(several(function), List.of(input), options).getFirst().getFirst();
  }

  /// The second derivatives of a scalar function of several inputs: the one at `[i][j]` has the shape of input `i`,
  /// followed by that of input `j`.
  public static List<List<Tensor>> hessian(
      Function<List<Tensor>, Tensor> function,
      List<Tensor> inputs,
      UnaryOperator<JacobianOptions> options) {
    return Derivatives.hessian(in -> List.of(function.apply(in)), inputs, options);
  }

  /// `v` times the Jacobian of `function` at `input`: what one backward pass computes. `v` has the shape of the output.
  public static Product vjp(UnaryOperator<Tensor> function, Tensor input, Tensor v) {
    return new Product(vjp(several(function), List.of(input), List.of(v), o -> o));
  }

  /// As the shorter form, for several inputs and outputs; `v` may be empty for one output with one element.
  public static Products vjp(
      Function<List<Tensor>, List<Tensor>> function,
      List<Tensor> inputs,
      List<Tensor> v,
      UnaryOperator<JacobianOptions> options) {
    return Derivatives.vjp(function, inputs, v, options);
  }

  /// The Jacobian of `function` at `input` times `v`, which has the shape of the input: the derivative in the direction
  /// `v`. Takes a second backward pass through the first, so all operators in it must be differentiable twice.
  public static Product jvp(UnaryOperator<Tensor> function, Tensor input, Tensor v) {
    return new Product(jvp(several(function), List.of(input), List.of(v), o -> o));
  }

  /// As the shorter form, for several inputs and outputs; `v` may be empty for one input with one element.
  public static Products jvp(
      Function<List<Tensor>, List<Tensor>> function,
      List<Tensor> inputs,
      List<Tensor> v,
      UnaryOperator<JacobianOptions> options) {
    return Derivatives.jvp(function, inputs, v, options);
  }

  /// `v` times the Hessian of scalar `function` at `input`, without computing the Hessian.
  public static Product vhp(UnaryOperator<Tensor> function, Tensor input, Tensor v) {
    return new Product(Derivatives.vhp(several(function), List.of(input), List.of(v), o -> o));
  }

  /// As the shorter form, for several inputs.
  public static Products vhp(
      Function<List<Tensor>, Tensor> function,
      List<Tensor> inputs,
      List<Tensor> v,
      UnaryOperator<JacobianOptions> options) {
    return Derivatives.vhp(in -> List.of(function.apply(in)), inputs, v, options);
  }

  /// The Hessian of scalar `function` at `input` times `v`. Where second derivatives are continuous that is [#vhp], which
  /// is faster.
  public static Product hvp(UnaryOperator<Tensor> function, Tensor input, Tensor v) {
    return new Product(Derivatives.hvp(several(function), List.of(input), List.of(v), o -> o));
  }

  /// As the shorter form, for several inputs.
  public static Products hvp(
      Function<List<Tensor>, Tensor> function,
      List<Tensor> inputs,
      List<Tensor> v,
      UnaryOperator<JacobianOptions> options) {
    return Derivatives.hvp(in -> List.of(function.apply(in)), inputs, v, options);
  }

  // Shared

  /// A copy without a history.
  static Tensor detachedClone(Tensor x) {
    return Copies.converted(x, x.dtype());
  }

  static AutogradException freed(String owner) {
    return new AutogradException(
        "%s: the graph must not have been walked before, but its saved tensors were freed by an earlier backward or by the end of their memory scope. Pass retainGraph to the first backward if a second one follows."
            .formatted(owner));
  }
}
