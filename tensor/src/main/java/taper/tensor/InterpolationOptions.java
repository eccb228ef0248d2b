package taper.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// The options of an interpolation, with PyTorch's names and defaults. Immutable.
///
/// @param size the size of the result without batch and channels, one number for all dimensions; empty if `scaleFactor`
///     says it
/// @param scaleFactor by how much each dimension grows, one number for all; empty if `size` says it
/// @param mode `nearest`, `nearest-exact`, `linear`, `bilinear`, `bicubic`, `trilinear` or `area`
/// @param alignCorners whether the corner pixels of input and result have the same centre, rather than the images the same
///     corners; null for the default, false
/// @param recomputeScaleFactor whether the scale follows from the sizes, rather than from what was given
/// @param antialias whether every pixel counts when an image shrinks; `bilinear` and `bicubic` only
public record InterpolationOptions(
    List<Long> size,
    List<Double> scaleFactor,
    String mode,
    @Nullable Boolean alignCorners,
    boolean recomputeScaleFactor,
    boolean antialias) {

  /// Nearest pixels; neither size nor factor.
  public static final InterpolationOptions DEFAULT =
      new InterpolationOptions(List.of(), List.of(), "nearest", null, false, false);

  /// Copies the lists.
  public InterpolationOptions {
    size = List.copyOf(size);
    scaleFactor = List.copyOf(scaleFactor);
  }

  /// With the size of the result, without batch and channels; one number for all dimensions.
  public InterpolationOptions size(long... sizes) {
    return new InterpolationOptions(
        LongStream.of(Checks.given("interpolate", "size", sizes)).boxed().toList(),
        scaleFactor,
        mode,
        alignCorners,
        recomputeScaleFactor,
        antialias);
  }

  /// With factors by which the dimensions grow; one number for all.
  public InterpolationOptions scaleFactor(double... factors) {
    return new InterpolationOptions(
        size,
        Arrays.stream(Checks.given("interpolate", "scaleFactor", factors)).boxed().toList(),
        mode,
        alignCorners,
        recomputeScaleFactor,
        antialias);
  }

  /// With another way to find the pixels of the result.
  public InterpolationOptions mode(String name) {
    return new InterpolationOptions(
        size, scaleFactor, name, alignCorners, recomputeScaleFactor, antialias);
  }

  /// With the centres of the corner pixels in the same places, or the corners of the images.
  public InterpolationOptions alignCorners(boolean on) {
    return new InterpolationOptions(size, scaleFactor, mode, on, recomputeScaleFactor, antialias);
  }

  /// With the scale that follows from the sizes.
  public InterpolationOptions recomputeScaleFactor(boolean on) {
    return new InterpolationOptions(size, scaleFactor, mode, alignCorners, on, antialias);
  }

  /// With filters as wide as the pixels of a smaller result.
  public InterpolationOptions antialias(boolean on) {
    return new InterpolationOptions(
        size, scaleFactor, mode, alignCorners, recomputeScaleFactor, on);
  }
}
