package taper.cpu.products;

import taper.cpu.assembler.Isa;
import taper.cpu.products.Products.Bias;
import taper.cpu.products.Scratch.Use;

/// A matrix B that is packed once and multiplied by few rows many times, as recurrent layers do: `C = A·B`, or added to C.
///
/// B lies in panels two registers wide. A piece of a panel, [#DEPTH] rows of it, stays in the first cache while the rows of A
/// pass by, which are read where they lie; see [BatchReduce]. An element of C is summed in the same order however many rows
/// there are. Immutable; threads may share it as long as the memory behind it lasts.
public final class Panels {
  /// Rows of a piece of a panel: 32 KB of it.
  private static final int DEPTH = 256;

  /// Panels that are multiplied in one call, so that calls last some microseconds.
  private static final int GROUP = 4;

  private final Lanes lanes;
  private final int depth;
  private final int columns;
  private final long address;

  private Panels(Lanes lanes, int depth, int columns, long address) {
    this.lanes = lanes;
    this.depth = depth;
    this.columns = columns;
    this.address = address;
  }

  /// The size of the memory that [#pack] fills, in bytes.
  public static long byteSize(int bytes, long depth, long columns) {
    return depth * columns * bytes;
  }

  /// Packs `b[depth columns]`, whose neighbours are `row` and `column` bytes apart and have `bytes` bytes each.
  ///
  /// @param to where to; aligned to 64 bytes
  public static Panels pack(
      Isa isa, int bytes, long b, long row, long column, int depth, int columns, long to) {
    var lanes = new Lanes(isa, bytes);
    long block = Scratch.ofThread().address(Use.ARGUMENTS, 4096);
    int width = 2 * lanes.count();
    for (int j = 0; j < columns; j += width) {
      PanelPacking.left(
          block,
          lanes,
          b + j * column,
          column,
          row,
          to + (long) j * depth * bytes,
          Math.min(width, columns - j),
          depth);
    }
    return new Panels(lanes, depth, columns, to);
  }

  /// `C = A·B`, plus C if `accumulate`, else plus a row of `bias` unless that is 0. Neighbours in a row are adjacent.
  ///
  /// @param back whether the panels are taken from the last to the first: where calls take turns, each begins with the panels
  ///     that the one before has left in the second cache
  public void multiply(
      long a, long aRow, int rows, long c, long cRow, boolean accumulate, long bias, boolean back) {
    long block = Scratch.ofThread().address(Use.ARGUMENTS, 4096);
    int es = lanes.bytes();
    int width = 2 * lanes.count();
    int panels = Math.ceilDiv(columns, width);
    BatchReduce.groupRows(block, aRow);
    Scratch.put(block + BatchReduce.STEP_A, es);
    Scratch.put(block + BatchReduce.ROW_C, cRow);
    Scratch.put(block + BatchReduce.TILE_A, 0);
    int n = 0;
    while (n < panels) {
      boolean partial = columns % width != 0 && (back ? n == 0 : n == panels - 1);
      int group = partial ? 1 : Math.min(GROUP, (back ? panels : columns / width) - n);
      int j = (back ? panels - n - group : n) * width;
      int count = Math.min(width, columns - j);
      Scratch.put(block + BatchReduce.STEP_B, (long) count * es);
      Scratch.put(block + BatchReduce.TILE_B, (long) depth * count * es);
      Scratch.put(block + BatchReduce.TILE_C, (long) count * es);
      Scratch.put(block + BatchReduce.TILE_BIAS, (long) count * es);
      Scratch.put(block + BatchReduce.MASK, lanes.mask(count % lanes.count()));
      for (int p = 0; p < depth; p += DEPTH) {
        boolean adds = accumulate || p > 0;
        Scratch.put(block + BatchReduce.DEPTH, Math.min(DEPTH, depth - p));
        piece(
            block,
            a + (long) p * es,
            aRow,
            address + ((long) j * depth + (long) p * count) * es,
            count,
            group,
            c + (long) j * es,
            cRow,
            rows,
            adds,
            adds || bias == 0 ? 0 : bias + (long) j * es);
      }
      n += group;
    }
  }

  /// Multiplies all rows of A by pieces of neighbouring panels of `columns` columns each.
  private void piece(
      long block,
      long a,
      long aRow,
      long b,
      int columns,
      int panels,
      long c,
      long cRow,
      int rows,
      boolean adds,
      long bias) {
    int height = MatrixProduct.piece(rows, BatchReduce.rows(lanes, 2));
    int i = 0;
    while (i < rows) {
      int tile = MatrixProduct.piece(rows - i, height);
      Scratch.put(block + BatchReduce.A, a + i * aRow);
      Scratch.put(block + BatchReduce.B, b);
      Scratch.put(block + BatchReduce.C, c + i * cRow);
      Scratch.put(block + BatchReduce.BIAS, bias);
      Scratch.put(block + BatchReduce.TILES, panels);
      BatchReduce.of(
              lanes,
              tile,
              Math.ceilDiv(columns, lanes.count()),
              columns % lanes.count() != 0,
              BatchReduce.Source.ROWS,
              3,
              adds,
              bias == 0 ? Bias.NONE : Bias.COLUMNS,
              false)
          .run(block);
      i += tile;
    }
  }
}
