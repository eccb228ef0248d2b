package taper.cpu.products;

import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.parallel.Scratch.Use;
import taper.cpu.products.Products.Bias;

/// A matrix B that is packed once and multiplied by few rows many times, as recurrent layers do: `C = A·B`, or added to C.
///
/// The columns of B may form several parts, such as the gates of a layer, of which the same columns are wanted together. B
/// lies in panels two registers wide. A piece of a panel, [#DEPTH] rows of it, is multiplied by rows of A where they lie, which
/// stay in the first cache while panels pass by; see [BatchReduce].
/// An element of C is summed in the same order however many rows and columns are asked for. Immutable; threads may share it
/// as long as the memory behind it lasts.
public final class Panels {
  /// Rows of a piece of a panel: 32 KB of it.
  private static final int DEPTH = 256;

  /// Panels that are multiplied in one call, so that calls last some microseconds.
  private static final int GROUP = 4;

  private final Lanes lanes;
  private final int parts;
  private final int depth;
  private final int columns;
  private final long address;

  private Panels(Lanes lanes, int parts, int depth, int columns, long address) {
    this.lanes = lanes;
    this.parts = parts;
    this.depth = depth;
    this.columns = columns;
    this.address = address;
  }

  /// The width of a panel, in columns.
  public static int width(Isa isa, int bytes) {
    return 2 * isa.lanes(bytes);
  }

  /// The size of the memory that [#pack] fills, in bytes.
  public static long byteSize(int bytes, int parts, int depth, int columns) {
    return (long) bytes * parts * depth * columns + 64;
  }

  /// Packs `b[depth, parts · columns]`, whose neighbours are `row` and `column` bytes apart and have `bytes` bytes each.
  ///
  /// @param columns the columns of each part
  /// @param to where to; aligned to 64 bytes
  public static Panels pack(
      Isa isa,
      int bytes,
      long b,
      long row,
      long column,
      int parts,
      int depth,
      int columns,
      long to) {
    var lanes = new Lanes(isa, bytes);
    var panels = new Panels(lanes, parts, depth, columns, to);
    long block = Scratch.ofThread().address(Use.ARGUMENTS, 4096);
    int width = width(isa, bytes);
    // In the order of memory, since a panel may leave some zeros behind its end.
    for (int part = 0; part < parts; part++) {
      for (int j = 0; j < columns; j += width) {
        long from = b + ((long) part * columns + j) * column;
        int count = Math.min(width, columns - j);
        PanelPacking.left(block, lanes, from, column, row, panels.panel(part, j), count, depth);
      }
    }
    return panels;
  }

  private long panel(int part, int column) {
    return address + ((long) part * columns + column) * depth * lanes.bytes();
  }

  /// Columns `from` to `to` of all parts of `C = A·B`, plus C if `accumulate`, else plus a row of `bias` unless that is 0.
  /// Neighbours in a row are adjacent.
  ///
  /// @param cPart the distance of the parts of C, in bytes
  /// @param from the first column, the first of a panel
  /// @param back whether the panels are taken from the last to the first: where calls take turns, each begins with the panels
  ///     that the one before has left in the second cache
  public void multiply(
      long a,
      long aRow,
      int rows,
      long c,
      long cRow,
      long cPart,
      boolean accumulate,
      long bias,
      int from,
      int to,
      boolean back) {
    long block = Scratch.ofThread().address(Use.ARGUMENTS, 4096);
    int es = lanes.bytes();
    int width = 2 * lanes.count();
    int full = (to - from) / width;
    int groups = Math.ceilDiv(full, GROUP) + ((to - from) % width == 0 ? 0 : 1);
    BatchReduce.groupRows(block, aRow);
    Raw.put(block + BatchReduce.STEP_A, es);
    Raw.put(block + BatchReduce.ROW_C, cRow);
    Raw.put(block + BatchReduce.TILE_A, 0);
    for (int i = 0; i < parts * groups; i++) {
      int n = back ? parts * groups - 1 - i : i;
      int part = n / groups;
      int first = Math.min(n % groups * GROUP, full);
      int panels = Math.clamp(full - first, 1, GROUP);
      int j = from + first * width;
      int count = Math.min(width, to - j);
      Raw.put(block + BatchReduce.STEP_B, (long) count * es);
      Raw.put(block + BatchReduce.TILE_B, (long) depth * count * es);
      Raw.put(block + BatchReduce.TILE_C, (long) count * es);
      Raw.put(block + BatchReduce.TILE_BIAS, (long) count * es);
      Raw.put(block + BatchReduce.MASK, lanes.mask(count % lanes.count()));
      for (int p = 0; p < depth; p += DEPTH) {
        boolean adds = accumulate || p > 0;
        Raw.put(block + BatchReduce.DEPTH, Math.min(DEPTH, depth - p));
        piece(
            block,
            a + (long) p * es,
            aRow,
            panel(part, j) + (long) p * count * es,
            count,
            panels,
            c + part * cPart + (long) j * es,
            cRow,
            rows,
            adds,
            adds || bias == 0 ? 0 : bias + ((long) part * columns + j) * es);
      }
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
      Raw.put(block + BatchReduce.A, a + i * aRow);
      Raw.put(block + BatchReduce.B, b);
      Raw.put(block + BatchReduce.C, c + i * cRow);
      Raw.put(block + BatchReduce.BIAS, bias);
      Raw.put(block + BatchReduce.TILES, panels);
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
