package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// [BatchNorm] of images.
///
/// - Shape: `[n c h w] -> [n c h w]`
public final class BatchNorm2d extends BatchNorm {

  /// With default options.
  public BatchNorm2d(long numFeatures) {
    this(numFeatures, o -> o);
  }

  /// @param numFeatures the number of channels
  /// @param options as in `o -> o.momentum(0.01)`
  public BatchNorm2d(long numFeatures, UnaryOperator<Options> options) {
    super(numFeatures, options);
  }

  @Override
  void checkDimensions(Tensor input) {
    if (input.dim() != 4) {
      throw new ShapeException(
          "batchNorm: the input must be [n c h w], but has shape %s. Use unsqueeze(0) for a single image."
              .formatted(input.shape()));
    }
  }
}
