package taper.nn;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Tensor;

/// One step of gated recurrent units, see [GRU].
public final class GRUCell extends RecurrentCell {

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
    return input.gruCell(hx, weightIh(), weightHh(), biasIh(), biasHh());
  }
}
