package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ReductionsTest {

  private static Tensor leaf(float... values) {
    return Tensor.of(values).requiresGrad_();
  }

  @Test
  void gradientOfTheLargestOfAllIsSharedByEqualElements() {
    Tensor x = leaf(1, 3, 3, 2);

    x.max().backward();

    assertThat(x.grad().toFloatArray()).containsExactly(0, 0.5f, 0.5f, 0);
  }

  @Test
  void gradientOfTheLargestAlongADimensionGoesToTheReturnedIndex() {
    Tensor x = leaf(1, 3, 3, 2);

    var largest = x.max(0);
    largest.values().backward();

    assertThat(largest.indices().itemLong()).isEqualTo(1);
    assertThat(x.grad().toFloatArray()).containsExactly(0, 1, 0, 0);
  }

  @Test
  void gradientOfAProductWithOneZeroGoesToTheZero() {
    Tensor x = leaf(2, 0, 5);

    x.prod().backward();

    assertThat(x.grad().toFloatArray()).containsExactly(0, 10, 0);
  }

  @Test
  void secondDerivativeOfAProductIsRightAtZeros() {
    Tensor x = leaf(2, 0, 5);

    Tensor first = Autograd.grad(x.prod(), List.of(x), o -> o.createGraph(true)).getFirst();
    Tensor second = Autograd.grad(first.select(0, 0), x).getFirst();

    assertThat(second.toFloatArray()).containsExactly(0, 5, 0);
  }

  @Test
  void clampPassesTheWholeGradientAtItsLimits() {
    Tensor x = leaf(-2, -1, 0, 1, 2);

    x.clamp(-1.0, 1.0).sum().backward();

    assertThat(x.grad().toFloatArray()).containsExactly(0, 1, 1, 1, 0);
  }

  @Test
  void thereIsNoLargestOfNothing() {
    assertThatThrownBy(() -> Tensor.zeros(3, 0).max(1))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "max: there must be an element to choose, but dimension 1 of shape [3, 0] is empty.");
  }

  @Test
  void runningStatisticsMoveInTrainingOnly() {
    Tensor mean = Tensor.zeros(2);
    Tensor var = Tensor.ones(2);
    Tensor x = Tensor.of(new float[] {1, 10, 3, 30}, 2, 2);

    x.batchNorm(mean, var, null, null, false, 0.1, 1e-5);
    assertThat(mean.toFloatArray()).containsExactly(0, 0);

    x.batchNorm(mean, var, null, null, true, 0.5, 1e-5);
    assertThat(mean.toFloatArray()).containsExactly(1, 10);
    assertThat(var.toFloatArray()).containsExactly(1.5f, 100.5f);
  }
}
