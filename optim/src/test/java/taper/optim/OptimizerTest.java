package taper.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import taper.tensor.ArgumentException;
import taper.tensor.Memory;
import taper.tensor.Parameter;
import taper.tensor.StateDictException;
import taper.tensor.Tensor;

final class OptimizerTest {

  private static Parameter parameter() {
    var parameter = new Parameter(Tensor.ones(3));
    parameter.setGrad(Tensor.ones(3));
    return parameter;
  }

  @Test
  void stateOutlivesMemoryScopes() {
    Parameter parameter = parameter();
    var optimizer = new AdamW(List.of(parameter), o -> o.lr(0.1));

    for (int step = 0; step < 3; step++) {
      try (var _ = Memory.scope()) {
        optimizer.step();
      }
    }

    assertThat(parameter.isReleased()).isFalse();
    assertThat(parameter.toFloatArray()[0]).isLessThan(1f);
  }

  @Test
  void groupsHaveOptionsOfTheirOwn() {
    Parameter slow = parameter();
    Parameter fast = parameter();
    var optimizer = new SGD(List.of(slow), o -> o.lr(0.1));
    optimizer.addParamGroup(List.of(fast), o -> o.lr(0.5));

    optimizer.step();
    optimizer.groups().get(0).setLr(0.2);
    optimizer.step();

    assertThat(slow.toFloatArray()[0]).isEqualTo(0.7f);
    assertThat(fast.toFloatArray()[0]).isEqualTo(0f);
  }

  @Test
  void aClosureIsRunBeforeTheStepAndItsLossReturned() {
    var x = new Parameter(Tensor.ones(1));
    var optimizer = new SGD(List.of(x), o -> o.lr(0.1));

    Tensor loss =
        optimizer.step(() -> {
          optimizer.zeroGrad();
          Tensor value = x.square().sum();
          value.backward();
          return value;
        });

    assertThat(loss.item()).isEqualTo(1);
    assertThat(x.toFloatArray()).containsExactly(0.8f);
  }

  @Test
  void mistakesAreNamed() {
    Parameter parameter = parameter();

    assertThatThrownBy(() -> new SGD(List.of()))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "SGD: a group must have a parameter, but the list is empty. Pass model.parameters().");
    assertThatThrownBy(() -> new Adam(List.of(parameter, parameter)))
        .hasMessage(
            "Adam: a parameter must be in one group only, but parameter 1, of shape [3], is there"
                + " twice.");
    assertThatThrownBy(() -> new AdamW(List.of(parameter), o -> o.betas(0.9, 1)))
        .hasMessage("AdamW: beta2 must be at least 0 and below 1, but is 1.0.");
    assertThatThrownBy(() -> new SGD(List.of(parameter), o -> o.lr(-1)))
        .hasMessage("SGD: lr must be at least 0, but is -1.0.");
  }

  @Test
  void aStateDictOfOtherParametersIsRejectedAndNothingChanges() {
    var optimizer = new Adam(List.of(parameter()), o -> o.lr(0.1));
    var other = new Adam(List.of(parameter(), parameter()), o -> o.lr(0.3));

    assertThatThrownBy(() -> optimizer.loadStateDict(other.stateDict()))
        .isInstanceOf(StateDictException.class)
        .hasMessage(
            "Adam: group 0 of the state dict must have as many parameters as the optimizer's, but"
                + " it has 2 and the optimizer 1.");
    assertThat(optimizer.groups().getFirst().lr()).isEqualTo(0.1);
  }
}
