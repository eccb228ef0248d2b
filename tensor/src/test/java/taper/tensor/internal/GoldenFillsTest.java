package taper.tensor.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.tensor.DType;
import taper.tensor.Generator;
import taper.tensor.spi.Strided;
import tools.jackson.databind.JsonNode;

/// Fills permuted, gapped, empty and zero-dimensional views of every type, and compares the whole memory
/// with what PyTorch 1.13 left there. `next` is the first number that the generator gives afterwards.
class GoldenFillsTest {
  static Stream<JsonNode> cases() {
    return Golden.cases("fills");
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("cases")
  void memoryAfterAFillIsThatOfPyTorch(JsonNode recorded) {
    DType dtype = Golden.dtype(recorded.get("dtype"));
    Generator generator = new Generator(recorded.get("seed").asLong());
    for (int i = 0; i < recorded.get("warm").asInt(); i++) {
      generator.normal();
    }
    try (Arena arena = Arena.ofConfined()) {
      Strided storage = flat(arena, dtype, recorded.get("storage").asLong());
      Strided view =
          storage.view(
              recorded.get("offset").asLong(),
              Golden.sizes(recorded.get("sizes")),
              Golden.sizes(recorded.get("strides")));

      Strided result = storage;
      if (recorded.get("fill").asString().equals("bernoulliTensor")) {
        double[] in = recorded.get("inp").valueStream().mapToDouble(JsonNode::asDouble).toArray();
        new Fill(storage).put(in, in.length);
        result =
            flat(arena, dtype, view.numel())
                .view(0, view.sizes(), Golden.sizes(recorded.get("ostrides")));
        Sampling.bernoulli(result, view, generator);
      } else {
        fill(recorded, view, generator);
      }

      compare(recorded, result);
      assertThat(generator.nextSeed())
          .as("next after %s", recorded)
          .isEqualTo(recorded.get("next").asLong());
    }
  }

  private static void fill(JsonNode recorded, Strided view, Generator generator) {
    JsonNode args = recorded.get("args");
    double first = args.path(0).asDouble(0);
    double second = args.path(1).asDouble(0);
    switch (recorded.get("fill").asString()) {
      case "uniform" -> Sampling.uniform(view, first, second, generator);
      case "normal" -> Sampling.normal(view, first, second, generator);
      case "logNormal" -> Sampling.logNormal(view, first, second, generator);
      case "exponential" -> Sampling.exponential(view, first, generator);
      case "geometric" -> Sampling.geometric(view, first, generator);
      case "cauchy" -> Sampling.cauchy(view, first, second, generator);
      case "bernoulli" -> Sampling.bernoulli(view, first, generator);
      case "randomTo" -> Sampling.random(view, 0, args.get(0).asLong(), generator);
      case "randomWide" ->
          Sampling.random(view, args.get(0).asLong(), args.get(1).asLong(), generator);
      case "random" -> Sampling.random(view, generator);
      case "full" -> Sampling.randomFullRange(view, generator);
      default -> throw new AssertionError(recorded);
    }
  }

  private static void compare(JsonNode recorded, Strided result) {
    double tolerance =
        switch (result.dtype()) {
          case FLOAT64 -> 1e-12;
          case FLOAT32 -> 1e-6;
          default -> 0;
        };
    // a contiguous leader: the values were recorded in the order of the indices
    Strided leader =
        Strided.of(
            result.memory(),
            0,
            result.dtype(),
            result.sizes(),
            Strided.contiguousStrides(result.sizes()));
    Fill read = new Fill(leader, result);
    for (JsonNode value : recorded.get("values")) {
      double actual = read.next();
      if (value.isString()) {
        assertThat(actual).as("%s", recorded).isEqualTo(infinity(value.asString()));
      } else {
        double expected = value.asDouble();
        assertThat(Math.abs(actual - expected))
            .as("%s: %s", recorded, expected)
            .isLessThanOrEqualTo(tolerance * Math.abs(expected));
      }
    }
  }

  private static double infinity(String text) {
    return text.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
  }

  private static Strided flat(Arena arena, DType dtype, long numel) {
    return Strided.of(
        arena.allocate(numel * dtype.byteSize() + 1, 64),
        0,
        dtype,
        new long[] {numel},
        new long[] {1});
  }
}
