package taper.examples;

import module java.base;
import module taper;

/// Finds a plane through points by gradient descent, with derivatives written by hand.
final class LinearRegression {
  private LinearRegression() {}

  static void main(String[] arguments) {
    Tensor.manualSeed(0);

    // 200 points near a plane
    var truth = Tensor.of(new float[] {2, -3.4f, 0.7f});
    var x = Tensor.randn(200, 3);
    var y = x.matmul(truth).add(4.2).add(Tensor.randn(200).mul(0.01));

    var w = Tensor.zeros(3);
    var b = Tensor.zeros(1);
    double rate = 0.1;
    for (int epoch = 1; epoch <= 50; epoch++) {
      var error = x.matmul(w).add(b).sub(y);
      var loss = error.pow(2).mean();
      // the derivatives of the mean square, by hand
      w.sub_(x.t().matmul(error).mul(rate * 2 / 200));
      b.sub_(error.mean().mul(rate * 2));
      if (epoch % 10 == 0) {
        IO.println("epoch %d: loss %.5f".formatted(epoch, loss.item()));
      }
    }
    IO.println("w " + w);
    IO.println("b " + b);

    // The same in one step: the normal equations
    var design = Tensor.cat(List.of(x, Tensor.ones(200, 1)), 1);
    var exact = Linalg.solve(design.t().matmul(design), design.t().matmul(y));
    IO.println("exact " + exact);
  }
}
