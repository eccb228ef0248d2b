package taper.cpu.pooling;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// The elements of a contiguous operand of `float32` or `float64`, by index. Immutable.
///
/// Both types are read as doubles, which is exact; C2 lifts the choice out of loops.
record Numbers(MemorySegment memory, long offset, boolean wide) {

  static Numbers of(Strided x) {
    assert x.isContiguous();
    return new Numbers(x.memory(), x.byteOffset(), x.dtype() == DType.FLOAT64);
  }

  double at(long i) {
    return wide
        ? memory.get(JAVA_DOUBLE_UNALIGNED, offset + 8 * i)
        : memory.get(JAVA_FLOAT_UNALIGNED, offset + 4 * i);
  }

  void set(long i, double value) {
    if (wide) {
      memory.set(JAVA_DOUBLE_UNALIGNED, offset + 8 * i, value);
    } else {
      memory.set(JAVA_FLOAT_UNALIGNED, offset + 4 * i, (float) value);
    }
  }

  void clear(long from, long to) {
    int bytes = wide ? 8 : 4;
    memory.asSlice(offset + from * bytes, (to - from) * bytes).fill((byte) 0);
  }
}
