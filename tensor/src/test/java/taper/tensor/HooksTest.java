package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/// Hooks of tensors, leaves and nodes.
final class HooksTest {
  private static Tensor leaf(float... values) {
    return Tensor.of(values).requiresGrad_();
  }

  @Test
  void hooksRunInTheOrderOfTheirRegistrationAndReplaceTheGradient() {
    Tensor x = leaf(1);
    Tensor y = x.mul(3);
    y.registerHook(g -> g.add(1));
    y.registerHook(g -> g.mul(10));

    y.sum().backward();

    assertThat(x.grad().item()).isEqualTo(60);
  }

  @Test
  void aHookOfALeafChangesWhatAccumulatesAndWhatIsCaptured() {
    Tensor x = leaf(1);
    x.registerHook(g -> g.mul(2));

    x.mul(3).sum().backward();

    assertThat(x.grad().item()).isEqualTo(6);
    assertThat(Autograd.grad(x.mul(3).sum(), x).getFirst().item()).isEqualTo(6);
  }

  @Test
  void aClosedGuardTakesItsOwnHookAwayOnly() {
    Tensor x = leaf(1);
    var seen = new ArrayList<String>();
    UnaryOperator<Tensor> hook =
        g -> {
          seen.add("twice");
          return g;
        };
    Guard first = x.registerHook(hook);
    x.registerHook(hook);
    first.close();
    first.close();

    x.sum().backward();

    assertThat(seen).containsExactly("twice");
  }

  @Test
  void aHookMayTakeItselfAway() {
    Tensor x = leaf(1);
    var guard = new Guard[1];
    guard[0] =
        x.registerHook(g -> {
          guard[0].close();
          return g.mul(5);
        });

    x.sum().backward();
    x.sum().backward();

    assertThat(x.grad().item()).isEqualTo(6);
  }

  @Test
  void aHookSeesTheGradientByTheValueBeforeAnInPlaceOperator() {
    Tensor x = leaf(2);
    Tensor y = x.mul(1);
    var seen = new ArrayList<Double>();
    y.registerHook(g -> {
      seen.add(g.item());
      return g;
    });
    y.mul_(7);

    y.sum().backward();

    assertThat(seen).containsExactly(7.0);
  }

  @Test
  void aRetainedGradientFollowsTheTensorThroughInPlaceOperators() {
    Tensor x = leaf(2);
    Tensor y = x.mul(1).retainGrad();
    y.mul_(7);
    Tensor z = x.mul(3).retainGrad();

    y.add(z.mul(5)).sum().backward();

    assertThat(y.retainsGrad()).isTrue();
    assertThat(y.grad().item()).isEqualTo(1);
    assertThat(z.grad().item()).isEqualTo(5);
  }

  @Test
  void retainedGradientsAreThoseAfterAllHooks() {
    Tensor x = leaf(2);
    Tensor y = x.mul(1).retainGrad();
    y.registerHook(g -> g.mul(4));

    y.sum().backward();

    assertThat(y.grad().item()).isEqualTo(4);
  }

  @Test
  void anOptimizerCanStepWhileTheBackwardPassRuns() {
    Tensor x = leaf(5);
    x.registerPostAccumulateGradHook(p -> {
      Tensor grad = p.grad();
      Autograd.noGrad(() -> p.sub_(grad));
      p.setGrad(null);
    });

    x.mul(3).sum().backward();

    assertThat(x.item()).isEqualTo(2);
    assertThat(x.grad()).isNull();
    assertThatThrownBy(() -> x.mul(1).registerPostAccumulateGradHook(_ -> {}))
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "registerPostAccumulateGradHook: the tensor must be a leaf that requires grad, but is"
                + " the result of <MulBackward0>. Use registerHook for the results of operators.");
  }

  @Test
  void hooksOfNodesSeeAndReplaceAllGradients() {
    Tensor a = leaf(2);
    Tensor b = leaf(3);
    Tensor y = a.mul(b);
    var seen = new ArrayList<String>();
    y.gradFn()
        .registerPreHook(out -> {
          seen.add("before " + out.getFirst().item());
          return List.of(out.getFirst().mul(10));
        });
    y.gradFn()
        .registerHook((in, out) -> {
          seen.add(
              "after " + in.get(0).item() + " " + in.get(1).item() + " " + out.getFirst().item());
          return List.of(in.get(0), in.get(1).add(1));
        });

    y.sum().backward();

    assertThat(seen).containsExactly("before 1.0", "after 30.0 20.0 10.0");
    assertThat(a.grad().item()).isEqualTo(30);
    assertThat(b.grad().item()).isEqualTo(21);
  }

  @Test
  void aHookMustReturnAsManyGradientsAsItWasGiven() {
    Tensor y = leaf(2).mul(leaf(3));
    y.gradFn().registerHook((in, _) -> List.of(in.getFirst()));

    assertThatThrownBy(() -> y.sum().backward())
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "registerHook: a hook must return as many gradients as it was given, that is 2, but"
                + " returned 1. Return null to leave them as they are.");
  }

  @Test
  void theGraphCanBeLookedAt() {
    Tensor x = leaf(2);
    Tensor constant = Tensor.of(new float[] {1});
    Tensor y = x.mul(constant);

    Node mul = y.gradFn();

    assertThat(mul.name()).isEqualTo("MulBackward0");
    assertThat(mul.nextFunctions()).hasSize(2);
    assertThat(mul.nextFunctions().get(0).node().name()).isEqualTo("AccumulateGrad");
    assertThat(mul.nextFunctions().get(0).output()).isZero();
    assertThat(mul.nextFunctions().get(1)).isNull();
    assertThat(mul.next()).hasSize(1);
  }
}
