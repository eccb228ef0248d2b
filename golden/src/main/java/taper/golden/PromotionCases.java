package taper.golden;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import taper.golden.Bindings.Binding;
import taper.golden.Bindings.Precision;
import taper.tensor.Autograd;
import taper.tensor.Complex;
import taper.tensor.DType;
import taper.tensor.Tensor;
import tools.jackson.databind.JsonNode;

/// Runs the cases of the sets `promotion`: the types and values of operators over operands of all types.
final class PromotionCases {
  private static final Map<String, List<?>> FURTHER_ARGUMENTS =
      Map.of(
          "softmax", List.of(0L),
          "cumsum", List.of(0L),
          "cumprod", List.of(0L),
          "logsumexp", List.of(0L),
          "histc", List.of(4L));

  private final Bindings bindings;
  private final JsonNode head;

  PromotionCases(Bindings bindings, JsonNode head) {
    this.bindings = bindings;
    this.head = head;
  }

  Outcome run(JsonNode node) {
    try {
      return node.has("form") ? operator(node) : inference(node);
    } catch (UnsupportedCase e) {
      return new Outcome.Unsupported(String.valueOf(e.getMessage()));
    }
  }

  // Two operands

  private Outcome operator(JsonNode node) {
    String op = node.get("op").asString();
    String form = node.get("form").asString();
    var named = new LinkedHashMap<String, @Nullable Object>();
    if (op.startsWith("div_t") || op.startsWith("div_f")) {
      named.put("rounding_mode", op.substring("div_".length()));
      op = "div";
    }
    String[] kinds = form.replace("inplace_", "").split("_");
    Object a = operand(kinds[0], node.get("a").asString(), "a", node);
    Object b = operand(kinds[1], node.get("b").asString(), "b", node);
    List<@Nullable Object> positional =
        switch (op) {
          case "where" -> list(a, Tensor.of(new boolean[] {true, false, true}), b);
          case "cat", "stack" -> list(list(a, b));
          default -> list(a, b);
        };
    return outcome(op, positional, named, node.get("result"));
  }

  private static List<@Nullable Object> list(@Nullable Object... items) {
    var list = new ArrayList<@Nullable Object>();
    for (Object item : items) {
      list.add(item);
    }
    return list;
  }

  private Object operand(String kind, String type, String side, JsonNode node) {
    if (kind.equals("scalar")) {
      JsonNode scalar = node.has("scalar") ? node.get("scalar") : head.get("scalars").get(type);
      return switch (type) {
        case "bool" -> scalar.asBoolean();
        case "int" -> scalar.asLong();
        case "float" -> scalar.asDouble();
        default -> new Complex(scalar.get(0).asDouble(), scalar.get(1).asDouble());
      };
    }
    DType dtype = Values.dtype(type);
    long[] values =
        head.get("operands").get(side).valueStream().mapToLong(JsonNode::asLong).toArray();
    if (dtype == DType.UINT8 || dtype == DType.BOOL) {
      for (int i = 0; i < values.length; i++) {
        values[i] = Math.abs(values[i]);
      }
    }
    Tensor all = Autograd.noGrad(() -> Tensor.of(values).to(dtype));
    return kind.equals("0dim") ? all.select(0, 0).clone() : all;
  }

  private Outcome outcome(
      String op,
      List<@Nullable Object> positional,
      Map<String, @Nullable Object> named,
      JsonNode result) {
    Binding function = bindings.find(op);
    Binding binding = function != null ? function : bindings.find("Tensor." + op);
    if (binding == null) {
      return new Outcome.Unsupported("there is no " + op);
    }
    var arguments = new Arguments(positional, named, "");
    return outcome(() -> binding.call().apply(arguments), result, binding.precision());
  }

  /// A call to make.
  private interface Made {
    @Nullable Object make();
  }

  private static Outcome outcome(Made call, JsonNode result, Precision precision) {
    boolean mustFail = result.has("raises");
    try {
      Object value = call.make();
      if (mustFail) {
        String message = result.path("message").asString("");
        if (message.contains("'ComplexHalf'")) {
          throw new UnsupportedCase("PyTorch has no kernel for complex32 here");
        }
        // PyTorch 1.13 lacked kernels for float16 that later versions have.
        return message.contains("not implemented for 'Half'")
            ? new Outcome.Passed()
            : new Outcome.Failed("must raise, as in PyTorch: " + message);
      }
      String difference = difference(value, result, precision);
      return difference == null ? new Outcome.Passed() : new Outcome.Failed(difference);
    } catch (RuntimeException | AssertionError e) {
      return OperatorCases.thrown(e, mustFail);
    }
  }

  private static @Nullable String difference(
      @Nullable Object value, JsonNode result, Precision precision) {
    if (result.has("python")) {
      return Results.difference(value, new Values(Map.of()).of(result.get("value")), precision);
    }
    if (!result.has("data")) {
      return Results.difference(value, Values.dtype(result.get("dtype").asString()), precision);
    }
    Object first = value instanceof Tensor ? value : Results.flatten(value).getFirst();
    return Results.difference(first, Values.inline(result), precision);
  }

  // What follows from one type

  private Outcome inference(JsonNode node) {
    String[] id = node.get("id").asString().split("/", 3);
    JsonNode result = node.get("result");
    return switch (id[0]) {
      case "promote_types" ->
          outcome(
              "promote_types", list(Values.dtype(id[1]), Values.dtype(id[2])), Map.of(), result);
      case "can_cast" ->
          outcome("can_cast", list(Values.dtype(id[1]), Values.dtype(id[2])), Map.of(), result);
      case "to" -> cast(Values.inline(node.get("input")), Values.dtype(id[2]), result);
      case "unary" -> outcome(id[1], list(Values.inline(node.get("input"))), Map.of(), result);
      case "reduce" -> reduction(id[1], Values.inline(node.get("input")), result);
      case "factory" ->
          Factories.run(
              node.get("expr").asString(),
              Values.dtype(node.get("default_dtype").asString()),
              call -> outcome(call::get, result, Precision.ELEMENTWISE));
      default -> new Outcome.Unsupported("cases of kind " + id[0]);
    };
  }

  /// C++ leaves open what becomes of floating values that a whole-number type cannot hold: they are not compared.
  private static Outcome cast(Tensor input, DType to, JsonNode result) {
    Tensor expected = Values.inline(result);
    Tensor undefined =
        input.dtype().isFloatingPoint() && to.isIntegral()
            ? input.lt(lowest(to)).logicalOr(input.gt(highest(to)))
            : Tensor.zeros(DType.BOOL, input.shape().toArray());
    return outcome(() -> expected.where(undefined, input.to(to)), result, Precision.ELEMENTWISE);
  }

  private static double lowest(DType whole) {
    return whole == DType.UINT8 ? 0 : -Math.pow(2, 8 * whole.byteSize() - 1);
  }

  private static double highest(DType whole) {
    return whole == DType.UINT8 ? 255 : Math.pow(2, 8 * whole.byteSize() - 1) - 1;
  }

  private Outcome reduction(String op, Tensor input, JsonNode result) {
    boolean counts = op.equals("bincount") && input.dtype().isIntegral();
    var arguments = list(counts ? input.abs() : input); // only counts of what is not negative exist
    var named = new LinkedHashMap<String, @Nullable Object>();
    String name =
        switch (op) {
          case "sum_dim" -> {
            named.put("dim", 0L);
            yield "sum";
          }
          case "sum_to_int32" -> {
            named.put("dtype", DType.INT32);
            yield "sum";
          }
          case "mean_to_float64" -> {
            named.put("dtype", DType.FLOAT64);
            yield "mean";
          }
          default -> op;
        };
    arguments.addAll(FURTHER_ARGUMENTS.getOrDefault(op, List.of()));
    return outcome(name, arguments, named, result);
  }
}
