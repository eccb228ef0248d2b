package taper.cpu.attention;

import static taper.cpu.attention.AttentionCode.BLOCK;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Raw;
import taper.tensor.spi.Strided;

/// One call of the gradients of attention.
///
/// With weights `p`, their gradients `dp = dO · vᵀ` and `d = Σ dO · O` per query, the products have the gradients `ds = p ·
/// (dp - d)`; then `dq = ds · k`, `dk = dsᵀ · q`, `dv = pᵀ · dO`. Of a head, blocks of queries come one after the other,
/// so what belongs to keys is summed in one order.
final class BackwardPass extends Pass {
  private final Heads grad;
  private final Heads output;
  private final Heads toQuery;
  private final Heads toKey;
  private final Heads toValue;
  private final Heads logs;
  private final BlockProducts toWeights;
  private final BlockProducts toQueries;
  private final BlockProducts toKeys;
  private final BlockProducts toValues;

  /// Operands as in [AttentionKernels#gradient()].
  BackwardPass(AttentionCode code, Record attributes, Strided[] out, @Nullable Strided[] in) {
    super(code, attributes, present(in[1]), present(in[2]), present(in[3]), in[4]);
    this.grad = new Heads(present(in[0]));
    this.output = new Heads(present(in[5]));
    this.logs = columns(present(in[6]));
    this.toQuery = placed(out[0]);
    this.toKey = placed(out[1]);
    this.toValue = placed(out[2]);
    this.toWeights = weightsOf(value, valueWidth, false);
    this.toQueries = sumOfKeys(key, width, toQuery);
    this.toKeys = sumOfQueries(query, width, toKey);
    this.toValues = sumOfQueries(grad, valueWidth, toValue);
  }

  /// A number a row, as matrices of one column.
  private static Heads columns(Strided x) {
    long[] sizes = Arrays.copyOf(x.sizes(), x.rank() + 1);
    long[] strides = Arrays.copyOf(x.strides(), x.rank() + 1);
    sizes[x.rank()] = 1;
    strides[x.rank()] = 1;
    return new Heads(x.view(0, sizes, strides));
  }

  @Override
  long tasks() {
    return items;
  }

  @Override
  long operations() {
    return (long) queries * keys * (3L * width + 2L * valueWidth);
  }

  @Override
  public void run(long from, long to) {
    for (long item = from; item < to; item++) {
      head(item);
    }
  }

  private void head(long item) {
    long row = code.row();
    long tile = scratch((long) BLOCK * (2 * BLOCK + width + 2L * valueWidth + 2));
    long gradients = tile + BLOCK * row;
    long queriesT = gradients + BLOCK * row;
    long gradT = queriesT + width * row;
    long outputT = gradT + valueWidth * row;
    long means = outputT + valueWidth * row;
    long logsOfBlock = means + row;
    for (int q = 0; q < queryBlocks; q++) {
      int rows = queriesOf(q);
      int columns = columnsOf(q);
      long first = (long) q * BLOCK;
      transpose(query.at(item) + first * query.row, query, queriesT, rows, width);
      code.tiles.scale(queriesT, (long) width * BLOCK, attributes.scale());
      transpose(grad.at(item) + first * grad.row, grad, gradT, rows, valueWidth);
      transpose(output.at(item) + first * output.row, output, outputT, rows, valueWidth);
      code.tiles.dots(gradT, outputT, row, valueWidth, columns, means);
      Raw.clear(logsOfBlock, row);
      long log = logs.at(item) + first * logs.row;
      if (logs.row == code.bytes) {
        Raw.copy(log, logsOfBlock, (long) rows * code.bytes);
      } else {
        for (int i = 0; i < rows; i++) {
          Raw.copy(log + i * logs.row, logsOfBlock + (long) i * code.bytes, code.bytes);
        }
      }
      for (int k = 0; k < keyBlocks; k++) {
        if (looks(q, k)) {
          scores(item, q, k, queriesT, tile);
          int keysOfBlock = keysOf(k);
          toWeights
              .of(rows, keysOfBlock, false, diagonal(q, k))
              .run(value.at(item) + (long) k * BLOCK * value.row, gradT, gradients);
          code.tiles.gradient(
              diagonal(q, k),
              tile,
              gradients,
              row,
              keysOf(k),
              columns,
              logsOfBlock,
              means,
              attributes.scale());
          pass(item, q, k, tile, gradients);
        }
      }
    }
    for (int k = 0; k < keyBlocks; k++) {
      if (!looks(queryBlocks - 1, k)) {
        clear(toKey, item, k, width);
        clear(toValue, item, k, valueWidth);
      }
    }
  }

  /// Adds to the three gradients what a tile of weights and one of gradients of products give.
  private void pass(long item, int q, int k, long weights, long gradients) {
    int queriesOfBlock = queriesOf(q);
    int keysOfBlock = keysOf(k);
    boolean diagonal = diagonal(q, k);
    boolean again = q > (attributes.causal() ? k : 0);
    long atQ = (long) q * BLOCK;
    long atK = (long) k * BLOCK;
    toValues
        .of(queriesOfBlock, keysOfBlock, again, diagonal)
        .run(weights, grad.at(item) + atQ * grad.row, toValue.at(item) + atK * toValue.row);
    toKeys
        .of(queriesOfBlock, keysOfBlock, again, diagonal)
        .run(gradients, query.at(item) + atQ * query.row, toKey.at(item) + atK * toKey.row);
    toQueries
        .of(queriesOfBlock, keysOfBlock, k > 0, diagonal)
        .run(gradients, key.at(item) + atK * key.row, toQuery.at(item) + atQ * toQuery.row);
  }

  private void clear(Heads to, long item, int k, int columns) {
    for (int i = 0; i < keysOf(k); i++) {
      Raw.clear(to.at(item) + ((long) k * BLOCK + i) * to.row, (long) columns * code.bytes);
    }
  }
}
