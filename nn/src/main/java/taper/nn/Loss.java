package taper.nn;

import java.util.List;
import taper.tensor.Tensor;

/// A module that says how far predictions are from targets.
public abstract class Loss extends Module {

  /// For subclasses.
  protected Loss() {}

  /// Computes the loss of `input`, the predictions, with respect to `target`.
  public final Tensor call(Tensor input, Tensor target) {
    return invoke(List.of(input, target), in -> forward(in.get(0), in.get(1)));
  }

  /// Computes the loss. Written by subclasses, and called by [#call(Tensor, Tensor)] only.
  protected abstract Tensor forward(Tensor input, Tensor target);
}
