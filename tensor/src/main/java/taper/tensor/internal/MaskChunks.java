package taper.tensor.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// A number where 53 bits are below a limit and 0 elsewhere, or truth values.
final class MaskChunks extends DrawnChunks {
  private final Strided out;
  private final long limit;
  private final int value;

  MaskChunks(Strided out, long limit, float one) {
    super(2 * Sampling.CHUNK);
    this.out = out;
    this.limit = limit;
    this.value = Float.floatToRawIntBits(one);
  }

  @Override
  void make(long chunk, DrawSpace scratch) {
    int[] draws = scratch.draws;
    Sampling.compare(draws, 2 * Sampling.CHUNK, limit);
    long at = out.byteOffset() + chunk * Sampling.CHUNK * out.dtype().byteSize();
    if (out.dtype() == DType.BOOL) {
      Sampling.truths(draws, scratch.bytes, Sampling.CHUNK);
      MemorySegment.copy(scratch.bytes, 0, out.memory(), JAVA_BYTE, at, Sampling.CHUNK);
    } else {
      Sampling.numbers(draws, scratch.bits, Sampling.CHUNK, value);
      MemorySegment.copy(scratch.bits, 0, out.memory(), JAVA_INT_UNALIGNED, at, Sampling.CHUNK);
    }
  }
}
