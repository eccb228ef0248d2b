package taper.tensor.internal;

import org.jspecify.annotations.Nullable;
import taper.tensor.Losses.ClassLoss;
import taper.tensor.Reduction;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain losses over classes, in double precision, of contiguous operands.
///
/// A prediction `i` has one label `t` and one line of classes `c`. Its loss is `Σ a(c) · -logp(c)`, where
/// `a(c) = (1 - ε) · w(t) · [c = t] + ε / C · w(c)` with the label smoothing ε, and 0 if it is ignored. The mean divides
/// the sum by `Σ w(t)` over predictions that are not ignored.
public final class ReferenceLosses {
  private ReferenceLosses() {}

  /// Inputs: predictions, labels, weight or null. Outputs: losses, logarithms of the softmax, total weight.
  public static final Kernel CROSS_ENTROPY =
      (attributes, out, in) -> {
        var lines = new Lines((ClassLoss) attributes, in[0], in[1], in[2]);
        var logits = new Elements(in[0]);
        var logs = new Elements(out[1]);
        for (long i = 0; i < lines.count; i++) {
          double max = Double.NEGATIVE_INFINITY;
          for (long c = 0; c < lines.classes; c++) {
            max = Math.max(max, logits.at(lines.at(i, c)));
          }
          double sum = 0;
          for (long c = 0; c < lines.classes; c++) {
            sum += Math.exp(logits.at(lines.at(i, c)) - max);
          }
          double log = Math.log(sum);
          for (long c = 0; c < lines.classes; c++) {
            logs.set(lines.at(i, c), logits.at(lines.at(i, c)) - max - log);
          }
        }
        lines.losses(logs, out[0], out[2]);
      };

  /// Inputs: gradient of the losses, logarithms of the softmax, labels, weight or null, total weight.
  public static final Kernel CROSS_ENTROPY_GRADIENT =
      (attributes, out, in) -> {
        var lines = new Lines((ClassLoss) attributes, in[1], in[2], in[3]);
        var grad = new Elements(in[0]);
        var logs = new Elements(in[1]);
        var to = new Elements(out[0]);
        double total = new Elements(in[4]).at(0);
        for (long i = 0; i < lines.count; i++) {
          double g = lines.gradient(grad, i, total);
          double sum = 0;
          for (long c = 0; c < lines.classes; c++) {
            sum += lines.coefficient(i, c);
          }
          for (long c = 0; c < lines.classes; c++) {
            long at = lines.at(i, c);
            // an ignored line has gradient 0, but for NaN in it: 0 times the softmax
            to.set(
                at,
                lines.ignored(i)
                    ? 0 * Math.exp(logs.at(at)) - 0 * lines.smooth(c)
                    : g * sum * Math.exp(logs.at(at)) - lines.pulled(g, i, c));
          }
        }
      };

  /// Inputs: log-probabilities, labels, weight or null. Outputs: losses, total weight.
  public static final Kernel NLL =
      (attributes, out, in) ->
          new Lines((ClassLoss) attributes, in[0], in[1], in[2])
              .losses(new Elements(in[0]), out[0], out[1]);

  /// Inputs: gradient of the losses, log-probabilities (for their shape), labels, weight or null, total weight.
  public static final Kernel NLL_GRADIENT =
      (attributes, out, in) -> {
        var lines = new Lines((ClassLoss) attributes, in[1], in[2], in[3]);
        var grad = new Elements(in[0]);
        var to = new Elements(out[0]);
        double total = new Elements(in[4]).at(0);
        for (long i = 0; i < lines.count; i++) {
          for (long c = 0; c < lines.classes; c++) {
            double a = lines.coefficient(i, c);
            to.set(lines.at(i, c), a == 0 ? 0 : -a * lines.gradient(grad, i, total));
          }
        }
      };

  /// Inputs: log-probabilities (for their shape), labels, weight or null. Output: the `a(c)`.
  public static final Kernel COEFFICIENTS =
      (attributes, out, in) -> {
        var lines = new Lines((ClassLoss) attributes, in[0], in[1], in[2]);
        var to = new Elements(out[0]);
        for (long i = 0; i < lines.count; i++) {
          for (long c = 0; c < lines.classes; c++) {
            to.set(lines.at(i, c), lines.coefficient(i, c));
          }
        }
      };

  private static final class Lines {
    private final ClassLoss loss;
    private final long classes;
    private final long inner;
    private final long count;
    private final Elements labels;
    private final @Nullable Elements weight;

    Lines(ClassLoss loss, Strided predictions, Strided target, @Nullable Strided weight) {
      this.loss = loss;
      int rank = predictions.rank();
      this.classes = predictions.size(rank == 1 ? 0 : 1);
      long after = 1;
      for (int d = 2; d < rank; d++) {
        after *= predictions.size(d);
      }
      this.inner = after;
      this.labels = new Elements(target);
      this.count = labels.numel();
      this.weight = weight == null ? null : new Elements(weight);
    }

    /// Where class `c` of prediction `i` is.
    long at(long i, long c) {
      return (i / inner * classes + c) * inner + i % inner;
    }

    boolean ignored(long i) {
      return labels.wholeAt(i) == loss.ignoreIndex();
    }

    double weight(long c) {
      return weight == null ? 1 : weight.at(c);
    }

    double coefficient(long i, long c) {
      if (ignored(i)) {
        return 0;
      }
      double hard = c == labels.wholeAt(i) ? (1 - loss.labelSmoothing()) * weight(c) : 0;
      return hard + smooth(c);
    }

    /// The part of a gradient of `g` that goes to class `c` itself.
    double pulled(double g, long i, long c) {
      boolean reached = loss.labelSmoothing() != 0 || c == labels.wholeAt(i);
      return reached ? g * coefficient(i, c) : 0;
    }

    /// What label smoothing gives every class.
    double smooth(long c) {
      return loss.labelSmoothing() == 0 ? 0 : loss.labelSmoothing() / classes * weight(c);
    }

    double gradient(Elements grad, long i, double total) {
      return switch (loss.reduction()) {
        case NONE -> grad.at(i);
        case MEAN -> grad.at(0) / total;
        case SUM -> grad.at(0);
      };
    }

    void losses(Elements logs, Strided result, Strided totalWeight) {
      var out = new Elements(result);
      double sum = 0;
      double total = 0;
      for (long i = 0; i < count; i++) {
        double one = 0;
        if (!ignored(i)) {
          total += weight(labels.wholeAt(i));
          for (long c = 0; c < classes; c++) {
            double a = coefficient(i, c);
            one -= a == 0 ? 0 : a * logs.at(at(i, c));
          }
        }
        if (loss.reduction() == Reduction.NONE) {
          out.set(i, one);
        }
        sum += one;
      }
      new Elements(totalWeight).set(0, total);
      switch (loss.reduction()) {
        case NONE -> {}
        case MEAN -> out.set(0, sum / total);
        case SUM -> out.set(0, sum);
      }
    }
  }
}
