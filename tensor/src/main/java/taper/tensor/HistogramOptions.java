package taper.tensor;

import org.jspecify.annotations.Nullable;

/// How [Statistics#histogram] and [Statistics#histogramdd] count. Immutable.
///
/// @param range the smallest and largest value of each dimension, one after the other; null for those of the elements
/// @param weight what each element counts, or null for 1
/// @param density whether the result is divided by the sum of all and by the size of each bin
public record HistogramOptions(
    double @Nullable [] range, @Nullable Tensor weight, boolean density) {

  /// The range of the elements, each of which counts 1.
  public static final HistogramOptions DEFAULT = new HistogramOptions(null, null, false);

  /// The smallest and largest value of each dimension, one after the other.
  public HistogramOptions range(double... values) {
    return new HistogramOptions(values.clone(), weight, density);
  }

  /// What each element counts.
  public HistogramOptions weight(@Nullable Tensor value) {
    return new HistogramOptions(range, value, density);
  }

  /// Whether the result is divided by the sum of all and by the size of each bin.
  public HistogramOptions density(boolean value) {
    return new HistogramOptions(range, weight, value);
  }
}
