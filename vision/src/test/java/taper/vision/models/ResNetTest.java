package taper.vision.models;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.nn.GroupNorm;
import taper.tensor.ArgumentException;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Tensor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// Compares residual networks with torchvision's.
final class ResNetTest {

  /// A case that prints as its id.
  record Named(JsonNode node) {
    ResNet model() {
      JsonNode classes = node.get("options").get("num_classes");
      UnaryOperator<ResNetOptions> options =
          o -> classes == null ? o : o.numClasses(classes.asLong());
      return switch (node.get("model").asString()) {
        case "resnet18" -> ResNet.resnet18(options);
        case "resnet34" -> ResNet.resnet34(options);
        case "resnet50" -> ResNet.resnet50(options);
        case "wide_resnet50_2" -> ResNet.wideResnet50x2(options);
        default -> throw new IllegalArgumentException(node.get("model").asString());
      };
    }

    @Override
    public String toString() {
      return node.get("id").asString();
    }
  }

  static Stream<Named> seeded() throws IOException {
    return cases().filter(c -> c.node().has("logits_seeded_eval"));
  }

  static Stream<Named> evaluated() throws IOException {
    return cases().filter(c -> c.node().has("logits_formula_eval"));
  }

  static Stream<Named> trained() throws IOException {
    return cases().filter(c -> c.node().has("logits_formula_train"));
  }

  static Stream<Named> cases() throws IOException {
    try (InputStream in =
        new GZIPInputStream(
            Objects.requireNonNull(
                ResNetTest.class.getResourceAsStream("/golden/vision/resnets.json.gz")))) {
      return new ObjectMapper().readTree(in).get("cases").valueStream().map(Named::new);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void stateHasTheNamesAndShapesOfTorchvision(Named named) {
    Map<String, Tensor> state = named.model().stateDict();

    assertThat(
            state.entrySet().stream()
                .map(e -> e.getKey() + " " + e.getValue().dtype() + " " + e.getValue().shape()))
        .containsExactlyElementsOf(
            named
                .node()
                .get("state_dict")
                .valueStream()
                .map(e ->
                    e.get(0).asString()
                        + " "
                        + DType.valueOf(e.get(1).asString().toUpperCase(Locale.ROOT))
                        + " "
                        + Arrays.toString(
                            e.get(2).valueStream().mapToLong(JsonNode::asLong).toArray()))
                .toList());
  }

  @ParameterizedTest
  @MethodSource("seeded")
  void seededInitialValuesGiveTheLogitsOfTorchvision(Named named) {
    Tensor.manualSeed(named.node().get("seed").asLong());

    ResNet model = named.model();

    model.eval();
    compare(
        Autograd.noGrad(() -> model.call(input(named.node()))),
        named.node().get("logits_seeded_eval").get("out"),
        1e-3,
        1e-4);
  }

  @ParameterizedTest
  @MethodSource("evaluated")
  void evaluationGivesTheLogitsOfTorchvision(Named named) {
    ResNet model = named.model();
    fill(model);
    model.eval();

    Tensor logits = Autograd.noGrad(() -> model.call(input(named.node())));

    compare(logits, named.node().get("logits_formula_eval").get("out"), 1e-3, 1e-4);
  }

  @ParameterizedTest
  @MethodSource("trained")
  void trainingGivesTheLogitsAndRunningStatisticsOfTorchvision(Named named) {
    ResNet model = named.model();
    fill(model);

    Tensor logits = model.call(input(named.node()));

    compare(logits, named.node().get("logits_formula_train").get("out"), 1e-2, 1e-2);
    named
        .node()
        .get("buffers_after_train")
        .propertyStream()
        .forEach(e -> {
          double[] actual = model.namedBuffers().get(e.getKey()).toDoubleArray();
          JsonNode first = e.getValue().get("first");
          for (int i = 0; i < first.size(); i++) {
            double expected = first.get(i).asDouble();
            near(e.getKey() + "[" + i + "]", actual[i], expected, 1e-2 * Math.abs(expected) + 1e-3);
          }
        });
  }

  @Test
  void gradientsReachEveryParameter() {
    ResNet model = ResNet.resnext50x32x4d(o -> o.numClasses(5).zeroInitResidual(true));

    model.call(Tensor.randn(2, 3, 32, 32)).sum().backward();

    assertThat(model.parameters()).allSatisfy(p -> assertThat(p.grad()).isNotNull());
    assertThat(model.stateDict().get("layer3.1.bn3.weight").toDoubleArray()).containsOnly(0);
    assertThat(model.stateDict().get("layer3.1.conv2.weight").shape().toArray())
        .containsExactly(512, 16, 3, 3);
  }

  @Test
  void dilationKeepsTheSizeOfTheImage() {
    ResNet strided = ResNet.resnet50(o -> o.normLayer(c -> new GroupNorm(32, c)));
    ResNet dilated =
        ResNet.resnet50(o ->
            o.normLayer(c -> new GroupNorm(32, c)).replaceStrideWithDilation(false, true, true));
    Tensor x = Tensor.randn(1, 3, 64, 64);
    var sizes = new java.util.ArrayList<Long>();
    for (ResNet model : new ResNet[] {strided, dilated}) {
      model
          .namedModules()
          .get("layer4")
          .registerForwardHook((module, inputs, output) -> {
            sizes.add(output.getFirst().size(2));
            return null;
          });
      model.call(x);
    }

    assertThat(sizes).containsExactly(2L, 8L);
  }

  @Test
  void basicBlocksHaveNoGroups() {
    assertThatThrownBy(() -> ResNet.resnet18(o -> o.groups(2)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "ResNet: basic blocks must have one group of width 64, but groups is 2 and"
                + " widthPerGroup is 64.");
  }

  private static Tensor input(JsonNode c) {
    long[] shape = c.get("input_shape").valueStream().mapToLong(JsonNode::asLong).toArray();
    double[] values = new double[(int) Arrays.stream(shape).reduce(1, (a, b) -> a * b)];
    for (int i = 0; i < values.length; i++) {
      values[i] = (i * 7919L + 13) % 1009 / 1009.0 - 0.5;
    }
    return Tensor.of(values).to(DType.FLOAT32).reshape(shape);
  }

  /// Fills the state by the formula of the reference, without random numbers.
  private static void fill(ResNet model) {
    int k = 0;
    for (Map.Entry<String, Tensor> entry : model.stateDict().entrySet()) {
      Tensor tensor = entry.getValue();
      long[] shape = tensor.shape().toArray();
      int entryNumber = k++;
      if (shape.length == 0) {
        continue;
      }
      double fanIn = tensor.numel() / (double) shape[0];
      double[] values = new double[(int) tensor.numel()];
      for (int i = 0; i < values.length; i++) {
        double u = (i * 7919L + entryNumber * 104729L + 13) % 2003 / 2003.0 - 0.5;
        values[i] = value(entry.getKey(), shape.length, u, fanIn);
      }
      Autograd.noGrad(() -> tensor.copy_(Tensor.of(values).to(DType.FLOAT32).reshape(shape)));
    }
  }

  private static double value(String name, int dims, double u, double fanIn) {
    if (dims > 1) {
      return 2 * u * Math.sqrt(3 / fanIn);
    }
    if (name.endsWith("running_var")) {
      return 1 + 0.5 * u;
    }
    return name.endsWith("running_mean") || name.endsWith(".bias") ? 0.1 * u : 1 + 0.2 * u;
  }

  private static void compare(Tensor actual, JsonNode expected, double rtol, double share) {
    assertThat(actual.shape().toArray())
        .containsExactly(expected.get("shape").valueStream().mapToLong(JsonNode::asLong).toArray());
    double[] values = actual.toDoubleArray();
    double atol = share * expected.get("std").asDouble();
    JsonNode first = expected.get("first16");
    for (int i = 0; i < first.size(); i++) {
      double reference = first.get(i).asDouble();
      near("logit " + i, values[i], reference, rtol * Math.abs(reference) + atol);
    }
    double mean = Arrays.stream(values).average().orElseThrow();
    near("mean", mean, expected.get("mean").asDouble(), atol);
    double max = expected.get("max").asDouble();
    near("max", Arrays.stream(values).max().orElseThrow(), max, rtol * Math.abs(max) + atol);
  }

  private static void near(String what, double actual, double expected, double tolerance) {
    assertThat(Math.abs(actual - expected) <= tolerance)
        .as("%s: expected %s, but was %s", what, expected, actual)
        .isTrue();
  }
}
