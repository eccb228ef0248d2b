package taper.examples;

import static taper.tensor.Index.upTo;

import module java.base;
import module taper;

/// Finds the plane near which points of five dimensions lie.
final class PcaBySvd {
  private PcaBySvd() {}

  static void main(String[] arguments) {
    Tensor.manualSeed(0);

    // 500 points in five dimensions that lie near a plane
    var plane = Tensor.randn(2, 5);
    var data = Tensor.randn(500, 2).matmul(plane).add(Tensor.randn(500, 5).mul(0.1)).add(3);

    // The right singular vectors of the centred data are the principal axes
    var mean = data.mean(0);
    var centred = data.sub(mean);
    var svd = Linalg.svd(centred, false);
    var variance = svd.s().pow(2).div(data.size(0) - 1);
    IO.println("mean " + mean);
    IO.println("explained " + variance.div(variance.sum()));

    // Signs of singular vectors are arbitrary: make the largest entry positive
    var largest = svd.vh().abs().argmax(1, true);
    var axes = svd.vh().mul(svd.vh().gather(1, largest).sign()).get(upTo(2));
    IO.println(axes);

    // Two numbers for five
    var scores = centred.matmul(axes.t());
    IO.println(scores.get(upTo(4)));
    var restored = scores.matmul(axes).add(mean);
    IO.println(
        "mean square of what is lost %.5f".formatted(restored.sub(data).pow(2).mean().item()));

    // The same variances from the covariance matrix
    IO.println(Linalg.eigvalsh(centred.t().matmul(centred).div(499)).flip(0));
  }
}
