package taper.tensor.internal;

import taper.tensor.spi.CheckedSizes;

/// Walks through the indices of a shape in row-major order, and keeps count of where several operands with strides of
/// their own are. Belongs to one loop.
final class Odometer {
  private final long[] sizes;
  private final long[][] strides;
  private final long[] index;
  private final long[] distance;
  private final long numel;

  Odometer(long[] sizes, long[]... strides) {
    this.sizes = sizes;
    this.strides = strides;
    this.index = new long[sizes.length];
    this.distance = new long[strides.length];
    this.numel = CheckedSizes.numel(sizes);
  }

  /// How many steps there are.
  long numel() {
    return numel;
  }

  /// Where operand `o` is, in elements from its first.
  long at(int o) {
    return distance[o];
  }

  /// The index along dimension `d`.
  long index(int d) {
    return index[d];
  }

  /// Goes on to the next index.
  void step() {
    for (int d = sizes.length - 1; d >= 0; d--) {
      index[d]++;
      if (index[d] < sizes[d]) {
        for (int o = 0; o < distance.length; o++) {
          distance[o] += strides[o][d];
        }
        return;
      }
      index[d] = 0;
      for (int o = 0; o < distance.length; o++) {
        distance[o] -= strides[o][d] * (sizes[d] - 1);
      }
    }
  }
}
