package taper.optim;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Tensor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// The reference results of PyTorch in the resources of the tests.
final class Golden {
  private Golden() {}

  static List<JsonNode> cases(String name) {
    var cases = new ArrayList<JsonNode>();
    read(name).get("cases").forEach(cases::add);
    return cases;
  }

  static JsonNode read(String name) {
    try (InputStream in =
        new GZIPInputStream(
            Objects.requireNonNull(
                Golden.class.getResourceAsStream("/golden/" + name + ".json.gz")))) {
      return new ObjectMapper().readTree(in);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  static double number(JsonNode node) {
    return switch (node.isString() ? node.asString() : "") {
      case "" -> node.asDouble();
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      case "nan" -> Double.NaN;
      default -> throw new IllegalArgumentException(node.toString());
    };
  }

  static double[] numbers(JsonNode list) {
    return list.valueStream().mapToDouble(Golden::number).toArray();
  }

  /// An inline tensor.
  static Tensor tensor(JsonNode node) {
    DType dtype = DType.valueOf(node.get("dtype").asString().toUpperCase(java.util.Locale.ROOT));
    long[] shape = node.get("shape").valueStream().mapToLong(JsonNode::asLong).toArray();
    return Autograd.noGrad(() -> Tensor.of(numbers(node.get("data"))).reshape(shape).to(dtype));
  }

  /// Maps, lists, numbers, texts, truth values and tensors.
  static @Nullable Object value(JsonNode node) {
    if (node.isObject() && node.has("dtype") && node.has("data")) {
      return tensor(node);
    }
    if (node.isObject()) {
      var map = new LinkedHashMap<String, @Nullable Object>();
      node.propertyStream().forEach(e -> map.put(e.getKey(), value(e.getValue())));
      return map;
    }
    if (node.isArray()) {
      var list = new ArrayList<@Nullable Object>();
      node.forEach(item -> list.add(value(item)));
      return list;
    }
    if (node.isNull()) {
      return null;
    }
    if (node.isIntegralNumber()) {
      return node.asLong();
    }
    return node.isBoolean()
        ? (Object) node.asBoolean()
        : node.isString() ? node.asString() : (Object) node.asDouble();
  }

  @SuppressWarnings("unchecked") // JSON objects have texts as keys
  static Map<String, @Nullable Object> map(JsonNode node) {
    return (Map<String, @Nullable Object>) Objects.requireNonNull(value(node));
  }
}
