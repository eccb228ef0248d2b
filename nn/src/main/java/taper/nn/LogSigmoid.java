package taper.nn;

import taper.tensor.Tensor;

/// `log(sigmoid(x))` of every element, without overflow.
public final class LogSigmoid extends Layer {

  /// The only one there is.
  public LogSigmoid() {}

  @Override
  protected Tensor forward(Tensor input) {
    return input.logSigmoid();
  }
}
