package taper.cpu.parallel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class HugePagesTest {
  private static final long MEGABYTE = 1 << 20;

  @Test
  void reservedMemoryIsZeroAndCanBeWrittenToItsEnd() {
    MemorySegment memory = HugePages.reserve(5 * MEGABYTE + 64);

    if (memory != null) { // a system that is not Linux has none
      long last = 5 * MEGABYTE + 63;
      assertThat(memory.byteSize()).isEqualTo(5 * MEGABYTE + 64);
      assertThat(memory.get(JAVA_BYTE, last)).isZero();
      memory.set(JAVA_BYTE, last, (byte) 7);
      assertThat(memory.get(JAVA_BYTE, last)).isEqualTo((byte) 7);
    }
  }

  @Test
  void whatTheSystemCannotGiveIsNull() {
    assertThat(HugePages.reserve(1L << 60)).isNull();
  }

  @Test
  void workingMemoryOfAnySizeIsAligned() {
    for (long bytes : new long[] {1, 4096, 2 * MEGABYTE, 3 * MEGABYTE + 1}) {
      MemorySegment memory = HugePages.allocate(bytes);

      assertThat(memory.byteSize()).isEqualTo(bytes);
      assertThat(memory.address() % 64).isZero();
      memory.set(JAVA_BYTE, bytes - 1, (byte) 1);
    }
  }
}
