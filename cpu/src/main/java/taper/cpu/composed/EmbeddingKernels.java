package taper.cpu.composed;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Parallel;
import taper.tensor.DType;
import taper.tensor.Embeddings.Bag;
import taper.tensor.Embeddings.BagMode;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Bags of rows, of contiguous operands. A row is copied to an array of its type, so that the loop over its elements becomes
/// vector code.
final class EmbeddingKernels {
  private static final long BLOCK = 4096;

  private EmbeddingKernels() {}

  /// `weight[v d], indices[n], offsets[o], perSampleWeights?[n] -> [b d], bags[n], counts[b], rows[b d]`.
  static Kernel bag() {
    return (attributes, out, in) -> {
      Strided weight = in[0];
      Strided indices = in[1];
      Strided offsets = in[2];
      long bags = out[0].size(0);
      int width = Math.toIntExact(weight.size(1));
      long behind = bags == 0 ? 0 : end(offsets, indices, bags - 1);
      for (long i = behind; i < indices.numel(); i++) {
        put(out[1], i, 0);
      }
      Parallel.run(
          bags,
          Math.max(1, BLOCK / Math.max(1, width)),
          (from, to) -> {
            var fold = fold((Bag) attributes, weight, in[3], out, width);
            for (long b = from; b < to; b++) {
              long first = at(offsets, b);
              fold.begin();
              for (long i = first, last = end(offsets, indices, b); i < last; i++) {
                put(out[1], i, b);
                long row = at(indices, i);
                if (row != fold.bag.paddingIdx()) {
                  fold.add(row, i);
                }
              }
              fold.end(b);
            }
          });
    };
  }

  private static Fold fold(
      Bag bag, Strided weight, @Nullable Strided factors, Strided[] out, int width) {
    return weight.dtype() == DType.FLOAT32
        ? new FloatFold(bag, weight, factors, out, width)
        : new DoubleFold(bag, weight, factors, out, width);
  }

  private static long at(Strided x, long i) {
    return x.memory().get(JAVA_LONG_UNALIGNED, x.byteOffset() + Long.BYTES * i);
  }

  private static void put(Strided x, long i, long value) {
    x.memory().set(JAVA_LONG_UNALIGNED, x.byteOffset() + Long.BYTES * i, value);
  }

  private static long end(Strided offsets, Strided indices, long bag) {
    return bag + 1 < offsets.numel() ? at(offsets, bag + 1) : indices.numel();
  }

  /// What becomes of the rows of one bag after the other.
  private abstract static class Fold {
    final Bag bag;
    final Strided weight;
    final @Nullable Strided factors;
    final Strided[] out;
    final int width;
    final long[] rows;
    long count;

    Fold(Bag bag, Strided weight, @Nullable Strided factors, Strided[] out, int width) {
      this.bag = bag;
      this.weight = weight;
      this.factors = factors;
      this.out = out;
      this.width = width;
      this.rows = new long[width];
    }

    void begin() {
      count = 0;
      Arrays.fill(rows, 0);
    }

    abstract void add(long row, long index);

    void end(long number) {
      put(out[2], number, count);
      if (bag.mode() == BagMode.MAX) {
        MemorySegment.copy(
            rows,
            0,
            out[3].memory(),
            JAVA_LONG_UNALIGNED,
            out[3].byteOffset() + number * width * Long.BYTES,
            width);
      }
    }
  }

  private static final class FloatFold extends Fold {
    private final float[] row;
    private final float[] result;

    FloatFold(Bag bag, Strided weight, @Nullable Strided factors, Strided[] out, int width) {
      super(bag, weight, factors, out, width);
      this.row = new float[width];
      this.result = new float[width];
    }

    @Override
    void begin() {
      super.begin();
      Arrays.fill(result, 0);
    }

    @Override
    void add(long name, long index) {
      long first = weight.byteOffset() + name * width * Float.BYTES;
      Strided each = factors;
      MemorySegment.copy(weight.memory(), JAVA_FLOAT_UNALIGNED, first, row, 0, width);
      if (bag.mode() == BagMode.MAX) {
        largest(name);
      } else if (each == null) {
        plus(row, result);
      } else {
        float factor =
            each.memory().get(JAVA_FLOAT_UNALIGNED, each.byteOffset() + Float.BYTES * index);
        for (int d = 0; d < row.length; d++) {
          result[d] += factor * row[d];
        }
      }
      count++;
    }

    private static void plus(float[] from, float[] to) {
      for (int d = 0; d < to.length; d++) {
        to[d] += from[d];
      }
    }

    private void largest(long name) {
      for (int d = 0; d < row.length; d++) {
        if (count == 0 || row[d] > result[d]) {
          result[d] = row[d];
          rows[d] = name;
        }
      }
    }

    @Override
    void end(long number) {
      super.end(number);
      if (bag.mode() == BagMode.MEAN && count > 1) {
        for (int d = 0; d < result.length; d++) {
          result[d] /= count;
        }
      }
      MemorySegment.copy(
          result,
          0,
          out[0].memory(),
          JAVA_FLOAT_UNALIGNED,
          out[0].byteOffset() + number * width * Float.BYTES,
          width);
    }
  }

  private static final class DoubleFold extends Fold {
    private final double[] row;
    private final double[] result;

    DoubleFold(Bag bag, Strided weight, @Nullable Strided factors, Strided[] out, int width) {
      super(bag, weight, factors, out, width);
      this.row = new double[width];
      this.result = new double[width];
    }

    @Override
    void begin() {
      super.begin();
      Arrays.fill(result, 0);
    }

    @Override
    void add(long name, long index) {
      long first = weight.byteOffset() + name * width * Double.BYTES;
      Strided each = factors;
      MemorySegment.copy(weight.memory(), JAVA_DOUBLE_UNALIGNED, first, row, 0, width);
      if (bag.mode() == BagMode.MAX) {
        largest(name);
      } else if (each == null) {
        plus(row, result);
      } else {
        double factor =
            each.memory().get(JAVA_DOUBLE_UNALIGNED, each.byteOffset() + Double.BYTES * index);
        for (int d = 0; d < row.length; d++) {
          result[d] += factor * row[d];
        }
      }
      count++;
    }

    private static void plus(double[] from, double[] to) {
      for (int d = 0; d < to.length; d++) {
        to[d] += from[d];
      }
    }

    private void largest(long name) {
      for (int d = 0; d < row.length; d++) {
        if (count == 0 || row[d] > result[d]) {
          result[d] = row[d];
          rows[d] = name;
        }
      }
    }

    @Override
    void end(long number) {
      super.end(number);
      if (bag.mode() == BagMode.MEAN && count > 1) {
        for (int d = 0; d < result.length; d++) {
          result[d] /= count;
        }
      }
      MemorySegment.copy(
          result,
          0,
          out[0].memory(),
          JAVA_DOUBLE_UNALIGNED,
          out[0].byteOffset() + number * width * Double.BYTES,
          width);
    }
  }
}
