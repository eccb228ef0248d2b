package taper.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// Derivatives of functions as a whole: the body of `torch.autograd.functional`.
///
/// Products with a vector from the right are made from two from the left [1]: with `g(u) = uᵀ J`, linear in `u`, the
/// derivative of `g` in the direction `v` is `J v`, whatever `u` is.
///
/// [1] J. Townsend 2017, A new trick for calculating Jacobian vector products.
final class Derivatives {
  private final String what;
  private final JacobianOptions options;

  private Derivatives(String what, UnaryOperator<JacobianOptions> options) {
    this.what = what;
    this.options = options.apply(JacobianOptions.DEFAULT);
  }

  /// Outputs of a function, and the inputs that it was given.
  private record Call(List<Tensor> inputs, List<Tensor> outputs) {}

  /// Calls `function` with the inputs as parts of a graph of their own.
  private Call call(Function<List<Tensor>, List<Tensor>> function, List<Tensor> inputs) {
    if (inputs.isEmpty()) {
      throw new ArgumentException(what + ": there must be an input, but there is none.");
    }
    var leaves = new ArrayList<Tensor>();
    for (Tensor input : inputs) {
      leaves.add(
          options.createGraph() && input.requiresGrad()
              ? input.view(input.sizes())
              : input.detach().requiresGrad_());
    }
    List<Tensor> outputs = function.apply(leaves);
    for (int o = 0; o < outputs.size(); o++) {
      if (options.strict() && !outputs.get(o).requiresGrad()) {
        throw new AutogradException(
            "%s: with strict every output must depend on the inputs, but output %d does not."
                .formatted(what, o));
      }
    }
    return new Call(leaves, outputs);
  }

  private Call scalarCall(Function<List<Tensor>, List<Tensor>> function, List<Tensor> inputs) {
    Call call = call(function, inputs);
    if (call.outputs.size() != 1 || call.outputs.getFirst().numel() != 1) {
      throw new ShapeException(
          "%s: the function must return one tensor with one element, but returned %s."
              .formatted(what, call.outputs.stream().map(Tensor::shape).toList()));
    }
    return call;
  }

  /// The gradients of `outputs` by `inputs`: null where there is no influence.
  private static List<@Nullable Tensor> grad(
      List<Tensor> outputs, List<Tensor> inputs, List<Tensor> weights, boolean graph) {
    var kept = new ArrayList<Tensor>();
    var keptWeights = new ArrayList<Tensor>();
    for (int o = 0; o < outputs.size(); o++) {
      if (outputs.get(o).requiresGrad()) {
        kept.add(outputs.get(o));
        keptWeights.add(weights.get(o));
      }
    }
    return kept.isEmpty()
        ? Arrays.asList(new @Nullable Tensor[inputs.size()])
        : Autograd.grad(
            kept,
            inputs,
            o -> o.gradOutputs(keptWeights).retainGraph(true).createGraph(graph).allowUnused(true));
  }

  /// `gradients`, with zeros in the place of null.
  private List<Tensor> filled(List<@Nullable Tensor> gradients, List<Tensor> like, String of) {
    var result = new ArrayList<Tensor>();
    for (int i = 0; i < like.size(); i++) {
      Tensor gradient = gradients.get(i);
      if (options.strict() && gradient == null) {
        throw new AutogradException(
            "%s: with strict %s must depend on every input, but does not on input %d."
                .formatted(what, of, i));
      }
      if (options.strict()
          && options.createGraph()
          && gradient != null
          && !gradient.requiresGrad()) {
        throw new AutogradException(
            "%s: with strict and createGraph the derivative must depend on the inputs, but that by input %d does not."
                .formatted(what, i));
      }
      Tensor input = like.get(i);
      result.add(gradient != null ? gradient : Tensor.zeros(input.dtype(), input.sizes()));
    }
    return result;
  }

  private List<Tensor> finished(List<Tensor> results) {
    return options.createGraph() ? results : results.stream().map(Tensor::detach).toList();
  }

  /// `v`, which must have the shapes of `like`; ones if it is empty and `like` a single number.
  private List<Tensor> vector(List<Tensor> v, List<Tensor> like, String of) {
    if (v.isEmpty() && like.size() == 1 && like.getFirst().numel() == 1) {
      Tensor only = like.getFirst();
      return List.of(Tensor.ones(only.dtype(), only.sizes()));
    }
    List<Shape> expected = like.stream().map(Tensor::shape).toList();
    List<Shape> actual = v.stream().map(Tensor::shape).toList();
    if (!expected.equals(actual)) {
      throw new ShapeException(
          "%s: v must have the shapes of the %s, %s, but has %s."
              .formatted(what, of, expected, actual));
    }
    return v;
  }

  private static List<Tensor> zeros(List<Tensor> like) {
    return like.stream().map(x -> Tensor.zeros(x.dtype(), x.sizes()).requiresGrad_()).toList();
  }

  static List<List<Tensor>> jacobian(
      Function<List<Tensor>, List<Tensor>> function,
      List<Tensor> inputs,
      UnaryOperator<JacobianOptions> options) {
    var self = new Derivatives("jacobian", options);
    try (var _ = Autograd.enableGrad()) {
      Call call = self.call(function, inputs);
      var result = new ArrayList<List<Tensor>>();
      for (int o = 0; o < call.outputs.size(); o++) {
        result.add(self.finished(self.rows(call, o)));
      }
      return result;
    }
  }

  /// The derivatives of output `o` by each input: one pass for each element of the output.
  private List<Tensor> rows(Call call, int o) {
    Tensor output = call.outputs.get(o);
    var rows = new ArrayList<List<Tensor>>();
    for (long e = 0; e < output.numel(); e++) {
      Tensor unit = Tensor.zeros(output.dtype(), output.numel());
      unit.select(0, e).fill_(1.0);
      rows.add(
          filled(
              grad(
                  List.of(output),
                  call.inputs,
                  List.of(unit.view(output.sizes())),
                  options.createGraph()),
              call.inputs,
              "output " + o));
    }
    var result = new ArrayList<Tensor>();
    for (int i = 0; i < call.inputs.size(); i++) {
      int index = i;
      Tensor input = call.inputs.get(i);
      long[] sizes =
          LongStream.concat(Arrays.stream(output.sizes()), Arrays.stream(input.sizes())).toArray();
      result.add(
          rows.isEmpty()
              ? Tensor.zeros(input.dtype(), sizes)
              : Tensor.stack(rows.stream().map(row -> row.get(index)).toList(), 0).view(sizes));
    }
    return result;
  }

  static List<List<Tensor>> hessian(
      Function<List<Tensor>, List<Tensor>> function,
      List<Tensor> inputs,
      UnaryOperator<JacobianOptions> options) {
    JacobianOptions chosen = options.apply(JacobianOptions.DEFAULT);
    var inner = new Derivatives("hessian", o -> o.createGraph(true).strict(chosen.strict()));
    return jacobian(
        in -> {
          Call call = inner.scalarCall(function, in);
          Tensor output = call.outputs.getFirst();
          return inner.filled(
              grad(
                  call.outputs,
                  call.inputs,
                  List.of(Tensor.ones(output.dtype(), output.sizes())),
                  true),
              call.inputs,
              "the output");
        },
        inputs,
        _ -> chosen);
  }

  static Autograd.Products vjp(
      Function<List<Tensor>, List<Tensor>> function,
      List<Tensor> inputs,
      List<Tensor> v,
      UnaryOperator<JacobianOptions> options) {
    var self = new Derivatives("vjp", options);
    try (var _ = Autograd.enableGrad()) {
      Call call = self.call(function, inputs);
      List<Tensor> weights = self.vector(v, call.outputs, "outputs");
      List<Tensor> product =
          self.filled(
              grad(call.outputs, call.inputs, weights, self.options.createGraph()),
              call.inputs,
              "the output");
      return new Autograd.Products(self.finished(call.outputs), self.finished(product));
    }
  }

  static Autograd.Products jvp(
      Function<List<Tensor>, List<Tensor>> function,
      List<Tensor> inputs,
      List<Tensor> v,
      UnaryOperator<JacobianOptions> options) {
    var self = new Derivatives("jvp", options);
    try (var _ = Autograd.enableGrad()) {
      List<Tensor> direction = self.vector(v, inputs, "inputs");
      Call call = self.call(function, inputs);
      List<Tensor> weights = zeros(call.outputs);
      List<Tensor> gradients =
          self.filled(grad(call.outputs, call.inputs, weights, true), call.inputs, "the output");
      List<Tensor> product =
          self.filled(
              grad(gradients, weights, direction, self.options.createGraph()), weights, "it");
      return new Autograd.Products(self.finished(call.outputs), self.finished(product));
    }
  }

  static Autograd.Products vhp(
      Function<List<Tensor>, List<Tensor>> function,
      List<Tensor> inputs,
      List<Tensor> v,
      UnaryOperator<JacobianOptions> options) {
    var self = new Derivatives("vhp", options);
    try (var _ = Autograd.enableGrad()) {
      List<Tensor> direction = self.vector(v, inputs, "inputs");
      Call call = self.scalarCall(function, inputs);
      List<Tensor> gradients = self.gradientsOfScalar(call);
      List<Tensor> product =
          self.filled(
              grad(gradients, call.inputs, direction, self.options.createGraph()),
              call.inputs,
              "the gradient");
      return new Autograd.Products(self.finished(call.outputs), self.finished(product));
    }
  }

  static Autograd.Products hvp(
      Function<List<Tensor>, List<Tensor>> function,
      List<Tensor> inputs,
      List<Tensor> v,
      UnaryOperator<JacobianOptions> options) {
    var self = new Derivatives("hvp", options);
    try (var _ = Autograd.enableGrad()) {
      List<Tensor> direction = self.vector(v, inputs, "inputs");
      Call call = self.scalarCall(function, inputs);
      List<Tensor> gradients = self.gradientsOfScalar(call);
      List<Tensor> weights = zeros(gradients);
      List<Tensor> twice =
          self.filled(grad(gradients, call.inputs, weights, true), call.inputs, "the gradient");
      List<Tensor> product =
          self.filled(
              grad(twice, weights, direction, self.options.createGraph()), weights, "the gradient");
      return new Autograd.Products(self.finished(call.outputs), self.finished(product));
    }
  }

  private List<Tensor> gradientsOfScalar(Call call) {
    Tensor output = call.outputs.getFirst();
    Tensor one = Tensor.ones(output.dtype(), output.sizes());
    return filled(grad(call.outputs, call.inputs, List.of(one), true), call.inputs, "the output");
  }
}
