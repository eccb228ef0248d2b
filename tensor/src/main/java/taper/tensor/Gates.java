package taper.tensor;

import static taper.tensor.Operator.None.NONE;

import java.util.List;
import taper.tensor.Activations.Along;

/// Compositions behind [Activations], and what their arguments must fulfil.
final class Gates {
  private Gates() {}

  /// The dimension of a tensor with two halves.
  static Along along(int dim, Tensor x) {
    if (x.dim() == 0) {
      throw new ShapeException("glu: self must have a dimension to halve, but has shape [].");
    }
    Along along = Along.of("glu", dim, x);
    long size = x.size(along.dim());
    if (size % 2 != 0) {
      throw new ShapeException(
          "glu: the size of dimension %d must be even, but self has shape %s."
              .formatted(along.dim(), x.shape()));
    }
    return along;
  }

  static Tensor glu(Tensor x, int dim) {
    long half = x.size(dim) / 2;
    return Activations.Operators.GATE.on(NONE, x.narrow(dim, 0, half), x.narrow(dim, half, half));
  }

  static Tensor gluGradient(Tensor grad, Tensor x, int dim) {
    long half = x.size(dim) / 2;
    Tensor value = x.narrow(dim, 0, half);
    Tensor gate = x.narrow(dim, half, half).sigmoid();
    Tensor toValue = grad.mul(gate);
    Tensor toGate = toValue.mul(value).mul(gate.rsub(1));
    return Tensor.cat(List.of(toValue, toGate), dim);
  }

  static void checkSlopes(double lower, double upper) {
    if (!(lower <= upper)) {
      throw new ArgumentException(
          "rrelu: lower must not be above upper, but lower is %s and upper %s."
              .formatted(lower, upper));
    }
  }

  static void checkDistance(double lambda) {
    if (!(lambda >= 0)) {
      throw new ArgumentException(
          "softshrink: lambda must not be negative, but is %s.".formatted(lambda));
    }
  }

  static Tensor gumbelSoftmax(
      Tensor logits, double tau, boolean hard, int dim, Generator generator) {
    int along = Checks.dim("gumbelSoftmax", dim, logits.dim());
    Tensor noise = Tensor.emptyLike(logits).exponential_(1, generator).log_().neg_();
    Tensor soft = logits.add(noise).div(tau).softmax(along);
    if (!hard) {
      return soft;
    }
    Tensor one =
        Autograd.noGrad(() -> {
          Tensor index = soft.argmax(along, true);
          return Tensor.zerosLike(soft).scatter_(along, index, 1.0);
        });
    return one.sub(soft.detach()).add(soft);
  }
}
