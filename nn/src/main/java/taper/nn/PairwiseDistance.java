package taper.nn;

import java.util.List;
import taper.tensor.Tensor;

/// The distance between two vectors along the last dimension.
public final class PairwiseDistance extends Module {
  private final transient double p;
  private final transient double eps;
  private final transient boolean keepDim;

  /// The Euclidean distance.
  public PairwiseDistance() {
    this(2, 1e-6, false);
  }

  /// @param p the order of the norm
  /// @param eps is added to the difference
  /// @param keepDim whether the dimension stays, with size 1
  public PairwiseDistance(double p, double eps, boolean keepDim) {
    this.p = p;
    this.eps = eps;
    this.keepDim = keepDim;
  }

  /// Computes the distances.
  public Tensor call(Tensor x1, Tensor x2) {
    return invoke(List.of(x1, x2), in -> in.get(0).pairwiseDistance(in.get(1), p, eps, keepDim));
  }
}
