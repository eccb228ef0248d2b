package taper.cpu.reductions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import taper.cpu.Guarded;
import taper.tensor.Catalogue;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.Reductions.Reduce;
import taper.tensor.internal.Elements;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Searches and sums of whole numbers over guarded memory against the reference kernels, around the length of a run.
class LineKernelsTest {
  private static final int[] SIZES = {1, 7, 8, 9, 511, 513, 1031};
  private static final List<DType> TYPES =
      List.of(
          DType.FLOAT32,
          DType.FLOAT64,
          DType.BFLOAT16,
          DType.FLOAT16,
          DType.INT64,
          DType.INT32,
          DType.INT16,
          DType.INT8,
          DType.UINT8,
          DType.BOOL);

  static Stream<Arguments> calls() {
    return Stream.of("argmax", "argmin", "maxDim", "minDim", "amax", "amin", "any", "all", "sum")
        .flatMap(name -> TYPES.stream().map(type -> Arguments.of(name, type)));
  }

  @ParameterizedTest(name = "{0} of {1}")
  @MethodSource("calls")
  void agreesWithTheReference(String name, DType dtype) {
    Operator<?> operator = Objects.requireNonNull(Catalogue.find(name));
    Kernel kernel = LineKernels.kernel(operator, dtype);
    if (kernel == null) {
      return; // sums of floating-point numbers are folded
    }
    Kernel reference = ((Definition.Structured<?>) operator.definition()).reference();
    for (int size : SIZES) {
      for (long[] shape : new long[][] {{3, size}, {size, 5}, {2, 3, size}, {5, size}, {size}}) {
        for (int rare = 0; rare < 3; rare++) {
          int dim = shape.length == 3 ? 1 : shape.length == 1 || shape[0] == 3 ? -1 : 0;
          check(name, kernel, reference, dtype, shape, dim < 0 ? shape.length - 1 : dim, rare);
        }
      }
    }
  }

  private static void check(
      String name, Kernel kernel, Kernel reference, DType dtype, long[] shape, int dim, int rare) {
    var reduce = new Reduce(new int[] {dim}, true);
    long[] result = shape.clone();
    result[dim] = 1;
    DType first =
        switch (name) {
          case "argmax", "argmin", "sum" -> DType.INT64;
          case "any", "all" -> DType.BOOL;
          default -> dtype;
        };
    boolean two = name.endsWith("Dim");
    try (var x = Guarded.of(dtype, shape);
        var ours = Guarded.of(first, result);
        var theirs = Guarded.of(first, result);
        var ourPlaces = Guarded.of(DType.INT64, result);
        var theirPlaces = Guarded.of(DType.INT64, result)) {
      fill(x.strided(), rare);
      kernel.run(reduce, outputs(two, ours, ourPlaces), new Strided[] {x.strided()});
      reference.run(reduce, outputs(two, theirs, theirPlaces), new Strided[] {x.strided()});

      same(ours.strided(), theirs.strided());
      if (two) {
        same(ourPlaces.strided(), theirPlaces.strided());
      }
    }
  }

  private static Strided[] outputs(boolean two, Guarded first, Guarded second) {
    return two
        ? new Strided[] {first.strided(), second.strided()}
        : new Strided[] {first.strided()};
  }

  /// Few different numbers, with both zeros; nothing but zeros; a NaN somewhere.
  private static void fill(Strided x, int rare) {
    var random = new Random(x.numel() + rare);
    var elements = new Elements(x);
    for (long i = 0; i < elements.numel(); i++) {
      double value = rare == 1 ? 0 : random.nextInt(-40, 40);
      elements.set(i, value == 0 && random.nextBoolean() ? -0.0 : value);
    }
    if (rare == 2 && x.dtype().isFloatingPoint()) {
      elements.set(random.nextLong(elements.numel()), -Double.NaN);
    }
  }

  private static void same(Strided ours, Strided theirs) {
    var a = new Elements(ours);
    var b = new Elements(theirs);
    for (long i = 0; i < a.numel(); i++) {
      assertThat(a.at(i)).as("element %d of %s", i, ours).isEqualTo(Double.valueOf(b.at(i)));
    }
  }
}
