package taper.tensor.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.tensor.DType;
import taper.tensor.Generator;
import taper.tensor.spi.Strided;
import tools.jackson.databind.JsonNode;

/// Replays every sequence of random calls that was recorded with PyTorch, and compares the results and
/// the state in which the generator is left.
class GoldenSequencesTest {
  static Stream<JsonNode> cases() {
    return Golden.cases("sequences");
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("cases")
  void sequenceIsThatOfPyTorch(JsonNode sequence) {
    Generator generator = new Generator().manualSeed(sequence.get("seed").asLong());

    List<Runnable> checks = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      for (JsonNode call : sequence.get("calls")) {
        Strided result = new Call(call, generator, arena).result();
        checks.add(() -> compare(sequence.get("id").asString() + " " + call, call, result));
      }
      checks.add(() -> compareState(sequence, generator));

      assertAll(checks.stream().map(check -> check::run));
    }
  }

  /// One recorded call, carried out on memory of its own.
  private record Call(JsonNode call, Generator generator, Arena arena) {
    Strided result() {
      JsonNode params = call.path("params");
      DType dtype = Golden.dtype(call.get("dtype"));
      Strided out = allocate(dtype, Golden.sizes(call.path("shape")));
      switch (call.get("call").asString()) {
        case "rand" -> Sampling.uniform(out, 0, 1, generator);
        case "uniform_" -> Sampling.uniform(out, number("a"), number("b"), generator);
        case "randn" -> Sampling.normal(out, 0, 1, generator);
        case "normal_" -> Sampling.normal(out, number("mean"), number("std"), generator);
        case "log_normal_" -> Sampling.logNormal(out, number("mean"), number("std"), generator);
        case "exponential_" -> Sampling.exponential(out, number("lambd"), generator);
        case "geometric_" -> Sampling.geometric(out, number("p"), generator);
        case "cauchy_" -> Sampling.cauchy(out, number("median"), number("sigma"), generator);
        case "bernoulli_" -> Sampling.bernoulli(out, number("p"), generator);
        case "bernoulli" -> Sampling.bernoulli(out, full(out, number("p")), generator);
        case "dropout" -> Sampling.dropout(out, number("p"), generator);
        case "dropout2d" -> channels(out, 2, c -> Sampling.dropout(c, number("p"), generator));
        case "alpha_dropout" -> {
          Sampling.bernoulli(out, 1 - number("p"), generator);
          alpha(out, number("p"));
        }
        case "feature_alpha_dropout" -> {
          channels(out, 2, c -> Sampling.bernoulli(c, 1 - number("p"), generator));
          alpha(out, number("p"));
        }
        case "random_" -> Sampling.random(out, generator);
        case "random_to" -> Sampling.random(out, 0, params.get("to").asLong(), generator);
        case "randint", "random_range" ->
            Sampling.random(
                out, params.get("low").asLong(), params.get("high").asLong(), generator);
        case "randperm" -> Sampling.permutation(out, generator);
        case "poisson" -> Sampling.poisson(out, full(out, number("rate")), generator);
        case "normal_tensors" -> Sampling.normal(out, 0, 1, generator);
        case "rrelu" -> {
          Sampling.rreluSlopes(out, full(out, -1), 1.0 / 8, 1.0 / 3, generator);
          map(out, slope -> -slope);
        }
        case "gumbel_softmax" -> {
          Sampling.exponential(out, 1, generator);
          softmaxOfMinusLog(out);
        }
        case "randn_noncontiguous" -> {
          Strided buffer = allocate(dtype, new long[] {2 * out.numel()});
          Strided every2nd = buffer.view(0, new long[] {out.numel()}, new long[] {2});
          Sampling.normal(every2nd, 0, 1, generator);
          return every2nd;
        }
        case "multinomial" -> {
          return multinomial(params, dtype);
        }
        default -> throw new AssertionError("unknown call " + call);
      }
      return out;
    }

    private double number(String name) {
      return call.get("params").get(name).asDouble();
    }

    private Strided multinomial(JsonNode params, DType dtype) {
      JsonNode weights = params.get("weights");
      boolean matrix = weights.get(0).isArray();
      long n = params.get("n").asLong();
      long[] in =
          matrix ? new long[] {weights.size(), weights.get(0).size()} : new long[] {weights.size()};
      Strided operand = allocate(dtype, in);
      List<JsonNode> flat = new ArrayList<>();
      weights.forEach(w -> (matrix ? w : List.of(w)).forEach(flat::add));
      double[] values = flat.stream().mapToDouble(JsonNode::asDouble).toArray();
      new Fill(operand).put(values, values.length);
      Strided out = allocate(DType.INT64, matrix ? new long[] {weights.size(), n} : new long[] {n});
      Sampling.multinomial(out, operand, params.get("replacement").asBoolean(), generator);
      return out;
    }

    private Strided full(Strided like, double value) {
      Strided out = allocate(like.dtype(), like.sizes());
      map(out, zero -> value);
      return out;
    }

    /// Draws one value for each of the leading `dims` dimensions and spreads it over the others.
    private void channels(Strided out, int dims, Consumer<Strided> draw) {
      long[] leading = Arrays.copyOf(out.sizes(), dims);
      Strided small = allocate(out.dtype(), leading);
      draw.accept(small);
      double[] one = values(small);
      double[] all = new double[(int) out.numel()];
      for (int i = 0; i < all.length; i++) {
        all[i] = one[i / (all.length / one.length)];
      }
      new Fill(out).put(all, all.length);
    }

    private static void alpha(Strided out, double p) {
      double alpha = 1.7580993408473766;
      double a = 1 / Math.sqrt((alpha * alpha * p + 1) * (1 - p));
      map(out, kept -> kept * a + (kept - 1) * alpha * a + alpha * a * p);
    }

    private static void softmaxOfMinusLog(Strided out) {
      double[] values = values(out);
      int size = (int) out.size(1);
      for (int row = 0; row < values.length; row += size) {
        double sum = 0;
        for (int i = row; i < row + size; i++) {
          values[i] = 1 / values[i];
          sum += values[i];
        }
        for (int i = row; i < row + size; i++) {
          values[i] /= sum;
        }
      }
      new Fill(out).put(values, values.length);
    }

    private static void map(Strided out, DoubleUnaryOperator function) {
      double[] values = Arrays.stream(values(out)).map(function).toArray();
      new Fill(out).put(values, values.length);
    }

    private Strided allocate(DType dtype, long[] sizes) {
      long numel = 1;
      for (long size : sizes) {
        numel *= size;
      }
      MemorySegment memory = arena.allocate(Math.max(1, numel) * dtype.byteSize(), 64);
      return Strided.of(memory, 0, dtype, sizes, Strided.contiguousStrides(sizes));
    }
  }

  private static void compare(String what, JsonNode call, Strided result) {
    JsonNode expected = call.get("result");
    assertThat(result.dtype()).as(what).isEqualTo(Golden.dtype(expected.get("dtype")));
    assertThat(result.sizes()).as(what).isEqualTo(Golden.sizes(expected.get("shape")));
    if (expected.has("data")) {
      compare(what, expected.get("data"), result, 0);
    } else {
      compare(what, expected.get("first"), result, 0);
      JsonNode last = expected.get("last");
      compare(what, last, result, (int) result.numel() - last.size());
      if (sameBits(call)) {
        assertThat(Golden.sha256(bytes(result)))
            .as(what)
            .isEqualTo(expected.get("sha256").asString());
      }
    }
  }

  /// Whether the whole tensor equals PyTorch's to the last bit. float64 logarithms and sines come from
  /// the maths library and differ in the last bit now and then.
  private static boolean sameBits(JsonNode call) {
    if (!call.get("dtype").asString().equals("float64")) {
      return true;
    }
    return switch (call.get("call").asString()) {
      case "randn", "normal_", "log_normal_", "exponential_", "cauchy_" -> false;
      default -> true;
    };
  }

  private static void compare(String what, JsonNode expected, Strided result, int offset) {
    boolean whole = !result.dtype().isFloatingPoint();
    Fill read = new Fill(result);
    for (int i = 0; i < offset; i++) {
      read.next();
    }
    for (JsonNode node : expected) {
      if (whole) {
        long value = result.dtype() == DType.BOOL ? node.asBoolean() ? 1 : 0 : node.asLong();
        // exact up to 2^53, and all that fits into a long is far apart otherwise
        assertThat(read.next()).as(what).isEqualTo((double) value);
      } else {
        double value = node.asDouble();
        double tolerance =
            switch (result.dtype()) {
              case FLOAT64 -> 1e-12;
              case FLOAT32 -> 1e-6;
              default -> 0; // half types hide what maths libraries disagree about
            };
        assertThat(Math.abs(read.next() - value))
            .as("%s: %s", what, value)
            .isLessThanOrEqualTo(tolerance * Math.abs(value));
      }
    }
  }

  private static void compareState(JsonNode sequence, Generator generator) {
    JsonNode after = sequence.get("state_after");
    assertThat(Golden.sha256(generator.state()))
        .as("state after %s", sequence.get("id"))
        .isEqualTo(after.get("state_sha256").asString());
    for (JsonNode next : after.get("next_random_0_to_2^32")) {
      // the range 2^32 takes draws of 64 bits
      assertThat(generator.random64() & 0xffffffffL).isEqualTo(next.asLong());
    }
  }

  private static double[] values(Strided from) {
    Fill read = new Fill(from);
    double[] values = new double[(int) from.numel()];
    for (int i = 0; i < values.length; i++) {
      values[i] = read.next();
    }
    return values;
  }

  private static byte[] bytes(Strided result) {
    assertThat(result.isContiguous()).isTrue();
    return result
        .memory()
        .asSlice(0, result.numel() * result.dtype().byteSize())
        .toArray(ValueLayout.JAVA_BYTE);
  }
}
