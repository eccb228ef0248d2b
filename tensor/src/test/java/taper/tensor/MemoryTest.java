package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Objects;
import org.junit.jupiter.api.Test;

final class MemoryTest {

  @Test
  void aScopeReleasesWhatWasMadeInIt() {
    Tensor w = Tensor.ones(1000).requiresGrad_();
    long before = Memory.allocated();
    for (int i = 0; i < 10; i++) {
      try (var _ = Memory.scope("step")) {
        w.mul(w).exp().sum().backward();
        w.setGrad(null);
      }
    }

    assertThat(Memory.allocated()).isEqualTo(before);
  }

  @Test
  void aGradientThatIsTakenAwayBelongsToTheScopeUnlessKept() {
    Tensor w = Tensor.ones(3).requiresGrad_();
    w.mul(w).sum().backward();
    Tensor kept = Objects.requireNonNull(w.grad()).keep();
    try (var _ = Memory.scope("step")) {
      w.setGrad(null);
    }
    w.mul(w).sum().backward();
    Tensor gone = Objects.requireNonNull(w.grad());
    try (var _ = Memory.scope("step")) {
      w.setGrad(null);
    }

    assertThat(kept.toFloatArray()).containsExactly(2, 2, 2);
    assertThat(gone.isReleased()).isTrue();
  }

  @Test
  void touchingAReleasedTensorNamesTheScopeAndTheRemedy() {
    Tensor x;
    try (var _ = Memory.scope("step")) {
      x = Tensor.ones(2, 3);
    }

    assertThatThrownBy(x::exp)
        .isInstanceOf(ReleasedException.class)
        .hasMessage(
            "tensor: this float32 tensor of shape [2, 3] must be alive, but was released by scope"
                + " 'step'. Call keep() on it before the scope ends, or use its values inside.");
  }

  @Test
  void keptTensorsOutliveTheScope() {
    Tensor x;
    try (var _ = Memory.scope()) {
      x = Tensor.ones(2, 3).exp().keep();
    }

    assertThat(x.sum().item()).isCloseTo(6 * Math.E, org.assertj.core.data.Offset.offset(1e-5));
  }

  @Test
  void theSummaryCountsByPlaceAndType() {
    Tensor x = Tensor.zeros(DType.FLOAT64, 1000);

    assertThat(Memory.summary()).contains("float64").contains("outside modules");
    assertThat(x.numel()).isEqualTo(1000);
  }

  @Test
  void aSnapshotFindsWhatWasLeftBehind() {
    var snapshot = Memory.snapshot();
    Tensor left = Tensor.zeros(DType.INT16, 77);

    assertThat(snapshot.leaked()).contains("1 tensors were made").contains("int16");
    assertThat(left.numel()).isEqualTo(77);
    assertThat(Memory.snapshot().leaked()).isEmpty();
  }

  @Test
  void anExceptionInAStepReturnsToTheBaseline() {
    Tensor w = Tensor.ones(1000).requiresGrad_();
    long before = Memory.allocated();

    assertThatThrownBy(
            () -> {
              try (var _ = Memory.scope("step")) {
                w.mul(w).exp().add(Tensor.ones(7));
              }
            })
        .isInstanceOf(ShapeException.class);

    assertThat(Memory.allocated()).isEqualTo(before);
  }

  @Test
  void theLimitIsKeptAndTheErrorSaysWhoHoldsWhat() {
    long limit = Memory.limit();
    Tensor held = Tensor.zeros(DType.FLOAT64, 1 << 20);
    try {
      Memory.setLimit(Memory.allocated() + (4 << 20));

      assertThatThrownBy(() -> Tensor.zeros(DType.UINT8, 16 << 20))
          .isInstanceOf(MemoryLimitException.class)
          .hasMessageContaining("memory: 16777216 bytes were asked for, but")
          .hasMessageContaining("open a Memory.scope() around each step")
          .hasMessageContaining("float64   outside modules");
    } finally {
      Memory.setLimit(limit);
    }
    assertThat(held.numel()).isEqualTo(1 << 20);
  }

  @Test
  void moreBytesThanAnySystemHasAreRefusedAndNothingIsHeldAfterwards() {
    long before = Memory.allocated();

    assertThatThrownBy(() -> Tensor.empty(DType.INT8, Long.MAX_VALUE))
        .isInstanceOf(MemoryLimitException.class)
        .hasMessageStartingWith("memory: 9223372036854775807 bytes were asked for, but ");
    assertThatThrownBy(
            () -> {
              try (var _ = Memory.scope()) {
                Tensor.empty(DType.INT8, Long.MAX_VALUE);
              }
            })
        .isInstanceOf(MemoryLimitException.class);

    assertThat(Memory.allocated()).isEqualTo(before);
  }

  @Test
  void theErrorNamesTheOperatorThatItsUserCalled() {
    Tensor one = Tensor.ones(1).expand(1L << 56);
    Tensor pair = Tensor.ones(2, 2);

    assertThatThrownBy(() -> one.add(1))
        .isInstanceOf(MemoryLimitException.class)
        .hasMessageStartingWith("add: 288230376151711744 bytes were asked for, but ");
    assertThatThrownBy(() -> pair.repeat(1L << 27, 1L << 27))
        .isInstanceOf(MemoryLimitException.class)
        .hasMessageStartingWith("repeat: 288230376151711744 bytes were asked for, but ");
  }

  @Test
  void whatWaitsForTheNextTensorCountsToo() {
    long limit = Memory.limit();
    long waiting =
        Memory.reserved() - Memory.allocated(); // small blocks may have neighbours that are held
    try {
      Memory.setLimit(Memory.allocated() + (32 << 20));
      for (int mebibytes = 1; mebibytes < 30; mebibytes++) {
        try (var _ = Memory.scope()) {
          Tensor.empty(DType.UINT8, mebibytes << 20);
        }
        assertThat(Memory.reserved()).isLessThan(Memory.limit() + waiting + (4 << 20));
      }
    } finally {
      Memory.setLimit(limit);
    }
  }

  @Test
  void aViewHoldsTheMemoryThatItSees() {
    Tensor x = Tensor.ones(4);
    Operator<Operator.None> meanwhile =
        new Family("test")
            .<Operator.None>view(
                "seen",
                (_, seen) -> {
                  x.setData(Tensor.zeros(4)); // as another thread may do just then
                  return seen;
                })
            .notDifferentiable()
            .undeclared();

    assertThatThrownBy(() -> meanwhile.on(Operator.None.NONE, x))
        .isInstanceOf(ReleasedException.class)
        .hasMessage(
            "seen: operands must keep their memory while an operator runs, but setData or resize_ on"
                + " another thread has given one of them other memory. Let threads take turns.");
  }
}
