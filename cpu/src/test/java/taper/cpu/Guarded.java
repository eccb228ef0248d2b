package taper.cpu;

import java.util.Random;
import taper.tensor.DType;
import taper.tensor.internal.Elements;
import taper.tensor.spi.Strided;

/// A tensor in guarded memory.
///
/// @param memory where it lies
/// @param strided the tensor
public record Guarded(GuardedMemory memory, Strided strided) implements AutoCloseable {

  /// A tensor of zeros, `offset` elements from one of the ends of its memory.
  public static Guarded of(
      DType dtype, GuardedMemory.Side side, int offset, long[] sizes, long[] strides) {
    long last = 0;
    boolean empty = false;
    for (int d = 0; d < sizes.length; d++) {
      last += (sizes[d] - 1) * strides[d];
      empty |= sizes[d] == 0;
    }
    long elements = empty ? 0 : last + 1;
    var memory = new GuardedMemory((elements + offset) * dtype.byteSize(), side);
    long start = side == GuardedMemory.Side.BEFORE ? 0 : (long) offset * dtype.byteSize();
    return new Guarded(memory, Strided.of(memory.segment(), start, dtype, sizes, strides));
  }

  /// A contiguous tensor of zeros that touches the end of its memory.
  public static Guarded of(DType dtype, long... sizes) {
    return of(dtype, GuardedMemory.Side.AFTER, 0, sizes, Strided.contiguousStrides(sizes));
  }

  /// Fills with random numbers that the type can hold.
  public Guarded fill(Random random) {
    var elements = new Elements(strided);
    for (long i = 0; i < elements.numel(); i++) {
      double value =
          switch (strided.dtype()) {
            case BOOL -> random.nextInt(2);
            case UINT8 -> random.nextInt(256);
            case INT8 -> random.nextInt(-128, 128);
            case INT16 -> random.nextInt(-30000, 30000);
            case INT32, INT64 -> random.nextInt(-1_000_000, 1_000_000);
            case FLOAT32, FLOAT64, BFLOAT16, FLOAT16, COMPLEX32, COMPLEX64, COMPLEX128 ->
                random.nextGaussian() * 10;
          };
      elements.set(i, value);
    }
    return this;
  }

  /// Element `index` in row-major order.
  public double at(long index) {
    return new Elements(strided).at(index);
  }

  @Override
  public void close() {
    memory.close();
  }
}
