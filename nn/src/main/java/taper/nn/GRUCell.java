package taper.nn;

import taper.tensor.Tensor;

/// One step of gated recurrent units, see [GRU].
public final class GRUCell extends HiddenStateCell {

  /// With biases.
  public GRUCell(long inputSize, long hiddenSize) {
    this(inputSize, hiddenSize, true);
  }

  /// @param inputSize the features of the input
  /// @param hiddenSize the features of a state
  /// @param bias whether there are biases
  public GRUCell(long inputSize, long hiddenSize, boolean bias) {
    super(inputSize, hiddenSize, 3, bias);
  }

  @Override
  Tensor step(Tensor input, Tensor hidden) {
    return input.gruCell(hidden, weightIh(), weightHh(), biasIh(), biasHh());
  }
}
