package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// [BatchNorm] of volumes.
///
/// - Shape: `[n c d h w] -> [n c d h w]`
public final class BatchNorm3d extends BatchNorm {

  /// With default options.
  public BatchNorm3d(long numFeatures) {
    this(numFeatures, o -> o);
  }

  /// @param numFeatures the number of channels
  /// @param options as in `o -> o.momentum(0.01)`
  public BatchNorm3d(long numFeatures, UnaryOperator<Options> options) {
    super(numFeatures, options);
  }

  @Override
  void checkDimensions(Tensor input) {
    if (input.dim() != 5) {
      throw new ShapeException(
          "batchNorm: the input must be [n c d h w], but has shape %s. Use unsqueeze(0) for a single volume."
              .formatted(input.shape()));
    }
  }
}
