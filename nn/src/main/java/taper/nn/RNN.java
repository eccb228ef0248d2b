package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Recurrent.RnnResult;
import taper.tensor.Tensor;

/// Layers of `h = tanh(weight_ih·x + bias_ih + weight_hh·h + bias_hh)`, or with another [RecurrentLayer.Nonlinearity].
///
/// - Source: Elman 1990, Finding structure in time
public final class RNN extends HiddenStateLayer {

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
  }

  @Override
  RnnResult dense(Tensor input, @Nullable Tensor hidden) {
    return options().nonlinearity() == Nonlinearity.TANH
        ? input.rnnTanh(hidden, flatWeights(), this::stack)
        : input.rnnRelu(hidden, flatWeights(), this::stack);
  }

  @Override
  RnnResult packed(Tensor data, Tensor batchSizes, @Nullable Tensor hidden) {
    return options().nonlinearity() == Nonlinearity.TANH
        ? data.rnnTanh(batchSizes, hidden, flatWeights(), this::packedStack)
        : data.rnnRelu(batchSizes, hidden, flatWeights(), this::packedStack);
  }
}
