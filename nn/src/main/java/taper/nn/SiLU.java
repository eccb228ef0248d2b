package taper.nn;

import taper.tensor.Tensor;

/// `x · sigmoid(x)` of every element, also called swish.
public final class SiLU extends Layer {
  private final boolean inplace;

  /// Leaves its input as it is.
  public SiLU() {
    this(false);
  }

  /// @param inplace whether the input is overwritten
  public SiLU(boolean inplace) {
    this.inplace = inplace;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return inplace ? input.silu_() : input.silu();
  }

  @Override
  protected String extraRepr() {
    return inplace ? "inplace=True" : "";
  }
}
