package taper.nn;

import java.util.function.UnaryOperator;

/// [InstanceNorm] of sequences.
///
/// - Shape: `[n c l] -> [n c l]`; `[c l] -> [c l]`
public final class InstanceNorm1d extends InstanceNorm {

  /// With default options.
  public InstanceNorm1d(long numFeatures) {
    this(numFeatures, o -> o);
  }

  /// @param numFeatures the number of channels
  /// @param options as in `o -> o.affine(true)`
  public InstanceNorm1d(long numFeatures, UnaryOperator<Options> options) {
    super(numFeatures, 1, options);
  }
}
