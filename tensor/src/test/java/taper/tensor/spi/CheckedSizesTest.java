package taper.tensor.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import taper.tensor.DType;
import taper.tensor.ShapeException;

final class CheckedSizesTest {
  @Test
  void productsThatFitAreExact() {
    assertThat(CheckedSizes.numel()).isEqualTo(1);
    assertThat(CheckedSizes.numel(3, 5, 7)).isEqualTo(105);
    assertThat(CheckedSizes.numel(new long[] {3, 5, 7}, 1, 3)).isEqualTo(35);
    assertThat(CheckedSizes.numel(1L << 31, (1L << 32) - 1)).isEqualTo(0x7FFF_FFFF_8000_0000L);
    assertThat(CheckedSizes.numel(1L << 62, 1L << 62, 0)).isZero();
    assertThat(CheckedSizes.bytes(DType.FLOAT64, 2, 3)).isEqualTo(48);
  }

  @Test
  void productsThatDoNotFitAreRefused() {
    assertThatThrownBy(() -> CheckedSizes.numel(1L << 31, 1L << 32))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "tensor: the number of elements must be below 2^63, but the shape is [2147483648, 4294967296].");
    assertThatThrownBy(() -> CheckedSizes.bytes(DType.FLOAT64, 1L << 60))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "tensor: the number of bytes must be below 2^63, but the shape is [1152921504606846976].");
    assertThatThrownBy(() -> CheckedSizes.numel(4, -1))
        .isInstanceOf(ShapeException.class)
        .hasMessage("tensor: sizes must not be negative, but the shape is [4, -1].");
    assertThatThrownBy(() -> CheckedSizes.times(Long.MIN_VALUE, -1, new long[] {2}))
        .isInstanceOf(ShapeException.class);
    assertThatThrownBy(() -> CheckedSizes.plus(Long.MAX_VALUE, 1, new long[] {2}))
        .isInstanceOf(ShapeException.class);
  }
}
