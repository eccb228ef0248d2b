package taper.nn;

import java.util.function.UnaryOperator;

/// [InstanceNorm] of images.
///
/// - Shape: `[n c h w] -> [n c h w]`; `[c h w] -> [c h w]`
public final class InstanceNorm2d extends InstanceNorm {

  /// With default options.
  public InstanceNorm2d(long numFeatures) {
    this(numFeatures, o -> o);
  }

  /// @param numFeatures the number of channels
  /// @param options as in `o -> o.affine(true)`
  public InstanceNorm2d(long numFeatures, UnaryOperator<Options> options) {
    super(numFeatures, 2, options);
  }
}
