package taper.examples;

import module java.base;
import module taper;

import taper.tensor.Function;

/// Fits a sine with a Legendre polynomial whose gradient is written by hand.
final class CustomFunction {
  private CustomFunction() {}

  /// The third Legendre polynomial, `(5 x³ - 3 x) / 2`.
  private static final class LegendrePolynomial3 extends Function {
    @Override
    protected List<Tensor> forward(Saver saver, List<Tensor> inputs) {
      var x = inputs.getFirst();
      saver.save(x);
      return List.of(x.pow(3).mul(5).sub(x.mul(3)).mul(0.5));
    }

    @Override
    protected List<Tensor> backward(Saver saver, Tensor[] grads) {
      var x = saver.saved(0);
      return List.of(grads[0].mul(1.5).mul(x.pow(2).mul(5).sub(1)));
    }
  }

  static void main(String[] arguments) {
    var x = Tensor.linspace(-Math.PI, Math.PI, 2000);
    var y = x.sin();
    var a = Tensor.scalar(0.0).requiresGrad_();
    var b = Tensor.scalar(-1.0).requiresGrad_();
    var c = Tensor.scalar(0.0).requiresGrad_();
    var d = Tensor.scalar(0.3).requiresGrad_();
    double rate = 5e-6;

    for (int step = 1; step <= 2000; step++) {
      var polynomial = new LegendrePolynomial3().apply(c.add(d.mul(x))).getFirst();
      var prediction = a.add(b.mul(polynomial));
      var loss = prediction.sub(y).pow(2).sum();
      loss.backward();
      try (var _ = Autograd.noGrad()) {
        for (var weight : List.of(a, b, c, d)) {
          weight.sub_(weight.grad().mul(rate));
          weight.setGrad(null);
        }
      }
      if (step % 200 == 0) {
        IO.println("step %d: loss %.3f".formatted(step, loss.item()));
      }
    }
    IO.println(
        "y = %.3f + %.3f P3(%.3f + %.3f x)".formatted(a.item(), b.item(), c.item(), d.item()));
  }
}
