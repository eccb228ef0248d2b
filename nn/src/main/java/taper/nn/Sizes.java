package taper.nn;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.Parameter;
import taper.tensor.Steps;
import taper.tensor.Tensor;

/// Checks of sizes, and the initial values that linear layers and convolutions share.
final class Sizes {
  private static final List<String> DIMENSIONS = List.of("depth", "height", "width");

  private Sizes() {}

  static void positive(String layer, String option, long value) {
    if (value <= 0) {
      throw new ArgumentException(
          "%s: %s must be positive, but is %d.".formatted(layer, option, value));
    }
  }

  /// Checks the size of a window along one, two or three dimensions.
  static void window(String layer, long... size) {
    for (int i = 0; i < size.length; i++) {
      String option = size.length == 1 ? "kernelSize" : DIMENSIONS.get(3 - size.length + i);
      positive(layer, option, size[i]);
    }
  }

  /// The numbers for the last `dimensions` dimensions.
  static long[] along(Steps steps, int dimensions) {
    long[] all = {steps.depth(), steps.height(), steps.width()};
    return Arrays.copyOfRange(all, 3 - dimensions, 3);
  }

  static void notNegative(String layer, String option, long value) {
    if (value < 0) {
      throw new ArgumentException(
          "%s: %s must not be negative, but is %d.".formatted(layer, option, value));
    }
  }

  static void probability(String layer, double p) {
    if (!(p >= 0 && p <= 1)) {
      throw new ArgumentException(
          "%s: p must be a probability from 0 to 1, but is %s.".formatted(layer, p));
    }
  }

  /// A `float32` parameter whose elements are still to be drawn.
  static Parameter parameter(long... sizes) {
    return new Parameter(Tensor.empty(DType.defaultFloating(), sizes));
  }

  static void resetWeightAndBias(Parameter weight, @Nullable Parameter bias) {
    Init.kaimingUniform_(weight, o -> o.a(Math.sqrt(5)));
    if (bias != null) {
      double fanIn = weight.numel() / (double) Math.max(weight.size(0), 1);
      double bound = fanIn > 0 ? 1 / Math.sqrt(fanIn) : 0;
      Init.uniform_(bias, -bound, bound);
    }
  }
}
