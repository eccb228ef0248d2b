package taper.cpu.separable;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import taper.cpu.parallel.Parallel;
import taper.cpu.products.Operands;
import taper.tensor.Catalogue;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.Resizing.Mode;
import taper.tensor.Resizing.Outside;
import taper.tensor.Resizing.Sampling;
import taper.tensor.Resizing.SamplingInput;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

class ParallelImagesTest {
  private final int threads = Parallel.threads();

  @AfterEach
  void restoreThreads() {
    Parallel.setThreads(threads);
  }

  private static Operator<?> operator(String name) {
    return Catalogue.operators().stream()
        .filter(o -> o.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /// Runs an operator cut into parts, and whole.
  private static void check(String name, Record attributes, long[] result, Strided... in) {
    Operator<?> operator = operator(name);
    Kernel parts = Objects.requireNonNull(ParallelImages.kernel(operator));
    Kernel whole = ((Definition.Structured<?>) operator.definition()).reference();
    try (var operands = new Operands(DType.FLOAT32)) {
      Strided y = operands.fresh(result);
      Strided expected = operands.fresh(result);

      Parallel.setThreads(3);
      parts.run(attributes, new Strided[] {y}, in);

      whole.run(attributes, new Strided[] {expected}, in);
      assertThat(y.memory().mismatch(expected.memory())).as(name).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 5})
  void imagesThatAreSampledTogetherAreAsIfSampledAlone(long images) {
    var sampling = new Sampling(Mode.BILINEAR, Outside.ZEROS, false);
    var input = new SamplingInput(sampling, List.of(40L, 50L));
    try (var operands = new Operands(DType.FLOAT32)) {
      Strided x = operands.random(images, 7, 40, 50);
      Strided grid = operands.random(images, 60, 45, 2);
      Strided grad = operands.random(images, 7, 60, 45);

      check("gridSample2d", sampling, grad.sizes(), x, grid);
      check("gridSampleInputGradient", input, x.sizes(), grad, grid);
      check("gridSampleGridGradient", sampling, grid.sizes(), grad, x, grid);
    }
  }
}
