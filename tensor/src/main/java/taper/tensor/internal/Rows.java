package taper.tensor.internal;

import taper.tensor.spi.Strided;

/// A contiguous floating-point region that is read and written in runs, as arrays of `double`: plain kernels that work on
/// such arrays are loops that the compiler turns into vector code.
final class Rows {
  private final Strided region;

  Rows(Strided region) {
    assert region.isContiguous();
    this.region = region;
  }

  /// Fills `into` with the elements from number `first` on.
  void read(long first, double[] into) {
    read(first, into, into.length);
  }

  /// Fills the first `count` of `into` with the elements from number `first` on.
  void read(long first, double[] into, int count) {
    Ranges.read(region, first, count, into);
  }

  /// Sets all elements to 0.
  void clear() {
    long bytes = region.numel() * region.dtype().byteSize();
    if (bytes > 0) {
      region.memory().asSlice(region.byteOffset(), bytes).fill((byte) 0);
    }
  }

  /// Sets the elements from number `first` on.
  void write(long first, double[] from) {
    write(first, from, 0, from.length);
  }

  /// Sets `count` elements from number `first` on to those of `from` from `start` on.
  void write(long first, double[] from, int start, int count) {
    Ranges.write(region, first, count, from, start);
  }
}
