package taper.nn;

import taper.tensor.Memory;
import taper.tensor.Tensor;

/// `max(x, 0)` of every element, the rectifier.
public final class ReLU extends Layer {
  private final boolean inplace;

  /// Leaves its input as it is.
  public ReLU() {
    this(false);
  }

  /// @param inplace whether the input is overwritten
  public ReLU(boolean inplace) {
    this.inplace = inplace;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return inplace || Memory.mayOverwrite(input) ? input.relu_() : input.relu();
  }

  /// Whether the input is always overwritten.
  boolean overwrites() {
    return inplace;
  }

  @Override
  protected String extraRepr() {
    return inplace ? "inplace=True" : "";
  }
}
