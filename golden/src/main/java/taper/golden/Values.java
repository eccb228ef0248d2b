package taper.golden;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import taper.tensor.Autograd;
import taper.tensor.Complex;
import taper.tensor.DType;
import taper.tensor.Tensor;
import tools.jackson.databind.JsonNode;

/// Turns the encoded values of a set into tensors, lists, numbers and texts.
///
/// Lists and tuples become lists, Python's integers `Long`, its floats `Double`, names of types [DType], `...`
/// [Ellipsis], slices [Slice], complex numbers [Complex], everything unknown an [UnsupportedCase].
final class Values {

  /// Python's `...` as an index.
  record Ellipsis() {}

  /// A slice as an index.
  record Slice(@Nullable Long start, @Nullable Long stop, @Nullable Long step) {}

  /// A function that is given by name.
  record Named(String name) {}

  private final Map<String, Tensor> tensors;

  Values(Map<String, Tensor> tensors) {
    this.tensors = tensors;
  }

  /// The value of `node`, with tensors of its own.
  @Nullable Object of(JsonNode node) {
    if (node.isNull()) {
      return null;
    }
    if (node.isBoolean()) {
      return node.asBoolean();
    }
    if (node.isIntegralNumber()) {
      return node.asLong();
    }
    if (node.isNumber()) {
      return node.asDouble();
    }
    if (node.isString()) {
      return node.asString();
    }
    if (node.isArray()) {
      return list(node);
    }
    if (node.has("$t")) {
      return tensor(node);
    }
    if (node.has("$f")) {
      return number(node.get("$f").asString());
    }
    if (node.has("$list") || node.has("$tuple")) {
      return list(node.has("$list") ? node.get("$list") : node.get("$tuple"));
    }
    if (node.has("$size")) {
      return list(node.get("$size"));
    }
    if (node.has("$c")) {
      return new Complex(
          number(node.get("$c").get(0).asString()), number(node.get("$c").get(1).asString()));
    }
    if (node.has("$e")) {
      return named(node.get("$e").asString());
    }
    if (node.has("$slice")) {
      JsonNode s = node.get("$slice");
      return new Slice(bound(s.get(0)), bound(s.get(1)), bound(s.get(2)));
    }
    if (node.has("$fn")) {
      return new Named(node.get("$fn").asString());
    }
    if (node.has("$module")) {
      return new Named(node.get("$module").asString());
    }
    if (node.has("$d")) {
      var map = new LinkedHashMap<String, @Nullable Object>();
      node.get("$d").propertyStream().forEach(e -> map.put(e.getKey(), of(e.getValue())));
      return map;
    }
    throw new UnsupportedCase("values such as " + node.propertyNames() + " are not read");
  }

  private List<@Nullable Object> list(JsonNode array) {
    var result = new ArrayList<@Nullable Object>();
    array.forEach(item -> result.add(of(item)));
    return result;
  }

  private static @Nullable Long bound(JsonNode node) {
    return node.isNull() ? null : node.asLong();
  }

  /// A number as Python prints it.
  static double number(String text) {
    return switch (text) {
      case "nan" -> Double.NaN;
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }

  private static Object named(String text) {
    if (text.equals("...")) {
      return new Ellipsis();
    }
    String name = text.startsWith("torch.") ? text.substring("torch.".length()) : text;
    return switch (name) {
      case "float" -> DType.FLOAT32;
      case "double" -> DType.FLOAT64;
      case "half" -> DType.FLOAT16;
      default -> {
        DType dtype = findDtype(name);
        yield dtype != null ? dtype : new Named(name);
      }
    };
  }

  /// The type that PyTorch calls `name`.
  static DType dtype(String name) {
    DType dtype = findDtype(name);
    if (dtype == null) {
      throw new UnsupportedCase("there is no dtype " + name);
    }
    return dtype;
  }

  private static @Nullable DType findDtype(String name) {
    for (DType dtype : DType.values()) {
      if (dtype.toString().equals(name)) {
        return dtype;
      }
    }
    return null;
  }

  private Tensor tensor(JsonNode node) {
    Tensor stored = tensors.get(node.get("$t").asString());
    if (stored == null) {
      throw new IllegalArgumentException("No tensor " + node);
    }
    Tensor tensor =
        Autograd.noGrad(() -> {
          Tensor plain = node.path("complex").asBoolean(false) ? stored.viewAsComplex() : stored;
          JsonNode strides = node.get("stride");
          return strides == null
              ? plain.clone()
              : withStrides(plain, strides.valueStream().mapToLong(JsonNode::asLong).toArray());
        });
    return node.path("rg").asBoolean(false) ? tensor.requiresGrad_(true) : tensor;
  }

  /// A copy of `plain` that lies in memory with the given strides.
  private static Tensor withStrides(Tensor plain, long[] strides) {
    long[] sizes = plain.shape().toArray();
    long[] memory = sizes.clone();
    long extent = 1;
    for (int d = 0; d < sizes.length; d++) {
      if (sizes[d] == 0) {
        return plain.clone();
      }
      if (strides[d] == 0) {
        memory[d] = 1;
      } else {
        extent += (sizes[d] - 1) * strides[d];
      }
    }
    Tensor seen = Tensor.zeros(plain.dtype(), extent).asStrided(memory, strides, 0);
    Tensor values = plain;
    for (int d = 0; d < sizes.length; d++) {
      values = values.narrow(d, 0, memory[d]);
    }
    seen.copy_(values);
    return seen.expand(sizes).detach();
  }

  /// A tensor that is written out in the set: `{"dtype", "shape", "data"}`.
  static Tensor inline(JsonNode node) {
    DType dtype = dtype(node.get("dtype").asString());
    long[] shape = node.get("shape").valueStream().mapToLong(JsonNode::asLong).toArray();
    JsonNode data = node.get("data");
    return Autograd.noGrad(() -> {
      ToDoubleFunction<JsonNode> read = n -> n.isString() ? number(n.asString()) : n.asDouble();
      if (dtype.isComplex()) {
        Complex[] values =
            data.valueStream()
                .map(n -> new Complex(read.applyAsDouble(n.get(0)), read.applyAsDouble(n.get(1))))
                .toArray(Complex[]::new);
        return Tensor.of(values, values.length).reshape(shape).to(dtype);
      }
      if (dtype.isFloatingPoint()) {
        return Tensor.of(data.valueStream().mapToDouble(read).toArray()).reshape(shape).to(dtype);
      }
      long[] values =
          data.valueStream()
              .mapToLong(n -> n.isBoolean() ? n.asBoolean() ? 1 : 0 : n.asLong())
              .toArray();
      return Tensor.of(values).reshape(shape).to(dtype);
    });
  }

  /// `value` in words, for messages.
  static String describe(@Nullable Object value) {
    return switch (value) {
      case null -> "None";
      case Tensor t -> t.dtype().toString().toLowerCase(Locale.ROOT) + t.shape();
      case List<?> list -> list.stream().map(Values::describe).toList().toString();
      default -> value.toString();
    };
  }
}
