package taper.tensor.internal;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Normal numbers, one behind the other.
final class NormalChunks extends DrawnChunks {
  private final Strided out;
  private final boolean wide;
  private final double mean;
  private final double std;

  NormalChunks(Strided out, double mean, double std) {
    super(out.dtype() == DType.FLOAT64 ? 2 * Sampling.CHUNK : Sampling.CHUNK);
    this.out = out;
    this.wide = out.dtype() == DType.FLOAT64;
    this.mean = mean;
    this.std = std;
  }

  @Override
  void make(long chunk, DrawSpace scratch) {
    MemorySegment memory = out.memory();
    long at = out.byteOffset() + chunk * Sampling.CHUNK * out.dtype().byteSize();
    if (wide) {
      Sampling.fractions(scratch.draws, scratch.doubles, Sampling.CHUNK);
      Normals.transform(scratch.doubles, Sampling.CHUNK, mean, std);
      MemorySegment.copy(scratch.doubles, 0, memory, JAVA_DOUBLE_UNALIGNED, at, Sampling.CHUNK);
    } else {
      Normals.transform(
          scratch.draws, scratch.floats, Sampling.CHUNK, (float) mean, (float) std, scratch.work);
      MemorySegment.copy(scratch.floats, 0, memory, JAVA_FLOAT_UNALIGNED, at, Sampling.CHUNK);
    }
  }
}
