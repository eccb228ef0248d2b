package taper.nn;

import taper.tensor.Tensor;

/// Splits a dimension into several.
public final class Unflatten extends Layer {
  private final int dim;
  private final long[] unflattenedSize;

  /// @param dim the dimension to split
  /// @param unflattenedSize its new sizes, one of which may be -1
  public Unflatten(int dim, long... unflattenedSize) {
    this.dim = dim;
    this.unflattenedSize = Sizes.given("Unflatten", "unflattenedSize", unflattenedSize).clone();
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.unflatten(dim, unflattenedSize);
  }

  @Override
  protected String extraRepr() {
    return "dim=%d, unflattened_size=%s".formatted(dim, Repr.tuple(unflattenedSize));
  }
}
