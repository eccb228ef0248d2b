package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/// Passes over parts of a graph, modes, and writes into views.
final class GraphTest {
  private static Tensor leaf(float... values) {
    return Tensor.of(values).requiresGrad_();
  }

  @Test
  void gradByAnInnerTensorKeepsTheGraphBehindIt() {
    Tensor x = leaf(3);
    Tensor h = x.mul(x);
    Tensor y = h.mul(h).sum();

    Tensor g = Autograd.grad(y, h).getFirst();
    h.backward(g);

    assertThat(g.item()).isEqualTo(18);
    assertThat(x.grad().item()).isEqualTo(108);
  }

  @Test
  void backwardForSomeInputsLeavesTheOthersAlone() {
    Tensor a = leaf(2);
    Tensor b = leaf(3);
    Tensor h = a.mul(b);

    h.mul(h).sum().backward(o -> o.inputs(b, h));

    assertThat(a.grad()).isNull();
    assertThat(b.grad().item()).isEqualTo(24);
    assertThat(h.grad().item()).isEqualTo(12);
  }

  @Test
  void severalRootsWalkTogether() {
    Tensor x = leaf(2);
    Tensor a = x.mul(x).sum();
    Tensor b = x.mul(3);

    Autograd.backward(
        List.of(a, b), o -> o.gradTensors(Tensor.ones(), Tensor.of(new float[] {10})));

    assertThat(x.grad().item()).isEqualTo(34);
  }

  @Test
  void unusedInputsAreAnErrorNullOrZeros() {
    Tensor x = leaf(2);
    Tensor unused = leaf(1, 2);

    assertThat(Autograd.grad(x.sum(), List.of(x, unused), o -> o.allowUnused(true)).get(1))
        .isNull();
    assertThat(
            Autograd.grad(x.sum(), List.of(x, unused), o -> o.materializeGrads(true))
                .get(1)
                .toFloatArray())
        .containsExactly(0, 0);
    assertThatThrownBy(() -> Autograd.grad(x.sum(), x, unused))
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "grad: every input must take part in the outputs, but input 1, of shape [2], does not."
                + " Pass allowUnused to get null for it.");
  }

  @Test
  void batchedGradientsAreStacked() {
    Tensor x = leaf(1, 2, 3);
    Tensor y = x.mul(x);

    Tensor jacobian =
        Autograd.grad(y, List.of(x), o -> o.gradOutputs(Tensor.eye(3)).isGradsBatched(true))
            .getFirst();

    assertThat(jacobian.toFloatArray()).containsExactly(2, 0, 0, 0, 4, 0, 0, 0, 6);
  }

  @Test
  void theGradientOfTheRootIsConvertedToItsType() {
    Tensor x = leaf(1, 2);

    x.mul(2).backward(Tensor.of(new double[] {1, 10}));

    assertThat(x.grad().toFloatArray()).containsExactly(2, 20);
    assertThat(x.grad().dtype()).isEqualTo(DType.FLOAT32);
  }

  @Test
  void modesNest() {
    try (var _ = Autograd.noGrad()) {
      assertThat(Autograd.isGradEnabled()).isFalse();
      assertThat(Autograd.enableGrad(() -> leaf(1).mul(2).requiresGrad())).isTrue();
      try (var _ = Autograd.setGradEnabled(true)) {
        assertThat(Autograd.isGradEnabled()).isTrue();
      }
      assertThat(Autograd.isGradEnabled()).isFalse();
    }
    try (var _ = Autograd.inferenceMode()) {
      assertThat(Autograd.isInferenceMode()).isTrue();
      try (var _ = Autograd.inferenceMode(false)) {
        assertThat(Autograd.isInferenceMode()).isFalse();
        assertThat(Autograd.isGradEnabled()).isTrue();
      }
      assertThat(Autograd.isGradEnabled()).isFalse();
    }
    assertThat(Autograd.isGradEnabled()).isTrue();
  }

  @Test
  void tensorsOfInferenceModeStayOutOfGraphs() {
    Tensor made = Autograd.inferenceMode(() -> Tensor.of(new float[] {2}).mul(1));
    Tensor x = leaf(3);

    assertThat(made.isInference()).isTrue();
    assertThat(made.view(1).isInference()).isTrue();
    assertThat(made.mul(2).isInference()).isFalse();
    assertThat(x.mul(made.clone()).requiresGrad()).isTrue();
    assertThatThrownBy(() -> x.mul(made))
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "autograd: a tensor made in inference mode cannot be saved for a backward pass, but"
                + " this float32 tensor of shape [1] was made there. Use clone() on it outside, or"
                + " noGrad() in the place of inferenceMode().");
    assertThatThrownBy(() -> made.add_(1))
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "add_: a tensor made in inference mode must not be changed in place outside of it, but"
                + " this float32 tensor of shape [1] is one. Use add, or clone() it first.");
    assertThatThrownBy(made::requiresGrad_)
        .isInstanceOf(AutogradException.class)
        .hasMessageStartingWith(
            "requiresGrad_: a tensor made in inference mode cannot ask for gradients outside of"
                + " it");
  }

  @Test
  void detachInPlaceMakesALeaf() {
    Tensor x = leaf(1, 2);
    Tensor y = x.mul(2);
    y.detach_();

    assertThat(y.isLeaf()).isTrue();
    assertThat(y.requiresGrad()).isFalse();
    assertThatThrownBy(() -> x.mul(2).select(0, 0).detach_())
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "detach_: a view cannot be taken out of the graph in place, but this float32 tensor of"
                + " shape [] is one. Use detach().");
  }

  @Test
  void oneOfSeveralViewsIsNotWrittenTo() {
    Tensor y = leaf(1, 2, 3, 4).mul(1);
    String message =
        "mul_: a view must have been made by a recorded operator of one output to be changed in"
            + " place while gradients are recorded, but this float32 view of shape %s is one of"
            + " several that a single call returned, such as unbind, split or chunk. Use mul, or"
            + " make the view with select or narrow.";

    for (Tensor view : List.of(y.unbind().getFirst(), y.unbind().get(1).view(1).select(0, 0))) {
      assertThatThrownBy(() -> view.mul_(2))
          .isInstanceOf(AutogradException.class)
          .hasMessage(message.formatted("[]"));
    }
    for (Tensor view :
        List.of(
            y.split(2).getFirst(), y.chunk(2, 0).get(1), y.split(new long[] {2, 2}, 0).get(1))) {
      assertThatThrownBy(() -> view.mul_(2))
          .isInstanceOf(AutogradException.class)
          .hasMessage(message.formatted("[2]"));
    }
    Autograd.noGrad(() -> y.unbind().getFirst().fill_(0));
    Tensor.ones(3).unbind().getFirst().fill_(0);
  }

  @Test
  void aViewMadeWithoutARecordIsNotWrittenToWithOne() {
    Tensor y = leaf(1, 2).mul(1);
    Tensor view = Autograd.noGrad(() -> y.select(0, 0));

    assertThatThrownBy(() -> view.mul_(2))
        .isInstanceOf(AutogradException.class)
        .hasMessageContaining(
            "view of shape [] was made while nothing was recorded, in noGrad() or"
                + " inferenceMode().");
    Autograd.noGrad(() -> view.mul_(2));
  }

  @Test
  void theSecondDerivativeGoesThroughAnInPlaceOperator() {
    Tensor x = leaf(0.5f);
    Tensor y = x.mul(1);
    y.sin_();

    Tensor first = Autograd.grad(y.sum(), List.of(x), o -> o.createGraph(true)).getFirst();
    Tensor second = Autograd.grad(first.sum(), x).getFirst();

    assertThat(first.item()).isEqualTo((float) Math.cos(0.5));
    assertThat(second.item()).isEqualTo((float) -Math.sin(0.5));
  }

  @Test
  void anomalyDetectionNamesTheForwardLine() throws Exception {
    Tensor x = leaf(-1);

    assertThatThrownBy(() ->
            Autograd.anomalyDetection(() -> {
              x.sqrt().mul(0).sum().backward();
              return 0;
            }))
        .isInstanceOf(AutogradException.class)
        .hasMessageMatching(
            "SqrtBackward0: gradients must be numbers, but gradient 0 is NaN\\. It belongs to the"
                + " forward call at .*GraphTest.*\\(GraphTest.java:\\d+\\); the cause below has the"
                + " whole stack\\.")
        .hasRootCauseMessage("the forward call of SqrtBackward0");
    try (var _ = Autograd.setDetectAnomaly(true, false)) {
      x.sqrt().mul(0).sum().backward();
    }
    assertThat(Autograd.isAnomalyEnabled()).isFalse();
  }

  @Test
  void anErrorInABackwardPassHasTheForwardCallAsItsCause() {
    Tensor x = leaf(3);

    assertThatThrownBy(() ->
            Autograd.anomalyDetection(() -> {
              Tensor y = x.exp();
              y.add_(1);
              y.sum().backward();
              return 0;
            }))
        .isInstanceOf(AutogradException.class)
        .hasMessageStartingWith("ExpBackward0: the result, a float32 tensor of shape [1]")
        .hasRootCauseMessage("the forward call of ExpBackward0");
  }
}
