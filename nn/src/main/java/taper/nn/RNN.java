package taper.nn;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Recurrent.RnnResult;
import taper.tensor.Tensor;

/// Layers of `h = tanh(weight_ih·x + bias_ih + weight_hh·h + bias_hh)`, or with another [RecurrentLayer.Nonlinearity].
///
/// - Source: Elman 1990, Finding structure in time
public final class RNN extends RecurrentLayer {

  /// What comes of sequences of different lengths.
  ///
  /// @param output the hidden states of the last layer at every step
  /// @param hidden the last hidden state of every layer and direction
  public record Packed(PackedSequence output, Tensor hidden) {}

  /// With default options.
  public RNN(long inputSize, long hiddenSize) {
    this(inputSize, hiddenSize, o -> o);
  }

  /// @param inputSize the features of the input
  /// @param hiddenSize the features of a state
  /// @param options as in `o -> o.numLayers(2)`
  /// @throws ArgumentException if there is a `projSize`, which [LSTM] alone has
  public RNN(long inputSize, long hiddenSize, UnaryOperator<Options> options) {
    super(inputSize, hiddenSize, 1, options);
    if (options().projSize() != 0) {
      throw new ArgumentException(
          "RNN: projSize must be 0, since only LSTM has projections, but is %d."
              .formatted(options().projSize()));
    }
  }

  @Override
  protected Tensor forward(Tensor input) {
    return layers(input, null).output();
  }

  /// Runs the layers from states of 0.
  public RnnResult run(Tensor input) {
    return call(input, null);
  }

  /// Runs the layers from the given states, or from zeros if there are none.
  public RnnResult call(Tensor input, @Nullable Tensor hidden) {
    return invoke(
        hidden == null ? List.of(input) : List.of(input, hidden),
        in -> layers(in.getFirst(), in.size() == 1 ? null : in.get(1)),
        r -> List.of(r.output(), r.hidden()),
        t -> new RnnResult(t.get(0), t.get(1)));
  }

  /// Runs the layers over sequences of different lengths, from the given states, or from zeros if there are none. States are
  /// in the order in which the sequences were packed.
  public Packed call(PackedSequence input, @Nullable Tensor hidden) {
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

  private RnnResult dense(Tensor input, @Nullable Tensor hx) {
    return options().nonlinearity() == Nonlinearity.TANH
        ? input.rnnTanh(hx, flatWeights(), this::stack)
        : input.rnnRelu(hx, flatWeights(), this::stack);
  }

  private RnnResult packed(Tensor data, Tensor batchSizes, @Nullable Tensor hx) {
    return options().nonlinearity() == Nonlinearity.TANH
        ? data.rnnTanh(batchSizes, hx, flatWeights(), this::packedStack)
        : data.rnnRelu(batchSizes, hx, flatWeights(), this::packedStack);
  }
}
