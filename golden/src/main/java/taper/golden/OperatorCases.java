package taper.golden;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import taper.golden.Bindings.Binding;
import taper.golden.Bindings.Precision;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.TaperException;
import taper.tensor.Tensor;
import tools.jackson.databind.JsonNode;

/// Runs the cases of the sets `opinfo`: results, gradients, changed arguments, and calls that must fail.
final class OperatorCases {
  private final Bindings bindings;

  OperatorCases(Bindings bindings) {
    this.bindings = bindings;
  }

  Outcome run(JsonNode node, Map<String, Tensor> tensors) {
    String op = node.get("op").asString();
    Binding binding = bindings.find(op);
    if (binding == null) {
      return new Outcome.Unsupported("there is no " + op);
    }
    boolean mustFail = node.has("raises");
    try {
      var values = new Values(tensors);
      var arguments = arguments(node, values);
      if (node.path("raises").asString("").equals("TypeError")) {
        arguments.mistyped();
      }
      // the seed of every random case is 42, also where a set does not say so
      Tensor.manualSeed(node.path("seed").asLong(42));
      Object result = binding.call().apply(arguments);
      if (mustFail) {
        return new Outcome.Failed(
            "must raise, as in PyTorch: "
                + node.path("message").asString("").lines().findFirst().orElse(""));
      }
      String difference = compare(node, values, binding, arguments, result);
      return difference == null ? new Outcome.Passed() : new Outcome.Failed(difference);
    } catch (MistypedCall e) {
      return mustFail
          ? new Outcome.Passed()
          : new Outcome.Unsupported(String.valueOf(e.getMessage()));
    } catch (RuntimeException | AssertionError e) {
      return thrown(e, mustFail);
    }
  }

  /// What became of a case whose call threw; a refusal is right where PyTorch refuses, too.
  static Outcome thrown(Throwable e, boolean mustFail) {
    if (e instanceof UnsupportedCase) {
      return new Outcome.Unsupported(String.valueOf(e.getMessage()));
    }
    if (e instanceof TaperException) {
      return mustFail
          ? new Outcome.Passed()
          : new Outcome.Failed(e.getClass().getSimpleName() + ": " + e.getMessage());
    }
    StackTraceElement at = e.getStackTrace().length > 0 ? e.getStackTrace()[0] : null;
    return new Outcome.Failed(e + (at == null ? "" : " at " + at));
  }

  private static Arguments arguments(JsonNode node, Values values) {
    var positional = new ArrayList<@Nullable Object>();
    positional.add(values.of(node.get("input")));
    node.get("args").forEach(arg -> positional.add(values.of(arg)));
    var named = new LinkedHashMap<String, @Nullable Object>();
    node.get("kwargs")
        .propertyStream()
        .forEach(e -> named.put(e.getKey(), values.of(e.getValue())));
    return new Arguments(positional, named, node.path("variant").asString(""));
  }

  private static @Nullable String compare(
      JsonNode node, Values values, Binding binding, Arguments arguments, @Nullable Object result) {
    if (!arguments.unread().isEmpty()) {
      return "the binding ignores " + arguments.unread();
    }
    Precision precision =
        node.path("last_bits_vary").asBoolean(false) ? Precision.LOOSE : binding.precision();
    var ours = Results.flatten(result);
    var expected = Results.flatten(values.of(node.get("output")));
    Bindings.Comparison comparison = binding.comparison();
    boolean gauge =
        comparison != null && (node.path("gauge").asBoolean(false) || binding.isOpen(arguments));
    String difference =
        gauge && comparison != null
            ? comparison.compare(arguments, ours, expected, loose(expected))
            : Results.difference(ours, expected, precision);
    if (difference == null) {
      difference = mutated(node, values, arguments, precision);
    }
    if (difference == null && node.has("grads")) {
      var arranged = gauge && comparison != null ? comparison.arranged(ours, expected) : ours;
      difference = gradients(node, values, arguments, arranged, precision);
    }
    return difference;
  }

  private static Tolerance loose(List<@Nullable Object> expected) {
    for (Object value : expected) {
      if (value instanceof Tensor tensor && !tensor.dtype().isIntegral()) {
        return Tolerance.of(tensor.dtype(), Precision.LOOSE);
      }
    }
    return Tolerance.of(DType.FLOAT64, Precision.LOOSE);
  }

  private static @Nullable String mutated(
      JsonNode node, Values values, Arguments arguments, Precision precision) {
    if (!node.has("mutated")) {
      return null;
    }
    for (var entry : node.get("mutated").properties()) {
      String difference =
          Results.difference(arguments.at(entry.getKey()), values.of(entry.getValue()), precision);
      if (difference != null) {
        return entry.getKey() + " after the call: " + difference;
      }
    }
    return null;
  }

  private static @Nullable String gradients(
      JsonNode node,
      Values values,
      Arguments arguments,
      List<@Nullable Object> ours,
      Precision precision) {
    Tensor loss = null;
    for (JsonNode output : node.get("grad_outputs")) {
      if (!(ours.get(output.asInt()) instanceof Tensor out)) {
        return "result " + output + " is no tensor";
      }
      if (!out.requiresGrad()) {
        return "result " + output + " does not require a gradient";
      }
      Tensor term = weighted(out);
      loss = loss == null ? term : loss.add(term);
    }
    if (loss == null) {
      return null;
    }
    loss.backward();
    for (JsonNode grad : node.get("grads")) {
      String place = grad.get("of").asString();
      Tensor argument = arguments.at(place);
      if (argument == null) {
        return "no tensor at " + place;
      }
      Object expected = values.of(grad.get("grad"));
      Tensor actual = argument.grad();
      if (expected == null && actual != null && isZero(actual)) {
        continue; // PyTorch's "none" and our zeros mean the same
      }
      if (actual == null && expected instanceof Tensor zeros && isZero(zeros)) {
        continue;
      }
      // Gradients are sums over many paths: their tolerance is never that of an element-wise
      // function.
      Precision gradient = precision == Precision.ELEMENTWISE ? Precision.GENERAL : precision;
      String difference = Results.difference(actual, expected, gradient);
      if (difference != null) {
        return "gradient of " + place + ": " + difference;
      }
    }
    return null;
  }

  private static boolean isZero(Tensor x) {
    return Autograd.noGrad(() -> x.ne(0).sum().itemLong() == 0);
  }

  /// The sum of `out` with weights from 0.5 to 1.5, which tell the elements apart.
  private static Tensor weighted(Tensor result) {
    Tensor out = result.isComplex() ? result.viewAsReal() : result;
    Tensor weights =
        Tensor.linspace(DType.FLOAT64, 0.5, 1.5, out.numel())
            .to(out.dtype())
            .reshape(out.shape().toArray());
    return out.mul(weights).sum();
  }
}
