package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// [BatchNorm] of vectors or sequences.
///
/// - Shape: `[n c] -> [n c]`, `[n c l] -> [n c l]`
public final class BatchNorm1d extends BatchNorm {

  /// With default options.
  public BatchNorm1d(long numFeatures) {
    this(numFeatures, o -> o);
  }

  /// @param numFeatures the number of channels
  /// @param options as in `o -> o.momentum(0.01)`
  public BatchNorm1d(long numFeatures, UnaryOperator<Options> options) {
    super(numFeatures, options);
  }

  @Override
  void checkDimensions(Tensor input) {
    if (input.dim() != 2 && input.dim() != 3) {
      throw new ShapeException(
          "batchNorm: the input must be [n c] or [n c l], but has shape %s."
              .formatted(input.shape()));
    }
  }
}
