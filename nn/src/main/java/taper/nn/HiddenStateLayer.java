package taper.nn;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Recurrent.RnnResult;
import taper.tensor.Tensor;

/// Recurrent layers that carry nothing but their hidden state from step to step: [RNN] and [GRU].
public abstract sealed class HiddenStateLayer extends RecurrentLayer permits RNN, GRU {

  /// What comes of sequences of different lengths.
  ///
  /// @param output the hidden states of the last layer at every step
  /// @param hidden the last hidden state of every layer and direction
  public record Packed(PackedSequence output, Tensor hidden) {}

  HiddenStateLayer(long inputSize, long hiddenSize, int gates, UnaryOperator<Options> options) {
    super(inputSize, hiddenSize, gates, options);
    if (options().projSize() != 0) {
      throw new ArgumentException(
          "%s: projSize must be 0, since only LSTM has projections, but is %d."
              .formatted(typeName(), options().projSize()));
    }
  }

  /// All steps of a batch.
  abstract RnnResult dense(Tensor input, @Nullable Tensor hidden);

  /// All steps of packed sequences.
  abstract RnnResult packed(Tensor data, Tensor batchSizes, @Nullable Tensor hidden);

  @Override
  protected final Tensor forward(Tensor input) {
    return layers(input, null).output();
  }

  /// Runs the layers from states of 0.
  public final RnnResult run(Tensor input) {
    return call(input, null);
  }

  /// Runs the layers from the given states, or from zeros if there are none.
  public final RnnResult call(Tensor input, @Nullable Tensor hidden) {
    return invoke(
        hidden == null ? List.of(input) : List.of(input, hidden),
        in -> layers(in.getFirst(), in.size() == 1 ? null : in.get(1)),
        r -> List.of(r.output(), r.hidden()),
        t -> new RnnResult(t.get(0), t.get(1)));
  }

  /// Runs the layers over sequences of different lengths, from the given states, or from zeros if there are none. States are
  /// in the order in which the sequences were packed.
  public final Packed call(PackedSequence input, @Nullable Tensor hidden) {
    return invoke(
        hidden == null ? List.of(input.data()) : List.of(input.data(), hidden),
        in -> {
          Tensor hx = in.size() == 1 ? null : input.sorted(in.get(1), 1);
          RnnResult r = packed(in.getFirst(), input.batchSizes(), hx);
          return new Packed(input.with(r.output()), input.unsorted(r.hidden(), 1));
        },
        r -> List.of(r.output().data(), r.hidden()),
        t -> new Packed(input.with(t.get(0)), t.get(1)));
  }

  private RnnResult layers(Tensor input, @Nullable Tensor hidden) {
    if (batched(input)) {
      return dense(input, hidden);
    }
    RnnResult r = dense(withBatch(input), hidden == null ? null : hidden.unsqueeze(1));
    return new RnnResult(withoutBatch(r.output()), r.hidden().squeeze(1));
  }
}
