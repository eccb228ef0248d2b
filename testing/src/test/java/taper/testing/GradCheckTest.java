package taper.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import taper.tensor.DType;
import taper.tensor.Function;
import taper.tensor.Tensor;

/// The checks of gradients find what is wrong, and say where.
final class GradCheckTest {
  private static Tensor input(double... values) {
    return Tensor.of(values).requiresGrad_();
  }

  /// Twice the input, with a gradient that is wrong in one place, or in the second derivative.
  private static final class Wrong extends Function {
    private final boolean second;

    Wrong(boolean second) {
      this.second = second;
    }

    @Override
    protected List<Tensor> forward(Saver saver, List<Tensor> inputs) {
      saver.save(inputs.getFirst());
      return List.of(inputs.getFirst().pow(2));
    }

    @Override
    protected List<@Nullable Tensor> backward(Saver saver, @Nullable Tensor[] grads) {
      Tensor x = saver.saved(0);
      Tensor slope = second ? x.detach().mul(2) : x.mul(2).add(Tensor.of(new double[] {0, 0, 1}));
      return List.of(grads[0].mul(slope));
    }
  }

  @Test
  void rightGradientsPass() {
    Tensor a = Tensor.of(new double[] {1, -2, 3, 0.5, 0.25, -1}, 2, 3).requiresGrad_();
    Tensor b = Tensor.of(new double[] {0.5, 2, -1}, 3, 1).requiresGrad_();
    java.util.function.Function<List<Tensor>, List<Tensor>> function =
        in -> List.of(in.get(0).matmul(in.get(1)).sin(), in.get(0).exp().sum(), in.get(0).gt(0));

    assertThat(GradCheck.gradcheck(function, List.of(a, b), o -> o)).isTrue();
    assertThat(GradCheck.gradgradcheck(function, List.of(a, b), o -> o)).isTrue();
    assertThat(GradCheck.gradcheck(x -> x.sigmoid(), input(1, 2))).isTrue();
    assertThat(GradCheck.gradgradcheck(x -> x.sigmoid(), input(1, 2))).isTrue();
  }

  @Test
  void inputsThatRequireNoGradAreLeftAlone() {
    Tensor index = Tensor.of(new long[] {1, 0});
    Tensor constant = Tensor.of(new double[] {2, 3});

    assertThat(
            GradCheck.gradcheck(
                in -> List.of(in.get(0).indexSelect(0, in.get(1)).mul(in.get(2))),
                List.of(input(1, 2), index, constant),
                o -> o))
        .isTrue();
  }

  @Test
  void complexNumbersArePairsOfRealOnes() {
    Tensor z =
        Tensors.ofParts(DType.COMPLEX128, new double[] {1, 2, -0.5, 0.25}, 2).requiresGrad_();

    assertThat(GradCheck.gradcheck(x -> x.mul(x).exp(), z)).isTrue();
    assertThat(GradCheck.gradcheck(x -> x.abs(), z)).isTrue();
    assertThat(GradCheck.gradgradcheck(x -> x.mul(x).mul(x), z)).isTrue();
  }

  @Test
  void aWrongGradientIsNamedWithBothValues() {
    assertThatThrownBy(
            () -> GradCheck.gradcheck(x -> new Wrong(false).apply(x).getFirst(), input(1, 2, 3)))
        .isInstanceOf(AssertionError.class)
        .hasMessageMatching(
            "gradcheck: the derivative of output 0, element \\[2], by input 0, element \\[2], is"
                + " wrong: analytical 7\\.0, numerical (6\\.0|5\\.9)\\d* \\(tolerance 1\\.0E-5 \\+"
                + " 0\\.001 relative\\)");
    assertThat(
            GradCheck.gradcheck(
                in -> new Wrong(false).apply(in.getFirst()),
                List.of(input(1, 2, 3)),
                o -> o.raiseException(false)))
        .isFalse();
  }

  @Test
  void aWrongSecondDerivativeIsNamedWithBothValues() {
    assertThat(GradCheck.gradcheck(x -> new Wrong(true).apply(x).getFirst(), input(1, 2))).isTrue();
    assertThatThrownBy(
            () -> GradCheck.gradgradcheck(x -> new Wrong(true).apply(x).getFirst(), input(1, 2)))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith(
            "gradgradcheck: the derivative of output 0, element [0], by input 0, element [0], is"
                + " wrong: analytical 0.0, numerical ");
  }

  @Test
  void gradientsThatHaveNotArrivedMustCountAsZeros() {
    final class Forgetful extends Function {
      @Override
      protected List<Tensor> forward(Saver saver, List<Tensor> inputs) {
        saver.materializeGrads(false);
        return List.of(inputs.getFirst().mul(2), inputs.getFirst().mul(3));
      }

      @Override
      protected List<@Nullable Tensor> backward(Saver saver, @Nullable Tensor[] grads) {
        Tensor first = grads[0];
        Tensor second = grads[1];
        if (first == null) {
          return List.of(second.mul(3));
        }
        return List.of(second == null ? first.mul(2) : first.mul(2).add(second.mul(3)).mul(2));
      }
    }

    assertThatThrownBy(() ->
            GradCheck.gradcheck(
                in -> new Forgetful().apply(in.getFirst()), List.of(input(1, 2)), o -> o))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith(
            "gradcheck: gradients that have not arrived must count as zeros, but by input 0, with"
                + " the gradient of output 0 alone, ");
  }

  @Test
  void somethingMustRequireGrad() {
    assertThatThrownBy(() -> GradCheck.gradcheck(x -> x.exp(), Tensor.ones(2)))
        .isInstanceOf(AssertionError.class)
        .hasMessage(
            "gradcheck: one of the inputs must require grad, but none does. Call"
                + " requiresGrad_(true).");
    assertThatThrownBy(() -> GradCheck.gradcheck(x -> x.detach(), input(1)))
        .isInstanceOf(AssertionError.class)
        .hasMessage(
            "gradcheck: one of the outputs must require grad, but none does, though an input"
                + " does.");
  }
}
