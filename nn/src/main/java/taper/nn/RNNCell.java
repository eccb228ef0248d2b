package taper.nn;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Tensor;

/// One step of `h = tanh(weight_ih·x + bias_ih + weight_hh·h + bias_hh)`, see [RNN].
public final class RNNCell extends RecurrentCell {
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
  protected Tensor forward(Tensor input) {
    return step(input, null);
  }

  /// One step from the given state, or from zeros if there is none.
  public Tensor call(Tensor input, @Nullable Tensor hidden) {
    return invoke(
        hidden == null ? List.of(input) : List.of(input, hidden),
        in -> step(in.getFirst(), in.size() == 1 ? null : in.get(1)));
  }

  private Tensor step(Tensor input, @Nullable Tensor hidden) {
    if (!batched(input)) {
      return step(input.unsqueeze(0), hidden == null ? null : hidden.unsqueeze(0)).squeeze(0);
    }
    Tensor hx = hidden == null ? zeros(input) : hidden;
    return nonlinearity == RecurrentLayer.Nonlinearity.TANH
        ? input.rnnTanhCell(hx, weightIh(), weightHh(), biasIh(), biasHh())
        : input.rnnReluCell(hx, weightIh(), weightHh(), biasIh(), biasHh());
  }

  @Override
  protected String extraRepr() {
    return nonlinearity == RecurrentLayer.Nonlinearity.TANH
        ? super.extraRepr()
        : super.extraRepr() + ", nonlinearity=relu";
  }
}
