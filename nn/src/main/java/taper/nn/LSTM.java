package taper.nn;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Recurrent.LstmResult;
import taper.tensor.Tensor;

/// Layers of long short-term memory.
///
/// ```java
/// var lstm = new LSTM(64, 256, o -> o.numLayers(2).batchFirst(true));
/// LstmResult result = lstm.run(x); // output, hidden and cell states
/// ```
///
/// - Source: Hochreiter, Schmidhuber 1997, Long short-term memory; Gers, Schmidhuber, Cummins 2000 (forget gates); with
///   projections Sak, Senior, Beaufays 2014, arXiv:1402.1128
public final class LSTM extends RecurrentLayer {

  /// What comes of sequences of different lengths.
  ///
  /// @param output the hidden states of the last layer at every step
  /// @param hidden the last hidden state of every layer and direction
  /// @param cell the last cell state of every layer and direction
  public record Packed(PackedSequence output, Tensor hidden, Tensor cell) {}

  /// With default options.
  public LSTM(long inputSize, long hiddenSize) {
    this(inputSize, hiddenSize, o -> o);
  }

  /// @param inputSize the features of the input
  /// @param hiddenSize the features of a state
  /// @param options as in `o -> o.numLayers(2)`
  public LSTM(long inputSize, long hiddenSize, UnaryOperator<Options> options) {
    super(inputSize, hiddenSize, 4, options);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return layers(input, null, null).output();
  }

  /// Runs the layers from states of 0.
  public LstmResult run(Tensor input) {
    return call(input, null, null);
  }

  /// Runs the layers from the given states, which are both null or none: zeros.
  ///
  /// @throws ArgumentException if one of them is null
  public LstmResult call(Tensor input, @Nullable Tensor hidden, @Nullable Tensor cell) {
    return invoke(
        inputs(input, hidden, cell),
        in ->
            in.size() == 1
                ? layers(in.getFirst(), null, null)
                : layers(in.get(0), in.get(1), in.get(2)),
        r -> List.of(r.output(), r.hidden(), r.cell()),
        t -> new LstmResult(t.get(0), t.get(1), t.get(2)));
  }

  /// Runs the layers over sequences of different lengths, from the given states, which are both null or none: zeros. States
  /// are in the order in which the sequences were packed.
  ///
  /// @throws ArgumentException if one of them is null
  public Packed call(PackedSequence input, @Nullable Tensor hidden, @Nullable Tensor cell) {
    return invoke(
        inputs(input.data(), hidden, cell),
        in -> {
          List<Tensor> hx =
              in.size() == 1
                  ? List.of()
                  : List.of(input.sorted(in.get(1), 1), input.sorted(in.get(2), 1));
          LstmResult r =
              in.getFirst().lstm(input.batchSizes(), hx, flatWeights(), this::packedStack);
          return new Packed(
              input.with(r.output()), input.unsorted(r.hidden(), 1), input.unsorted(r.cell(), 1));
        },
        r -> List.of(r.output().data(), r.hidden(), r.cell()),
        t -> new Packed(input.with(t.get(0)), t.get(1), t.get(2)));
  }

  private static List<Tensor> inputs(Tensor input, @Nullable Tensor hidden, @Nullable Tensor cell) {
    var inputs = new ArrayList<Tensor>(List.of(input));
    if (hidden != null && cell != null) {
      inputs.addAll(List.of(hidden, cell));
    } else if (hidden != null || cell != null) {
      throw new ArgumentException(
          "LSTM: the hidden and the cell state must both be given or both be null, but one is"
              + " null.");
    }
    return inputs;
  }

  private LstmResult layers(Tensor input, @Nullable Tensor hidden, @Nullable Tensor cell) {
    boolean batched = batched(input);
    List<Tensor> hx = hidden == null || cell == null ? List.of() : List.of(hidden, cell);
    if (batched) {
      return input.lstm(hx, flatWeights(), this::stack);
    }
    LstmResult r =
        withBatch(input)
            .lstm(hx.stream().map(s -> s.unsqueeze(1)).toList(), flatWeights(), this::stack);
    return new LstmResult(withoutBatch(r.output()), r.hidden().squeeze(1), r.cell().squeeze(1));
  }
}
