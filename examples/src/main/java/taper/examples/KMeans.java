package taper.examples;

import static taper.tensor.Index.upTo;

import module java.base;
import module taper;

/// Finds three clouds of points by moving centroids.
final class KMeans {
  private KMeans() {}

  static void main(String[] arguments) {
    Tensor.manualSeed(0);

    // Three clouds of points
    var centres = Tensor.of(new float[] {0, 0, 4, 4, -4, 3}, 3, 2);
    var points =
        Tensor.cat(
            centres.unbind().stream().map(centre -> centre.add(Tensor.randn(100, 2))).toList());

    // Begin with three of the points
    var centroids = points.get(Index.of(Tensor.randperm(300).get(upTo(3))));
    for (int step = 1; step <= 10; step++) {
      var distances = points.cdist(centroids);
      var nearest = distances.min(1);
      var counts = nearest.indices().bincount(null, 3);
      var sums = Tensor.zeros(3, 2).indexAdd_(0, nearest.indices(), points);
      var moved = sums.div(counts.unsqueeze(1));
      double shift = moved.sub(centroids).norm().item();
      centroids = moved;
      IO.println(
          "step %d: spread %.2f, moved by %.4f, sizes %s"
              .formatted(
                  step,
                  nearest.values().pow(2).sum().item(),
                  shift,
                  Arrays.toString(counts.toLongArray())));
      if (shift < 1e-4) {
        break;
      }
    }
    IO.println(centroids);
  }
}
