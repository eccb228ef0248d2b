package taper.tensor;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;
import taper.tensor.internal.Scope;

/// The node of a custom function.
final class FunctionNode extends Node {
  private final Function function;
  private final Function.Saver context;
  private final @Nullable Edge[] edges;
  private final long[][] inputSizes;
  private final DType[] inputTypes;
  private long[][] outputSizes = {};
  private DType[] outputTypes = {};
  private volatile boolean released;

  FunctionNode(Function function, Function.Saver context, List<Tensor> inputs) {
    this.function = function;
    this.context = context;
    this.edges = new Edge[inputs.size()];
    for (int i = 0; i < edges.length; i++) {
      edges[i] = inputs.get(i).edge();
    }
    this.inputSizes = inputs.stream().map(Tensor::sizes).toArray(long[][]::new);
    this.inputTypes = inputs.stream().map(Tensor::dtype).toArray(DType[]::new);
    context.reading(null, edges);
  }

  /// Notes the results of the forward pass.
  void outputs(List<Tensor> outputs) {
    outputSizes = outputs.stream().map(Tensor::sizes).toArray(long[][]::new);
    outputTypes = outputs.stream().map(Tensor::dtype).toArray(DType[]::new);
  }

  @Override
  public String name() {
    return function.name() + "Backward";
  }

  @Override
  int outputCount() {
    return outputSizes.length;
  }

  @Override
  @Nullable Edge[] edges() {
    return edges;
  }

  @Override
  @Nullable Tensor[] apply(@Nullable Tensor[] grads) {
    if (released) {
      throw Autograd.freed(name());
    }
    @Nullable Tensor[] given = grads.clone();
    for (int o = 0; o < given.length; o++) {
      if (given[o] == null && context.materializesGrads()) {
        given[o] = Tensor.zeros(outputTypes[o], outputSizes[o]);
      }
    }
    boolean once = function.isOnceDifferentiable() && Autograd.isGradEnabled();
    List<@Nullable Tensor> result;
    Context thread = Context.current();
    boolean mode = thread.gradMode;
    for (Tensor grad : given) {
      if (grad != null) {
        grad.shown(thread);
      }
    }
    Scope inside = Scope.leaveFrames(thread);
    thread.gradMode = mode && !once;
    try {
      result = function.backward(context.reading(this, edges), given);
    } finally {
      thread.gradMode = mode;
      Scope.reenter(thread, inside);
      context.used();
    }
    if (result == null) {
      throw new AutogradException(
          "%s: backward must return a list with one gradient per input, but returned null. A gradient that is not there is null in the list."
              .formatted(name()));
    }
    if (result.size() != edges.length) {
      throw new AutogradException(
          "%s: backward must return one gradient per input, that is %d, but returned %d."
              .formatted(name(), edges.length, result.size()));
    }
    @Nullable Tensor[] fitted = new Tensor[edges.length];
    for (int i = 0; i < edges.length; i++) {
      Tensor grad = result.get(i);
      if (grad != null && edges[i] != null) {
        fitted[i] = once ? differentiatedOnce(fitted(i, grad), grads) : fitted(i, grad);
      }
    }
    return fitted;
  }

  /// The gradient with the shape and type of input `i`.
  private Tensor fitted(int i, Tensor grad) {
    Tensor fitted = grad;
    if (!grad.shape().equals(Shape.of(inputSizes[i]))) {
      if (!broadcasts(inputSizes[i], grad.sizesInternal())) {
        throw new ShapeException(
            "%s: backward must return gradients of the shapes of the inputs, but input %d has shape %s and its gradient %s."
                .formatted(name(), i, Shape.of(inputSizes[i]), grad.shape()));
      }
      fitted = grad.sumToSize(inputSizes[i]);
    }
    return fitted.dtype() == inputTypes[i] ? fitted : fitted.to(inputTypes[i]);
  }

  /// Whether a tensor of sizes `from` can be expanded to `to`.
  private static boolean broadcasts(long[] from, long[] to) {
    int lead = to.length - from.length;
    boolean fits = lead >= 0;
    for (int d = 0; fits && d < from.length; d++) {
      fits = from[d] == 1 || from[d] == to[lead + d];
    }
    return fits;
  }

  private Tensor differentiatedOnce(Tensor grad, @Nullable Tensor[] grads) {
    @Nullable Edge[] further = Arrays.copyOf(edges, edges.length + grads.length);
    for (int o = 0; o < grads.length; o++) {
      Tensor given = grads[o];
      further[edges.length + o] = given == null ? null : given.edge();
    }
    return ErrorNode.behind(
        grad,
        "%s: the gradient must not be differentiated again, but a second derivative was asked for. The function says that it is differentiable only once."
            .formatted(name()),
        further);
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
