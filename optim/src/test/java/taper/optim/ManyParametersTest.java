package taper.optim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Parameter;
import taper.tensor.Tensor;
import taper.tensor.Threads;

/// An optimizer steps all parameters of a group in one pass. Each of them must end up as if it were alone.
final class ManyParametersTest {
  private static final int STEPS = 3;

  /// Makes an optimizer of parameters.
  interface Maker extends Function<List<Parameter>, Optimizer<?>> {}

  static Stream<Arguments> optimizers() {
    return Stream.of(
        maker("SGD", p -> new SGD(p, o -> o.lr(0.1))),
        maker("SGD with momentum", p -> new SGD(p, o -> o.lr(0.1).momentum(0.9).weightDecay(0.1))),
        maker("SGD that looks ahead", p -> new SGD(p, o -> o.momentum(0.9).nesterov(true))),
        maker("Adam", p -> new Adam(p, o -> o.lr(0.1).weightDecay(0.1))),
        maker("AdamW", p -> new AdamW(p, o -> o.lr(0.1).maximize(true))),
        maker("AMSGrad", p -> new Adam(p, o -> o.lr(0.1).amsgrad(true))));
  }

  private static Arguments maker(String name, Maker maker) {
    return Arguments.of(name, maker);
  }

  /// Parameters of no, one, a few and many elements, of two types, one of them strided.
  private static List<Parameter> parameters() {
    Tensor.manualSeed(5);
    return List.of(
        new Parameter(Tensor.randn(64, 33)),
        new Parameter(Tensor.randn(1)),
        new Parameter(Tensor.zeros(0)),
        new Parameter(Tensor.randn(70_001)),
        new Parameter(Tensor.randn(7, 9).to(DType.FLOAT64)),
        new Parameter(Tensor.randn(16, 5).t()),
        new Parameter(Tensor.randn(63)),
        new Parameter(Tensor.randn(3, 3).to(DType.BFLOAT16)),
        new Parameter(Tensor.randn(128)));
  }

  /// Steps with gradients that depend on parameter and step only. Every third step has none for some parameters, so that
  /// their numbers of steps differ.
  private static void step(List<Optimizer<?>> optimizers, List<Parameter> parameters) {
    for (int step = 0; step < STEPS; step++) {
      for (int p = 0; p < parameters.size(); p++) {
        Parameter parameter = parameters.get(p);
        Tensor.manualSeed(100L * step + p);
        Tensor grad = Tensor.randn(parameter.shape().toArray()).to(parameter.dtype());
        parameter.setGrad(step % 3 == 1 && p % 3 == 0 ? null : grad);
      }
      optimizers.forEach(Optimizer::step);
    }
  }

  private static List<double[]> values(List<Parameter> parameters) {
    return parameters.stream().map(p -> p.detach().toDoubleArray()).toList();
  }

  private static void assertSame(List<double[]> actual, List<double[]> expected) {
    for (int p = 0; p < expected.size(); p++) {
      assertThat(Arrays.equals(actual.get(p), expected.get(p))).as("parameter " + p).isTrue();
    }
  }

  private static List<double[]> together(Maker maker, int threads) {
    int before = Threads.numThreads();
    Threads.setNumThreads(threads);
    try {
      List<Parameter> parameters = parameters();
      step(List.of(maker.apply(parameters)), parameters);
      return values(parameters);
    } finally {
      Threads.setNumThreads(before);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("optimizers")
  void theyStepAsEachOfThemAlone(String name, Maker maker) {
    List<Parameter> parameters = parameters();
    List<Optimizer<?>> single = new ArrayList<>();
    parameters.forEach(p -> single.add(maker.apply(List.of(p))));

    step(single, parameters);

    assertSame(together(maker, 2), values(parameters));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("optimizers")
  void theNumberOfThreadsDoesNotMatter(String name, Maker maker) {
    List<double[]> one = together(maker, 1);

    assertSame(together(maker, 2), one);
    assertSame(together(maker, 5), one);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("optimizers")
  void parametersThatShareMemoryAreSteppedOneAfterTheOther(String name, Maker maker) {
    List<List<double[]>> results = new ArrayList<>();
    for (boolean together : new boolean[] {true, false}) {
      Tensor.manualSeed(9);
      Tensor memory = Tensor.randn(40_000);
      List<Parameter> parameters = new ArrayList<>();
      try (var _ = Autograd.noGrad()) {
        for (int i = 0; i < 2; i++) {
          parameters.add(new Parameter(Tensor.zeros(40_000)));
          parameters.get(i).setData(memory);
        }
      }
      step(
          together
              ? List.of(maker.apply(parameters))
              : List.of(
                  maker.apply(parameters.subList(0, 1)), maker.apply(parameters.subList(1, 2))),
          parameters);
      results.add(values(parameters));
    }

    assertSame(results.get(0), results.get(1));
  }
}
