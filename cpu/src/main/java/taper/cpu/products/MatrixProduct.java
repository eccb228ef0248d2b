package taper.cpu.products;

import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.parallel.Scratch.Use;
import taper.cpu.products.BatchReduce.Source;
import taper.cpu.products.Products.Bias;

/// One matrix product of given sizes and distances, ready to run on any part of its result. Immutable.
///
/// Three ways, chosen by the sizes of the whole so that a part is computed as it would be within the whole:
///
/// - *Dot*: the sum runs along contiguous memory in both operands, and one of them is small. Nothing is
///   moved; see [DotProducts].
/// - *Direct*: B has contiguous rows and is small, or is used for few rows: [BatchReduce] on the operands
///   where they lie.
/// - *Packed*: B in panels as wide as a tile, in blocks that fit the second cache [1].
///
/// The elements of A are spread over registers one by one, which takes any order of them. A panel of A is made only where
/// its columns are far apart, so that each lies in another page. Where its rows would evict each other from the first
/// cache, tiles have fewer of them instead. Panels of both kinds are written by the first tiles that need them, on the
/// way, which costs next to nothing and needs no pass of its own.
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

  /// The longest piece of a sum over packed panels, in bytes: 14 rows of it fit the first cache.
  private static final int PACKED_DEPTH = 2048;

  /// A block of packed B, in bytes: half of the second cache.
  private static final int PACKED_BYTES = 512 << 10;

  /// Columns of A that lie within so many bytes are found in the caches at every use.
  private static final long FAR = 128 << 10;

  /// Rows that lie a multiple of this apart share a set of the first cache.
  private static final int ALIAS = 4096;

  /// The most rows of a tile that share a set of the first cache, which has 12 places, and leave some to B; where four
  /// registers divide the columns, tiles are that wide instead and have six rows, which is as fast and leaves no rest.
  private static final int ALIAS_ROWS = 9;

  /// With more rows (or columns) than this, adding up lanes costs more than packing.
  private static final int DOT_LIMIT = 2;

  /// So many panels of A are made at a time.
  private static final int LEFT_PANELS = 4;

  private final Lanes lanes;
  final int m;
  final int n;
  final int k;
  private final long aRow;
  private final long aColumn;
  private final long bRow;
  private final long bColumn;
  private final long cRow;
  private final Bias where;
  private final boolean accumulate;
  private final boolean relu;
  private final long toScale;
  private final long toAddend;
  private final Way way;
  private final int depth;
  private final int height;
  private final boolean packsLeft;
  private final boolean copiesLeft;

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
    this(lanes, m, n, k, aRow, aColumn, bRow, bColumn, cRow, where, accumulate, relu, 0, 0);
  }

  /// As the other, for results that are scaled.
  ///
  /// @param toScale from the numbers of the bias to the factors
  /// @param toAddend from C to what is added to it
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
      boolean relu,
      long toScale,
      long toAddend) {
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
    this.toScale = toScale;
    this.toAddend = toAddend;
    this.way = way();
    this.depth = pieces(k, limit());
    this.height = height();
    this.packsLeft = packsLeft();
    this.copiesLeft = packsLeft && lanes.masks() && aRow == lanes.bytes();
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

  /// Whether panels of A are made: where columns are far apart, each in another page or in few sets of the first cache.
  private boolean packsLeft() {
    if (way == Way.DOT || m == 1 || n < 4 * lanes.count() || aColumn == lanes.bytes()) {
      return false;
    }
    return k > 64 && (k * aColumn > FAR || aColumn % 1024 == 0);
  }

  /// The most rows of a tile.
  private int height() {
    int rows = BatchReduce.rows(lanes, 2);
    if (!lanes.masks() || aColumn != lanes.bytes() || aRow % ALIAS != 0) {
      return rows;
    }
    int across = Math.ceilDiv(n, lanes.count());
    return Math.min(across % 4 == 0 ? BatchReduce.rows(lanes, 4) : ALIAS_ROWS, rows);
  }

  private int limit() {
    return switch (way) {
      case DOT -> DOT_DEPTH * 4 / lanes.bytes();
      case DIRECT -> k * bRow > SMALL ? DIRECT_DEPTH : Math.max(k, 1);
      case PACKED -> PACKED_DEPTH / lanes.bytes();
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

  /// Whether results can be scaled.
  boolean canScale() {
    return way != Way.DOT && k > 0;
  }

  /// Whether every part packs what it needs of B.
  boolean packsRight() {
    return way == Way.PACKED;
  }

  /// Whether B is transposed when it is packed.
  boolean turnsRight() {
    return bColumn != lanes.bytes();
  }

  /// Whether rows of A lie one behind the other, and not its columns.
  boolean hasRows() {
    return aColumn == lanes.bytes();
  }

  /// Whether every part packs what it needs of A.
  boolean packsLeftPart() {
    return packsLeft;
  }

  /// Whether a thread that computes more than one part of the rows packs nothing again: B is not packed, or can be kept.
  boolean takesRowsFreely() {
    return way == Way.DIRECT || (way == Way.PACKED && keptBytes() <= PACKED_BYTES);
  }

  /// The bytes of B if all of it is packed.
  private long keptBytes() {
    int width = 2 * lanes.count();
    return (long) k * Math.ceilDiv(n, width) * width * lanes.bytes();
  }

  /// Computes rows `fromRow` to `toRow` of all columns, as [#run(long,long,long,long,int,int,int,int)] does, and leaves B, if
  /// it is packed, in the memory of the calling thread for the calls to come. Only for products that
  /// [take rows freely][#takesRowsFreely].
  ///
  /// @param owner who finds B there: calls of one thread with the same owner must have the same B, and pack it once
  void runKeepingRight(long a, long b, long c, long bias, int fromRow, int toRow, Object owner) {
    if (fromRow < toRow && way == Way.PACKED) {
      packed(a, b, c, bias, fromRow, toRow, 0, n, owner);
    } else {
      run(a, b, c, bias, fromRow, toRow, 0, n);
    }
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
      case PACKED -> packed(a, b, c, bias, fromRow, toRow, fromColumn, toColumn, null);
    }
  }

  private Bias biasAt(int p) {
    return (where.scales() ? p + depth >= k : p == 0) ? where : Bias.NONE;
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
      case ROWS, SCALED_ROWS, SCALED_ROWS_AND_ADDEND -> bias + (long) row * lanes.bytes();
      case COLUMNS, SCALED_COLUMNS -> bias + (long) column * lanes.bytes();
    };
  }

  private void dot(long a, long b, long c, long bias, int i0, int i1, int j0, int j1) {
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    long table = block + 2048;
    int es = lanes.bytes();
    int high = Math.min(i1 - i0, lanes.masks() ? 5 : 3);
    int wide = DotProducts.columns(lanes, high);
    Raw.put(block + DotProducts.ROW_A, aRow);
    Raw.put(block + DotProducts.TABLE_B, table);
    Raw.put(block + DotProducts.REPEAT_A, 0);
    Raw.put(block + DotProducts.REPEAT_B, 0);
    Raw.put(block + DotProducts.ROW_C, cRow);
    for (int p = 0; p < k; p += depth) {
      int length = Math.min(depth, k - p);
      int rest = length % lanes.count();
      Raw.put(block + DotProducts.LENGTH, (long) (length - rest) * es);
      Raw.put(block + DotProducts.MASK, lanes.mask(rest));
      int rows;
      for (int i = i0; i < i1; i += rows) {
        rows = piece(i1 - i, high);
        Raw.put(block + DotProducts.A, a + i * aRow + (long) p * es);
        int columns;
        for (int j = j0; j < j1; j += columns) {
          columns = piece(j1 - j, wide);
          for (int q = 0; q < columns; q++) {
            Raw.put(table + 8L * q, b + (j + q) * bColumn + (long) p * es);
          }
          Raw.put(block + DotProducts.REPEATS, 1);
          Raw.put(block + DotProducts.C, c + i * cRow + (long) j * es);
          Raw.put(block + DotProducts.BIAS, biasOf(bias, i, j));
          DotProducts.of(lanes, rows, columns, rest != 0, addsAt(p), biasAt(p), reluAt(p))
              .run(block);
        }
      }
    }
  }

  /// The size of the next of as many equal pieces of `left` as pieces of `limit` would be.
  static int piece(int left, int limit) {
    return Math.ceilDiv(left, Math.ceilDiv(left, limit));
  }

  /// How many registers wide the tiles beside `height` rows are.
  private int vectors(int height) {
    if (lanes.masks()) {
      return height <= 3 ? 6 : height <= 6 ? 4 : height <= 9 ? 3 : 2;
    }
    return height == 1 ? 6 : height <= 3 ? 3 : 2;
  }

  private void direct(long a, long b, long c, long bias, int i0, int i1, int j0, int j1) {
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int es = lanes.bytes();
    int most = piece(i1 - i0, height);
    int vectors = Math.min(vectors(most), Math.ceilDiv(j1 - j0, lanes.count()));
    long left = leftPlace(scratch, most);
    for (int p = 0; p < Math.max(k, 1); p += depth) {
      long row = b + p * bRow + (long) j0 * es;
      strips(
          block, a, left, row, bRow, lanes.vectorBytes(), c, bias, i0, i1, j0, j1, vectors, p, 0);
    }
  }

  private long leftPlace(Scratch scratch, int rows) {
    return packsLeft
        ? scratch.address(Use.LEFT, LEFT_PANELS * PanelPacking.leftBytes(lanes, rows, depth))
        : 0;
  }

  /// Runs all tiles of a block, row of tiles by row of tiles.
  ///
  /// @param b where column `j0` of B lies
  /// @param stepB the distance of rows of B
  /// @param vectorStep the distance of registers in a row of B
  /// @param raw where column `j0` of B lies unpacked, from where the first row of tiles copies it to `b`; or 0
  private void strips(
      long block,
      long a,
      long left,
      long b,
      long stepB,
      long vectorStep,
      long c,
      long bias,
      int i0,
      int i1,
      int j0,
      int j1,
      int vectors,
      int p,
      long raw) {
    int length = Math.min(depth, k - p);
    Raw.put(block + BatchReduce.TO_SCALE, toScale);
    Raw.put(block + BatchReduce.TO_ADDEND, toAddend);
    int i = i0;
    while (i < i1) {
      int rows = piece(i1 - i, height);
      int count = packsLeft && !copiesLeft ? Math.min((i1 - i) / rows, LEFT_PANELS) : 1;
      long from = a + i * aRow + p * aColumn;
      if (packsLeft && !copiesLeft) {
        PanelPacking.leftPanels(block, lanes, from, aRow, aColumn, left, rows, length, count);
      }
      for (int q = 0; q < count; q++) {
        if (packsLeft && !copiesLeft) {
          long panel = PanelPacking.leftBytes(lanes, rows, length);
          Raw.put(block + BatchReduce.A, left + q * panel);
        } else {
          Raw.put(block + BatchReduce.A, from);
          left(block, rows, left, i + rows < i1);
        }
        Raw.put(block + BatchReduce.DEPTH, length);
        if (raw != 0 && i == i0) {
          Raw.put(block + BatchReduce.STEP_B, bRow);
          Raw.put(block + BatchReduce.COPY, b);
          Raw.put(block + BatchReduce.STEP_COPY, stepB);
          long step = lanes.vectorBytes();
          tiles(block, left, raw, step, c, bias, i, rows, j0, j1, vectors, p, Source.COPIED);
        } else {
          Raw.put(block + BatchReduce.STEP_B, stepB);
          tiles(block, left, b, vectorStep, c, bias, i, rows, j0, j1, vectors, p, Source.ROWS);
        }
        i += rows;
      }
    }
  }

  /// Says how A lies, which is taken from where it is.
  ///
  /// @param left where a panel of it goes, if one is made
  /// @param more whether rows follow
  private void left(long block, int rows, long left, boolean more) {
    Raw.put(block + BatchReduce.STEP_A, aColumn);
    switch (group()) {
      case BatchReduce.COLUMNS -> {}
      case BatchReduce.COPIED_COLUMNS -> {
        long bytes = (long) rows * lanes.bytes();
        Raw.put(block + BatchReduce.COPY_A, left);
        Raw.put(block + BatchReduce.MASK_A, (1L << bytes % lanes.vectorBytes() / 4) - 1);
      }
      default -> {
        BatchReduce.groupRows(block, aRow);
        Raw.put(block + BatchReduce.NEXT_A, more ? rows * aRow : 0);
        Raw.put(block + BatchReduce.LAST_A, more ? (rows + 2) * aRow : 0);
      }
    }
  }

  /// How kernels find A; see [BatchReduce.Shape].
  private int group() {
    if (packsLeft) {
      return copiesLeft ? BatchReduce.COPIED_COLUMNS : BatchReduce.PANEL;
    }
    return aRow == lanes.bytes()
        ? BatchReduce.COLUMNS
        : aColumn == lanes.bytes() ? BatchReduce.ADJACENT : 3;
  }

  /// Runs the tiles of `rows` rows from row `i` on. The depth, A and the distance of rows of B are set.
  ///
  /// @param b where column `j0` of B lies
  private void tiles(
      long block,
      long left,
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
      Source source) {
    int es = lanes.bytes();
    int width = vectors * lanes.count();
    int full = (j1 - j0) / width;
    int rest = (j1 - j0) % width;
    long tileB = vectors * vectorStep;
    Raw.put(block + BatchReduce.ROW_C, cRow);
    Raw.put(block + BatchReduce.TILE_A, 0);
    Raw.put(block + BatchReduce.TILE_B, tileB);
    Raw.put(block + BatchReduce.TILE_C, (long) width * es);
    Raw.put(block + BatchReduce.TILE_BIAS, where == Bias.COLUMNS ? (long) width * es : 0);
    int group = group();
    int done = 0;
    while (done < full) {
      int j = j0 + done * width;
      int next = group == BatchReduce.COPIED_COLUMNS ? 1 : full - done;
      Raw.put(block + BatchReduce.B, b + done * tileB);
      Raw.put(block + BatchReduce.C, c + i * cRow + (long) j * es);
      Raw.put(block + BatchReduce.TILES, next);
      Raw.put(block + BatchReduce.BIAS, biasOf(bias, i, j));
      kernel(block, rows, vectors, false, p, source, group);
      done += next;
      if (group == BatchReduce.COPIED_COLUMNS) {
        group = BatchReduce.PANEL;
        Raw.put(block + BatchReduce.A, left);
      }
    }
    if (rest > 0) {
      int j = j0 + full * width;
      Raw.put(block + BatchReduce.B, b + full * tileB);
      Raw.put(block + BatchReduce.C, c + i * cRow + (long) j * es);
      Raw.put(block + BatchReduce.TILES, 1);
      Raw.put(block + BatchReduce.BIAS, biasOf(bias, i, j));
      int last = rest % lanes.count();
      Raw.put(block + BatchReduce.MASK, lanes.mask(last));
      kernel(block, rows, Math.ceilDiv(rest, lanes.count()), last != 0, p, source, group);
    }
  }

  private void kernel(
      long block, int rows, int vectors, boolean tail, int p, Source source, int group) {
    BatchReduce.of(lanes, rows, vectors, tail, source, group, addsAt(p), biasAt(p), reluAt(p))
        .run(block);
  }

  /// @param owner who finds B packed by an earlier call for all columns; null if B is packed for this call alone
  private void packed(
      long a, long b, long c, long bias, int i0, int i1, int j0, int j1, @Nullable Object owner) {
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int es = lanes.bytes();
    boolean keeps = owner != null;
    // What is kept must not depend on how many rows this call has.
    int most = keeps ? Math.min(m, height) : piece(i1 - i0, height);
    int vectors = vectors(most);
    int width = vectors * lanes.count();
    int stripe = piece(j1 - j0, Math.max(PACKED_BYTES / (depth * es), width));
    stripe = Math.ceilDiv(stripe, width) * width;
    // What is kept has room for all rows of B; otherwise blocks of `depth` rows take turns in the
    // same place.
    long rowBytes = (long) stripe * es;
    long right =
        scratch.address(keeps ? Use.KEPT : Use.RIGHT, (keeps ? k : depth) * rowBytes + 256);
    boolean packs = owner == null || scratch.claim(Use.KEPT, owner);
    long left = leftPlace(scratch, most);
    for (int j = j0; j < j1; j += stripe) {
      int jEnd = Math.min(j1, j + stripe);
      for (int p = 0; p < k; p += depth) {
        int length = Math.min(depth, k - p);
        long from = b + p * bRow + j * bColumn;
        boolean copies = bColumn == es;
        long at = keeps ? right + p * rowBytes : right;
        if (packs && !copies) {
          int columns = jEnd - j;
          PanelPacking.right(block, lanes, from, bRow, bColumn, at, columns, length, width);
        }
        long vectorStep = (long) length * lanes.vectorBytes();
        long row = (long) width * es;
        strips(
            block,
            a,
            left,
            at,
            row,
            vectorStep,
            c,
            bias,
            i0,
            i1,
            j,
            jEnd,
            vectors,
            p,
            packs && copies ? from : 0);
      }
    }
  }
}
