package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/// Gradients of several slices of one tensor.
final class PartsTest {

  /// The gradient of `f` at numbers from 1 on, and how often each operator ran on the way back.
  private static float[] gradient(
      UnaryOperator<Tensor> f, Map<String, Integer> operators, long... sizes) {
    long count = 1;
    for (long size : sizes) {
      count *= size;
    }
    Tensor x = Tensor.arange(1, count + 1).to(DType.FLOAT32).reshape(sizes).requiresGrad_();
    Tensor y = f.apply(x.mul(1)).sum(); // not a leaf
    try (var _ =
        Interpreter.use(call -> {
          operators.merge(call.operator().name(), 1, Integer::sum);
          return call.proceed();
        })) {
      y.backward();
    }
    return java.util.Objects.requireNonNull(x.grad()).toFloatArray();
  }

  private static float[] gradient(UnaryOperator<Tensor> f, long... sizes) {
    return gradient(f, new TreeMap<>(), sizes);
  }

  @Test
  void piecesThatFillTheTensorAreJoinedWithoutZeros() {
    var operators = new TreeMap<String, Integer>();

    float[] grad =
        gradient(
            x -> {
              List<Tensor> parts = x.chunk(3, 1);
              return parts.get(0).mul(2).add(parts.get(2).mul(parts.get(1)));
            },
            operators,
            2,
            3);

    assertThat(grad).containsExactly(2, 3, 2, 2, 6, 5);
    assertThat(operators).containsEntry("cat", 1).doesNotContainKeys("place", "zeros");
  }

  @Test
  void rowsThatFillTheTensorAreStacked() {
    var operators = new TreeMap<String, Integer>();

    float[] grad =
        gradient(
            x -> {
              Tensor sum = x.select(0, 0);
              for (int i = 1; i < 4; i++) {
                sum = sum.mul(x.select(0, i));
              }
              return sum;
            },
            operators,
            4,
            1);

    assertThat(grad).containsExactly(24, 12, 8, 6);
    assertThat(operators).containsEntry("cat", 1).doesNotContainKey("place");
  }

  @Test
  void piecesWithGapsLieAmongZeros() {
    assertThat(gradient(x -> x.narrow(0, 3, 1).mul(5).add(x.narrow(0, 1, 1)), 5))
        .containsExactly(0, 1, 0, 5, 0);
    assertThat(gradient(x -> x.slice(0, 1, 5, 2).mul(3).sum().add(x.select(0, 4).sum()), 5))
        .containsExactly(0, 3, 0, 3, 1);
  }

  @Test
  void piecesThatOverlapAdd() {
    assertThat(gradient(x -> x.narrow(0, 0, 2).mul(x.narrow(0, 1, 2)), 3)).containsExactly(2, 4, 2);
    assertThat(gradient(x -> x.narrow(0, 0, 3).add(x).add(x.narrow(0, 0, 3)), 3))
        .containsExactly(3, 3, 3);
  }

  @Test
  void piecesOfDifferentDimensionsAdd() {
    assertThat(gradient(x -> x.select(0, 1).mul(10).add(x.select(1, 0)), 2, 2))
        .containsExactly(1, 0, 11, 10);
  }

  @Test
  void piecesMeetTheGradientOfTheWhole() {
    assertThat(gradient(x -> x.mul(2).sum().add(x.select(0, 1)).add(x.select(0, 0).mul(3)), 3))
        .containsExactly(5, 3, 2);
    assertThat(
            gradient(
                x -> {
                  Tensor part = x.select(0, 1);
                  return x.mul(2).sum().add(part).add(part);
                },
                3))
        .containsExactly(2, 4, 2);
  }

  @Test
  void emptyPiecesDoNoHarm() {
    assertThat(gradient(x -> x.narrow(0, 0, 0).sum().add(x.narrow(0, 0, 3).sum()), 3))
        .containsExactly(1, 1, 1);
    assertThat(gradient(x -> x.select(0, 1), 3, 0)).isEmpty();
  }

  @Test
  void theOnlyPieceIsPassedOn() {
    var operators = new TreeMap<String, Integer>();

    float[] grad = gradient(x -> x.narrow(0, 0, 3).mul(2), operators, 3);

    assertThat(grad).containsExactly(2, 2, 2);
    assertThat(operators).doesNotContainKeys("cat", "place");
  }

  @Test
  void aLeafIsSlicedToo() {
    Tensor x = Tensor.of(new float[] {1, 2, 3, 4}).requiresGrad_();

    for (int pass = 0; pass < 2; pass++) {
      List<Tensor> parts = x.split(2);
      parts.get(0).mul(parts.get(1)).sum().backward();
    }

    assertThat(java.util.Objects.requireNonNull(x.grad()).toFloatArray())
        .containsExactly(6, 8, 2, 4);
  }

  @Test
  void hooksSeeTheGradientsOfPieces() {
    List<float[]> seen = new ArrayList<>();
    Tensor x = Tensor.of(new float[] {1, 2}).requiresGrad_();
    Tensor first = x.select(0, 0);
    first.registerHook(grad -> {
      seen.add(grad.toFloatArray());
      return grad.mul(10);
    });

    first.mul(x.select(0, 1)).backward();

    assertThat(seen).hasSize(1);
    assertThat(java.util.Objects.requireNonNull(x.grad()).toFloatArray()).containsExactly(20, 1);
  }

  @Test
  void higherDerivativesGoThroughPieces() {
    Tensor x = Tensor.of(new float[] {2, 3}).requiresGrad_();
    Tensor y = x.select(0, 0).square().mul(x.select(0, 1));

    y.backward(null, true, true);
    Tensor grad = java.util.Objects.requireNonNull(x.grad());
    x.setGrad(null);
    grad.sum().backward();

    assertThat(java.util.Objects.requireNonNull(x.grad()).toFloatArray()).containsExactly(10, 4);
  }

  @Test
  void nothingIsLeftBehind() {
    long before = Memory.allocated();
    try (var _ = Memory.scope()) {
      Tensor x = Tensor.ones(100, 30).requiresGrad_();
      for (Tensor row : x.mul(2).unbind()) {
        row.sum().backward(null, true, false);
      }
      x.setGrad(null);
    }

    assertThat(Memory.allocated()).isEqualTo(before);
  }
}
