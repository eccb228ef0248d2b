package taper.examples;

import module java.base;
import module taper;

/// Draws a smooth curve through noisy points, and says how sure it is of it.
final class GaussianProcess {
  private static final int POINTS = 12;

  private final Tensor x = Tensor.rand(DType.FLOAT64, POINTS, 1).mul(6);
  private final Tensor y = x.sin().squeeze(1).add(Tensor.randn(DType.FLOAT64, POINTS).mul(0.1));

  // Logarithms of the scale, the length and the noise are learned: their marginal likelihood is
  // computed with the Cholesky factor
  private final Tensor logs = Tensor.of(new double[] {0, 0, -1}).requiresGrad_();

  private static Tensor kernel(Tensor a, Tensor b, Tensor scale, Tensor length) {
    return a.sub(b.t()).div(length).pow(2).mul(-0.5).exp().mul(scale.pow(2));
  }

  private Tensor factor() {
    var parameters = logs.exp();
    var noise = Tensor.eye(DType.FLOAT64, POINTS, POINTS).mul(parameters.get(2).pow(2));
    return Linalg.cholesky(kernel(x, x, parameters.get(0), parameters.get(1)).add(noise));
  }

  private Tensor negativeLogLikelihood() {
    var lower = factor();
    var alpha = y.unsqueeze(1).choleskySolve(lower).squeeze(1);
    return y.dot(alpha)
        .mul(0.5)
        .add(lower.diagonal().log().sum())
        .add(POINTS / 2 * Math.log(2 * Math.PI));
  }

  private void learn() {
    for (int step = 0; step <= 60; step++) {
      var loss = negativeLogLikelihood();
      if (step % 15 == 0) {
        IO.println("step %d: negative log likelihood %.4f".formatted(step, loss.item()));
      }
      loss.backward();
      try (var _ = Autograd.noGrad()) {
        logs.sub_(logs.grad().mul(0.02));
        logs.setGrad(null);
      }
    }
  }

  /// Mean and uncertainty on a grid.
  private void predict(Tensor grid) {
    try (var _ = Autograd.noGrad()) {
      var parameters = logs.exp();
      var scale = parameters.get(0);
      var length = parameters.get(1);
      IO.println(
          "scale %.3f, length %.3f, noise %.3f"
              .formatted(scale.item(), length.item(), parameters.get(2).item()));
      var lower = factor();
      var across = kernel(x, grid, scale, length);
      var mean = across.t().matmul(y.unsqueeze(1).choleskySolve(lower));
      var v = Linalg.solveTriangular(lower, across, false);
      var deviation = scale.pow(2).sub(v.pow(2).sum(0)).sqrt();
      for (int i = 0; i < grid.size(0); i++) {
        IO.println(
            "f(%.1f) = %.3f +- %.3f"
                .formatted(grid.get(i).item(), mean.get(i).item(), 2 * deviation.get(i).item()));
      }
    }
  }

  static void main(String[] arguments) {
    Tensor.manualSeed(0);
    var process = new GaussianProcess(); // twelve noisy observations of a sine
    process.learn();
    process.predict(Tensor.linspace(DType.FLOAT64, 0, 6, 7).unsqueeze(1));
  }
}
