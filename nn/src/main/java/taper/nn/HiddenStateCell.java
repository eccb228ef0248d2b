package taper.nn;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Tensor;

/// One step of a layer that carries nothing but its hidden state: [RNNCell] and [GRUCell].
public abstract sealed class HiddenStateCell extends RecurrentCell permits RNNCell, GRUCell {

  HiddenStateCell(long inputSize, long hiddenSize, int gates, boolean bias) {
    super(inputSize, hiddenSize, gates, bias);
  }

  /// The step of a batch.
  abstract Tensor step(Tensor input, Tensor hidden);

  @Override
  protected final Tensor forward(Tensor input) {
    return stepFrom(input, null);
  }

  /// One step from the given state, or from zeros if there is none.
  public final Tensor call(Tensor input, @Nullable Tensor hidden) {
    return invoke(
        hidden == null ? List.of(input) : List.of(input, hidden),
        in -> stepFrom(in.getFirst(), in.size() == 1 ? null : in.get(1)));
  }

  private Tensor stepFrom(Tensor input, @Nullable Tensor hidden) {
    if (!batched(input)) {
      return stepFrom(input.unsqueeze(0), hidden == null ? null : hidden.unsqueeze(0)).squeeze(0);
    }
    return step(input, hidden == null ? zeros(input) : hidden);
  }
}
