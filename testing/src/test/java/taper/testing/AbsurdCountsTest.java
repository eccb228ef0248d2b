package taper.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.DTypeException;
import taper.tensor.MemoryLimitException;
import taper.tensor.ShapeException;
import taper.tensor.Special;
import taper.tensor.TaperException;
import taper.tensor.Tensor;

/// Counts that no machine has the time or the memory for end at once, in an error that names the operator.
final class AbsurdCountsTest {

  private static void refused(
      Class<? extends TaperException> type, String message, Supplier<Object> call) {
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () -> assertThatThrownBy(call::get).isInstanceOf(type).hasMessage(message));
  }

  @Test
  void polynomialsOfHugeDegree() {
    Tensor x = Tensor.full(DType.FLOAT64, 0.3, 2);
    refused(
        ArgumentException.class,
        "laguerrePolynomialL: the degree must be at most 1048576 where it is computed by"
            + " recurrence, but is 4294967296.",
        () -> Special.laguerrePolynomialL(x, 1L << 32));
    refused(
        ArgumentException.class,
        "legendrePolynomialP: the degree must be at most 1048576 where it is computed by"
            + " recurrence, but is 4294967296.",
        () -> Special.legendrePolynomialP(x, 1L << 32));
  }

  @Test
  void combinations() {
    refused(
        ArgumentException.class,
        "combinations: r must be at most 65536 and self have at most 2147483647 elements, but r is"
            + " 2147483647 and self has 1.",
        () -> Tensor.zeros(1).combinations(Integer.MAX_VALUE, true));
  }

  @Test
  void pieces() {
    refused(
        ArgumentException.class,
        "tensorSplit: there must be at most 4194304 pieces, but would be 2147483647. Use narrow or"
            + " select for those you need.",
        () -> Tensor.zeros(1).tensorSplit(Integer.MAX_VALUE));
    refused(
        ArgumentException.class,
        "unbind: there must be at most 4194304 pieces, but would be 1099511627776. Use narrow or"
            + " select for those you need.",
        () -> Tensor.zeros(1).expand(1L << 40).unbind());
    refused(
        ArgumentException.class,
        "split: there must be at most 4194304 pieces, but would be 1099511627776. Use narrow or"
            + " select for those you need.",
        () -> Tensor.zeros(1).expand(1L << 40).split(1));
  }

  @Test
  void windows() {
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () ->
            assertThatThrownBy(() -> Tensor.hannWindow(1L << 50))
                .isInstanceOf(MemoryLimitException.class));
  }

  @Test
  void bins() {
    refused(
        ArgumentException.class,
        "histc: bins must be at most 134217728, but are 2147483647.",
        () -> Tensor.rand(4).histc(Integer.MAX_VALUE, 0, 1));
    refused(
        ArgumentException.class,
        "bincount: the numbers counted must be at most 134217728, but are 1099511627776.",
        () -> Tensor.zeros(DType.INT64, 4).bincount(null, 1L << 40));
  }

  @Test
  void powers() {
    refused(
        ArgumentException.class,
        "matrixPower: n must be above -2^63, but is -9223372036854775808.",
        () -> Tensor.eye(2).matrixPower(Long.MIN_VALUE));
  }

  @Test
  void randomNumbersForComplexTensors() {
    refused(
        DTypeException.class,
        "random_: self must be real, but is complex64. Use viewAsReal().",
        () -> Tensor.zeros(DType.COMPLEX64, 2).random_());
  }

  @Test
  void poolsOfRowsSpeakOfRows() {
    refused(
        ShapeException.class,
        "maxPool1d: the window must fit into the padded input, but it covers 9 columns of 6 in"
            + " self [1, 2, 6].",
        () -> Tensor.zeros(1, 2, 6).maxPool1d(9));
  }

  @Test
  void scalarsHaveNoDimensionToName() {
    Tensor x = Tensor.scalar(1.5f);
    refused(
        ShapeException.class,
        "size: the tensor must have at least 1 dimension, but has shape [].",
        () -> x.size(0));
    refused(
        ShapeException.class,
        "unflatten: the tensor must have at least 1 dimension, but has shape [].",
        () -> x.unflatten(0, new long[] {1}));
    refused(
        ShapeException.class,
        "cumulativeTrapezoid: the tensor must have at least 1 dimension, but has shape [].",
        x::cumulativeTrapezoid);
  }
}
