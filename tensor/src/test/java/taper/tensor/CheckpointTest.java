package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/// Segments that are computed twice.
final class CheckpointTest {
  private static Tensor leaf(float... values) {
    return Tensor.of(values).requiresGrad_();
  }

  private static final float[] VALUES = {0.5f, -1.25f, 3, 2};

  private static Tensor body(Tensor x) {
    return x.mul(x).sin().mul(x).exp().tanh();
  }

  @Test
  void gradientsAreThoseOfThePlainRun() {
    Tensor plain = leaf(VALUES);
    body(plain.mul(1)).sum().backward();
    Tensor x = leaf(VALUES);

    Checkpoint.run(CheckpointTest::body, x.mul(1)).sum().backward();

    assertThat(x.grad().toFloatArray()).containsExactly(plain.grad().toFloatArray());
  }

  @Test
  void theSegmentRunsTwiceAndStopsEarly() {
    Tensor x = leaf(VALUES);
    var runs = new ArrayList<String>();
    UnaryOperator<Tensor> segment =
        in -> {
          runs.add("begin");
          Tensor y = in.exp();
          Tensor z = y.add(1);
          runs.add("end");
          return z;
        };

    Checkpoint.run(segment, x).sum().backward();
    Checkpoint.run(segment, x, o -> o.earlyStop(false)).sum().backward();

    assertThat(runs).containsExactly("begin", "end", "begin", "begin", "end", "begin", "end");
  }

  @Test
  void parametersInTheSegmentGetTheirGradients() {
    Tensor w = leaf(2);
    Tensor x = Tensor.of(new float[] {3});

    Checkpoint.run(in -> in.mul(w).mul(w), x).sum().backward();

    assertThat(w.grad().item()).isEqualTo(12);
    assertThat(x.grad()).isNull();
  }

  @Test
  void randomNumbersAreDrawnAgain() {
    Tensor.manualSeed(3);
    Tensor x = Tensor.ones(1000).requiresGrad_();

    Tensor y = Checkpoint.run(in -> in.mul(1).dropout(0.5, true).mul(in), x);
    Tensor next = Tensor.rand(3);
    y.sum().backward();
    Tensor after = Tensor.rand(3);

    assertThat(x.grad().toFloatArray()).containsExactly(y.mul(2).toFloatArray());
    Tensor.manualSeed(3);
    Tensor.ones(1000).dropout(0.5, true);
    assertThat(Tensor.rand(3).toFloatArray()).containsExactly(next.toFloatArray());
    assertThat(Tensor.rand(3).toFloatArray()).containsExactly(after.toFloatArray());
  }

  @Test
  void segmentsNest() {
    Tensor plain = leaf(VALUES);
    body(body(body(plain))).sum().backward();
    Tensor x = leaf(VALUES);
    var runs = new int[1];

    Checkpoint.run(
            in ->
                Checkpoint.run(
                    t -> {
                      runs[0]++;
                      return body(Checkpoint.run(CheckpointTest::body, t));
                    },
                    body(in)),
            x)
        .sum()
        .backward();

    assertThat(x.grad().toFloatArray()).containsExactly(plain.grad().toFloatArray());
    assertThat(runs[0]).isBetween(2, 3);
  }

  @Test
  void severalInputsAndOutputs() {
    Tensor a = leaf(2);
    Tensor b = leaf(3);
    Tensor constant = Tensor.of(new float[] {5});

    List<Tensor> out =
        Checkpoint.run(
            in -> List.of(in.get(0).mul(in.get(1)), in.get(1).mul(in.get(2)).exp()),
            List.of(a, b, constant));
    out.get(0).add(out.get(1).mul(0)).sum().backward();

    assertThat(a.grad().item()).isEqualTo(3);
    assertThat(b.grad().item()).isEqualTo(2);
    assertThat(Checkpoint.run((p, q) -> p.mul(q), a, b).item()).isEqualTo(6);
  }

  @Test
  void onePassAfterAnother() {
    Tensor x = leaf(VALUES);
    Tensor y = Checkpoint.run(CheckpointTest::body, x).sum();

    y.backward(null, true, false);
    float[] once = x.grad().toFloatArray();
    x.setGrad(null);
    y.backward();

    assertThat(x.grad().toFloatArray()).containsExactly(once);
  }

  @Test
  void secondDerivativesGoThroughSegments() {
    Tensor plain = leaf(VALUES);
    Tensor x = leaf(VALUES);

    second(CheckpointTest::body, plain);
    second(in -> Checkpoint.run(CheckpointTest::body, in), x);

    assertThat(x.grad().toFloatArray()).containsExactly(plain.grad().toFloatArray());
  }

  private static void second(UnaryOperator<Tensor> function, Tensor x) {
    Tensor y = function.apply(x).sum();
    Autograd.grad(y, List.of(x), o -> o.createGraph(true)).getFirst().pow(2).sum().backward();
  }

  @Test
  void nothingIsKeptBetweenThePasses() {
    Tensor x = Tensor.ones(10_000).requiresGrad_();
    try (var _ = Memory.scope()) {
      Tensor in = x.mul(1);
      long before = Memory.allocated();

      Tensor y = Checkpoint.run(t -> Memory.tidy(() -> body(t)), in);

      assertThat(Memory.allocated() - before).isLessThan(2 * 40_000);
      y.backward(Tensor.ones(10_000));
      x.setGrad(null);
    }
  }

  @Test
  void aScopeLetsGoOfASegmentThatNobodyWentBackThrough() {
    Tensor x = Tensor.ones(1000).requiresGrad_();
    long before = Memory.allocated();
    try (var _ = Memory.scope()) {
      Checkpoint.run(t -> Memory.tidy(() -> body(t)), x.mul(1));
    }

    assertThat(Memory.allocated()).isEqualTo(before);
  }

  @Test
  void aSegmentThatDoesSomethingElseTheSecondTimeIsAnError() {
    Tensor x = leaf(VALUES);
    var runs = new int[1];

    assertThatThrownBy(() ->
            Checkpoint.run(in -> runs[0]++ == 0 ? in.exp() : in.narrow(0, 0, 2).exp(), x)
                .sum()
                .backward())
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "Checkpoint: the segment must do the same in its second run as in the first, but tensor"
                + " 0 that it saves is float32 of shape [2], and was float32 of shape [4]. Let it"
                + " depend on nothing but its inputs.");
    runs[0] = 0;
    assertThatThrownBy(
            () -> Checkpoint.run(in -> runs[0]++ == 0 ? in.exp() : in.add(1), x).sum().backward())
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "Checkpoint: the segment must do the same in its second run as in the first, but saved"
                + " 0 tensors instead of 1. Let it depend on nothing but its inputs.");
  }

  @Test
  void anInPlaceWriteInTheSegmentIsNoticed() {
    Tensor x = leaf(VALUES);

    assertThatThrownBy(() ->
            Checkpoint.run(
                    in -> {
                      Tensor y = in.exp();
                      y.add_(1);
                      return y.sin();
                    },
                    x)
                .sum()
                .backward())
        .isInstanceOf(AutogradException.class)
        .hasMessageStartingWith(
            "Checkpoint: what the segment saves for its backward pass must stay as it is, but it"
                + " changes a float32 tensor of shape [4] in place afterwards.");
  }

  @Test
  void anErrorInTheSecondRunLeavesEverythingInOrder() {
    Tensor x = leaf(VALUES);
    var runs = new int[1];
    Tensor y =
        Checkpoint.run(
            in -> {
              if (runs[0]++ == 1) {
                throw new IllegalStateException("the second run fails");
              }
              return in.exp();
            },
            x);

    assertThatThrownBy(() -> y.sum().backward(null, true, false))
        .isInstanceOf(IllegalStateException.class);
    y.sum().backward();

    assertThat(x.grad().toFloatArray()).containsExactly(y.toFloatArray());
    assertThat(Autograd.isGradEnabled()).isTrue();
  }

  @Test
  void withoutARecordTheSegmentJustRuns() {
    Tensor y = Autograd.noGrad(() -> Checkpoint.run(CheckpointTest::body, leaf(VALUES)));

    assertThat(y.requiresGrad()).isFalse();
  }

  @Test
  void sequentialFunctionsInSegments() {
    Tensor plain = leaf(VALUES);
    body(body(body(plain))).sum().backward();
    Tensor x = leaf(VALUES);
    UnaryOperator<Tensor> f = CheckpointTest::body;

    Checkpoint.sequential(List.of(f, f, f), 2, x).sum().backward();

    assertThat(x.grad().toFloatArray()).containsExactly(plain.grad().toFloatArray());
    assertThatThrownBy(() -> Checkpoint.sequential(List.of(f), 2, x))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "Checkpoint.sequential: segments must be in 1..1, the number of functions, but is 2.");
  }
}
