package taper.vision;

import java.util.Arrays;
import taper.tensor.ArgumentException;
import taper.tensor.DTypeException;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// Shifts and scales each channel: `(image - mean) / deviation`.
///
/// - Shape: `[... c h w] -> [... c h w]`
/// - Types: floating
public final class Normalize implements Transform {
  private final double[] mean;
  private final double[] deviation;

  /// The same shift and scale for a single channel.
  ///
  /// @throws ArgumentException if the deviation is 0
  public Normalize(double mean, double deviation) {
    this(new double[] {mean}, new double[] {deviation});
  }

  /// A shift and a scale for each channel.
  ///
  /// @throws ArgumentException if there are not as many deviations as means, or one is 0
  public Normalize(double[] mean, double[] deviation) {
    if (mean.length != deviation.length || mean.length == 0) {
      throw new ArgumentException(
          "Normalize: there must be one deviation for each mean, but there are %d means and %d deviations."
              .formatted(mean.length, deviation.length));
    }
    if (Arrays.stream(deviation).anyMatch(each -> each == 0)) {
      throw new ArgumentException(
          "Normalize: deviations must not be 0, but are %s.".formatted(Arrays.toString(deviation)));
    }
    this.mean = mean.clone();
    this.deviation = deviation.clone();
  }

  /// How many channels it tells apart; 1 if it treats all alike.
  int channels() {
    return mean.length;
  }

  /// The normalised image.
  ///
  /// @throws DTypeException if the image is not floating
  /// @throws ShapeException if the image has another number of channels
  @Override
  public Tensor apply(Tensor image) {
    if (!image.dtype().isFloatingPoint()) {
      throw new DTypeException(
          "Normalize: an image must be floating, but is %s. Put ToTensor before it."
              .formatted(image.dtype()));
    }
    if (image.dim() < 3) {
      throw new ShapeException(
          "Normalize: an image must be [..., channels, height, width], but is %s."
              .formatted(image.shape()));
    }
    if (mean.length == 1) {
      return image.sub(mean[0]).div_(deviation[0]);
    }
    if (image.size(-3) != mean.length) {
      throw new ShapeException(
          "Normalize: an image must have %d channels, one for each mean, but is %s."
              .formatted(mean.length, image.shape()));
    }
    return image.sub(column(mean, image)).div_(column(deviation, image));
  }

  private static Tensor column(double[] values, Tensor like) {
    return Tensor.of(values, values.length, 1, 1).to(like.dtype());
  }

  @Override
  public boolean letsNothingEscape() {
    return true;
  }

  @Override
  public String toString() {
    return "Normalize(mean=%s, std=%s)"
        .formatted(Arrays.toString(mean), Arrays.toString(deviation));
  }
}
