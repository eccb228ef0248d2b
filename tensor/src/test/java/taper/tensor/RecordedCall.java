package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/// A call that was recorded with PyTorch: its operands as tensors and numbers, its results and gradients.
final class RecordedCall {
  private final JsonNode node;
  private final Map<String, Tensor> tensors = new HashMap<>();
  private final @Nullable Object input;
  private final List<@Nullable Object> args = new ArrayList<>();
  private final Map<String, @Nullable Object> options = new HashMap<>();

  RecordedCall(JsonNode node) {
    this.node = node;
    this.input = value(node.get("input"), "input");
    for (JsonNode arg : node.get("args")) {
      args.add(value(arg, "args[" + args.size() + "]"));
    }
    node.get("kwargs")
        .properties()
        .forEach(e -> options.put(e.getKey(), value(e.getValue(), "kwargs." + e.getKey())));
    if (node.has("seed")) {
      Tensor.manualSeed(node.get("seed").asLong());
    }
  }

  String operator() {
    return node.get("op").asString();
  }

  @Override
  public String toString() {
    return node.get("id").asString();
  }

  // Operands

  Tensor x() {
    return (Tensor) java.util.Objects.requireNonNull(input);
  }

  /// The operand at `position`, or the option `name` if there are fewer, or null.
  @Nullable Object find(int position, String name) {
    return position < args.size() ? args.get(position) : options.get(name);
  }

  @Nullable Tensor tensor(int position, String name) {
    return (Tensor) find(position, name);
  }

  Tensor other() {
    return (Tensor) java.util.Objects.requireNonNull(args.getFirst());
  }

  double number(int position, String name, double otherwise) {
    Object found = find(position, name);
    return found == null ? otherwise : ((Number) found).doubleValue();
  }

  int whole(int position, String name, int otherwise) {
    return (int) number(position, name, otherwise);
  }

  boolean flag(int position, String name, boolean otherwise) {
    Object found = find(position, name);
    return found == null ? otherwise : (Boolean) found;
  }

  @Nullable DType dtype() {
    return (DType) options.get("dtype");
  }

  /// Dimensions or sizes; empty if there are none.
  long[] wholes(int position, String name) {
    return switch (find(position, name)) {
      case null -> new long[0];
      case Long one -> new long[] {one};
      case List<?> many -> many.stream().mapToLong(n -> ((Number) n).longValue()).toArray();
      case Object o -> throw new AssertionError(this + ": " + o);
    };
  }

  int[] dims(int position, String name) {
    return java.util.Arrays.stream(wholes(position, name)).mapToInt(n -> (int) n).toArray();
  }

  Reduction reduction() {
    return Reduction.valueOf(
        ((String) options.getOrDefault("reduction", "mean")).toUpperCase(Locale.ROOT));
  }

  private @Nullable Object value(JsonNode value, String path) {
    if (value.has("tensor")) {
      Tensor tensor = tensor(value.get("tensor"));
      tensors.put(path, tensor);
      return tensor;
    }
    if (value.has("$f")) {
      return number(value.get("$f"));
    }
    if (value.has("$e")) {
      return DType.valueOf(value.get("$e").asString().substring(6).toUpperCase(Locale.ROOT));
    }
    JsonNode list = value.has("$list") ? value.get("$list") : value.path("$tuple");
    if (list.isArray()) {
      var all = new ArrayList<@Nullable Object>();
      list.forEach(one -> all.add(value(one, path + "[" + all.size() + "]")));
      return all;
    }
    return value.isNull()
        ? null
        : value.isNumber()
            ? (Object) value.asLong()
            : value.isBoolean() ? (Object) value.asBoolean() : value.asString();
  }

  private static double number(JsonNode value) {
    if (value.isNumber()) {
      return value.asDouble();
    }
    return switch (value.asString()) {
      case "nan" -> Double.NaN;
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(value.asString());
    };
  }

  private static Tensor tensor(JsonNode text) {
    DType dtype =
        switch (text.get("dtype").asString()) {
          case "F32" -> DType.FLOAT32;
          case "F64" -> DType.FLOAT64;
          case "I64" -> DType.INT64;
          case "I32" -> DType.INT32;
          case "I16" -> DType.INT16;
          case "I8" -> DType.INT8;
          case "U8" -> DType.UINT8;
          default -> DType.BOOL;
        };
    long[] shape = text.get("shape").valueStream().mapToLong(JsonNode::asLong).toArray();
    Tensor result = flat(text.get("data"), dtype).to(dtype).reshape(shape);
    if (text.has("stride") && result.numel() > 0) {
      result = strided(result, text.get("stride"));
    }
    return text.has("rg") ? result.detach().requiresGrad_() : result;
  }

  private static Tensor flat(JsonNode data, DType dtype) {
    return dtype.isFloatingPoint()
        ? Tensor.of(data.valueStream().mapToDouble(RecordedCall::number).toArray(), data.size())
        : Tensor.of(data.valueStream().mapToLong(JsonNode::asLong).toArray(), data.size());
  }

  /// The same elements, in the layout that was recorded.
  private static Tensor strided(Tensor x, JsonNode stride) {
    long[] strides = stride.valueStream().mapToLong(JsonNode::asLong).toArray();
    long size = 1;
    for (int d = 0; d < strides.length; d++) {
      size += (x.size(d) - 1) * strides[d];
    }
    return Tensor.zeros(x.dtype(), size).asStrided(x.sizes(), strides, 0).copy_(x);
  }

  // Comparison

  void compareResults(List<Tensor> out) {
    JsonNode expected = node.get("output");
    List<JsonNode> all =
        expected.has("$tuple") ? expected.get("$tuple").valueStream().toList() : List.of(expected);
    assertThat(out).as(toString()).hasSize(all.size());
    for (int o = 0; o < out.size(); o++) {
      compare(this + " output " + o, out.get(o), tensor(all.get(o).get("tensor")));
    }
    if (node.has("mutated")) {
      node.get("mutated")
          .properties()
          .forEach(e ->
              compare(
                  this + " after the call: " + e.getKey(),
                  java.util.Objects.requireNonNull(tensors.get(e.getKey())),
                  tensor(e.getValue().get("tensor"))));
    }
  }

  void compareGradients(List<Tensor> out) {
    if (!node.has("grads")) {
      return;
    }
    Tensor loss = Tensor.scalar(DType.FLOAT64, 0);
    for (JsonNode o : node.get("grad_outputs")) {
      Tensor y = out.get(o.asInt());
      Tensor weights = Tensor.linspace(DType.FLOAT64, 0.5, 1.5, y.numel()).to(y.dtype());
      loss = loss.add(y.mul(weights.reshape(y.sizes())).sum());
    }
    loss.backward();
    for (JsonNode grad : node.get("grads")) {
      String name = grad.get("of").asString();
      Tensor actual = java.util.Objects.requireNonNull(tensors.get(name)).grad();
      if (grad.get("grad").isNull()) {
        assertThat(actual).as(this + " gradient of " + name).isNull();
        continue;
      }
      Tensor expected = tensor(grad.get("grad").get("tensor"));
      compare(
          this + " gradient of " + name,
          actual == null ? Tensor.zeros(expected.dtype(), expected.sizes()) : actual,
          expected);
    }
  }

  private static void compare(String what, Tensor actual, Tensor expected) {
    assertThat(actual.shape()).as(what).isEqualTo(expected.shape());
    assertThat(actual.dtype()).as(what).isEqualTo(expected.dtype());
    double[] a = actual.toDoubleArray();
    double[] e = expected.toDoubleArray();
    double bound =
        switch (actual.dtype()) {
          case FLOAT32 -> 1e-5;
          case FLOAT64 -> 1e-11;
          default -> 0;
        };
    for (int i = 0; i < a.length; i++) {
      if (Double.isFinite(e[i])) {
        assertThat(a[i])
            .as(what + " at " + i)
            .isCloseTo(e[i], within(bound * (1 + Math.abs(e[i]))));
      } else {
        assertThat(Double.valueOf(a[i])).as(what + " at " + i).isEqualTo(Double.valueOf(e[i]));
      }
    }
  }
}
