package taper.nn;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Parameter;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// One step of a recurrent layer: [RNNCell], [LSTMCell] and [GRUCell].
///
/// - Shape: input `[n i]`, states `[n h]`; the batch dimension may be missing
/// - Initial values: uniform within ±1/√hiddenSize
public abstract sealed class RecurrentCell extends Module permits HiddenStateCell, LSTMCell {
  private final transient long inputSize;
  private final transient long hiddenSize;

  @Key("weight_ih")
  private final Parameter weightIh;

  @Key("weight_hh")
  private final Parameter weightHh;

  @Key("bias_ih")
  private final @Nullable Parameter biasIh;

  @Key("bias_hh")
  private final @Nullable Parameter biasHh;

  RecurrentCell(long inputSize, long hiddenSize, int gates, boolean bias) {
    Sizes.positive(typeName(), "inputSize", inputSize);
    Sizes.positive(typeName(), "hiddenSize", hiddenSize);
    this.inputSize = inputSize;
    this.hiddenSize = hiddenSize;
    long rows = Sizes.times(typeName(), gates, "hiddenSize", hiddenSize);
    weightIh = Sizes.parameter(rows, inputSize);
    weightHh = Sizes.parameter(rows, hiddenSize);
    biasIh = bias ? Sizes.parameter(rows) : null;
    biasHh = bias ? Sizes.parameter(rows) : null;
    resetParameters();
  }

  /// Draws the parameters again.
  public final void resetParameters() {
    double bound = hiddenSize > 0 ? 1 / Math.sqrt((double) hiddenSize) : 0;
    var all = new ArrayList<Parameter>(List.of(weightIh, weightHh));
    if (biasIh != null && biasHh != null) {
      all.addAll(List.of(biasIh, biasHh));
    }
    all.forEach(parameter -> Init.uniform_(parameter, -bound, bound));
  }

  /// The weight of the input, `[gates·h i]`.
  public final Parameter weightIh() {
    return weightIh;
  }

  /// The weight of the hidden state, `[gates·h h]`.
  public final Parameter weightHh() {
    return weightHh;
  }

  /// The bias of the input's part, `[gates·h]`, or null.
  public final @Nullable Parameter biasIh() {
    return biasIh;
  }

  /// The bias of the hidden state's part, `[gates·h]`, or null.
  public final @Nullable Parameter biasHh() {
    return biasHh;
  }

  /// Whether the batch dimension is there.
  final boolean batched(Tensor input) {
    if (input.dim() != 1 && input.dim() != 2) {
      throw new ShapeException(
          "%s: the input must have 2 dimensions, or 1 without a batch, but has shape %s."
              .formatted(typeName(), input.shape()));
    }
    return input.dim() == 2;
  }

  /// A state of zeros for a batched input.
  final Tensor zeros(Tensor input) {
    return Tensor.zeros(input.dtype(), input.size(0), hiddenSize);
  }

  @Override
  protected String extraRepr() {
    return inputSize + ", " + hiddenSize + (biasIh == null ? ", bias=False" : "");
  }
}
