package taper.tensor.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import taper.tensor.spi.Strided;

/// Reads and writes runs of a contiguous floating-point region as arrays of `double`: plain kernels that work on such arrays
/// are loops that the compiler turns into vector code.
final class Rows {
  private final Strided region;
  private final MemorySegment memory;
  private final Elements elements;

  Rows(Strided region) {
    assert region.isContiguous();
    this.region = region;
    this.memory = region.memory();
    this.elements = new Elements(region);
  }

  /// Fills `into` with the elements from number `first` on.
  void read(long first, double[] into) {
    read(first, into, into.length);
  }

  /// Fills the first `count` of `into` with the elements from number `first` on.
  void read(long first, double[] into, int count) {
    switch (region.dtype()) {
      case FLOAT64 ->
          MemorySegment.copy(
              memory,
              ValueLayout.JAVA_DOUBLE_UNALIGNED,
              region.byteOffset() + first * Double.BYTES,
              into,
              0,
              count);
      case FLOAT32 -> {
        long o = region.byteOffset() + first * Float.BYTES;
        for (int i = 0; i < count; i++) {
          into[i] = memory.get(ValueLayout.JAVA_FLOAT_UNALIGNED, o + (long) i * Float.BYTES);
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          into[i] = elements.at(first + i);
        }
      }
    }
  }

  /// Sets all elements to 0.
  void clear() {
    long bytes = region.numel() * region.dtype().byteSize();
    if (bytes > 0) {
      memory.asSlice(region.byteOffset(), bytes).fill((byte) 0);
    }
  }

  /// Sets the elements from number `first` on.
  void write(long first, double[] from) {
    write(first, from, 0, from.length);
  }

  /// Sets `count` elements from number `first` on to those of `from` from `start` on.
  void write(long first, double[] from, int start, int count) {
    switch (region.dtype()) {
      case FLOAT64 ->
          MemorySegment.copy(
              from,
              start,
              memory,
              ValueLayout.JAVA_DOUBLE_UNALIGNED,
              region.byteOffset() + first * Double.BYTES,
              count);
      case FLOAT32 -> {
        long o = region.byteOffset() + first * Float.BYTES;
        for (int i = 0; i < count; i++) {
          memory.set(
              ValueLayout.JAVA_FLOAT_UNALIGNED,
              o + (long) i * Float.BYTES,
              (float) from[start + i]);
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          elements.set(first + i, from[start + i]);
        }
      }
    }
  }
}
