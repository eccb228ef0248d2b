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

/// The draws under the initialisation functions of layers, as recorded with PyTorch.
class GoldenInitialDrawsTest {
  static Stream<JsonNode> cases() {
    return Golden.cases("init-draws");
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("cases")
  void initialDrawsAreThoseOfPyTorch(JsonNode recorded) {
    JsonNode options = recorded.get("options");
    JsonNode expected = recorded.get("result");
    DType dtype = Golden.dtype(expected.get("dtype"));
    long[] sizes = Golden.sizes(recorded.get("shape"));
    Generator generator = new Generator(recorded.get("seed").asLong());
    try (Arena arena = Arena.ofConfined()) {
      Strided out =
          Strided.of(
              arena.allocate(1 << 16, 64), 0, dtype, sizes, Strided.contiguousStrides(sizes));

      double mean = options.path("mean").asDouble(0);
      double std = options.path("std").asDouble(1);
      double a =
          options.path("a").asDouble(recorded.get("fn").asString().equals("uniform_") ? 0 : -2);
      double b =
          options.path("b").asDouble(recorded.get("fn").asString().equals("uniform_") ? 1 : 2);
      switch (recorded.get("fn").asString()) {
        case "uniform_" -> Sampling.uniform(out, a, b, generator);
        case "normal_" -> Sampling.normal(out, mean, std, generator);
        default -> truncatedNormal(out, mean, std, a, b, generator);
      }

      JsonNode values = expected.has("data") ? expected.get("data") : expected.get("first");
      double tolerance = dtype == DType.FLOAT64 ? 1e-12 : 1e-6;
      Fill read = new Fill(out);
      for (JsonNode value : values) {
        assertThat(Math.abs(read.next() - value.asDouble()))
            .as("%s: %s", recorded.get("id"), value)
            .isLessThanOrEqualTo(tolerance * Math.max(Math.abs(value.asDouble()), std * 0.1));
      }
    }
  }

  /// `nn.init.trunc_normal_`: the inverse distribution function of uniform numbers between the bounds.
  private static void truncatedNormal(
      Strided out, double mean, double std, double a, double b, Generator generator) {
    double low = Erf.erf((a - mean) / std / Math.sqrt(2));
    double high = Erf.erf((b - mean) / std / Math.sqrt(2));
    Sampling.uniform(out, low, high, generator);
    Fill read = new Fill(out);
    Fill write = new Fill(out);
    boolean single = out.dtype() == DType.FLOAT32;
    while (write.remaining() > 0) {
      double u = read.next();
      double x =
          single
              ? Erf.inverse((float) u) * (float) (std * Math.sqrt(2)) + (float) mean
              : Erf.inverse(u) * (std * Math.sqrt(2)) + mean;
      write.put(new double[] {Math.clamp(x, a, b)}, 1);
    }
  }
}
