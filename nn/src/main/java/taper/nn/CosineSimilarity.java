package taper.nn;

import java.util.List;
import taper.tensor.Tensor;

/// The cosine of the angle between two vectors along a dimension.
public final class CosineSimilarity extends Module {
  private final transient int dim;
  private final transient double eps;

  /// Along dimension 1.
  public CosineSimilarity() {
    this(1, 1e-8);
  }

  /// @param dim the dimension of the vectors
  /// @param eps stands in for a smaller norm
  public CosineSimilarity(int dim, double eps) {
    this.dim = dim;
    this.eps = eps;
  }

  /// Computes the cosines.
  public Tensor call(Tensor x1, Tensor x2) {
    return invoke(List.of(x1, x2), in -> in.get(0).cosineSimilarity(in.get(1), dim, eps));
  }
}
