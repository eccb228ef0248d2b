package taper.tensor;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How [Scans#gradient] estimates derivatives. Immutable.
///
/// @param step the distance of samples along all dimensions, unless one of the next two says more
/// @param spacing the distance of samples along each dimension, or null
/// @param coordinates where the samples are along each dimension, as vectors, or null
/// @param dims the dimensions, or null for all
/// @param edgeOrder the order of the estimate at both ends: 1 or 2
public record GradientOptions(
    double step,
    @Nullable List<Double> spacing,
    @Nullable List<Tensor> coordinates,
    @Nullable List<Integer> dims,
    int edgeOrder) {

  /// All dimensions, samples at a distance of 1, first order at the ends.
  public static final GradientOptions DEFAULT = new GradientOptions(1, null, null, null, 1);

  /// The distance of samples along all dimensions.
  public GradientOptions spacing(double value) {
    return new GradientOptions(value, null, null, dims, edgeOrder);
  }

  /// The distance of samples along each dimension.
  public GradientOptions spacing(double[] values) {
    return new GradientOptions(step, Arrays.stream(values).boxed().toList(), null, dims, edgeOrder);
  }

  /// Where the samples are along each dimension, as vectors.
  public GradientOptions coordinates(Tensor... values) {
    return new GradientOptions(step, null, List.of(values), dims, edgeOrder);
  }

  /// The dimensions.
  public GradientOptions dim(int... values) {
    return new GradientOptions(
        step, spacing, coordinates, Arrays.stream(values).boxed().toList(), edgeOrder);
  }

  /// The order of the estimate at both ends: 1 or 2.
  public GradientOptions edgeOrder(int value) {
    return new GradientOptions(step, spacing, coordinates, dims, value);
  }
}
