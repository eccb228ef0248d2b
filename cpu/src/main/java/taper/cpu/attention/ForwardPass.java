package taper.cpu.attention;

import static taper.cpu.attention.AttentionCode.BLOCK;

import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Raw;
import taper.tensor.spi.Strided;

/// One call of attention.
final class ForwardPass extends Pass {
  /// Blocks of queries in a task.
  private static final int TOGETHER = 4;

  private final Heads output;
  private final long logs;
  private final int chunks;
  private final BlockProducts values;

  /// Operands as in [AttentionKernels#forward()].
  ForwardPass(AttentionCode code, Record attributes, Strided[] out, @Nullable Strided[] in) {
    super(code, attributes, present(in[0]), present(in[1]), present(in[2]), in[3]);
    this.output = placed(out[0]);
    this.logs = out[1].address();
    this.chunks = Math.ceilDiv(queryBlocks, TOGETHER);
    this.values = sumOfKeys(value, valueWidth, output);
  }

  @Override
  long tasks() {
    return items * chunks;
  }

  @Override
  long operations() {
    long inTask = Math.min(queries, (long) TOGETHER * BLOCK);
    return inTask * keys * (width + valueWidth);
  }

  @Override
  public void run(long from, long to) {
    for (long task = from; task < to; task++) {
      int first = (int) (task % chunks) * TOGETHER;
      run(task / chunks, first, Math.min(queryBlocks, first + TOGETHER));
    }
  }

  private void run(long item, int first, int last) {
    long row = code.row();
    long transposed = scratch((long) BLOCK * (BLOCK + TOGETHER * (width + 3L)));
    long largest = transposed + (long) TOGETHER * width * row; // a row of numbers for each block
    long sums = largest + TOGETHER * row;
    long factors = sums + TOGETHER * row;
    long tile = factors + TOGETHER * row;
    for (int q = first; q < last; q++) {
      int b = q - first;
      long at = transposed + (long) b * width * row;
      transpose(query.at(item) + (long) q * BLOCK * query.row, query, at, queriesOf(q), width);
      code.tiles.scale(at, (long) width * BLOCK, attributes.scale());
      Raw.fill(largest + b * row, BLOCK, Double.NEGATIVE_INFINITY, code.wide);
      Raw.clear(sums + b * row, row);
    }
    for (int k = 0; k < keyBlocks; k++) {
      for (int q = first; q < last; q++) {
        if (looks(q, k)) {
          int b = q - first;
          long state = b * row;
          scores(item, q, k, transposed + (long) b * width * row, tile);
          code.tiles.softmax(
              diagonal(q, k),
              tile,
              row,
              keysOf(k),
              columnsOf(q),
              largest + state,
              sums + state,
              factors + state);
          long to = output.at(item) + (long) q * BLOCK * output.row;
          if (k > 0) {
            code.tiles.scaleRows(to, output.row, queriesOf(q), valueWidth, factors + state);
          }
          values
              .of(queriesOf(q), keysOf(k), k > 0, diagonal(q, k))
              .run(tile, value.at(item) + (long) k * BLOCK * value.row, to);
        }
      }
    }
    for (int q = first; q < last; q++) {
      long state = (q - first) * row;
      code.tiles.finish(largest + state, sums + state, columnsOf(q), factors + state, tile);
      long to = output.at(item) + (long) q * BLOCK * output.row;
      code.tiles.scaleRows(to, output.row, queriesOf(q), valueWidth, factors + state);
      Raw.copy(
          tile,
          logs + (item * queries + (long) q * BLOCK) * code.bytes,
          (long) queriesOf(q) * code.bytes);
    }
  }
}
