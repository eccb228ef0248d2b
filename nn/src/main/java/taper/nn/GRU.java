package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Recurrent.RnnResult;
import taper.tensor.Tensor;

/// Layers of gated recurrent units.
///
/// - Source: Cho et al. 2014, arXiv:1406.1078, with the reset gate after the product as in cuDNN
public final class GRU extends HiddenStateLayer {

  /// With default options.
  public GRU(long inputSize, long hiddenSize) {
    this(inputSize, hiddenSize, o -> o);
  }

  /// @param inputSize the features of the input
  /// @param hiddenSize the features of a state
  /// @param options as in `o -> o.numLayers(2)`
  /// @throws ArgumentException if there is a `projSize`, which [LSTM] alone has
  public GRU(long inputSize, long hiddenSize, UnaryOperator<Options> options) {
    super(inputSize, hiddenSize, 3, options);
  }

  @Override
  RnnResult dense(Tensor input, @Nullable Tensor hidden) {
    return input.gru(hidden, flatWeights(), this::stack);
  }

  @Override
  RnnResult packed(Tensor data, Tensor batchSizes, @Nullable Tensor hidden) {
    return data.gru(batchSizes, hidden, flatWeights(), this::packedStack);
  }
}
