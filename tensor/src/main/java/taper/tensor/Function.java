package taper.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import taper.tensor.Node.Edge;
import taper.tensor.internal.Context;
import taper.tensor.internal.Scope;

/// A function with a gradient of its own, where the operators' own gradients are not what is wanted: PyTorch's
/// `autograd.Function`.
///
/// ```java
/// final class Exp extends Function {
///   @Override
///   protected List<Tensor> forward(Saver saver, List<Tensor> inputs) {
///     var y = inputs.getFirst().exp();
///     saver.save(y);
///     return List.of(y);
///   }
///
///   @Override
///   protected List<Tensor> backward(Saver saver, Tensor[] grads) {
///     return List.of(grads[0].mul(saver.saved(0)));
///   }
/// }
/// var y = new Exp().apply(x).getFirst();
/// ```
///
/// Numbers and other settings belong into the constructor. Instances should have no state of the call; what the gradient
/// needs goes through the [Saver]. The gradient is differentiable again if `backward` is written with operators, unless
/// [#isOnceDifferentiable()] says otherwise.
public abstract class Function {

  /// For subclasses.
  protected Function() {}

  /// The results for `inputs`. Runs without being recorded.
  protected abstract List<Tensor> forward(Saver saver, List<Tensor> inputs);

  /// The gradient of each input, null for none, from the gradient of each output: zeros if none has arrived, or null if
  /// `forward` asked for that with [Saver#materializeGrads(boolean)].
  protected abstract List<@Nullable Tensor> backward(Saver saver, @Nullable Tensor[] grads);

  /// The name of its nodes in the graph, without `Backward`.
  public String name() {
    return getClass().getSimpleName();
  }

  /// Whether the result of `backward` cannot be differentiated again, since something in it is not recorded. Asking for
  /// such a second derivative is then an error instead of a wrong number.
  protected boolean isOnceDifferentiable() {
    return false;
  }

  /// Applies the function.
  ///
  /// @throws AutogradException if `forward` changes an input in place without saying so, or one that must not be changed
  public final List<Tensor> apply(Tensor... inputs) {
    var saver = new Saver();
    for (int i = 0; i < inputs.length; i++) {
      Checks.given(name(), "input " + i, inputs[i]);
    }
    List<Tensor> in = List.of(inputs);
    Context context = Context.current();
    boolean grad = context.gradMode && in.stream().anyMatch(Tensor::requiresGrad);
    int[] versions = in.stream().mapToInt(Tensor::version).toArray();
    // before forward: an input that it changes has this history, not the one after
    var node = grad ? new FunctionNode(this, saver, in) : null;
    in.forEach(x -> x.shown(context));
    Scope inside = Scope.leaveFrames(context);
    List<Tensor> outputs;
    try {
      outputs = given("forward", Autograd.noGrad(() -> forward(saver, in)));
    } finally {
      Scope.reenter(context, inside);
    }
    checkChanges(in, versions, saver, grad);
    if (node == null) {
      return outputs;
    }
    node.outputs(outputs);
    var result = new ArrayList<Tensor>();
    for (int o = 0; o < outputs.size(); o++) {
      Tensor out = outputs.get(o);
      if (saver.changed.contains(out)) {
        InPlace.rebase(out, node, o);
      } else {
        if (in.contains(out)) {
          out = out.detach(); // an input handed back must not become a step after itself
        }
        if (out.dtype().isDifferentiable() && !saver.constants.contains(outputs.get(o))) {
          out.attach(node, o);
          out.madeAs(Meta.Origin.CUSTOM_FUNCTION);
        }
      }
      result.add(out);
    }
    saver.keep(node, outputs, result);
    if (context.anomalyMode) {
      node.recordOrigin();
    }
    if (context.hasScope()) {
      Scope.atEnd(context, node::release);
    }
    return List.copyOf(result);
  }

  /// The tensors that `method` must have returned.
  private List<Tensor> given(String method, @Nullable List<Tensor> tensors) {
    if (tensors == null || tensors.stream().anyMatch(Objects::isNull)) {
      throw new AutogradException(
          "%s: %s must return tensors, but returned %s."
              .formatted(name(), method, tensors == null ? "null" : "a list with null in it"));
    }
    return tensors;
  }

  private void checkChanges(List<Tensor> in, int[] versions, Saver saver, boolean grad) {
    for (int i = 0; i < versions.length; i++) {
      Tensor x = in.get(i);
      boolean said = saver.changed.contains(x);
      if (!said && x.version() != versions[i] && grad) {
        throw new AutogradException(
            "%s: forward must say which inputs it changes in place, but changed input %d without that. Call saver.markDirty on it."
                .formatted(name(), i));
      }
      if (said && grad && (x.isLeaf() && x.requiresGrad() || x.meta().base != null)) {
        throw new AutogradException(
            "%s: forward must not change a leaf that requires grad, nor a view, in place, but input %d, a %s tensor of shape %s, is one. Apply it to a clone()."
                .formatted(name(), i, x.dtype(), x.shape()));
      }
    }
  }

  /// Carries tensors from the forward to the backward pass. Belongs to one call.
  public static final class Saver {
    private final List<Tensor> asked = new ArrayList<>();
    private final List<Tensor> changed = new ArrayList<>();
    private final List<Tensor> constants = new ArrayList<>();
    private final List<Saved> saved = new ArrayList<>();
    private boolean materialize = true;
    private @Nullable FunctionNode node;
    private @Nullable Edge[] edges = {};

    private Saver() {}

    /// Keeps `tensors`, inputs, outputs or others, for the backward pass.
    public void save(Tensor... tensors) {
      for (Tensor tensor : tensors) {
        Checks.given("Function", "a tensor to save", tensor);
      }
      asked.addAll(Arrays.asList(tensors));
    }

    /// Says that `forward` has changed these inputs in place, and returns them.
    public void markDirty(Tensor... inputs) {
      changed.addAll(Arrays.asList(inputs));
    }

    /// Says that no gradient flows from these outputs.
    public void markNonDifferentiable(Tensor... outputs) {
      constants.addAll(Arrays.asList(outputs));
    }

    /// Whether `backward` is given zeros for outputs whose gradient has not arrived, which is so unless `forward` says
    /// otherwise.
    public void materializeGrads(boolean on) {
      materialize = on;
    }

    /// What was saved at `position`.
    ///
    /// @throws AutogradException if it has been changed in place since
    public Tensor saved(int position) {
      FunctionNode reader = node;
      if (reader == null) {
        throw new IllegalStateException("saved tensors are read in backward");
      }
      return saved.get(position).get(reader, "saved tensor " + position).shown(Context.current());
    }

    /// Whether the gradient of input `position` is asked for: PyTorch's `needs_input_grad`.
    public boolean needs(int position) {
      return position < edges.length && edges[position] != null;
    }

    boolean materializesGrads() {
      return materialize;
    }

    /// Begins the backward pass, or the forward one, in which nothing can be read yet.
    Saver reading(@Nullable FunctionNode reader, @Nullable Edge[] wanted) {
      node = reader;
      edges = wanted;
      return this;
    }

    private void keep(FunctionNode made, List<Tensor> outputs, List<Tensor> results) {
      for (Tensor tensor : asked) {
        int output = outputs.indexOf(tensor);
        boolean own = output >= 0 && results.get(output).gradFn() == made;
        saved.add(own ? new Saved(results.get(output), made, output) : new Saved(tensor));
      }
      asked.clear();
    }

    void used() {
      saved.forEach(Saved::used);
    }

    void release() {
      saved.forEach(Saved::release);
    }
  }
}
