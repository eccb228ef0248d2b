package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.nn.Init.FanMode;
import taper.nn.Init.Nonlinearity;
import taper.tensor.DType;
import taper.tensor.Generator;
import taper.tensor.Tensor;
import tools.jackson.databind.JsonNode;

/// Draws initial values as PyTorch does, by function and by layer, and leaves the generator where PyTorch leaves it.
final class GoldenInitTest {
  private static final Set<String> LATER =
      Set.of(
          "Bilinear",
          "ConvTranspose2d",
          "LSTM",
          "GRU",
          "RNN",
          "LSTMCell",
          "GRUCell",
          "EmbeddingBag",
          "PReLU",
          "TransformerEncoderLayer",
          "TransformerDecoderLayer",
          "Transformer");

  /// A case that prints as its id.
  record Named(JsonNode node) {
    @Override
    public String toString() {
      return node.get("id").asString();
    }
  }

  static Stream<Named> functions() {
    return Golden.cases("rng/init").stream()
        .filter(c -> c.has("result") && !c.get("fn").asString().equals("sparse_"))
        .map(Named::new);
  }

  static Stream<Named> gains() {
    return Golden.cases("rng/init").stream().filter(c -> c.has("gain")).map(Named::new);
  }

  static Stream<Named> layers() {
    return Golden.cases("rng/init").stream()
        .filter(c -> c.has("module") && !LATER.contains(c.get("module").asString()))
        .map(Named::new);
  }

  @ParameterizedTest
  @MethodSource("functions")
  void functionsDrawWhatPyTorchDraws(Named named) {
    JsonNode c = named.node();
    DType dtype =
        c.get("result").get("dtype").asString().equals("float64") ? DType.FLOAT64 : DType.FLOAT32;
    Tensor tensor =
        Tensor.empty(dtype, c.get("shape").valueStream().mapToLong(JsonNode::asLong).toArray());
    JsonNode o = c.get("options");
    Tensor.manualSeed(c.get("seed").asLong());

    Tensor result =
        switch (c.get("fn").asString()) {
          case "uniform_" -> Init.uniform_(tensor, number(o, "a", 0), number(o, "b", 1));
          case "normal_" -> Init.normal_(tensor, number(o, "mean", 0), number(o, "std", 1));
          case "trunc_normal_" ->
              Init.truncNormal_(
                  tensor,
                  number(o, "mean", 0),
                  number(o, "std", 1),
                  number(o, "a", -2),
                  number(o, "b", 2));
          case "xavier_uniform_" -> Init.xavierUniform_(tensor, number(o, "gain", 1));
          case "xavier_normal_" -> Init.xavierNormal_(tensor, number(o, "gain", 1));
          case "kaiming_uniform_" -> Init.kaimingUniform_(tensor, k -> kaiming(k, o));
          case "kaiming_normal_" -> Init.kaimingNormal_(tensor, k -> kaiming(k, o));
          case "constant_" -> Init.constant_(tensor, o.get("val").asDouble());
          case "ones_" -> Init.ones_(tensor);
          case "zeros_" -> Init.zeros_(tensor);
          case "eye_" -> Init.eye_(tensor);
          case "dirac_" -> Init.dirac_(tensor, (int) number(o, "groups", 1));
          case "orthogonal_" -> Init.orthogonal_(tensor, number(o, "gain", 1));
          default -> throw new IllegalArgumentException(c.get("fn").asString());
        };

    // a QR decomposition adds up the errors of rounding
    boolean exact = !c.get("fn").asString().equals("orthogonal_");
    compare("result", result, c.get("result"), exact ? 1 : 10);
    state(c);
  }

  @ParameterizedTest
  @MethodSource("gains")
  void gainsAreThoseOfPyTorch(Named named) {
    JsonNode c = named.node();
    Nonlinearity nonlinearity =
        switch (c.get("nonlinearity").asString()) {
          case "linear", "conv1d", "conv2d", "conv3d" -> Nonlinearity.LINEAR;
          default ->
              Nonlinearity.valueOf(
                  c.get("nonlinearity").asString().toUpperCase(java.util.Locale.ROOT));
        };

    double gain =
        c.get("param").isNull()
            ? Init.calculateGain(nonlinearity)
            : Init.calculateGain(nonlinearity, c.get("param").asDouble());

    assertThat(gain).isEqualTo(c.get("gain").asDouble());
  }

  @ParameterizedTest
  @MethodSource("layers")
  void layersBeginWithPyTorchsParameters(Named named) {
    JsonNode c = named.node();
    JsonNode a = c.get("args");
    JsonNode k = c.get("kwargs");
    Tensor.manualSeed(c.get("seed").asLong());

    Module layer =
        switch (c.get("module").asString()) {
          case "Linear" -> new Linear(a.get(0).asLong(), a.get(1).asLong(), o -> o.bias(bias(k)));
          case "Conv1d" -> new Conv1d(a.get(0).asLong(), a.get(1).asLong(), a.get(2).asInt());
          case "Conv2d" ->
              new Conv2d(
                  a.get(0).asLong(),
                  a.get(1).asLong(),
                  a.get(2).asInt(),
                  o -> o.groups((int) number(k, "groups", 1)).bias(bias(k)));
          case "Embedding" -> new Embedding(a.get(0).asLong(), a.get(1).asLong());
          case "MultiheadAttention" ->
              new MultiheadAttention(
                  a.get(0).asLong(),
                  a.get(1).asInt(),
                  o ->
                      o.kdim((long) number(k, "kdim", 0))
                          .vdim((long) number(k, "vdim", 0))
                          .addBiasKv(k.has("add_bias_kv")));
          case "BatchNorm2d" -> new BatchNorm2d(a.get(0).asLong());
          case "GroupNorm" -> new GroupNorm(a.get(0).asInt(), a.get(1).asLong());
          default -> throw new IllegalArgumentException(c.get("module").asString());
        };

    Map<String, Tensor> state = layer.stateDict();
    assertThat(state.keySet()).containsExactlyElementsOf(c.get("state_dict").propertyNames());
    state.forEach((key, value) -> compare(key, value, c.get("state_dict").get(key), 1));
    state(c);
  }

  private static boolean bias(JsonNode kwargs) {
    return !kwargs.has("bias") || kwargs.get("bias").asBoolean();
  }

  private static Init.Kaiming kaiming(Init.Kaiming defaults, JsonNode o) {
    Init.Kaiming options = defaults.a(number(o, "a", 0));
    if (o.has("mode") && o.get("mode").asString().equals("fan_out")) {
      options = options.mode(FanMode.FAN_OUT);
    }
    return o.has("nonlinearity")
        ? options.nonlinearity(
            Nonlinearity.valueOf(
                o.get("nonlinearity").asString().toUpperCase(java.util.Locale.ROOT)))
        : options;
  }

  private static double number(JsonNode options, String key, double otherwise) {
    return options.has(key) ? options.get(key).asDouble() : otherwise;
  }

  private static void state(JsonNode c) {
    JsonNode expected = c.get("state_after");
    if (expected == null) {
      return;
    }
    for (JsonNode next : expected.get("next_random_0_to_2^32")) {
      // a range of 2^32 takes draws of 64 bits
      assertThat(Generator.global().random64() & 0xffffffffL).isEqualTo(next.asLong());
    }
  }

  private static void compare(String what, Tensor actual, JsonNode expected, double slack) {
    assertThat(actual.dtype().toString()).as(what).isEqualTo(expected.get("dtype").asString());
    assertThat(actual.shape().toArray())
        .as(what)
        .containsExactly(expected.get("shape").valueStream().mapToLong(JsonNode::asLong).toArray());
    double tolerance = slack * (actual.dtype() == DType.FLOAT64 ? 1e-12 : 1e-6);
    double[] numbers = actual.toDoubleArray();
    if (expected.has("data")) {
      near(what, numbers, 0, Golden.numbers(expected.get("data")), tolerance);
    } else {
      near(what, numbers, 0, Golden.numbers(expected.get("first")), tolerance);
      double[] last = Golden.numbers(expected.get("last"));
      near(what, numbers, numbers.length - last.length, last, tolerance);
    }
  }

  private static void near(
      String what, double[] actual, int from, double[] expected, double tolerance) {
    for (int i = 0; i < expected.length; i++) {
      assertThat(
              Math.abs(actual[from + i] - expected[i])
                  <= tolerance * Math.max(1, Math.abs(expected[i])))
          .as("%s[%d]: expected %s, but was %s", what, from + i, expected[i], actual[from + i])
          .isTrue();
    }
  }
}
