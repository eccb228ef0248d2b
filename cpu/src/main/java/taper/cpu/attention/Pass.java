package taper.cpu.attention;

import static taper.cpu.attention.AttentionCode.BLOCK;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Range;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.products.TileProduct;
import taper.cpu.products.TileProduct.Part;
import taper.tensor.Attention.Attend;
import taper.tensor.spi.Strided;

/// What both ways through attention share: sizes, blocks, masks, the products of queries and keys.
abstract class Pass implements Range {
  /// So many multiplications and additions last some five microseconds.
  private static final long WORTHWHILE = 1 << 19;

  final AttentionCode code;
  final Attend attributes;
  final long items;
  final int queries;
  final int keys;
  final int width;
  final int valueWidth;
  final int queryBlocks;
  final int keyBlocks;
  final Heads query;
  final Heads key;
  final Heads value;
  private final @Nullable Heads mask;
  private final BlockProducts scores;

  Pass(
      AttentionCode code,
      Record attributes,
      Strided query,
      Strided key,
      Strided value,
      @Nullable Strided mask) {
    this.code = code;
    this.attributes = (Attend) attributes;
    int last = query.rank() - 1;
    this.queries = Math.toIntExact(query.size(last - 1));
    this.keys = Math.toIntExact(key.size(last - 1));
    this.width = Math.toIntExact(query.size(last));
    this.valueWidth = Math.toIntExact(value.size(last));
    this.items = query.numel() / ((long) queries * width);
    this.queryBlocks = Math.ceilDiv(queries, BLOCK);
    this.keyBlocks = Math.ceilDiv(keys, BLOCK);
    this.query = new Heads(query);
    this.key = new Heads(key);
    this.value = new Heads(value);
    this.mask = mask == null ? null : new Heads(mask);
    this.scores = weightsOf(this.key, width, mask != null);
  }

  static Strided present(@Nullable Strided operand) {
    return Objects.requireNonNull(operand);
  }

  /// An output, seen with rows and heads in the order of the inputs; see [Attend#rowsFirst()].
  final Heads placed(Strided out) {
    int rank = out.rank();
    if (!attributes.rowsFirst()) {
      return new Heads(out);
    }
    long[] sizes = out.sizes();
    long[] strides = out.strides();
    sizes[rank - 2] = out.size(rank - 3);
    sizes[rank - 3] = out.size(rank - 2);
    strides[rank - 2] = out.stride(rank - 3);
    strides[rank - 3] = out.stride(rank - 2);
    return new Heads(out.view(0, sizes, strides));
  }

  /// The number of tasks.
  abstract long tasks();

  /// Multiplications and additions of a task.
  abstract long operations();

  /// How many tasks to hand out at once.
  final long grain() {
    return Math.max(1, WORTHWHILE / Math.max(1, operations()));
  }

  /// This thread's memory, of at least `elements` elements.
  final long scratch(long elements) {
    return Scratch.ofThread().address(Scratch.Use.ATTENTION, elements * code.bytes + 64);
  }

  /// The number of queries in a block.
  final int queriesOf(int block) {
    return Math.min(BLOCK, queries - block * BLOCK);
  }

  /// The number of keys in a block.
  final int keysOf(int block) {
    return Math.min(BLOCK, keys - block * BLOCK);
  }

  /// The number of columns that hold the queries of a block: whole vectors.
  final int columnsOf(int block) {
    int lanes = code.isa.lanes(code.bytes);
    return Math.ceilDiv(queriesOf(block), lanes) * lanes;
  }

  /// Whether a block of queries looks at a block of keys.
  final boolean looks(int queryBlock, int keyBlock) {
    return !attributes.causal() || keyBlock <= queryBlock;
  }

  /// Writes `rows` rows of `length` elements as columns of a tile.
  final void transpose(long from, Heads matrix, long to, int rows, int length) {
    if (rows < BLOCK) {
      Raw.clear(
          to,
          length * code.row()); // columns beyond the rows are nobody's, but they are computed with
    }
    TileProduct.transpose(
        code.isa, code.wide, from, matrix.row, matrix.column, to, rows, length, BLOCK);
  }

  /// Whether only one side of the diagonal of a tile counts.
  final boolean diagonal(int queryBlock, int keyBlock) {
    return attributes.causal() && keyBlock == queryBlock;
  }

  /// Fills a tile with `key · query · scale + mask`, given transposed and scaled queries.
  final void scores(long item, int queryBlock, int keyBlock, long transposed, long tile) {
    Heads masks = mask;
    if (masks != null) {
      long from =
          masks.at(item)
              + (long) queryBlock * BLOCK * masks.row
              + (long) keyBlock * BLOCK * masks.column;
      TileProduct.transpose(
          code.isa,
          code.wide,
          from,
          masks.row,
          masks.column,
          tile,
          queriesOf(queryBlock),
          keysOf(keyBlock),
          BLOCK);
    }
    scores
        .of(queriesOf(queryBlock), keysOf(keyBlock), false, diagonal(queryBlock, keyBlock))
        .run(key.at(item) + (long) keyBlock * BLOCK * key.row, transposed, tile);
  }

  /// Rows of `a`, one a key and `depth` long, times transposed queries.
  final BlockProducts weightsOf(Heads a, int depth, boolean accumulate) {
    return new BlockProducts((_, keysOfBlock, _, diagonal) ->
        new TileProduct(
            code.isa,
            code.wide,
            keysOfBlock,
            BLOCK,
            depth,
            a.row,
            a.column,
            code.row(),
            code.bytes,
            code.row(),
            accumulate,
            diagonal ? Part.RIGHT_OF_ROW : Part.ALL));
  }

  /// For every query the sum of rows of `b`, one a key, by the weights in a tile.
  final BlockProducts sumOfKeys(Heads b, int columns, Heads to) {
    return new BlockProducts((queriesOfBlock, keysOfBlock, again, diagonal) ->
        new TileProduct(
            code.isa,
            code.wide,
            queriesOfBlock,
            columns,
            keysOfBlock,
            code.bytes,
            code.row(),
            b.row,
            b.column,
            to.row,
            again,
            diagonal ? Part.UP_TO_ROW : Part.ALL));
  }

  /// For every key the sum of rows of `b`, one a query, by the weights in a tile.
  final BlockProducts sumOfQueries(Heads b, int columns, Heads to) {
    return new BlockProducts((queriesOfBlock, keysOfBlock, again, diagonal) ->
        new TileProduct(
            code.isa,
            code.wide,
            keysOfBlock,
            columns,
            queriesOfBlock,
            code.row(),
            code.bytes,
            b.row,
            b.column,
            to.row,
            again,
            diagonal ? Part.FROM_ROW : Part.ALL));
  }
}
