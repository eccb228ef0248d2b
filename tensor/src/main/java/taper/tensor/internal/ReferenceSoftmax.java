package taper.tensor.internal;

import taper.tensor.Activations.Along;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain softmax and its gradients, one line after the other, in double precision.
public final class ReferenceSoftmax {
  private ReferenceSoftmax() {}

  /// The exponentials, divided by their sum.
  public static final Kernel SOFTMAX =
      over((line, in, out) -> {
        double max = line.max(in[0]);
        double sum = line.sumOfExponentials(in[0], max);
        for (long i = 0; i < line.count(); i++) {
          out.set(line.at(i), Math.exp(in[0].at(line.at(i)) - max) / sum);
        }
      });

  /// The logarithms of the softmax.
  public static final Kernel LOG_SOFTMAX =
      over((line, in, out) -> {
        double max = line.max(in[0]);
        double log = Math.log(line.sumOfExponentials(in[0], max));
        for (long i = 0; i < line.count(); i++) {
          out.set(line.at(i), in[0].at(line.at(i)) - max - log);
        }
      });

  /// `y · (g - Σ g y)`.
  public static final Kernel SOFTMAX_GRADIENT =
      over((line, in, out) -> {
        double sum = 0;
        for (long i = 0; i < line.count(); i++) {
          sum += in[0].at(line.at(i)) * in[1].at(line.at(i));
        }
        for (long i = 0; i < line.count(); i++) {
          out.set(line.at(i), in[1].at(line.at(i)) * (in[0].at(line.at(i)) - sum));
        }
      });

  /// `g - exp(y) · Σ g`.
  public static final Kernel LOG_SOFTMAX_GRADIENT =
      over((line, in, out) -> {
        double sum = 0;
        for (long i = 0; i < line.count(); i++) {
          sum += in[0].at(line.at(i));
        }
        for (long i = 0; i < line.count(); i++) {
          out.set(line.at(i), in[0].at(line.at(i)) - Math.exp(in[1].at(line.at(i))) * sum);
        }
      });

  /// The elements along the dimension, in contiguous operands.
  private record Line(long start, long stride, long count) {
    long at(long i) {
      return start + i * stride;
    }

    double max(Elements x) {
      double max = Double.NEGATIVE_INFINITY;
      for (long i = 0; i < count; i++) {
        max = Math.max(max, x.at(at(i)));
      }
      return max;
    }

    double sumOfExponentials(Elements x, double max) {
      double sum = 0;
      for (long i = 0; i < count; i++) {
        sum += Math.exp(x.at(at(i)) - max);
      }
      return sum;
    }
  }

  private interface Body {
    void run(Line line, Elements[] in, Elements out);
  }

  private static Kernel over(Body body) {
    return (attributes, outputs, inputs) -> {
      int dim = ((Along) attributes).dim();
      Strided x = inputs[0];
      long count = x.rank() == 0 ? 1 : x.size(dim);
      long stride = 1;
      for (int d = dim + 1; d < x.rank(); d++) {
        stride *= x.size(d);
      }
      var in = new Elements[inputs.length];
      for (int i = 0; i < in.length; i++) {
        in[i] = new Elements(inputs[i]);
      }
      var out = new Elements(outputs[0]);
      long lines = x.numel() == 0 ? 0 : x.numel() / count;
      for (long l = 0; l < lines; l++) {
        body.run(new Line(l / stride * stride * count + l % stride, stride, count), in, out);
      }
    };
  }
}
