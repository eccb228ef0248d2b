package taper.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Tensor;
import taper.tensor.Threads;

/// Results and gradients are the same, to the bit, for any number of threads, at sizes that are cut into several chunks of
/// uneven numbers.
final class NumberOfThreadsTest {
  private final int threads = Threads.numThreads();

  @AfterEach
  void restore() {
    Threads.setNumThreads(threads);
  }

  private static Arguments of(String name, UnaryOperator<Tensor> function, long... sizes) {
    return arguments(name, function, sizes);
  }

  static Stream<Arguments> functions() {
    return Stream.of(
        of("sum of all", Tensor::sum, 400_003),
        of("sum along short rows", x -> x.sum(1), 50_001, 7),
        of("sum along rows", x -> x.sum(1), 301, 1_003),
        of("sum along long rows", x -> x.sum(1), 3, 100_003),
        of("sum down columns", x -> x.sum(0), 1_003, 301),
        of("sum of middle", x -> x.sum(1), 11, 301, 101),
        of("mean of all", Tensor::mean, 300_007),
        of("variance along rows", x -> x.var(1), 301, 1_003),
        of("variance down columns", x -> x.var(0), 1_003, 301),
        of("norm", Tensor::norm, 300_007),
        of("product", x -> x.mul(0.01).add(1).prod(1), 301, 1_003),
        of("logsumexp", x -> x.logsumexp(1), 301, 1_003),
        of("largest", x -> x.amax(0), 1_003, 301),
        of("running sum along rows", x -> x.cumsum(1), 301, 1_003),
        of("running sum down columns", x -> x.cumsum(0), 1_003, 301),
        of("softmax of rows", x -> x.softmax(1), 1_301, 103),
        of("softmax of columns", x -> x.softmax(0), 103, 1_301),
        of("layer norm", x -> x.layerNorm(103), 1_301, 103),
        of("group norm", x -> x.groupNorm(2), 7, 6, 50, 51),
        of("element-wise", x -> x.gelu().mul(x), 200_003),
        of("element-wise, strided", x -> x.t().exp(), 301, 1_003),
        of("cat", x -> Tensor.cat(List.of(x, x.mul(2)), 1), 1_001, 103),
        of("product of matrices", x -> x.mm(x.t()), 301, 203),
        of("weight gradient", x -> x.t().mm(x), 1_003, 103),
        of("average pool", x -> x.avgPool2d(3), 3, 7, 61, 63),
        of(
            "convolution",
            x -> x.conv2d(x.narrow(0, 0, 2).narrow(2, 0, 3).narrow(3, 0, 3), null),
            5,
            7,
            41,
            43));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("functions")
  void doesNotChangeABit(String name, UnaryOperator<Tensor> function, long[] sizes) {
    for (DType dtype : List.of(DType.FLOAT32, DType.FLOAT64)) {
      Tensor.manualSeed(3);
      Tensor x = Tensor.randn(sizes).to(dtype);
      double[][] alone = run(1, function, x);

      for (int count : new int[] {2, 3}) {
        double[][] together = run(count, function, x);

        assertThat(Arrays.deepEquals(together, alone))
            .as("%s in %s on %d threads", name, dtype, count)
            .isTrue();
      }
    }
  }

  /// The result, and the gradient of the sum of its squares.
  private static double[][] run(int count, UnaryOperator<Tensor> function, Tensor input) {
    Threads.setNumThreads(count);
    Tensor x = input.detach().requiresGrad_(true);
    Tensor y = function.apply(x);
    Tensor grad = Autograd.grad(y.square().sum(), x).getFirst();
    return new double[][] {
      y.detach().to(DType.FLOAT64).reshape(-1).toDoubleArray(),
      grad.to(DType.FLOAT64).reshape(-1).toDoubleArray()
    };
  }
}
