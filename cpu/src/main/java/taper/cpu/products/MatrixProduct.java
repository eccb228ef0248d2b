package taper.cpu.products;

import taper.cpu.assembler.Code;
import taper.cpu.products.Products.Bias;
import taper.cpu.products.Scratch.Use;

/// One matrix product of given sizes and distances, ready to run on any part of its result. Immutable.
///
/// Three ways, chosen by the sizes of the whole so that a part is computed as it would be within the whole:
///
/// - *Dot*: the sum runs along contiguous memory in both operands, and one of them is small. Nothing is
///   moved; see [DotProducts].
/// - *Direct*: B has contiguous rows and is small, or is used for few rows: [BatchReduce] on the operands
///   where they lie.
/// - *Packed*: A in panels as high as a tile, B in panels as wide as a tile, in blocks of the sum that
///   keep a panel of A in the first cache and the panels of B in the second [1].
///
/// [1] Goto, van de Geijn 2008, "Anatomy of High-Performance Matrix Multiplication", ACM TOMS 34(3)
final class MatrixProduct {
  private enum Way {
    DOT,
    DIRECT,
    PACKED
  }

  /// B is small if it has no more bytes than this: a fraction of the second cache, 64 pages.
  private static final long SMALL = 256 << 10;

  /// The longest piece of a dot product: 5 rows of it and 5 columns passing by fit the first cache.
  private static final int DOT_DEPTH = 800;

  /// The longest piece of a sum over rows that are far apart: so many pages are at hand without a miss.
  private static final int DIRECT_DEPTH = 64;

  private static final int PACKED_DEPTH = 384;
  private static final int PACKED_WIDTH = 1024;

  /// With more rows (or columns) than this, adding up lanes costs more than packing.
  private static final int DOT_LIMIT = 2;

  private final Lanes lanes;
  private final int m;
  private final int n;
  private final int k;
  private final long aRow;
  private final long aColumn;
  private final long bRow;
  private final long bColumn;
  private final long cRow;
  private final Bias where;
  private final boolean accumulate;
  private final boolean relu;
  private final Way way;
  private final int depth;

  /// Distances are in bytes; elements of a row of C are adjacent.
  MatrixProduct(
      Lanes lanes,
      int m,
      int n,
      int k,
      long aRow,
      long aColumn,
      long bRow,
      long bColumn,
      long cRow,
      Bias where,
      boolean accumulate,
      boolean relu) {
    this.lanes = lanes;
    this.m = m;
    this.n = n;
    this.k = k;
    this.aRow = aRow;
    this.aColumn = aColumn;
    this.bRow = bRow;
    this.bColumn = bColumn;
    this.cRow = cRow;
    this.where = where;
    this.accumulate = accumulate;
    this.relu = relu;
    this.way = way();
    this.depth = pieces(k, limit());
  }

  private Way way() {
    int es = lanes.bytes();
    boolean along = (aColumn == es || k == 1) && (bRow == es || k == 1);
    if (k > 0 && along && Math.min(m, n) <= DOT_LIMIT) {
      return Way.DOT;
    }
    boolean rows = bColumn == es || n == 1;
    if (k == 0 || (rows && (m <= 28 || (long) k * n * es <= SMALL))) {
      return Way.DIRECT;
    }
    return Way.PACKED;
  }

  private int limit() {
    return switch (way) {
      case DOT -> DOT_DEPTH * 4 / lanes.bytes();
      case DIRECT -> k * bRow > SMALL ? DIRECT_DEPTH : Math.max(k, 1);
      case PACKED -> PACKED_DEPTH;
    };
  }

  /// The length of equal pieces of `total`, a multiple of 16 (but for the last) of at most `limit`.
  private static int pieces(int total, int limit) {
    if (total <= limit) {
      return Math.max(total, 1);
    }
    int count = Math.ceilDiv(total, limit);
    return Math.ceilDiv(Math.ceilDiv(total, count), 16) * 16;
  }

  /// The unit in which columns are best split between threads.
  int columnUnit() {
    return way == Way.DOT ? 5 : 2 * lanes.count();
  }

  /// The unit in which rows are best split between threads.
  int rowUnit() {
    return way == Way.DOT ? 5 : BatchReduce.rows(lanes, 2);
  }

  /// Computes rows `fromRow` to `toRow` of columns `fromColumn` to `toColumn`, given where the first
  /// elements of the operands lie. `bias` counts only if there is one.
  void run(
      long a, long b, long c, long bias, int fromRow, int toRow, int fromColumn, int toColumn) {
    if (fromRow >= toRow || fromColumn >= toColumn) {
      return;
    }
    switch (way) {
      case DOT -> dot(a, b, c, bias, fromRow, toRow, fromColumn, toColumn);
      case DIRECT -> direct(a, b, c, bias, fromRow, toRow, fromColumn, toColumn);
      case PACKED -> packed(a, b, c, bias, fromRow, toRow, fromColumn, toColumn);
    }
  }

  private Bias biasAt(int p) {
    return p == 0 ? where : Bias.NONE;
  }

  private boolean addsAt(int p) {
    return p > 0 || accumulate;
  }

  private boolean reluAt(int p) {
    return relu && p + depth >= k;
  }

  private long biasOf(long bias, int row, int column) {
    return switch (where) {
      case NONE -> 0;
      case ROWS -> bias + (long) row * lanes.bytes();
      case COLUMNS -> bias + (long) column * lanes.bytes();
    };
  }

  private void dot(long a, long b, long c, long bias, int i0, int i1, int j0, int j1) {
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    long table = block + 2048;
    int es = lanes.bytes();
    int high = Math.min(i1 - i0, lanes.masks() ? 5 : 3);
    int wide = DotProducts.columns(lanes, high);
    Scratch.put(block + DotProducts.ROW_A, aRow);
    Scratch.put(block + DotProducts.TABLE_B, table);
    Scratch.put(block + DotProducts.REPEAT_A, 0);
    Scratch.put(block + DotProducts.REPEAT_B, 0);
    Scratch.put(block + DotProducts.ROW_C, cRow);
    for (int p = 0; p < k; p += depth) {
      int length = Math.min(depth, k - p);
      int rest = length % lanes.count();
      Scratch.put(block + DotProducts.LENGTH, (long) (length - rest) * es);
      Scratch.put(block + DotProducts.MASK, lanes.mask(rest));
      int rows;
      for (int i = i0; i < i1; i += rows) {
        rows = piece(i1 - i, high);
        Scratch.put(block + DotProducts.A, a + i * aRow + (long) p * es);
        int columns;
        for (int j = j0; j < j1; j += columns) {
          columns = piece(j1 - j, wide);
          for (int q = 0; q < columns; q++) {
            Scratch.put(table + 8L * q, b + (j + q) * bColumn + (long) p * es);
          }
          Scratch.put(block + DotProducts.REPEATS, 1);
          Scratch.put(block + DotProducts.C, c + i * cRow + (long) j * es);
          Scratch.put(block + DotProducts.BIAS, biasOf(bias, i, j));
          DotProducts.of(
                  new DotProducts.Shape(
                      lanes, rows, columns, rest != 0, addsAt(p), biasAt(p), reluAt(p)))
              .run(block);
        }
      }
    }
  }

  /// The size of the next of as many equal pieces of `left` as pieces of `limit` would be.
  private static int piece(int left, int limit) {
    return Math.ceilDiv(left, Math.ceilDiv(left, limit));
  }

  private void direct(long a, long b, long c, long bias, int i0, int i1, int j0, int j1) {
    long block = Scratch.ofThread().address(Use.ARGUMENTS, 4096);
    int height = piece(i1 - i0, BatchReduce.rows(lanes, 2));
    int vectors = 2;
    if (height <= 3) {
      vectors = lanes.masks() ? 6 : height == 1 ? 6 : 3;
    } else if (height <= 6 && lanes.masks()) {
      vectors = 4;
    }
    vectors = Math.min(vectors, Math.ceilDiv(j1 - j0, lanes.count()));
    for (int p = 0; p < Math.max(k, 1); p += depth) {
      int rows;
      for (int i = i0; i < i1; i += rows) {
        rows = piece(i1 - i, height);
        Scratch.put(block + BatchReduce.A, a + i * aRow + p * aColumn);
        BatchReduce.groupRows(block, aRow);
        Scratch.put(block + BatchReduce.STEP_A, aColumn);
        Scratch.put(block + BatchReduce.STEP_B, bRow);
        Scratch.put(block + BatchReduce.DEPTH, Math.min(depth, k - p));
        tiles(
            block,
            b + p * bRow,
            (long) lanes.vectorBytes(),
            c,
            bias,
            i,
            rows,
            j0,
            j1,
            vectors,
            p,
            false);
      }
    }
  }

  /// Runs the tiles of `rows` rows from row `i` on. The depth, A and the distance of rows of B are set.
  ///
  /// @param b where column 0 of B lies, or column `j0` if it is packed
  private void tiles(
      long block,
      long b,
      long vectorStep,
      long c,
      long bias,
      int i,
      int rows,
      int j0,
      int j1,
      int vectors,
      int p,
      boolean packed) {
    int es = lanes.bytes();
    int width = vectors * lanes.count();
    int full = (j1 - j0) / width;
    int rest = (j1 - j0) % width;
    long tileB = vectors * vectorStep;
    long first = packed ? b : b + (long) j0 * es;
    Scratch.put(block + BatchReduce.ROW_C, cRow);
    Scratch.put(block + BatchReduce.TILE_A, 0);
    Scratch.put(block + BatchReduce.TILE_B, tileB);
    Scratch.put(block + BatchReduce.TILE_C, (long) width * es);
    Scratch.put(block + BatchReduce.TILE_BIAS, where == Bias.COLUMNS ? (long) width * es : 0);
    if (full > 0) {
      Scratch.put(block + BatchReduce.B, first);
      Scratch.put(block + BatchReduce.C, c + i * cRow + (long) j0 * es);
      Scratch.put(block + BatchReduce.TILES, full);
      Scratch.put(block + BatchReduce.BIAS, biasOf(bias, i, j0));
      kernel(rows, vectors, false, packed, p).run(block);
    }
    if (rest > 0) {
      int j = j0 + full * width;
      Scratch.put(block + BatchReduce.B, first + full * tileB);
      Scratch.put(block + BatchReduce.C, c + i * cRow + (long) j * es);
      Scratch.put(block + BatchReduce.TILES, 1);
      Scratch.put(block + BatchReduce.BIAS, biasOf(bias, i, j));
      int last = rest % lanes.count();
      Scratch.put(block + BatchReduce.MASK, lanes.mask(last));
      kernel(rows, Math.ceilDiv(rest, lanes.count()), last != 0, packed, p).run(block);
    }
  }

  private Code kernel(int rows, int vectors, boolean tail, boolean packed, int p) {
    return BatchReduce.of(
        new BatchReduce.Shape(
            lanes, rows, vectors, tail, false, packed ? 0 : 3, addsAt(p), biasAt(p), reluAt(p)));
  }

  private void packed(long a, long b, long c, long bias, int i0, int i1, int j0, int j1) {
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int es = lanes.bytes();
    int width = 2 * lanes.count();
    int height = BatchReduce.rows(lanes, 2);
    int stripe = pieces(j1 - j0, PACKED_WIDTH * 4 / es);
    stripe = Math.ceilDiv(stripe, width) * width;
    long right = scratch.address(Use.RIGHT, (long) depth * stripe * es + 256);
    long left = scratch.address(Use.LEFT, (long) depth * height * es + 256);
    for (int j = j0; j < j1; j += stripe) {
      int jEnd = Math.min(j1, j + stripe);
      for (int p = 0; p < k; p += depth) {
        int length = Math.min(depth, k - p);
        packRight(block, b + p * bRow, right, j, jEnd, length, width);
        int rows;
        for (int i = i0; i < i1; i += rows) {
          rows = piece(i1 - i, height);
          packLeft(block, lanes, a + i * aRow + p * aColumn, aRow, aColumn, left, rows, length);
          Scratch.put(block + BatchReduce.A, left);
          Scratch.put(block + BatchReduce.STEP_B, (long) width * es);
          Scratch.put(block + BatchReduce.DEPTH, length);
          tiles(
              block,
              right,
              (long) length * lanes.vectorBytes(),
              c,
              bias,
              i,
              rows,
              j,
              jEnd,
              2,
              p,
              true);
        }
      }
    }
  }

  /// Columns `j0` to `j1` of B, cut into panels of `width` columns, each row by row.
  private void packRight(long block, long b, long to, int j0, int j1, int length, int width) {
    int es = lanes.bytes();
    long panel = (long) length * width * es;
    long from = b + j0 * bColumn;
    if (bColumn == es) {
      int full = (j1 - j0) / width;
      int rest = (j1 - j0) % width;
      PlaneCopy.run(
          block,
          lanes,
          true,
          from,
          bRow,
          (long) width * es,
          to,
          (long) width * es,
          panel,
          width,
          length,
          full);
      PlaneCopy.run(
          block,
          lanes,
          true,
          from + (long) full * width * es,
          bRow,
          0,
          to + full * panel,
          (long) width * es,
          0,
          rest,
          length,
          1);
      return;
    }
    for (int j = j0; j < j1; j += width) {
      packLeft(
          block,
          lanes,
          b + j * bColumn,
          bColumn,
          bRow,
          to + (j - j0) / width * panel,
          Math.min(width, j1 - j),
          length,
          width);
    }
  }

  /// `height` rows of A column by column: element (`i`, `p`) goes to place `p * height + i`.
  static void packLeft(
      long block, Lanes lanes, long a, long aRow, long aColumn, long to, int height, int length) {
    packLeft(block, lanes, a, aRow, aColumn, to, height, length, height);
  }

  /// The same with columns `pitch` elements apart.
  static void packLeft(
      long block,
      Lanes lanes,
      long a,
      long aRow,
      long aColumn,
      long to,
      int height,
      int length,
      int pitch) {
    int es = lanes.bytes();
    long toRow = (long) pitch * es;
    if (aRow == es) {
      PlaneCopy.run(block, lanes, true, a, aColumn, 0, to, toRow, 0, height, length, 1);
    } else if (aColumn == es) {
      int side = Transposition.side(lanes.wide());
      for (int i = (height - 1) / side * side; i >= 0; i -= side) {
        int rows = Math.min(side, height - i);
        Transposition.run(
            block, lanes.wide(), rows, length, a + i * aRow, aRow, to + (long) i * es, toRow);
      }
    } else {
      for (int p = 0; p < length; p++) {
        for (int i = 0; i < height; i++) {
          Scratch.copyElement(
              to + p * toRow + (long) i * es, a + i * aRow + p * aColumn, lanes.wide());
        }
      }
    }
  }
}
