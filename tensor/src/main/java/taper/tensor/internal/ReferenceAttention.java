package taper.tensor.internal;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import taper.tensor.Attention.Attend;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain attention and its gradients, in double precision, of contiguous operands: one query after the other.
public final class ReferenceAttention {
  private ReferenceAttention() {}

  /// Inputs: queries, keys, values, mask or null. Outputs: weighted values, logarithms of the sums of exponentials.
  public static final Kernel ATTENTION =
      (attributes, out, in) -> {
        var call = new Call((Attend) attributes, in[0], in[1], in[2], in[3]);
        var results = new Elements(out[0]);
        var logs = new Elements(out[1]);
        for (long head = 0; head < call.heads; head++) {
          for (int i = 0; i < call.queries; i++) {
            double[] weights = call.scores(head, i);
            double log = logOfSum(weights);
            double[] result = new double[call.valueWidth];
            for (int j = 0; j < weights.length; j++) {
              double weight = weight(weights[j], log);
              for (int c = 0; c < result.length; c++) {
                result[c] += weight * call.value.at(call.valueAt(head, j) + c);
              }
            }
            for (int c = 0; c < result.length; c++) {
              results.set(call.placed(head, i, call.queries, call.valueWidth) + c, result[c]);
            }
            logs.set(head * call.queries + i, log);
          }
        }
      };

  /// Inputs: gradient, queries, keys, values, mask or null, weighted values, logarithms of the sums. Outputs: the gradients
  /// of queries, keys and values.
  public static final Kernel GRADIENT =
      (attributes, out, in) -> {
        var call = new Call((Attend) attributes, in[1], in[2], in[3], in[4]);
        for (long head = 0; head < call.heads; head++) {
          gradient(call, head, in, out);
        }
      };

  private static void gradient(Call call, long head, Strided[] in, Strided[] out) {
    var grads = new Elements(in[0]);
    var results = new Elements(in[5]);
    var logs = new Elements(in[6]);
    var toKey = new double[call.keys][call.width];
    var toValue = new double[call.keys][call.valueWidth];
    for (int i = 0; i < call.queries; i++) {
      double[] weights = call.scores(head, i);
      double log = logs.at(head * call.queries + i);
      long at = (head * call.queries + i) * call.valueWidth;
      double mean = 0;
      for (int c = 0; c < call.valueWidth; c++) {
        mean += grads.at(at + c) * results.at(at + c);
      }
      double[] toQuery = new double[call.width];
      for (int j = 0; j < call.keys; j++) {
        double weight = weight(weights[j], log);
        double toWeight = 0;
        for (int c = 0; c < call.valueWidth; c++) {
          toWeight += grads.at(at + c) * call.value.at(call.valueAt(head, j) + c);
          toValue[j][c] += weight * grads.at(at + c);
        }
        double toScore = weight * (toWeight - mean) * call.attributes.scale();
        for (int c = 0; c < call.width; c++) {
          toQuery[c] += toScore * call.key.at(call.keyAt(head, j) + c);
          toKey[j][c] += toScore * call.query.at(call.queryAt(head, i) + c);
        }
      }
      write(out[0], call.placed(head, i, call.queries, call.width), toQuery);
    }
    for (int j = 0; j < call.keys; j++) {
      write(out[1], call.placed(head, j, call.keys, call.width), toKey[j]);
      write(out[2], call.placed(head, j, call.keys, call.valueWidth), toValue[j]);
    }
  }

  private static void write(Strided out, long at, double[] values) {
    var to = new Elements(out);
    for (int c = 0; c < values.length; c++) {
      to.set(at + c, values[c]);
    }
  }

  /// The logarithm of the sum of exponentials; infinity if all are 0, which makes all weights 0.
  private static double logOfSum(double[] scores) {
    double largest = Arrays.stream(scores).max().orElse(Double.NEGATIVE_INFINITY);
    if (largest == Double.NEGATIVE_INFINITY) {
      return Double.POSITIVE_INFINITY;
    }
    double sum = 0;
    for (double score : scores) {
      sum += Math.exp(score - largest);
    }
    return largest + Math.log(sum);
  }

  private static double weight(double score, double log) {
    return Math.exp(score - log);
  }

  /// The operands and sizes of a call.
  private static final class Call {
    final Attend attributes;
    final Elements query;
    final Elements key;
    final Elements value;
    final @Nullable Elements mask;
    final int queries;
    final int keys;
    final int width;
    final int valueWidth;
    final long heads;

    /// The size of the last leading dimension.
    final long inner;

    Call(Attend attributes, Strided q, Strided k, Strided v, @Nullable Strided mask) {
      this.attributes = attributes;
      this.query = new Elements(q);
      this.key = new Elements(k);
      this.value = new Elements(v);
      this.mask = mask == null ? null : new Elements(mask);
      int last = q.rank() - 1;
      queries = Math.toIntExact(q.size(last - 1));
      keys = Math.toIntExact(k.size(last - 1));
      width = Math.toIntExact(q.size(last));
      valueWidth = Math.toIntExact(v.size(last));
      heads = q.numel() / Math.max(1, (long) queries * width);
      inner = last < 2 ? 1 : q.size(last - 2);
    }

    long queryAt(long head, long i) {
      return (head * queries + i) * width;
    }

    long keyAt(long head, long j) {
      return (head * keys + j) * width;
    }

    long valueAt(long head, long j) {
      return (head * keys + j) * valueWidth;
    }

    /// Where row `i` of a result of `rows` rows lies.
    long placed(long head, long i, long rows, long columns) {
      return attributes.rowsFirst()
          ? ((head / inner * rows + i) * inner + head % inner) * columns
          : (head * rows + i) * columns;
    }

    /// The products of query `i` with all keys, scaled and masked.
    double[] scores(long head, int i) {
      double[] scores = new double[keys];
      for (int j = 0; j < keys; j++) {
        for (int c = 0; c < width; c++) {
          scores[j] += query.at(queryAt(head, i) + c) * key.at(keyAt(head, j) + c);
        }
        scores[j] *= attributes.scale();
        if (mask != null) {
          scores[j] += mask.at((head * queries + i) * keys + j);
        }
        if (attributes.causal() && j > i) {
          scores[j] = Double.NEGATIVE_INFINITY;
        }
      }
      return scores;
    }
  }
}
