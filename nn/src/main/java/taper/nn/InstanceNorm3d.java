package taper.nn;

import java.util.function.UnaryOperator;

/// [InstanceNorm] of volumes.
///
/// - Shape: `[n c d h w] -> [n c d h w]`; `[c d h w] -> [c d h w]`
public final class InstanceNorm3d extends InstanceNorm {

  /// With default options.
  public InstanceNorm3d(long numFeatures) {
    this(numFeatures, o -> o);
  }

  /// @param numFeatures the number of channels
  /// @param options as in `o -> o.affine(true)`
  public InstanceNorm3d(long numFeatures, UnaryOperator<Options> options) {
    super(numFeatures, 3, options);
  }
}
