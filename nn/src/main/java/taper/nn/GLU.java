package taper.nn;

import taper.tensor.Tensor;

/// The first half along a dimension, gated by the second: `a · sigmoid(b)`.
///
/// - Shape: `[* 2n *] -> [* n *]`
/// - Source: Dauphin et al. 2016, Language modeling with gated convolutional networks, arXiv:1612.08083
public final class GLU extends Layer {
  private final int dim;

  /// Along the last dimension.
  public GLU() {
    this(-1);
  }

  /// @param dim the dimension with the two halves
  public GLU(int dim) {
    this.dim = dim;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.glu(dim);
  }

  @Override
  protected String extraRepr() {
    return "dim=" + dim;
  }
}
