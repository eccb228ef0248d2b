package taper.nn;

import taper.tensor.Tensor;

/// One step of `h = tanh(weight_ih·x + bias_ih + weight_hh·h + bias_hh)`, see [RNN].
public final class RNNCell extends HiddenStateCell {
  private final transient RecurrentLayer.Nonlinearity nonlinearity;

  /// With biases and the hyperbolic tangent.
  public RNNCell(long inputSize, long hiddenSize) {
    this(inputSize, hiddenSize, true, RecurrentLayer.Nonlinearity.TANH);
  }

  /// @param inputSize the features of the input
  /// @param hiddenSize the features of a state
  /// @param bias whether there are biases
  /// @param nonlinearity the function of the step
  public RNNCell(
      long inputSize, long hiddenSize, boolean bias, RecurrentLayer.Nonlinearity nonlinearity) {
    super(inputSize, hiddenSize, 1, bias);
    this.nonlinearity = nonlinearity;
  }

  @Override
  Tensor step(Tensor input, Tensor hidden) {
    return nonlinearity == RecurrentLayer.Nonlinearity.TANH
        ? input.rnnTanhCell(hidden, weightIh(), weightHh(), biasIh(), biasHh())
        : input.rnnReluCell(hidden, weightIh(), weightHh(), biasIh(), biasHh());
  }

  @Override
  protected String extraRepr() {
    return nonlinearity == RecurrentLayer.Nonlinearity.TANH
        ? super.extraRepr()
        : super.extraRepr() + ", nonlinearity=relu";
  }
}
