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

  /// Whether `next`, which follows this layer, gives the same if it comes first. Functions that never fall keep maxima, and
  /// what is not positive has no gradient in either order. Nobody may see what lies between the two.
  boolean mayFollow(Module next) {
    return !inplace
        && (next instanceof MaxPool1d || next instanceof MaxPool2d || next instanceof MaxPool3d);
  }

  @Override
  protected String extraRepr() {
    return inplace ? "inplace=True" : "";
  }
}
