package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/// What holds where nothing else is said: the floating type of new tensors, the way they are printed.
final class DefaultsTest {

  @Test
  void newTensorsAndQuotientsHaveTheDefaultType() {
    Tensor whole = Tensor.of(new long[] {1, 2});

    try (var _ = DType.withDefault(DType.FLOAT64)) {
      assertThat(Tensor.zeros(2).dtype()).isEqualTo(DType.FLOAT64);
      assertThat(Tensor.randn(2).dtype()).isEqualTo(DType.FLOAT64);
      assertThat(whole.div(2).dtype()).isEqualTo(DType.FLOAT64);
      assertThat(whole.mul(2.5).dtype()).isEqualTo(DType.FLOAT64);
      assertThat(whole.sqrt().dtype()).isEqualTo(DType.FLOAT64);
      assertThat(Tensor.of(new float[] {1}).mul(2.5).dtype()).isEqualTo(DType.FLOAT32);
    }
    assertThat(Tensor.zeros(2).dtype()).isEqualTo(DType.FLOAT32);
    assertThat(whole.div(2).dtype()).isEqualTo(DType.FLOAT32);
  }

  @Test
  void theDefaultTypeMustBeFloating() {
    assertThatThrownBy(() -> DType.withDefault(DType.INT64))
        .isInstanceOf(DTypeException.class)
        .hasMessage("withDefault: the default dtype must be a floating one, but is int64.");
  }

  @Test
  void tensorsArePrintedAsTheOptionsSay() {
    Tensor x = Tensor.of(new float[] {1f / 3, 20, 3});

    assertThat(x.toString(o -> o.precision(2))).isEqualTo("tensor([ 0.33, 20.00,  3.00])");
    assertThat(x.toString(o -> o.precision(2).sciMode(true)))
        .isEqualTo("tensor([3.33e-01, 2.00e+01, 3.00e+00])");
    assertThat(Tensor.arange(8).toString(o -> o.threshold(5).edgeItems(2)))
        .isEqualTo("tensor([0, 1,  ..., 6, 7])");
    try (var _ = PrintOptions.use(o -> o.lineWidth(20))) {
      assertThat(x).hasToString("tensor([ 0.3333,\n        20.0000,\n         3.0000])");
    }
    assertThat(x).hasToString("tensor([ 0.3333, 20.0000,  3.0000])");
  }

  @Test
  void printOptionsMustMakeSense() {
    assertThatThrownBy(() -> PrintOptions.DEFAULT.precision(-1))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "PrintOptions: precision, threshold and edgeItems must not be negative and lineWidth"
                + " must be positive, but they are -1, 1000, 3 and 80.");
  }
}
