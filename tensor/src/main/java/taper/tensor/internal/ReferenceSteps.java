package taper.tensor.internal;

import org.jspecify.annotations.Nullable;
import taper.tensor.DType;
import taper.tensor.OptimizerSteps.Adam;
import taper.tensor.OptimizerSteps.Sgd;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain steps of optimizers. Numbers and intermediate results are rounded where PyTorch rounds them: it takes the numbers
/// of a `float32` tensor as `float32`, and every one of its operations stores its result. A step divides by values that can
/// be differences of rounding only, so that this is more than a matter of the last bit.
public final class ReferenceSteps {
  private ReferenceSteps() {}

  /// Inputs: parameters, then as many gradients, then momentum buffers or null.
  public static final Kernel SGD =
      inPlace(
          3,
          (attributes, in, r) -> {
            var a = (Sgd) attributes;
            Elements param = in[0];
            Elements grads = in[1];
            Elements buffer = in[2];
            assert param != null && grads != null;
            double decay = r.round(a.weightDecay());
            double momentum = r.round(a.momentum());
            double fresh = r.round(1 - a.dampening());
            double lr = r.round(-a.lr());
            for (long i = 0; i < param.numel(); i++) {
              double p = param.at(i);
              double grad = a.maximize() ? -grads.at(i) : grads.at(i);
              if (decay != 0) {
                grad = r.round(grad + decay * p);
              }
              if (buffer != null && momentum != 0) {
                double direction =
                    a.first() ? grad : r.round(r.round(buffer.at(i) * momentum) + fresh * grad);
                buffer.set(i, direction);
                grad = a.nesterov() ? r.round(grad + momentum * direction) : direction;
              }
              param.set(i, p + lr * grad);
            }
          });

  /// Inputs: parameters, as many gradients, means of gradients and of their squares, the largest of the latter or null.
  public static final Kernel ADAM =
      inPlace(
          5,
          (attributes, in, r) -> {
            var a = (Adam) attributes;
            Elements param = in[0];
            Elements grads = in[1];
            Elements means = in[2];
            Elements squares = in[3];
            Elements largest = in[4];
            assert param != null && grads != null && means != null && squares != null;
            double stepSize = r.round(-a.stepSize());
            double correction = r.round(a.biasCorrection2Sqrt());
            double decay = r.round(a.decoupled() ? 1 - a.lr() * a.weightDecay() : a.weightDecay());
            double beta1 = r.round(a.beta1());
            double beta2 = r.round(a.beta2());
            double fresh1 = r.round(1 - a.beta1());
            double fresh2 = r.round(1 - a.beta2());
            double eps = r.round(a.eps());
            for (long i = 0; i < param.numel(); i++) {
              double p = param.at(i);
              double grad = a.maximize() ? -grads.at(i) : grads.at(i);
              if (a.decoupled()) {
                p = r.round(p * decay);
              } else if (decay != 0) {
                grad = r.round(grad + decay * p);
              }
              double mean = r.round(r.round(means.at(i) * beta1) + fresh1 * grad);
              means.set(i, mean);
              double square =
                  r.round(r.round(squares.at(i) * beta2) + r.round(r.round(fresh2 * grad) * grad));
              squares.set(i, square);
              if (largest != null) {
                square = Math.max(largest.at(i), square);
                largest.set(i, square);
              }
              double root = r.round(Math.sqrt(square));
              double denominator = r.round(r.round(root / correction) + eps);
              param.set(i, p + r.round(r.round(stepSize * mean) / denominator));
            }
          });

  private interface Body {
    void run(Record attributes, @Nullable Elements[] in, Rounding rounding);
  }

  private interface Rounding {
    double round(double x);
  }

  /// A kernel that runs `body` on one parameter after the other, with its place in each of `lists` lists.
  private static Kernel inPlace(int lists, Body body) {
    return Kernel.ofAnyStrides((attributes, outputs, inputs) -> {
      int count = inputs.length / lists;
      boolean exact = inputs[0].dtype() == DType.FLOAT64;
      for (int p = 0; p < count; p++) {
        var in = new Elements[lists];
        for (int i = 0; i < lists; i++) {
          Strided x = inputs[i * count + p];
          in[i] = x == null ? null : new Elements(x);
        }
        body.run(attributes, in, exact ? x -> x : x -> (float) x);
      }
    });
  }
}
