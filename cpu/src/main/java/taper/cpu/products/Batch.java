package taper.cpu.products;

import taper.tensor.spi.Strided;

/// The leading dimensions of a batched product, as one index. Immutable.
final class Batch {
  final long count;
  private final Strided c;
  private final Strided a;
  private final Strided b;

  Batch(Strided c, Strided a, Strided b) {
    this.c = c;
    this.a = a;
    this.b = b;
    long n = 1;
    for (int d = 0; d < c.rank() - 2; d++) {
      n *= c.size(d);
    }
    this.count = n;
  }

  /// The offset in `c.memory()` of item `item`, in bytes; likewise [#a] and [#b].
  long c(long item) {
    return offset(c, item);
  }

  long a(long item) {
    return offset(a, item);
  }

  long b(long item) {
    return offset(b, item);
  }

  private long offset(Strided x, long item) {
    long elements = 0;
    long rest = item;
    for (int d = c.rank() - 3; d >= 0; d--) {
      elements += rest % c.size(d) * x.stride(d);
      rest /= c.size(d);
    }
    return x.byteOffset() + elements * x.dtype().byteSize();
  }
}
