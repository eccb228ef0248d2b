package taper.optim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Parameter;
import taper.tensor.Tensor;
import tools.jackson.databind.JsonNode;

/// Follows PyTorch's optimizers step by step on the problems of the reference set.
final class GoldenOptimizersTest {
  private static final JsonNode SET = Golden.read("optim/optimizers");

  static Stream<Named> cases() {
    return Golden.cases("optim/optimizers").stream().map(Named::new);
  }

  /// A case that prints as its id.
  record Named(JsonNode node) {
    @Override
    public String toString() {
      return node.get("id").asString();
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void parametersFollowPyTorch(Named named) {
    JsonNode c = named.node();
    List<Parameter> parameters = parameters(c);
    Optimizer<?> optimizer = optimizer(c, parameters);
    run(c, parameters, optimizer, 0);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aLoadedStateDictContinuesAsIfNothingHadHappened(Named named) {
    JsonNode c = named.node();
    JsonNode after = c.get("state_dict_after");
    int step = after.get("step").asInt();
    List<Parameter> parameters = parameters(c);
    for (JsonNode snapshot : c.get("snapshots")) {
      if (snapshot.get("step").asInt() == step) {
        set(parameters, snapshot.get("params"));
      }
    }
    Optimizer<?> optimizer = optimizer(c, parameters);
    optimizer.loadStateDict(Golden.map(after.get("state_dict")));
    run(c, parameters, optimizer, step);
  }

  private static void run(
      JsonNode c, List<Parameter> parameters, Optimizer<?> optimizer, int from) {
    double tolerance = c.get("dtype").asString().equals("float64") ? 1e-10 : 1e-4;
    double absolute = c.get("dtype").asString().equals("float64") ? 1e-12 : 1e-6;
    for (int step = from; step < c.get("steps").asInt(); step++) {
      optimizer.zeroGrad();
      gradients(c, parameters, step);
      optimizer.step();
      for (JsonNode snapshot : c.get("snapshots")) {
        if (snapshot.get("step").asInt() == step + 1) {
          for (int p = 0; p < parameters.size(); p++) {
            near(
                "step " + (step + 1) + ", parameter " + p,
                parameters.get(p).toDoubleArray(),
                Golden.numbers(snapshot.get("params").get(p)),
                tolerance,
                absolute);
          }
        }
      }
      JsonNode after = c.get("state_dict_after");
      if (after.get("step").asInt() == step + 1) {
        same(
            "state_dict",
            optimizer.stateDict(),
            Golden.value(after.get("state_dict")),
            tolerance,
            absolute);
      }
    }
  }

  private static List<Parameter> parameters(JsonNode c) {
    DType dtype = dtype(c);
    long[][] shapes =
        switch (c.get("problem").asString()) {
          case "rosenbrock" -> new long[][] {{2}};
          case "mlp" -> new long[][] {{3, 4}, {4}, {4, 2}};
          case "prescribed" -> new long[][] {{3}, {2, 2}};
          default -> throw new IllegalArgumentException(c.get("problem").asString());
        };
    var parameters = new ArrayList<Parameter>();
    for (int p = 0; p < shapes.length; p++) {
      parameters.add(new Parameter(Tensor.zeros(dtype, shapes[p])));
    }
    set(parameters, c.get("initial"));
    return parameters;
  }

  private static void set(List<Parameter> parameters, JsonNode values) {
    for (int i = 0; i < parameters.size(); i++) {
      Parameter parameter = parameters.get(i);
      double[] numbers = Golden.numbers(values.get(i));
      Autograd.noGrad(() -> parameter.copy_(Tensor.of(numbers, parameter.shape().toArray())));
    }
  }

  private static DType dtype(JsonNode c) {
    return c.get("dtype").asString().equals("float64") ? DType.FLOAT64 : DType.FLOAT32;
  }

  private static void gradients(JsonNode c, List<Parameter> parameters, int step) {
    switch (c.get("problem").asString()) {
      case "rosenbrock" -> {
        Tensor x = parameters.getFirst().select(0, 0);
        Tensor y = parameters.getFirst().select(0, 1);
        x.rsub(1L).square().add(y.sub(x.square()).square().mul(100.0)).backward();
      }
      case "mlp" -> {
        Tensor x = Golden.tensor(SET.get("data").get("X")).to(dtype(c));
        Tensor y = Golden.tensor(SET.get("data").get("Y")).to(dtype(c));
        x.matmul(parameters.get(0))
            .add(parameters.get(1))
            .tanh()
            .matmul(parameters.get(2))
            .sub(y)
            .square()
            .mean()
            .backward();
      }
      default -> {
        for (int k = 0; k < parameters.size(); k++) {
          Parameter parameter = parameters.get(k);
          if (k == 1 && (step == 9 || step == 10)) {
            continue;
          }
          double[] grad = new double[(int) parameter.numel()];
          for (int i = 0; i < grad.length; i++) {
            grad[i] = (Math.floorMod(step * 7 + i * 13 + k * 5, 11) - 5) / 10.0;
          }
          parameter.setGrad(Tensor.of(grad, parameter.shape().toArray()).to(dtype(c)));
        }
      }
    }
  }

  private static Optimizer<?> optimizer(JsonNode c, List<Parameter> parameters) {
    JsonNode options = c.get("options");
    JsonNode groups = c.get("groups");
    return switch (c.get("optimizer").asString()) {
      case "SGD" ->
          grouped(new SGD(o -> sgd(o, options)), GoldenOptimizersTest::sgd, groups, parameters);
      case "Adam" ->
          grouped(new Adam(o -> adam(o, options)), GoldenOptimizersTest::adam, groups, parameters);
      case "AdamW" ->
          grouped(new AdamW(o -> adam(o, options)), GoldenOptimizersTest::adam, groups, parameters);
      default -> throw new IllegalArgumentException(c.get("optimizer").asString());
    };
  }

  private interface Reader<O> {
    O read(O options, JsonNode node);
  }

  private static <O extends OptimizerOptions<O>> Optimizer<O> grouped(
      Optimizer<O> optimizer,
      Reader<O> reader,
      @Nullable JsonNode groups,
      List<Parameter> parameters) {
    if (groups == null || groups.isNull()) {
      optimizer.addParamGroup(parameters);
      return optimizer;
    }
    for (JsonNode group : groups) {
      UnaryOperator<O> options = o -> reader.read(o, group);
      optimizer.addParamGroup(
          group.get("params").valueStream().map(i -> parameters.get(i.asInt())).toList(), options);
    }
    return optimizer;
  }

  private static SGD.Options sgd(SGD.Options start, JsonNode node) {
    SGD.Options o = start;
    for (Map.Entry<String, JsonNode> e : node.properties()) {
      JsonNode v = e.getValue();
      o =
          switch (e.getKey()) {
            case "lr" -> o.lr(v.asDouble());
            case "momentum" -> o.momentum(v.asDouble());
            case "dampening" -> o.dampening(v.asDouble());
            case "weight_decay" -> o.weightDecay(v.asDouble());
            case "nesterov" -> o.nesterov(v.asBoolean());
            case "maximize" -> o.maximize(v.asBoolean());
            case "foreach", "params" -> o;
            default -> throw new IllegalArgumentException(e.getKey());
          };
    }
    return o;
  }

  private static AdamOptions adam(AdamOptions start, JsonNode node) {
    AdamOptions o = start;
    for (Map.Entry<String, JsonNode> e : node.properties()) {
      JsonNode v = e.getValue();
      o =
          switch (e.getKey()) {
            case "lr" -> o.lr(v.asDouble());
            case "betas" -> o.betas(v.get(0).asDouble(), v.get(1).asDouble());
            case "eps" -> o.eps(v.asDouble());
            case "weight_decay" -> o.weightDecay(v.asDouble());
            case "amsgrad" -> o.amsgrad(v.asBoolean());
            case "maximize" -> o.maximize(v.asBoolean());
            case "foreach", "params" -> o;
            default -> throw new IllegalArgumentException(e.getKey());
          };
    }
    return o;
  }

  private static void near(
      String what, double[] actual, double[] expected, double rtol, double atol) {
    assertThat(actual).as(what).hasSameSizeAs(expected);
    for (int i = 0; i < actual.length; i++) {
      boolean same =
          Double.isFinite(expected[i])
              ? Math.abs(actual[i] - expected[i]) <= atol + rtol * Math.abs(expected[i])
              : Double.compare(actual[i], expected[i]) == 0;
      assertThat(same)
          .as("%s[%d]: expected %s, but was %s", what, i, expected[i], actual[i])
          .isTrue();
    }
  }

  /// Everything that PyTorch's state dict says must be in ours; keys that are new since then may be there too.
  private static void same(
      String path, @Nullable Object actual, @Nullable Object expected, double rtol, double atol) {
    switch (expected) {
      case Map<?, ?> map -> {
        assertThat(actual).as(path).isInstanceOf(Map.class);
        map.forEach((key, value) -> {
          Object own = null;
          for (Map.Entry<?, ?> e : ((Map<?, ?>) actual).entrySet()) {
            own = String.valueOf(e.getKey()).equals(key) ? e.getValue() : own;
          }
          // how PyTorch computes it is not ours to say; fused was false then, and is null since
          if (!"fused".equals(key) && !"foreach".equals(key)) {
            same(path + "." + key, own, value, rtol, atol);
          }
        });
      }
      case List<?> list -> {
        assertThat(actual).as(path).isInstanceOf(List.class);
        assertThat((List<?>) actual).as(path).hasSameSizeAs(list);
        for (int i = 0; i < list.size(); i++) {
          same(path + "[" + i + "]", ((List<?>) actual).get(i), list.get(i), rtol, atol);
        }
      }
      case Tensor tensor -> {
        assertThat(actual).as(path).isInstanceOf(Tensor.class);
        assertThat(((Tensor) actual).dtype()).as(path).isEqualTo(tensor.dtype());
        assertThat(((Tensor) actual).shape()).as(path).isEqualTo(tensor.shape());
        near(path, ((Tensor) actual).toDoubleArray(), tensor.toDoubleArray(), rtol, atol);
      }
      case Number number ->
          assertThat(((Number) actual).doubleValue()).as(path).isEqualTo(number.doubleValue());
      case null, default -> assertThat(actual).as(path).isEqualTo(expected);
    }
  }
}
