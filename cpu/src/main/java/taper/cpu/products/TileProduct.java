package taper.cpu.products;

import taper.cpu.assembler.Isa;
import taper.cpu.products.Products.Bias;

/// A product of small matrices at addresses, `c = a·b` or `c += a·b`, run by one thread. Immutable.
public final class TileProduct {
  private final MatrixProduct product;
  private final int m;
  private final int n;

  /// A product of `[m k]` and `[k n]`; distances are in bytes, and elements of a row of `c` are adjacent.
  ///
  /// @param wide whether elements are `double`
  public TileProduct(
      Isa isa,
      boolean wide,
      int m,
      int n,
      int k,
      long aRow,
      long aColumn,
      long bRow,
      long bColumn,
      long cRow,
      boolean accumulate) {
    this.m = m;
    this.n = n;
    this.product =
        new MatrixProduct(
            new Lanes(isa, wide ? 8 : 4),
            m,
            n,
            k,
            aRow,
            aColumn,
            bRow,
            bColumn,
            cRow,
            Bias.NONE,
            accumulate,
            false);
  }

  /// Computes the product of the matrices that lie at these addresses.
  public void run(long a, long b, long c) {
    product.run(a, b, c, 0, 0, m, 0, n);
  }

  /// Writes `rows` rows of `length` elements as columns: element (`i`, `p`) goes to place `p * pitch + i`. Up to 64 bytes
  /// behind each column, and behind the last, are overwritten.
  public static void transpose(
      Isa isa,
      boolean wide,
      long from,
      long row,
      long column,
      long to,
      int rows,
      int length,
      int pitch) {
    long block = Scratch.ofThread().address(Scratch.Use.ARGUMENTS, 4096);
    PanelPacking.left(
        block, new Lanes(isa, wide ? 8 : 4), from, row, column, to, rows, length, pitch);
  }
}
