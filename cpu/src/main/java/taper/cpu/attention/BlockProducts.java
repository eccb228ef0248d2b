package taper.cpu.attention;

import static taper.cpu.attention.AttentionCode.BLOCK;

import org.jspecify.annotations.Nullable;
import taper.cpu.products.TileProduct;

/// A product of blocks of queries and keys, made once for each size of block. Threads may share it: what they make is
/// immutable and alike.
final class BlockProducts {

  /// Makes a product.
  interface Maker {
    /// The product for blocks of one size.
    ///
    /// @param queries the number of queries
    /// @param keys the number of keys
    /// @param again whether the result is added to
    /// @param diagonal whether queries look back only, in this very block
    TileProduct make(int queries, int keys, boolean again, boolean diagonal);
  }

  private final Maker maker;
  private final @Nullable TileProduct[] made = new TileProduct[16];

  BlockProducts(Maker maker) {
    this.maker = maker;
  }

  /// The product for blocks of so many queries and keys.
  TileProduct of(int queries, int keys, boolean again, boolean diagonal) {
    int at =
        (queries == BLOCK ? 1 : 0) | (keys == BLOCK ? 2 : 0) | (again ? 4 : 0) | (diagonal ? 8 : 0);
    TileProduct product = made[at];
    if (product == null) {
      product = maker.make(queries, keys, again, diagonal);
      made[at] = product;
    }
    return product;
  }
}
