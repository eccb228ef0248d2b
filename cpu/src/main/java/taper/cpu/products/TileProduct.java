package taper.cpu.products;

import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.products.Products.Bias;

/// A product of small matrices at addresses, `c = a·b` or `c += a·b`, run by one thread. Immutable.
///
/// What a [MatrixProduct] finds out in every call is found out once: which kernels run on which rows. So a product of 64 ×
/// 64 × 32, which takes a microsecond, does not spend another one on that. A triangle of the result, or of an
/// operand, may be left out; it is rounded to whole tiles.
public final class TileProduct {
  /// What is known to be zero, or not wanted, above the diagonal.
  public enum Part {
    /// Nothing.
    ALL,
    /// Of the result, columns left of the row.
    RIGHT_OF_ROW,
    /// Of the sum, what comes after the row.
    UP_TO_ROW,
    /// Of the sum, what comes before the row.
    FROM_ROW
  }

  private static final int VECTORS = 2;

  private final Lanes lanes;
  private final int n;
  private final int k;
  private final long aRow;
  private final long aColumn;
  private final long bRow;
  private final long cRow;
  private final Part part;
  private final int[] rows;
  private final Code[] full;
  private final Code[] rest;
  private final @Nullable MatrixProduct gathering;

  /// A product of `[m k]` and `[k n]`; distances are in bytes, and elements of a row of `c` are adjacent.
  ///
  /// @param wide whether elements are `double`
  /// @param part what to compute; all is computed if elements of a row of `b` are apart
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
      boolean accumulate,
      Part part) {
    this.lanes = new Lanes(isa, wide ? 8 : 4);
    this.n = n;
    this.k = k;
    this.aRow = aRow;
    this.aColumn = aColumn;
    this.bRow = bRow;
    this.cRow = cRow;
    this.part = part;
    this.rows = pieces(m, BatchReduce.rows(lanes, VECTORS));
    this.full = new Code[rows.length];
    this.rest = new Code[rows.length];
    boolean adjacent = bColumn == lanes.bytes() || n == 1;
    this.gathering =
        adjacent
            ? null
            : new MatrixProduct(
                lanes, m, n, k, aRow, aColumn, bRow, bColumn, cRow, Bias.NONE, accumulate, false);
    int left = n % (VECTORS * lanes.count());
    for (int i = 0; i < rows.length; i++) {
      full[i] = kernel(rows[i], VECTORS, false, accumulate);
      rest[i] =
          left == 0
              ? full[i]
              : kernel(
                  rows[i],
                  Math.ceilDiv(left, lanes.count()),
                  left % lanes.count() != 0,
                  accumulate);
    }
  }

  private Code kernel(int height, int vectors, boolean tail, boolean accumulate) {
    return BatchReduce.of(
        new BatchReduce.Shape(
            lanes, height, vectors, tail, false, 3, accumulate, Bias.NONE, false));
  }

  /// `total` as a sum of almost equal pieces of at most `limit`.
  private static int[] pieces(int total, int limit) {
    int[] pieces = new int[Math.ceilDiv(total, limit)];
    int left = total;
    for (int i = 0; i < pieces.length; i++) {
      pieces[i] = Math.ceilDiv(left, pieces.length - i);
      left -= pieces[i];
    }
    return pieces;
  }

  /// Computes the product of the matrices that lie at these addresses.
  public void run(long a, long b, long c) {
    if (gathering != null) {
      gathering.run(a, b, c, 0, 0, rowCount(), 0, n);
      return;
    }
    long block = Scratch.ofThread().address(Scratch.Use.ARGUMENTS, 4096);
    int width = VECTORS * lanes.count();
    long tile = (long) width * lanes.bytes();
    Raw.put(block + BatchReduce.STEP_A, aColumn);
    Raw.put(block + BatchReduce.STEP_B, bRow);
    Raw.put(block + BatchReduce.ROW_C, cRow);
    Raw.put(block + BatchReduce.TILE_A, 0);
    Raw.put(block + BatchReduce.TILE_B, tile);
    Raw.put(block + BatchReduce.TILE_C, tile);
    Raw.put(block + BatchReduce.MASK, lanes.mask(n % lanes.count()));
    BatchReduce.groupRows(block, aRow);
    int row = 0;
    for (int i = 0; i < rows.length; i++) {
      int first = part == Part.RIGHT_OF_ROW ? row / width : 0;
      int start = part == Part.FROM_ROW ? row : 0;
      int end = part == Part.UP_TO_ROW ? Math.min(k, row + rows[i]) : k;
      long fromA = a + row * aRow + start * aColumn;
      long fromB = b + start * bRow + first * tile;
      long to = c + row * cRow + first * tile;
      int tiles = n / width - first;
      Raw.put(block + BatchReduce.DEPTH, Math.max(0, end - start));
      if (tiles > 0) {
        call(block, full[i], fromA, fromB, to, tiles);
      }
      if (n % width > 0 && tiles >= 0) {
        call(block, rest[i], fromA, fromB + tiles * tile, to + tiles * tile, 1);
      }
      row += rows[i];
    }
  }

  private int rowCount() {
    int count = 0;
    for (int piece : rows) {
      count += piece;
    }
    return count;
  }

  private static void call(long block, Code code, long a, long b, long c, long tiles) {
    Raw.put(block + BatchReduce.A, a);
    Raw.put(block + BatchReduce.B, b);
    Raw.put(block + BatchReduce.C, c);
    Raw.put(block + BatchReduce.TILES, tiles);
    code.run(block);
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
