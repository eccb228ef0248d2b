package taper.nn;

import taper.tensor.Tensor;

/// Merges dimensions into one; all but the first by default.
public final class Flatten extends Layer {
  private final int startDim;
  private final int endDim;

  /// Merges all dimensions but the first.
  public Flatten() {
    this(1, -1);
  }

  /// @param startDim the first dimension of those to merge
  /// @param endDim the last dimension of those to merge
  public Flatten(int startDim, int endDim) {
    this.startDim = startDim;
    this.endDim = endDim;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.flatten(startDim, endDim);
  }

  @Override
  protected String extraRepr() {
    return "start_dim=%d, end_dim=%d".formatted(startDim, endDim);
  }
}
