package taper.cpu.attention;

import taper.tensor.spi.Strided;

/// Matrices, one a head, behind leading dimensions of any strides. Immutable.
final class Heads {
  private final Strided x;
  private final long start;

  /// The bytes from row to row, and from column to column.
  final long row;

  final long column;

  Heads(Strided x) {
    int bytes = x.dtype().byteSize();
    this.x = x;
    this.start = x.address();
    this.row = x.stride(x.rank() - 2) * bytes;
    this.column = x.stride(x.rank() - 1) * bytes;
  }

  /// Where the matrix of head `item` begins.
  long at(long item) {
    long elements = 0;
    long rest = item;
    for (int d = x.rank() - 3; d >= 0; d--) {
      elements += rest % x.size(d) * x.stride(d);
      rest /= x.size(d);
    }
    return start + elements * x.dtype().byteSize();
  }
}
