package taper.tensor.internal;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import taper.tensor.Normalization.BatchNorm;
import taper.tensor.Normalization.LayerNorm;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain normalizations and their gradients, in double precision, of contiguous operands.
///
/// Both kinds see their input as groups of elements that share a mean and a variance: channels over samples and places
/// for batch normalization, the last dimensions of a sample for layer normalization.
public final class ReferenceNormalization {
  private ReferenceNormalization() {}

  /// Inputs: self, weight, bias, running mean, running variance; all but the first may be null. Outputs: the result, means,
  /// reciprocal standard deviations.
  public static final Kernel BATCH_NORM =
      (attributes, out, in) -> {
        var a = (BatchNorm) attributes;
        var groups = Groups.channels(in[0]);
        normalize(groups, a.eps(), in[0], in[1], in[2], out);
        var x = new Elements(in[0]);
        for (long g = 0; g < groups.count && in[3] != null; g++) {
          // what was written is rounded; the running statistics are of the exact values
          double mean = groups.mean(x, g);
          double var = groups.variance(x, g, mean) * groups.size / (groups.size - 1.0);
          blend(new Elements(in[3]), g, mean, a.momentum());
          if (in[4] != null) {
            blend(new Elements(in[4]), g, var, a.momentum());
          }
        }
      };

  /// Inputs: those of [#BATCH_NORM], and what is added before what is negative becomes zero, or null.
  public static final Kernel BATCH_NORM_RELU =
      (attributes, out, in) -> {
        BATCH_NORM.run(attributes, out, Arrays.copyOf(in, 5));
        rectify(out[0], in[5]);
      };

  /// Adds `addend`, if there is one, and then replaces what is negative by zero.
  static void rectify(Strided out, @Nullable Strided addend) {
    var y = new Elements(out);
    Elements more = addend == null ? null : new Elements(addend);
    for (long i = 0; i < out.numel(); i++) {
      double value = more == null ? y.at(i) : y.at(i) + more.at(i);
      y.set(i, value <= 0 ? 0 : value);
    }
  }

  /// Inputs: gradient, self, weight or null, means, reciprocal standard deviations. Outputs: the gradients of self, weight
  /// and bias.
  public static final Kernel BATCH_NORM_GRADIENT =
      (attributes, out, in) -> gradient(Groups.channels(in[1]), in, out);

  /// Inputs: self, weight, bias; the last two may be null. Outputs: the result, means, reciprocal standard deviations.
  public static final Kernel LAYER_NORM =
      (attributes, out, in) -> {
        var a = (LayerNorm) attributes;
        normalize(Groups.lines(in[0], a.normalizedShape()), a.eps(), in[0], in[1], in[2], out);
      };

  /// Inputs: gradient, self, weight or null, means, reciprocal standard deviations. Outputs: the gradients of self, weight
  /// and bias.
  public static final Kernel LAYER_NORM_GRADIENT =
      (attributes, out, in) ->
          gradient(Groups.lines(in[1], ((LayerNorm) attributes).normalizedShape()), in, out);

  /// Inputs: self, weight, bias, means, variances; weight and bias may be null. Output: the result.
  public static final Kernel NORMALIZE_CHANNELS =
      (attributes, out, in) -> {
        var groups = Groups.channels(in[0]);
        var x = new Elements(in[0]);
        var result = new Elements(out[0]);
        for (long g = 0; g < groups.count; g++) {
          double mean = new Elements(in[3]).at(g);
          double var = new Elements(in[4]).at(g);
          double weight = in[1] == null ? 1 : new Elements(in[1]).at(g);
          double bias = in[2] == null ? 0 : new Elements(in[2]).at(g);
          double scale = weight / Math.sqrt(var + ((BatchNorm) attributes).eps());
          for (long i = 0; i < groups.size; i++) {
            long at = groups.at(g, i);
            result.set(at, (x.at(at) - mean) * scale + bias);
          }
        }
      };

  private static void blend(Elements running, long i, double value, double momentum) {
    running.set(i, (1 - momentum) * running.at(i) + momentum * value);
  }

  private static void normalize(
      Groups groups,
      double eps,
      Strided self,
      @Nullable Strided weight,
      @Nullable Strided bias,
      Strided[] out) {
    var x = new Elements(self);
    var result = new Elements(out[0]);
    var means = new Elements(out[1]);
    var scales = new Elements(out[2]);
    for (long g = 0; g < groups.count; g++) {
      double mean = groups.mean(x, g);
      double scale = 1 / Math.sqrt(groups.variance(x, g, mean) + eps);
      means.set(g, mean);
      scales.set(g, scale);
      for (long i = 0; i < groups.size; i++) {
        long p = groups.parameter(g, i);
        double w = weight == null ? 1 : new Elements(weight).at(p);
        double b = bias == null ? 0 : new Elements(bias).at(p);
        long at = groups.at(g, i);
        result.set(at, (x.at(at) - mean) * scale * w + b);
      }
    }
  }

  private static void gradient(Groups groups, Strided[] in, Strided[] out) {
    var grad = new Elements(in[0]);
    var x = new Elements(in[1]);
    var weight = in[2] == null ? null : new Elements(in[2]);
    var means = new Elements(in[3]);
    var scales = new Elements(in[4]);
    var toX = new Elements(out[0]);
    double[] toWeight = new double[Math.toIntExact(out[1].numel())];
    double[] toBias = new double[toWeight.length];
    for (long g = 0; g < groups.count; g++) {
      double mean = means.at(g);
      double scale = scales.at(g);
      double sum = 0;
      double product = 0;
      for (long i = 0; i < groups.size; i++) {
        long at = groups.at(g, i);
        int p = (int) groups.parameter(g, i);
        double normal = (x.at(at) - mean) * scale;
        toWeight[p] += grad.at(at) * normal;
        toBias[p] += grad.at(at);
        double weighted = grad.at(at) * (weight == null ? 1 : weight.at(p));
        sum += weighted;
        product += weighted * normal;
      }
      for (long i = 0; i < groups.size; i++) {
        long at = groups.at(g, i);
        double normal = (x.at(at) - mean) * scale;
        double weighted = grad.at(at) * (weight == null ? 1 : weight.at(groups.parameter(g, i)));
        toX.set(at, scale * (weighted - sum / groups.size - normal * product / groups.size));
      }
    }
    for (int p = 0; p < toWeight.length; p++) {
      new Elements(out[1]).set(p, toWeight[p]);
      new Elements(out[2]).set(p, toBias[p]);
    }
  }

  /// @param count how many groups there are
  /// @param size how many elements each has
  /// @param inner elements that lie side by side, of channels; 0 of lines
  private record Groups(long count, long size, long inner) {
    static Groups channels(Strided x) {
      long inner = 1;
      for (int d = 2; d < x.rank(); d++) {
        inner *= x.size(d);
      }
      return new Groups(x.size(1), x.size(0) * inner, Math.max(inner, 1));
    }

    static Groups lines(Strided x, long[] normalizedShape) {
      long size = 1;
      for (long s : normalizedShape) {
        size *= s;
      }
      return new Groups(size == 0 ? 0 : x.numel() / size, size, 0);
    }

    /// Where element `i` of group `g` lies.
    long at(long g, long i) {
      return inner == 0 ? g * size + i : (i / inner * count + g) * inner + i % inner;
    }

    /// Which element of weight and bias belongs to it.
    long parameter(long g, long i) {
      return inner == 0 ? i : g;
    }

    double mean(Elements x, long g) {
      double sum = 0;
      for (long i = 0; i < size; i++) {
        sum += x.at(at(g, i));
      }
      return sum / size;
    }

    double variance(Elements x, long g, double mean) {
      double sum = 0;
      for (long i = 0; i < size; i++) {
        double d = x.at(at(g, i)) - mean;
        sum += d * d;
      }
      return sum / size;
    }
  }
}
