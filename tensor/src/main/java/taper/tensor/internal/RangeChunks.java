package taper.tensor.internal;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.tensor.spi.Strided;

/// Whole numbers of a range of less than `2^32`, as `int64`: the remainder of a draw.
final class RangeChunks extends DrawnChunks {
  private final Strided out;
  private final long from;
  private final long range;

  RangeChunks(Strided out, long from, long range) {
    super(Sampling.CHUNK);
    this.out = out;
    this.from = from;
    this.range = range;
  }

  @Override
  void make(long chunk, DrawSpace space) {
    remainders(space.draws, space.longs, Sampling.CHUNK, from, range);
    long at = out.byteOffset() + chunk * Sampling.CHUNK * Long.BYTES;
    MemorySegment.copy(space.longs, 0, out.memory(), JAVA_LONG_UNALIGNED, at, Sampling.CHUNK);
  }

  private static void remainders(int[] draws, long[] into, int count, long from, long range) {
    for (int i = 0; i < count; i++) {
      into[i] = Integer.toUnsignedLong(draws[i]) % range + from;
    }
  }
}
