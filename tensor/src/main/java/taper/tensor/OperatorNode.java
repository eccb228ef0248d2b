package taper.tensor;

import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;

/// The node of one call of an operator.
final class OperatorNode<A extends Record> extends Node {
  private final Operator<A> operator;
  private final A attributes;
  private final @Nullable Edge[] edges;
  private final @Nullable Saved[] inputs;
  private final long[] @Nullable [] inputSizes;
  private final @Nullable DType[] inputTypes;
  private final @Nullable Saved[] outputs;
  private final Parameters parameters;
  private long[][] outputSizes = {};
  private DType[] outputTypes = {};
  private volatile boolean released;

  private OperatorNode(
      Operator<A> operator, A attributes, Parameters parameters, @Nullable Tensor[] in) {
    this.operator = operator;
    this.parameters = parameters;
    this.attributes = attributes;
    int n = in.length;
    this.edges = new Edge[n];
    this.inputs = new Saved[n];
    this.inputSizes = new long[n][];
    this.inputTypes = new DType[n];
    this.outputs = new Saved[operator.signature().outputCount()];
    for (int i = 0; i < n; i++) {
      Tensor x = in[i];
      if (x != null) {
        edges[i] = x.edge();
        inputSizes[i] = x.sizes();
        inputTypes[i] = x.dtype();
      }
    }
  }

  /// Begins the node, before the kernel runs: saves the inputs that the gradients keep.
  ///
  /// @param target the input that will be overwritten, or null; it is cloned if a gradient keeps it, and the clone recorded
  static <A extends Record> OperatorNode<A> begin(
      Operator<A> operator,
      A attributes,
      Parameters parameters,
      @Nullable Tensor[] in,
      @Nullable Tensor target) {
    var node = new OperatorNode<>(operator, attributes, parameters, in);
    for (int i = 0; i < in.length; i++) {
      Tensor x = in[i];
      if (x != null && node.keepsInput(i)) {
        node.inputs[i] = new Saved(x == target ? x.clone() : x);
      }
    }
    return node;
  }

  private boolean keepsInput(int i) {
    for (int g = 0; g < edges.length; g++) {
      if (edges[g] != null) {
        Gradient<A> gradient = gradientOf(g);
        boolean keeps =
            gradient != null
                ? gradient.keeps().inputs().contains(inputName(i))
                : operator.definition() instanceof Definition.Pointwise
                    && operator.derivedGradient(g).keepsInput(i);
        if (keeps) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean keepsOutput(int o) {
    for (int g = 0; g < edges.length; g++) {
      if (edges[g] != null) {
        Gradient<A> gradient = gradientOf(g);
        boolean keeps =
            gradient != null
                ? gradient.keeps().outputs().contains(o)
                : operator.definition() instanceof Definition.Pointwise
                    && operator.derivedGradient(g).keepsOutput();
        if (keeps) {
          return true;
        }
      }
    }
    return false;
  }

  private String inputName(int i) {
    return operator.signature().operandAt(i, inputs.length).name();
  }

  private @Nullable Gradient<A> gradientOf(int i) {
    return operator.gradients().get(inputName(i));
  }

  /// Ends the node, after the kernel has run: saves the outputs that the gradients keep.
  void end(Tensor[] out) {
    outputSizes = new long[out.length][];
    outputTypes = new DType[out.length];
    for (int o = 0; o < out.length; o++) {
      outputSizes[o] = out[o].sizes();
      outputTypes[o] = out[o].dtype();
      if (keepsOutput(o)) {
        outputs[o] = new Saved(out[o], this, o);
      }
    }
  }

  Operator<A> operator() {
    return operator;
  }

  A attributes() {
    return attributes;
  }

  /// The numbers that a pointwise operator took, operands that were numbers included.
  Parameters parameters() {
    return parameters;
  }

  boolean needs(int i) {
    return i < edges.length && edges[i] != null;
  }

  /// Whether the gradient of one input only is asked for.
  boolean hasOneEdge() {
    int count = 0;
    for (Edge edge : edges) {
      count += edge == null ? 0 : 1;
    }
    return count == 1;
  }

  boolean hasInput(int i) {
    return i < inputSizes.length && inputSizes[i] != null;
  }

  long[] inputSizes(int i) {
    long[] sizes = inputSizes[i];
    if (sizes == null) {
      throw new IllegalArgumentException(
          operator.name() + ": input " + inputName(i) + " is absent");
    }
    return sizes.clone();
  }

  Tensor savedInput(int i) {
    Saved saved = inputs[i];
    if (saved == null) {
      throw new IllegalStateException(
          operator.name() + ": the gradient reads input " + inputName(i) + " but does not keep it");
    }
    return saved.get(this, operator.signature().nameOf(i, inputs.length));
  }

  Tensor savedOutput(int o) {
    Saved saved = outputs[o];
    if (saved == null) {
      throw new IllegalStateException(
          operator.name() + ": the gradient reads output " + o + " but does not keep it");
    }
    return saved.get(this, "the result");
  }

  Tensor zeros(int o) {
    return Tensor.zeros(outputTypes[o], outputSizes[o]);
  }

  @Override
  public String name() {
    return operator.gradientName();
  }

  @Override
  int outputCount() {
    return outputs.length;
  }

  @Override
  @Nullable Edge[] edges() {
    return edges;
  }

  @Override
  @Nullable Tensor[] apply(@Nullable Tensor[] grads) {
    var result = new Tensor[edges.length]; // reading a saved tensor fails if it has been freed
    var backward = new Backward<>(this, grads);
    for (int i = 0; i < edges.length; i++) {
      if (edges[i] == null) {
        continue;
      }
      backward.moveTo(i);
      Gradient<A> gradient = gradientOf(i);
      Tensor g;
      if (gradient != null) {
        g = gradient.rule().apply(backward);
      } else if (operator.definition() instanceof Definition.Pointwise) {
        g = operator.derivedGradient(i).apply(this, backward);
      } else {
        g = null;
      }
      if (g != null) {
        g = g.sumToSize(inputSizes(i));
        DType type = inputTypes[i];
        if (type != null && g.dtype() != type) {
          g = g.to(type);
        }
        result[i] = i == 0 && operator.isPiecewiseLinear() ? asFunctionOfInput(g) : g;
      }
    }
    Saved.usedAll(inputs);
    Saved.usedAll(outputs);
    return result;
  }

  /// `g`, recorded as a function of the first input whose gradient is zeros, if gradients are recorded.
  private Tensor asFunctionOfInput(Tensor g) {
    Edge edge = edges[0];
    if (!Context.current().gradMode || edge == null) {
      return g;
    }
    Tensor input = Tensor.zeros(g.dtype(), g.sizes());
    input.attach(edge.node(), edge.output());
    return g.add(input.mul(0));
  }

  @Override
  Shapes.@Nullable Slice slice() {
    return switch (attributes) {
      case Shapes.Slice slice when operator == Shapes.Operators.SLICE -> slice;
      case Shapes.Select(var dim, var index) when operator == Shapes.Operators.SELECT ->
          new Shapes.Slice(dim, index, 1, 1);
      default -> null;
    };
  }

  /// The type of the first input.
  @Nullable DType inputType() {
    return inputTypes[0];
  }

  @Override
  void release() {
    released = true;
    Saved.releaseAll(inputs);
    Saved.releaseAll(outputs);
  }

  @Override
  boolean isReleased() {
    return released;
  }
}
