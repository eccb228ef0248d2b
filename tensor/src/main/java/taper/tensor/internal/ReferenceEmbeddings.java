package taper.tensor.internal;

import java.util.Arrays;
import java.util.HashSet;
import org.jspecify.annotations.Nullable;
import taper.tensor.Embeddings.Bag;
import taper.tensor.Embeddings.BagMode;
import taper.tensor.Embeddings.BagRows;
import taper.tensor.Embeddings.Renorm;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain kernels of embeddings, on contiguous operands.
public final class ReferenceEmbeddings {
  private ReferenceEmbeddings() {}

  /// What keeps a scaled row just below the limit, as in PyTorch.
  private static final double MARGIN = 1e-7;

  /// `weight[v d], indices[*b] -> [v d]`: the weight, with rows scaled down whose norm exceeds the limit.
  public static final Kernel RENORM =
      (attributes, out, in) -> {
        var limit = (Renorm) attributes;
        long width = in[0].size(1);
        if (out[0].address() != in[0].address()) {
          ReferenceShapes.copyBlock(out[0], 0, in[0], 0, in[0].numel());
        }
        var index = new Elements(in[1]);
        var rows = new Elements(out[0]);
        var seen = new HashSet<Long>();
        for (long i = 0; i < index.numel(); i++) {
          long row = index.wholeAt(i);
          if (seen.add(row)) {
            double norm = norm(rows, row * width, width, limit.normType());
            if (norm > limit.maxNorm()) {
              double scale = limit.maxNorm() / (norm + MARGIN);
              for (long d = row * width; d < (row + 1) * width; d++) {
                rows.set(d, rows.at(d) * scale);
              }
            }
          }
        }
      };

  private static double norm(Elements of, long from, long count, double p) {
    double result = 0;
    for (long i = from; i < from + count; i++) {
      double x = Math.abs(of.at(i));
      if (p == 2) {
        result += x * x;
      } else if (p == 1) {
        result += x;
      } else if (p == Double.POSITIVE_INFINITY) {
        result = Math.max(result, x);
      } else {
        result += Math.pow(x, p);
      }
    }
    return p == 2
        ? Math.sqrt(result)
        : p == 1 || Double.isInfinite(p) ? result : Math.pow(result, 1 / p);
  }

  /// `grad[b d], indices[n], bags[n], counts[b], perSampleWeights?[n] -> [v d]`: the sums over all bags that name a row.
  public static final Kernel BAG_GRADIENT =
      (attributes, out, in) -> {
        var bag = ((BagRows) attributes).bag();
        var grads = new Rows(in[0]);
        var indices = new Elements(in[1]);
        var bags = new Elements(in[2]);
        var counts = new Elements(in[3]);
        Elements factors = in[4] == null ? null : new Elements(in[4]);
        var to = new Rows(out[0]);
        int width = Math.toIntExact(out[0].size(1));
        double[] grad = new double[width];
        double[] row = new double[width];
        to.clear();
        long before = -1;
        for (long i = 0; i < indices.numel() && in[0].size(0) > 0; i++) {
          long name = indices.wholeAt(i);
          if (name == bag.paddingIdx()) {
            continue;
          }
          long b = bags.wholeAt(i);
          if (b != before) {
            grads.read(b * width, grad);
            before = b;
          }
          double factor = factors == null ? 1 : factors.at(i);
          if (bag.mode() == BagMode.MEAN) {
            factor /= Math.max(1, counts.wholeAt(b));
          }
          to.read(name * width, row);
          for (int d = 0; d < width; d++) {
            row[d] += factor * grad[d];
          }
          to.write(name * width, row);
        }
      };

  /// `weight[v d], indices[n], offsets[o], perSampleWeights?[n] -> [b d], bags[n], counts[b], rows[b d]`.
  public static final Kernel BAG =
      (attributes, out, in) -> new Bags((Bag) attributes, in, out).run();

  private static final class Bags {
    private final Bag bag;
    private final Rows weight;
    private final Elements indices;
    private final Elements offsets;
    private final @Nullable Elements factors;
    private final Strided out;
    private final Elements bags;
    private final Elements counts;
    private final Elements chosen;
    private final int width;
    private final double[] row;
    private final double[] sum;
    private final long[] from;

    Bags(Bag bag, @Nullable Strided[] in, Strided[] out) {
      this.bag = bag;
      Strided table = in[0];
      Strided names = in[1];
      Strided begins = in[2];
      Strided perSample = in[3];
      assert table != null && names != null && begins != null;
      this.weight = new Rows(table);
      this.indices = new Elements(names);
      this.offsets = new Elements(begins);
      this.factors = perSample == null ? null : new Elements(perSample);
      this.out = out[0];
      this.bags = new Elements(out[1]);
      this.counts = new Elements(out[2]);
      this.chosen = new Elements(out[3]);
      this.width = Math.toIntExact(table.size(1));
      this.row = new double[width];
      this.sum = new double[width];
      this.from = new long[width];
    }

    void run() {
      long count = out.size(0);
      var results = new Rows(out);
      // what lies behind the last offset belongs to no bag, and gets no gradient
      for (long i = count == 0 ? 0 : end(count - 1); i < indices.numel(); i++) {
        bags.set(i, 0L);
      }
      for (long b = 0; b < count; b++) {
        long counted = fold(b, offsets.wholeAt(b), end(b));
        counts.set(b, counted);
        if (bag.mode() == BagMode.MEAN && counted > 1) {
          for (int d = 0; d < width; d++) {
            sum[d] /= counted;
          }
        }
        results.write(b * width, sum);
        if (bag.mode() == BagMode.MAX) {
          for (int d = 0; d < width; d++) {
            chosen.set(b * width + d, from[d]);
          }
        }
      }
    }

    private long end(long b) {
      return b + 1 < offsets.numel() ? offsets.wholeAt(b + 1) : indices.numel();
    }

    private long fold(long b, long begin, long end) {
      Arrays.fill(sum, 0);
      Arrays.fill(from, 0);
      long counted = 0;
      for (long i = begin; i < end; i++) {
        bags.set(i, b);
        long name = indices.wholeAt(i);
        if (name == bag.paddingIdx()) {
          continue;
        }
        weight.read(name * width, row);
        if (bag.mode() == BagMode.MAX) {
          for (int d = 0; d < width; d++) {
            if (counted == 0 || row[d] > sum[d]) {
              sum[d] = row[d];
              from[d] = name;
            }
          }
        } else {
          double factor = factors == null ? 1 : factors.at(i);
          for (int d = 0; d < width; d++) {
            sum[d] += factor * row[d];
          }
        }
        counted++;
      }
      return counted;
    }
  }
}
