package taper.tensor.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import taper.tensor.DType;
import taper.tensor.ShapeException;

final class StridedTest {
  private static final MemorySegment MEMORY = Arena.ofAuto().allocate(48, 64);

  private static Strided region(long byteOffset, long[] sizes, long[] strides) {
    return Strided.of(MEMORY, byteOffset, DType.FLOAT32, sizes, strides);
  }

  private static void refused(long byteOffset, long[] sizes, long[] strides) {
    assertThatThrownBy(() -> region(byteOffset, sizes, strides)).isInstanceOf(ShapeException.class);
  }

  @Test
  void everyElementLiesInsideTheMemory() {
    assertThat(region(0, new long[] {3, 4}, new long[] {4, 1}).numel()).isEqualTo(12);
    assertThat(region(44, new long[] {1}, new long[] {1}).numel()).isEqualTo(1);
    assertThat(region(44, new long[] {4, 3}, new long[] {-3, -1}).numel()).isEqualTo(12);
    assertThat(region(44, new long[] {1L << 60}, new long[] {0}).numel()).isEqualTo(1L << 60);

    refused(0, new long[] {13}, new long[] {1});
    refused(4, new long[] {3, 4}, new long[] {4, 1});
    refused(0, new long[] {3, 4}, new long[] {5, 1});
    refused(46, new long[] {1}, new long[] {1});
    refused(-4, new long[] {1}, new long[] {1});
    refused(48, new long[] {1}, new long[] {1});
    refused(40, new long[] {4, 3}, new long[] {-3, -1});
    refused(Long.MAX_VALUE, new long[] {1}, new long[] {1});
  }

  @Test
  void noElementsNeedNoMemory() {
    assertThat(region(48, new long[] {0, 5}, new long[] {5, 1}).numel()).isZero();
    assertThat(region(48, new long[] {0, 1L << 40, 1L << 40}, new long[] {1, 1, 1}).numel())
        .isZero();
  }

  @Test
  void distancesThatOverflowAreRefused() {
    refused(0, new long[] {1L << 33, 1L << 33}, new long[] {0, 0});
    refused(0, new long[] {1L << 33}, new long[] {1L << 33});
    refused(0, new long[] {3, 3}, new long[] {1L << 61, 1L << 61});
    refused(0, new long[] {2}, new long[] {Long.MIN_VALUE});
  }

  @Test
  void aViewReachesNoFurtherThanItsMemory() {
    Strided whole = region(0, new long[] {12}, new long[] {1});

    assertThat(whole.view(8, new long[] {4}, new long[] {1}).byteOffset()).isEqualTo(32);
    assertThatThrownBy(() -> whole.view(9, new long[] {4}, new long[] {1}))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "tensor: every element must lie inside the storage of 48 bytes, but shape [4] with strides [1] does not, from byte 36 on.");
    assertThatThrownBy(() -> whole.view(1L << 62, new long[] {1}, new long[] {1}))
        .isInstanceOf(ShapeException.class);
  }
}
