package taper.tensor.internal;

import org.jspecify.annotations.Nullable;
import taper.tensor.OptimizerSteps.Adam;
import taper.tensor.OptimizerSteps.Sgd;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain steps of optimizers, in double precision. What is stored is rounded to its type before it is read again, as in
/// PyTorch, whose every operation stores its result.
public final class ReferenceSteps {
  private ReferenceSteps() {}

  /// Inputs: parameter, gradient, momentum buffer or null.
  public static final Kernel SGD =
      inPlace((attributes, in) -> {
        var a = (Sgd) attributes;
        Elements param = in[0];
        Elements grads = in[1];
        Elements buffer = in[2];
        assert param != null && grads != null;
        for (long i = 0; i < param.numel(); i++) {
          double p = param.at(i);
          double grad = a.maximize() ? -grads.at(i) : grads.at(i);
          if (a.weightDecay() != 0) {
            grad += a.weightDecay() * p;
          }
          if (buffer != null && a.momentum() != 0) {
            buffer.set(
                i, a.first() ? grad : buffer.at(i) * a.momentum() + (1 - a.dampening()) * grad);
            grad = a.nesterov() ? grad + a.momentum() * buffer.at(i) : buffer.at(i);
          }
          param.set(i, p - a.lr() * grad);
        }
      });

  /// Inputs: parameter, gradient, means of gradients and of their squares, the largest of the latter or null.
  public static final Kernel ADAM =
      inPlace((attributes, in) -> {
        var a = (Adam) attributes;
        Elements param = in[0];
        Elements grads = in[1];
        Elements means = in[2];
        Elements squares = in[3];
        Elements largest = in[4];
        assert param != null && grads != null && means != null && squares != null;
        double stepSize = a.stepSize();
        double correction = a.biasCorrection2Sqrt();
        for (long i = 0; i < param.numel(); i++) {
          double p = param.at(i);
          double grad = a.maximize() ? -grads.at(i) : grads.at(i);
          if (a.decoupled()) {
            p *= 1 - a.lr() * a.weightDecay();
          } else if (a.weightDecay() != 0) {
            grad += a.weightDecay() * p;
          }
          means.set(i, a.beta1() * means.at(i) + (1 - a.beta1()) * grad);
          squares.set(i, a.beta2() * squares.at(i) + (1 - a.beta2()) * grad * grad);
          double square = squares.at(i);
          if (largest != null) {
            largest.set(i, Math.max(largest.at(i), square));
            square = largest.at(i);
          }
          double denominator = Math.sqrt(square) / correction + a.eps();
          param.set(i, p - stepSize * (means.at(i) / denominator));
        }
      });

  private interface Body {
    void run(Record attributes, @Nullable Elements[] in);
  }

  private static Kernel inPlace(Body body) {
    return new Kernel() {
      @Override
      public boolean anyStrides() {
        return true;
      }

      @Override
      public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
        var in = new Elements[inputs.length];
        for (int i = 0; i < in.length; i++) {
          in[i] = inputs[i] == null ? null : new Elements(inputs[i]);
        }
        body.run(attributes, in);
      }
    };
  }
}
