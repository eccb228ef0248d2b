package taper.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.function.LongToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.tensor.Parameter;
import taper.tensor.Tensor;
import tools.jackson.databind.JsonNode;

/// Follows PyTorch's schedules epoch by epoch.
final class GoldenSchedulersTest {

  static Stream<GoldenOptimizersTest.Named> cases() {
    return Golden.cases("optim/schedulers").stream().map(GoldenOptimizersTest.Named::new);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void ratesAndMomentaFollowPyTorch(GoldenOptimizersTest.Named named) {
    JsonNode c = named.node();
    Optimizer<?> optimizer = optimizer(c);
    LRScheduler scheduler = scheduler(c, optimizer);
    check(c, optimizer, 0);
    for (int epoch = 1; epoch <= c.get("steps").asInt(); epoch++) {
      optimizer.step();
      scheduler.step();
      check(c, optimizer, epoch);
      if (epoch == 12) {
        Map<String, ?> state = scheduler.stateDict();
        Golden.map(c.get("state_dict_after_12"))
            .forEach((key, expected) -> {
              assertThat(state).as(key).containsKey(key);
              if (expected instanceof Number number) {
                assertThat(((Number) state.get(key)).doubleValue())
                    .as(key)
                    .isEqualTo(number.doubleValue());
              } else if (expected instanceof Boolean) {
                assertThat((Object) state.get(key)).as(key).isEqualTo(expected);
              }
            });
      }
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aLoadedStateDictContinuesAsIfNothingHadHappened(GoldenOptimizersTest.Named named) {
    JsonNode c = named.node();
    Optimizer<?> before = optimizer(c);
    LRScheduler first = scheduler(c, before);
    for (int epoch = 1; epoch <= 12; epoch++) {
      first.step();
    }
    Optimizer<?> optimizer = optimizer(c);
    LRScheduler scheduler = scheduler(c, optimizer);
    optimizer.loadStateDict(before.stateDict());
    scheduler.loadStateDict(Golden.map(c.get("state_dict_after_12")));

    for (int epoch = 13; epoch <= c.get("steps").asInt(); epoch++) {
      scheduler.step();
      check(c, optimizer, epoch);
    }
  }

  private static void check(JsonNode c, Optimizer<?> optimizer, int epoch) {
    JsonNode expected = c.get("sequence").get(epoch);
    for (int g = 0; g < 2; g++) {
      double lr = expected.get("lr").get(g).asDouble();
      ParameterGroup<?> group = optimizer.groups().get(g);
      assertThat(group.lr())
          .as("lr of group %d, epoch %d", g, epoch)
          .isCloseTo(lr, within(1e-12 * lr + 1e-18));
      assertThat(group.options().momentum())
          .as("momentum of group %d, epoch %d", g, epoch)
          .isCloseTo(expected.get("momentum").get(g).asDouble(), within(1e-12));
    }
  }

  private static Optimizer<?> optimizer(JsonNode c) {
    List<Tensor> first = List.of(new Parameter(Tensor.ones(2)));
    List<Tensor> second = List.of(new Parameter(Tensor.ones(2)));
    if (c.get("optimizer").asString().equals("SGD")) {
      var sgd = new SGD(first, o -> o.lr(0.1).momentum(0.9));
      sgd.addParamGroup(second, o -> o.lr(0.02));
      return sgd;
    }
    var adam = new Adam(first, o -> o.lr(0.1));
    adam.addParamGroup(second, o -> o.lr(0.02));
    return adam;
  }

  private static LRScheduler scheduler(JsonNode c, Optimizer<?> optimizer) {
    JsonNode o = c.get("options");
    return switch (c.get("scheduler").asString()) {
      case "StepLR" -> new StepLR(optimizer, o.get("step_size").asLong(), number(o, "gamma", 0.1));
      case "MultiStepLR" ->
          new MultiStepLR(
              optimizer,
              o.get("milestones").valueStream().mapToLong(JsonNode::asLong).toArray(),
              number(o, "gamma", 0.1));
      case "ExponentialLR" -> new ExponentialLR(optimizer, o.get("gamma").asDouble());
      case "CosineAnnealingLR" ->
          new CosineAnnealingLR(optimizer, o.get("T_max").asLong(), number(o, "eta_min", 0));
      case "LinearLR" ->
          new LinearLR(
              optimizer,
              number(o, "start_factor", 1.0 / 3),
              number(o, "end_factor", 1),
              (long) number(o, "total_iters", 5));
      case "ConstantLR" ->
          new ConstantLR(
              optimizer, number(o, "factor", 1.0 / 3), (long) number(o, "total_iters", 5));
      case "LambdaLR" ->
          o.get("lr_lambda").isArray()
              ? new LambdaLR(
                  optimizer,
                  o.get("lr_lambda").valueStream().map(x -> lambda(x.asString())).toList())
              : new LambdaLR(optimizer, lambda(o.get("lr_lambda").asString()));
      case "OneCycleLR" -> oneCycle(o, optimizer);
      default -> throw new IllegalArgumentException(c.get("scheduler").asString());
    };
  }

  private static OneCycleLR oneCycle(JsonNode o, Optimizer<?> optimizer) {
    long steps =
        o.has("total_steps")
            ? o.get("total_steps").asLong()
            : o.get("epochs").asLong() * o.get("steps_per_epoch").asLong();
    JsonNode max = o.get("max_lr");
    List<Double> maxLrs =
        max.isArray()
            ? max.valueStream().map(JsonNode::asDouble).toList()
            : List.of(max.asDouble(), max.asDouble());
    return new OneCycleLR(
        optimizer,
        maxLrs,
        steps,
        d ->
            d.pctStart(number(o, "pct_start", 0.3))
                .anneal(
                    o.has("anneal_strategy") && o.get("anneal_strategy").asString().equals("linear")
                        ? OneCycleLR.Anneal.LINEAR
                        : OneCycleLR.Anneal.COS)
                .cycleMomentum(!o.has("cycle_momentum") || o.get("cycle_momentum").asBoolean())
                .momentum(number(o, "base_momentum", 0.85), number(o, "max_momentum", 0.95))
                .divFactor(number(o, "div_factor", 25))
                .finalDivFactor(number(o, "final_div_factor", 1e4))
                .threePhase(o.has("three_phase") && o.get("three_phase").asBoolean()));
  }

  private static double number(JsonNode options, String key, double otherwise) {
    return options.has(key) ? options.get(key).asDouble() : otherwise;
  }

  private static LongToDoubleFunction lambda(String name) {
    return switch (name) {
      case "0.95^e" -> e -> Math.pow(0.95, e);
      case "1/(1+e)" -> e -> 1.0 / (1 + e);
      case "warmup5" -> e -> Math.min(1, (e + 1) / 5.0);
      default -> throw new IllegalArgumentException(name);
    };
  }
}
