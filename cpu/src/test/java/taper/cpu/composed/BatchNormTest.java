package taper.cpu.composed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.cpu.Guarded;
import taper.cpu.assembler.CpuFeatures;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Parallel;
import taper.tensor.Catalogue;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Normalization.BatchNorm;
import taper.tensor.Operator;
import taper.tensor.internal.Elements;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Batch normalization where it is cut into cells: short and long channels, many and large images.
class BatchNormTest {
  /// Whole channels in cells by row and by column, channels in pieces, and images in layers.
  private static final long[][] SHAPES = {
    {5, 4, 257},
    {9, 70, 63},
    {3, 40, 16},
    {33, 300, 1},
    {2, 1, 70_001},
    {70, 2, 2_000},
    {700, 3, 1},
    {600, 9, 2}
  };

  private final int threads = Parallel.threads();

  @AfterEach
  void restoreThreads() {
    Parallel.setThreads(threads);
  }

  record Case(Isa isa, DType dtype, List<Long> shape) {}

  static Stream<Case> cases() {
    CpuFeatures features = CpuFeatures.current();
    var cases = new ArrayList<Case>();
    for (Isa isa : Isa.values()) {
      boolean usable = features.unavailable() == null && isa.compareTo(features.isa()) <= 0;
      for (long[] shape : usable ? SHAPES : new long[0][]) {
        cases.add(new Case(isa, DType.FLOAT32, List.of(shape[0], shape[1], shape[2])));
      }
      if (usable) {
        cases.add(new Case(isa, DType.FLOAT64, List.of(40L, 1L, 1_700L)));
        cases.add(new Case(isa, DType.FLOAT64, List.of(9L, 70L, 15L)));
      }
    }
    return cases.stream();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void agreesWithTheReference(Case c) {
    compare(c, x -> x, 2e-5);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void meansFarFromZeroCostNoPrecision(Case c) {
    compare(c, x -> x + 1000, 2e-4); // x itself has lost as much
  }

  @ParameterizedTest
  @MethodSource("cases")
  void squaresMayBeBeyondTheType(Case c) {
    compare(c, x -> 1e19 * x, 2e-5);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void firstImagesMayLieApart(Case c) {
    var count = new long[1];
    long first = c.shape.get(1) * c.shape.get(2);
    compare(c, x -> count[0]++ % (first * c.shape.get(0)) < first ? 30 + x / 64 : x, 2e-5);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void bitsDoNotDependOnTheNumberOfThreads(Case c) {
    List<List<Guarded>> results = new ArrayList<>();
    for (int count : new int[] {1, 2, 4}) {
      Parallel.setThreads(count);
      results.add(run(c, x -> x, false));
    }

    for (List<Guarded> other : results) {
      for (int i = 0; i < other.size(); i++) {
        Strided first = results.getFirst().get(i).strided();
        assertThat(first.memory().mismatch(other.get(i).strided().memory())).isEqualTo(-1);
      }
    }
    results.forEach(all -> all.forEach(Guarded::close));
  }

  private static void compare(Case c, DoubleUnaryOperator values, double tolerance) {
    List<Guarded> actual = run(c, values, false);
    List<Guarded> expected = run(c, values, true);

    for (int i = 0; i < actual.size(); i++) {
      var found = new Elements(actual.get(i).strided());
      var right = new Elements(expected.get(i).strided());
      double scale = 0;
      double error = 0;
      for (long k = 0; k < right.numel(); k++) {
        scale = Math.max(scale, Math.abs(right.at(k)));
        error = Math.max(error, Math.abs(found.at(k) - right.at(k)));
      }
      assertThat(error).as("result %s", i).isLessThanOrEqualTo(tolerance * scale);
    }
    actual.forEach(Guarded::close);
    expected.forEach(Guarded::close);
  }

  /// The results forward, the running statistics, and the gradients.
  private static List<Guarded> run(Case c, DoubleUnaryOperator values, boolean reference) {
    var random = new Random(1);
    long[] x = c.shape.stream().mapToLong(Long::longValue).toArray();
    long[] channels = {x[1]};
    List<Guarded> in = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      in.add(tensor(c.dtype, i == 0 ? x : channels));
      var elements = new Elements(in.get(i).strided());
      for (long k = 0; k < elements.numel(); k++) {
        double value = random.nextGaussian();
        elements.set(k, i == 0 ? values.applyAsDouble(value) : value);
      }
    }
    List<Guarded> out =
        List.of(tensor(c.dtype, x), tensor(c.dtype, channels), tensor(c.dtype, channels));
    var attributes = new BatchNorm(0.1, 1e-5);
    kernel(c, "batchNorm", reference).run(attributes, strided(out), strided(in));
    Guarded grad = tensor(c.dtype, x);
    var elements = new Elements(grad.strided());
    for (long k = 0; k < elements.numel(); k++) {
      elements.set(k, random.nextGaussian());
    }
    List<Guarded> gradients =
        List.of(tensor(c.dtype, x), tensor(c.dtype, channels), tensor(c.dtype, channels));
    kernel(c, "batchNormGradient", reference)
        .run(
            attributes,
            strided(gradients),
            strided(List.of(grad, in.get(0), in.get(1), out.get(1), out.get(2))));
    List<Guarded> results = new ArrayList<>(out);
    results.addAll(in.subList(3, 5));
    results.addAll(gradients);
    for (Guarded used : List.of(grad, in.get(0), in.get(1), in.get(2))) {
      used.close();
    }
    return results;
  }

  private static Guarded tensor(DType dtype, long[] sizes) {
    return Guarded.of(dtype, sizes);
  }

  private static Strided[] strided(List<Guarded> tensors) {
    return tensors.stream().map(Guarded::strided).toArray(Strided[]::new);
  }

  private static Kernel kernel(Case c, String name, boolean reference) {
    Operator<?> operator = Objects.requireNonNull(Catalogue.find(name));
    return reference
        ? ((Definition.Structured<?>) operator.definition()).reference()
        : Objects.requireNonNull(new ComposedKernels(Engine.x86(c.isa)).kernel(operator, c.dtype));
  }
}
