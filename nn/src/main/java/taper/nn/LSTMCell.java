package taper.nn;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Recurrent.LstmCellResult;
import taper.tensor.Tensor;

/// One step of long short-term memory, see [LSTM].
public final class LSTMCell extends RecurrentCell {

  /// With biases.
  public LSTMCell(long inputSize, long hiddenSize) {
    this(inputSize, hiddenSize, true);
  }

  /// @param inputSize the features of the input
  /// @param hiddenSize the features of a state
  /// @param bias whether there are biases
  public LSTMCell(long inputSize, long hiddenSize, boolean bias) {
    super(inputSize, hiddenSize, 4, bias);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return step(input, null, null).hidden();
  }

  /// One step from the given states, which are both null or none: zeros.
  ///
  /// @throws ArgumentException if one of them is null
  public LstmCellResult call(Tensor input, @Nullable Tensor hidden, @Nullable Tensor cell) {
    if ((hidden == null) != (cell == null)) {
      throw new ArgumentException(
          "LSTMCell: the hidden and the cell state must both be given or both be null, but one is"
              + " null.");
    }
    return invoke(
        hidden == null || cell == null ? List.of(input) : List.of(input, hidden, cell),
        in ->
            in.size() == 1
                ? step(in.getFirst(), null, null)
                : step(in.get(0), in.get(1), in.get(2)),
        r -> List.of(r.hidden(), r.cell()),
        t -> new LstmCellResult(t.get(0), t.get(1)));
  }

  private LstmCellResult step(Tensor input, @Nullable Tensor hidden, @Nullable Tensor cell) {
    if (batched(input)) {
      List<Tensor> hx =
          hidden == null || cell == null
              ? List.of(zeros(input), zeros(input))
              : List.of(hidden, cell);
      return input.lstmCell(hx, weightIh(), weightHh(), biasIh(), biasHh());
    }
    LstmCellResult r =
        step(
            input.unsqueeze(0),
            hidden == null ? null : hidden.unsqueeze(0),
            cell == null ? null : cell.unsqueeze(0));
    return new LstmCellResult(r.hidden().squeeze(0), r.cell().squeeze(0));
  }
}
