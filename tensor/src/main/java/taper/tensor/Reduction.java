package taper.tensor;

/// What a loss returns of the losses of single elements.
public enum Reduction {
  /// All of them.
  NONE,
  /// Their mean; of a weighted loss over classes the weighted mean.
  MEAN,
  /// Their sum.
  SUM;

  /// What is returned of `losses`.
  Tensor of(Tensor losses) {
    return switch (this) {
      case NONE -> losses;
      case MEAN -> losses.mean();
      case SUM -> losses.sum();
    };
  }
}
