package taper.tensor;

import org.jspecify.annotations.Nullable;
import taper.tensor.spi.Strided;

/// What autograd knows of one tensor. Threads may share a leaf: its gradient and its accumulator are written under the lock
/// of this object.
final class Meta {
  boolean requiresGrad;
  @Nullable Node gradFn;
  int output;
  volatile @Nullable Tensor grad;
  volatile @Nullable AccumulateGrad accumulator;
  boolean retainsGrad;

  /// The tensor whose memory this one looks at, or null; never itself a view.
  @Nullable Tensor base;

  /// The geometry of the view, as it was made.
  @Nullable Strided geometry;

  /// How the view was made, as far as it matters to in-place operators.
  Origin origin = Origin.PLAIN;

  /// On a base: how often its history was replaced by an in-place operator. On a view: the count it has seen.
  int rebases;

  /// How a view was made.
  enum Origin {
    /// By a recorded operator with one output.
    PLAIN,
    /// As one of several views that one call returned: the gradient of a write could not be told from the others'.
    ONE_OF_SEVERAL,
    /// While nothing was recorded, so that a write could not be recorded either.
    NOT_RECORDED,
    /// By a custom function, whose gradient a write would pass by.
    CUSTOM_FUNCTION
  }
}
