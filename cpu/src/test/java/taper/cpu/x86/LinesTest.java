package taper.cpu.x86;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import taper.cpu.Guarded;
import taper.cpu.assembler.CpuFeatures;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Parallel;
import taper.tensor.Catalogue;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.Reductions.Cumulative;
import taper.tensor.Reductions.Reduce;
import taper.tensor.internal.Elements;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Folds, extremes and running results of lines over guarded memory against the reference kernels, on sizes around those
/// of vectors, groups of rows and blocks, on one thread and several.
class LinesTest {
  private static final long[][] SHAPES = {
    {1},
    {63},
    {1031},
    {70001},
    {7, 15},
    {3, 5003},
    {2, 40001},
    {257, 1},
    {600, 5},
    {1037, 261},
    {2, 3, 17},
    {2, 301, 16},
    {3, 15, 1100},
    {2, 520, 270}
  };

  private enum Content {
    NUMBERS,
    FEW_NUMBERS,
    NAN,
    LEAST
  }

  private static boolean covered() {
    CpuFeatures features = CpuFeatures.current();
    return features.unavailable() == null && features.isa() == Isa.AVX512;
  }

  private static Kernel reference(Operator<?> operator) {
    return ((Definition.Structured<?>) operator.definition()).reference();
  }

  private static Operator<?> operator(String name) {
    return Objects.requireNonNull(Catalogue.find(name));
  }

  static Stream<Arguments> calls() {
    return Stream.of("sum", "mean", "amax", "amin", "maxDim", "minDim", "argmax", "argmin")
        .flatMap(name -> Stream.of(SHAPES).map(shape -> Arguments.of(name, shape)));
  }

  @ParameterizedTest(name = "{0} of {1}")
  @MethodSource("calls")
  void agreesWithTheReference(String name, long[] shape) {
    assumeTrue(covered(), "for AVX-512");
    Operator<?> operator = operator(name);
    Kernel reference = reference(operator);
    Kernel kernel = FloatFolds.kernel(Isa.AVX512, operator, DType.FLOAT32, reference);
    if (kernel == null) {
      kernel =
          Objects.requireNonNull(Extremes.kernel(Isa.AVX512, operator, DType.FLOAT32, reference));
    }
    for (int dim = 0; dim < shape.length; dim++) {
      for (Content content : Content.values()) {
        check(name, kernel, reference, shape, dim, content);
      }
    }
  }

  private static void check(
      String name, Kernel kernel, Kernel reference, long[] shape, int dim, Content content) {
    var reduce = new Reduce(new int[] {dim}, true);
    long[] result = shape.clone();
    result[dim] = 1;
    boolean two = name.endsWith("Dim");
    boolean exact = two || name.startsWith("arg");
    DType first = name.startsWith("arg") ? DType.INT64 : DType.FLOAT32;
    int threads = Parallel.threads();
    try (var x = Guarded.of(DType.FLOAT32, shape);
        var ours = Guarded.of(first, result);
        var alone = Guarded.of(first, result);
        var theirs = Guarded.of(first, result);
        var places = Guarded.of(DType.INT64, result);
        var theirPlaces = Guarded.of(DType.INT64, result)) {
      fill(x.strided(), content);
      var in = new Strided[] {x.strided()};
      Parallel.setThreads(1);
      kernel.run(reduce, outputs(two, alone, places), in);
      Parallel.setThreads(3);
      kernel.run(reduce, outputs(two, ours, places), in);
      reference.run(reduce, outputs(two, theirs, theirPlaces), in);

      same(ours.strided(), alone.strided(), 0);
      double scale = name.equals("sum") ? Math.sqrt(shape[dim]) : 1;
      same(ours.strided(), theirs.strided(), exact ? 0 : 2e-5 * scale);
      if (two) {
        same(places.strided(), theirPlaces.strided(), 0);
      }
    } finally {
      Parallel.setThreads(threads);
    }
  }

  static Stream<Arguments> scans() {
    return Stream.of("cumsum", "cumprod", "logcumsumexp")
        .flatMap(name -> Stream.of(DType.FLOAT32, DType.FLOAT64).map(t -> Arguments.of(name, t)));
  }

  @ParameterizedTest(name = "{0} of {1}")
  @MethodSource("scans")
  void runningResultsAgreeWithTheReference(String name, DType dtype) {
    assumeTrue(covered(), "for AVX-512");
    Operator<?> operator = operator(name);
    Kernel reference = reference(operator);
    Kernel kernel = Objects.requireNonNull(Scans.kernel(Isa.AVX512, operator, dtype));
    for (long[] shape : SHAPES) {
      for (int dim = 0; dim < shape.length; dim++) {
        for (boolean reverse : new boolean[] {false, true}) {
          try (var x = Guarded.of(dtype, shape);
              var ours = Guarded.of(dtype, shape);
              var theirs = Guarded.of(dtype, shape)) {
            fillForScan(x.strided(), name.equals("cumprod"));
            var attributes = new Cumulative(dim, reverse);
            kernel.run(attributes, new Strided[] {ours.strided()}, new Strided[] {x.strided()});
            reference.run(
                attributes, new Strided[] {theirs.strided()}, new Strided[] {x.strided()});

            same(ours.strided(), theirs.strided(), 1e-4);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"cummax", "cummin"})
  void runningExtremesAgreeWithTheReference(String name) {
    assumeTrue(covered(), "for AVX-512");
    Operator<?> operator = operator(name);
    Kernel reference = reference(operator);
    Kernel kernel = Objects.requireNonNull(Scans.kernel(Isa.AVX512, operator, DType.FLOAT32));
    for (long[] shape : SHAPES) {
      for (int dim = 0; dim < shape.length; dim++) {
        for (Content content : Content.values()) {
          try (var x = Guarded.of(DType.FLOAT32, shape);
              var ours = Guarded.of(DType.FLOAT32, shape);
              var theirs = Guarded.of(DType.FLOAT32, shape);
              var places = Guarded.of(DType.INT64, shape);
              var theirPlaces = Guarded.of(DType.INT64, shape)) {
            fill(x.strided(), content);
            var attributes = new Cumulative(dim, false);
            var in = new Strided[] {x.strided()};
            kernel.run(attributes, outputs(true, ours, places), in);
            reference.run(attributes, outputs(true, theirs, theirPlaces), in);

            same(ours.strided(), theirs.strided(), 1e-30); // zeros may differ in sign
            same(places.strided(), theirPlaces.strided(), 0);
          }
        }
      }
    }
  }

  private static Strided[] outputs(boolean two, Guarded first, Guarded second) {
    return two
        ? new Strided[] {first.strided(), second.strided()}
        : new Strided[] {first.strided()};
  }

  private static void fill(Strided x, Content content) {
    var random = new Random(x.numel() + content.ordinal());
    var elements = new Elements(x);
    for (long i = 0; i < elements.numel(); i++) {
      double value =
          switch (content) {
            case NUMBERS -> random.nextGaussian();
            case FEW_NUMBERS, NAN -> random.nextInt(-3, 4);
            case LEAST -> random.nextInt(1000) == 0 ? 1 : Double.NEGATIVE_INFINITY;
          };
      elements.set(i, value == 0 && random.nextBoolean() ? -0.0 : value);
    }
    for (int n = 0; content == Content.NAN && n < 3; n++) {
      elements.set(random.nextLong(elements.numel()), Double.NaN);
    }
  }

  private static void fillForScan(Strided x, boolean products) {
    var random = new Random(x.numel());
    var elements = new Elements(x);
    for (long i = 0; i < elements.numel(); i++) {
      elements.set(i, products ? 1 + random.nextGaussian() / 100 : random.nextGaussian());
    }
  }

  private static void same(Strided ours, Strided theirs, double tolerance) {
    var a = new Elements(ours);
    var b = new Elements(theirs);
    for (long i = 0; i < a.numel(); i++) {
      double expected = b.at(i);
      if (tolerance == 0 || !Double.isFinite(expected)) {
        assertThat(a.at(i)).as("element %d of %s", i, ours).isEqualTo(Double.valueOf(expected));
      } else {
        assertThat(a.at(i))
            .as("element %d of %s", i, ours)
            .isCloseTo(expected, within(tolerance * Math.max(1, Math.abs(expected))));
      }
    }
  }
}
