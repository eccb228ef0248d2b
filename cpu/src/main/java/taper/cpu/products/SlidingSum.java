package taper.cpu.products;

import taper.cpu.assembler.Code;
import taper.cpu.parallel.Raw;
import taper.cpu.products.BatchReduce.Source;
import taper.cpu.products.Products.Bias;

/// Sums over channels and filter taps that slide over images: result `i` of a channel is the sum, over terms, of a
/// coefficient times the number `i` behind the place of the term. Immutable.
///
/// @param rows channels of the result
/// @param height channels of a tile, at most
/// @param depth terms of the sum
/// @param panels the address of the packed coefficients, a panel of at most `height` rows after another
/// @param table the address of the distances of the terms, in bytes
record SlidingSum(Lanes lanes, int rows, int height, int depth, long panels, long table) {

  /// The number of rows of a tile for `rows` rows in all: as few tiles as possible, equally high.
  static int height(Lanes lanes, int rows) {
    int limit = BatchReduce.rows(lanes, 2);
    return Math.ceilDiv(rows, Math.ceilDiv(rows, limit));
  }

  /// The same sum with other coefficients.
  SlidingSum with(long otherPanels) {
    return new SlidingSum(lanes, rows, height, depth, otherPanels, table);
  }

  /// Computes `pixels` results of each row, which lie `toRow` elements apart. Up to a vector less one element is read
  /// beyond the last.
  ///
  /// @param block memory for arguments
  /// @param images what distances are counted from
  /// @param bias the address of a number for each row, or 0
  /// @param exact whether nothing may be written behind the last result of a row, else the last vector may be whole
  void run(
      long block,
      long images,
      int pixels,
      long to,
      long toRow,
      long bias,
      boolean relu,
      boolean exact) {
    int es = lanes.bytes();
    int all = Math.ceilDiv(pixels, lanes.count());
    int last = pixels % lanes.count();
    boolean tail = exact && last != 0;
    Raw.put(block + BatchReduce.TILE_A, 0);
    Raw.put(block + BatchReduce.TILE_BIAS, 0);
    Raw.put(block + BatchReduce.STEP_B, table);
    Raw.put(block + BatchReduce.DEPTH, depth);
    Raw.put(block + BatchReduce.ROW_C, toRow * es);
    Raw.put(block + BatchReduce.MASK, lanes.mask(last));
    Bias where = bias == 0 ? Bias.NONE : Bias.ROWS;
    int high;
    for (int o = 0; o < rows; o += high) {
      high = Math.min(height, rows - o);
      int vectors = Math.min(all, high > 3 ? 2 : lanes.masks() ? 4 : 3);
      long result = to + o * toRow * es;
      long tile = (long) vectors * lanes.vectorBytes();
      Raw.put(block + BatchReduce.A, panels + (long) o * depth * es);
      Raw.put(block + BatchReduce.BIAS, bias + (long) o * es);
      Raw.put(block + BatchReduce.TILE_B, tile);
      Raw.put(block + BatchReduce.TILE_C, tile);
      // The last tile is on its own if it is narrower or has a partly filled register.
      int full = tail ? (all - 1) / vectors : all / vectors;
      int rest = all - full * vectors;
      if (full > 0) {
        Raw.put(block + BatchReduce.B, images);
        Raw.put(block + BatchReduce.C, result);
        Raw.put(block + BatchReduce.TILES, full);
        kernel(high, vectors, false, where, relu).run(block);
      }
      if (rest > 0) {
        Raw.put(block + BatchReduce.B, images + full * tile);
        Raw.put(block + BatchReduce.C, result + full * tile);
        Raw.put(block + BatchReduce.TILES, 1);
        kernel(high, rest, tail, where, relu).run(block);
      }
    }
  }

  private Code kernel(int high, int vectors, boolean tail, Bias where, boolean relu) {
    return BatchReduce.of(
        new BatchReduce.Shape(lanes, high, vectors, tail, Source.TABLE, 0, false, where, relu));
  }
}
