package taper.cpu.products;

import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.parallel.Scratch.Use;
import taper.cpu.products.Products.Bias;

/// Sums partial results, each of which some images gave, on all threads: a product with a row of ones.
final class Partials {
  /// So many elements are summed at a time.
  private static final int PIECE = 1 << 14;

  private Partials() {}

  /// Sets `target` to the sum of `chunks` rows, which begin `pitch` bytes apart and have so many elements.
  static void sum(Lanes lanes, long parts, long pitch, long target, int chunks, long elements) {
    int es = lanes.bytes();
    Scratch scratch = Scratch.ofThread();
    long ones = scratch.address(Use.LEFT, 4096);
    for (int i = 0; i < chunks; i++) {
      Raw.put(ones + (long) i * es, 1, lanes.wide());
    }
    int n = Math.toIntExact(elements);
    var sum =
        new MatrixProduct(
            lanes, 1, n, chunks, 0, es, pitch, es, elements * es, Bias.NONE, false, false);
    Tasks.run(
        Math.ceilDiv(n, PIECE),
        2L * PIECE * chunks,
        task -> {
          int from = task * PIECE;
          sum.run(ones, parts, target, 0, 0, 1, from, Math.min(n, from + PIECE));
        });
  }
}
