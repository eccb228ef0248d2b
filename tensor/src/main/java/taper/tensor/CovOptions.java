package taper.tensor;

import org.jspecify.annotations.Nullable;

/// How [Statistics#cov] counts observations. Immutable.
///
/// @param correction what is taken off the number of observations before dividing
/// @param fweights how often each observation was made, whole numbers, or null for once
/// @param aweights how important each observation is, or null for equally
public record CovOptions(double correction, @Nullable Tensor fweights, @Nullable Tensor aweights) {

  /// An unbiased estimate from observations that count once.
  public static final CovOptions DEFAULT = new CovOptions(1, null, null);

  /// What is taken off the number of observations before dividing.
  public CovOptions correction(double value) {
    return new CovOptions(value, fweights, aweights);
  }

  /// How often each observation was made.
  public CovOptions fweights(@Nullable Tensor value) {
    return new CovOptions(correction, value, aweights);
  }

  /// How important each observation is.
  public CovOptions aweights(@Nullable Tensor value) {
    return new CovOptions(correction, fweights, value);
  }
}
