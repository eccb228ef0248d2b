package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/// Results that go into a tensor that is there: PyTorch's `out`.
final class OutTest {
  private static Tensor x() {
    return Tensor.of(new float[] {1, 2, 3, 4}, 2, 2);
  }

  @Test
  void theResultIsInTheGivenTensor() {
    Tensor out = Tensor.zeros(2, 2);

    Tensor result = Tensor.into(out, () -> x().add(10));

    assertThat(result).isSameAs(out);
    assertThat(out.toFloatArray()).containsExactly(11, 12, 13, 14);
  }

  @Test
  void nothingIsAllocatedForTheResult() {
    Tensor x = Tensor.ones(256, 256);
    Tensor out = Tensor.zeros(256, 256);
    Tensor.into(out, () -> x.add(x));
    Memory.resetMaxAllocated();
    long before = Memory.allocated();

    Tensor.into(out, () -> x.add(x));
    Tensor.into(out, () -> x.mm(x));
    Tensor.into(out, () -> x.flip(0));

    assertThat(Memory.maxAllocated() - before).isLessThan(256 * 256 * 4);
  }

  @Test
  void severalOperatorsEndUpThereToo() {
    Tensor out = Tensor.zeros(2, 2);

    Tensor.into(
        out,
        () -> {
          Tensor square = x().mul(x());
          return square.add(1).mul(square);
        });

    assertThat(out.toFloatArray()).containsExactly(2, 20, 90, 272);
  }

  @Test
  void anEmptyTensorTakesTheShapeOfTheResult() {
    Tensor out = Tensor.empty(DType.FLOAT32, 0);

    Tensor.into(out, () -> Tensor.cat(List.of(x(), x())));

    assertThat(out.shape()).isEqualTo(Shape.of(4, 2));
    assertThat(out.toFloatArray()).containsExactly(1, 2, 3, 4, 1, 2, 3, 4);
  }

  @Test
  void elementwiseResultsAreConvertedUpwards() {
    Tensor out = Tensor.zeros(DType.FLOAT64, 2, 2);

    Tensor.into(out, () -> x().mul(2));

    assertThat(out.toDoubleArray()).containsExactly(2, 4, 6, 8);
    assertThatThrownBy(() -> Tensor.into(Tensor.zeros(DType.INT64, 2, 2), () -> x().mul(2)))
        .isInstanceOf(DTypeException.class)
        .hasMessage(
            "into: the result is float32, which cannot be written into a int64 tensor. Give one of"
                + " type float32.");
  }

  @Test
  void theInputItselfMayBeTheOutputOfAnElementwiseOperator() {
    Tensor x = x();

    Tensor.into(x, () -> x.mul(2));

    assertThat(x.toFloatArray()).containsExactly(2, 4, 6, 8);
    assertThatThrownBy(() -> Tensor.into(x, () -> x.mm(x)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "mm: out must not share memory with what is read, but does with a tensor of shape [2,"
                + " 2]. Use clone() first.");
  }

  @Test
  void mistakesAreNamed() {
    assertThatThrownBy(() -> Tensor.into(Tensor.zeros(3), () -> x().add(1)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "into: out must have the shape of the result, [2, 2], or no elements, but has shape"
                + " [3]. Use resize_(0) first.");
    assertThatThrownBy(() -> Tensor.into(Tensor.zeros(1).expand(4), () -> x().view(4).add(1)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "into: every element must have memory of its own, but dimension 0 of shape [4] is"
                + " expanded. Use clone() or contiguous() first.");
    Tensor leaf = x().requiresGrad_();
    assertThatThrownBy(() -> Tensor.into(Tensor.zeros(2, 2), () -> leaf.add(1)))
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "add: out must not take part in a graph, but gradients are being recorded. Leave out"
                + " away, or use Autograd.noGrad().");
  }
}
