package taper.nn;

import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.Memory;
import taper.tensor.MemoryLimitException;
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

  static void notNegative(String layer, String option, long... values) {
    for (long value : values) {
      if (value < 0) {
        throw new ArgumentException(
            "%s: %s must not be negative, but is %d.".formatted(layer, option, value));
      }
    }
  }

  /// `value`, which a caller may have left out in spite of its type.
  static <T> T given(String layer, String name, @Nullable T value) {
    if (value == null) {
      throw new ArgumentException("%s: %s must be given, but is null.".formatted(layer, name));
    }
    return value;
  }

  /// `factor` times the size that `option` is.
  static long times(String layer, long factor, String option, long size) {
    if (Math.multiplyHigh(factor, size) != 0 || factor * size < 0) {
      throw new ArgumentException(
          "%s: %s must be small enough for a tensor of %d times as many rows, but is %d."
              .formatted(layer, option, factor, size));
    }
    return factor * size;
  }

  /// Checks that `layers` layers of `bytes` bytes each fit into memory, before the first is made.
  static void fits(String layer, long layers, double bytes) {
    if (layers * bytes > Memory.limit()) {
      throw new MemoryLimitException(
          "%s: numLayers must be small enough for the memory limit, %d bytes, but %d layers take %.0f bytes each."
              .formatted(layer, Memory.limit(), layers, bytes));
    }
  }

  /// What `change` makes of `options`.
  static <O> O chosen(String layer, @Nullable UnaryOperator<O> change, O options) {
    if (change == null) {
      throw new ArgumentException(
          "%s: options must be a function, such as o -> o, but are null.".formatted(layer));
    }
    O chosen = change.apply(options);
    if (chosen == null) {
      throw new ArgumentException(
          "%s: options must return options, but return null. Return what they are given to leave them as they are."
              .formatted(layer));
    }
    return chosen;
  }

  /// The row that `paddingIdx` names, counted from the end if it is negative; null for none.
  static @Nullable Long row(String layer, @Nullable Long paddingIdx, long rows) {
    if (paddingIdx != null && (paddingIdx < -rows || paddingIdx >= rows)) {
      throw new ArgumentException(
          rows == 0
              ? "%s: paddingIdx must be a row, but there are no rows.".formatted(layer)
              : "%s: paddingIdx must be in %d..%d, but is %d."
                  .formatted(layer, -rows, rows - 1, paddingIdx));
    }
    return paddingIdx != null && paddingIdx < 0 ? (Long) (paddingIdx + rows) : paddingIdx;
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
