package taper.tensor.internal;

import java.util.Arrays;
import taper.tensor.Losses.Alignment;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Connectionist temporal classification, in logarithms [1].
///
/// The labels of a sample are stretched to `blank, l₁, blank, l₂, …, blank`. `alpha[t, s]` is the probability of all beginnings
/// of alignments that are at place `s` at time `t`, `beta[t, s]` that of all ends. From one time to the next an alignment
/// stays, moves on by one place, or skips a blank between two labels that differ. The probability of a class at a time given
/// the labels is the sum of `alpha · beta` over its places; the gradient is what the model predicts minus that.
///
/// [1] Graves et al. 2006, Connectionist temporal classification, sections 4.1 and 4.2
public final class ReferenceCtc {
  private ReferenceCtc() {}

  private static final double NEVER = Double.NEGATIVE_INFINITY;
  private static final double NOTHING = -40;

  /// `logProbs[t n c], targets[*] -> losses[n], alpha[n t s]`, on contiguous operands.
  public static final Kernel ALIGNMENT =
      (attributes, out, in) -> {
        var a = (Alignment) attributes;
        var losses = new Elements(out[0]);
        var alphas = new Rows(out[1]);
        for (int n = 0; n < a.inputLengths().length; n++) {
          var sample = new Sample(a, n, in[0], in[1]);
          double[][] alpha = sample.alpha();
          losses.set(n, sample.loss(alpha));
          long width = out[1].size(2);
          double[] row = new double[(int) width];
          for (int t = 0; t < in[0].size(0); t++) {
            Arrays.fill(row, NEVER);
            if (t < alpha.length) {
              System.arraycopy(alpha[t], 0, row, 0, alpha[t].length);
            }
            alphas.write((n * in[0].size(0) + t) * width, row);
          }
        }
      };

  /// `grad[n], logProbs[t n c], targets[*], losses[n], alpha[n t s] -> [t n c]`, on contiguous operands.
  public static final Kernel GRADIENT =
      (attributes, out, in) -> {
        var a = (Alignment) attributes;
        var grads = new Elements(in[0]);
        var losses = new Elements(in[3]);
        var alphas = new Rows(in[4]);
        var result = new Rows(out[0]);
        long samples = in[1].size(1);
        int classes = Math.toIntExact(in[1].size(2));
        double[] row = new double[classes];
        for (int n = 0; n < samples; n++) {
          double loss = losses.at(n);
          double grad = grads.at(n);
          boolean skipped = a.zeroInfinity() && loss == Double.POSITIVE_INFINITY;
          var sample = new Sample(a, n, in[1], in[2]);
          double[][] together = skipped ? new double[0][] : sample.together(alphas, in[4]);
          for (int t = 0; t < in[1].size(0); t++) {
            if (t < together.length) {
              for (int c = 0; c < classes; c++) {
                double log = sample.logs[t][c];
                row[c] = (Math.exp(log) - Math.exp(together[t][c] + loss - log)) * grad;
              }
            } else {
              Arrays.fill(row, 0);
            }
            result.write((t * samples + n) * classes, row);
          }
        }
      };

  private static double sum(double a, double b, double c) {
    double most = Math.max(a, Math.max(b, c));
    if (!(most > NEVER)) {
      return most; // or NaN
    }
    double sum = exp(a - most) + exp(b - most) + exp(c - most);
    return sum == 1 ? most : most + Math.log(sum);
  }

  /// `eˣ` for `x` up to 0, without what would not count beside 1.
  private static double exp(double x) {
    return x == 0 ? 1 : x < NOTHING ? 0 : Math.exp(x);
  }

  private static final class Sample {
    private final int times;
    private final int places;
    private final int[] labels; // stretched
    private final double[][] logs; // [time class]
    private final int sample;

    Sample(Alignment a, int n, Strided logProbs, Strided targets) {
      this.sample = n;
      this.times = (int) a.inputLengths()[n];
      int count = (int) a.targetLengths()[n];
      this.places = Math.addExact(Math.multiplyExact(2, count), 1);
      this.labels = new int[places];
      long first = 0;
      if (targets.rank() == 2) {
        first = n * targets.size(1);
      } else {
        for (int i = 0; i < n; i++) {
          first += a.targetLengths()[i];
        }
      }
      var given = new Elements(targets);
      Arrays.fill(labels, (int) a.blank());
      for (int i = 0; i < count; i++) {
        labels[2 * i + 1] = (int) given.wholeAt(first + i);
      }
      int classes = Math.toIntExact(logProbs.size(2));
      this.logs = new double[times][classes];
      var rows = new Rows(logProbs);
      for (int t = 0; t < times; t++) {
        rows.read((t * logProbs.size(1) + n) * classes, logs[t]);
      }
    }

    double[][] alpha() {
      double[][] alpha = new double[times][places];
      for (int t = 0; t < times; t++) {
        for (int s = 0; s < places; s++) {
          double before;
          if (t == 0) {
            before = s < 2 ? 0 : NEVER;
          } else {
            double[] last = alpha[t - 1];
            before = sum(last[s], s > 0 ? last[s - 1] : NEVER, skips(s) ? last[s - 2] : NEVER);
          }
          alpha[t][s] = before + logs[t][labels[s]];
        }
      }
      return alpha;
    }

    /// Whether place `s` can be reached from two before: never a blank, nor a label that repeats.
    private boolean skips(int s) {
      return s > 1 && labels[s] != labels[s - 2];
    }

    double loss(double[][] alpha) {
      if (times == 0) {
        return places == 1 ? 0 : Double.POSITIVE_INFINITY;
      }
      double[] last = alpha[times - 1];
      return -sum(last[places - 1], places > 1 ? last[places - 2] : NEVER, NEVER);
    }

    /// The sums of `alpha · beta` by time and class, as logarithms.
    double[][] together(Rows alphas, Strided shape) {
      double[][] result = new double[times][logs.length == 0 ? 0 : logs[0].length];
      double[] alpha = new double[places];
      double[] after = new double[places];
      double[] beta = new double[places];
      for (int t = times - 1; t >= 0; t--) {
        alphas.read((sample * shape.size(1) + t) * shape.size(2), alpha);
        Arrays.fill(result[t], NEVER);
        for (int s = places - 1; s >= 0; s--) {
          double next;
          if (t == times - 1) {
            next = s >= places - 2 ? 0 : NEVER;
          } else {
            boolean skipped = s + 2 < places && skips(s + 2);
            next =
                sum(
                    after[s],
                    s + 1 < places ? after[s + 1] : NEVER,
                    skipped ? after[s + 2] : NEVER);
          }
          int label = labels[s];
          beta[s] = next + logs[t][label];
          result[t][label] = sum(result[t][label], alpha[s] + beta[s], NEVER);
        }
        double[] swap = after;
        after = beta;
        beta = swap;
      }
      return result;
    }
  }
}
