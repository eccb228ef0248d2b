package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class MemoryTest {

  @Test
  void aScopeReleasesWhatWasMadeInIt() {
    Tensor w = Tensor.ones(1000).requiresGrad_();
    long before = Memory.allocated();
    for (int i = 0; i < 10; i++) {
      try (var scope = Memory.scope("step")) {
        w.mul(w).exp().sum().backward();
        w.setGrad(null);
      }
    }

    // ten gradients were taken away by hand and wait for the collector
    assertThat(Memory.allocated() - before).isLessThanOrEqualTo(10 * 4096);
  }

  @Test
  void touchingAReleasedTensorNamesTheScopeAndTheRemedy() {
    Tensor x;
    try (var scope = Memory.scope("step")) {
      x = Tensor.ones(2, 3);
    }

    assertThatThrownBy(x::exp)
        .isInstanceOf(ReleasedException.class)
        .hasMessage(
            "tensor: this float32 tensor of shape [2, 3] must be alive, but was released by scope 'step'. Call keep() on it before the scope ends, or use its values inside.");
  }

  @Test
  void keptTensorsOutliveTheScope() {
    Tensor x;
    try (var scope = Memory.scope()) {
      x = Tensor.ones(2, 3).exp().keep();
    }

    assertThat(x.sum().item()).isCloseTo(6 * Math.E, org.assertj.core.data.Offset.offset(1e-5));
  }
}
