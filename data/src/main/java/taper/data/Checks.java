package taper.data;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;

/// The checks that samplers and loaders share.
final class Checks {
  private Checks() {}

  static <T> T given(String who, String name, @Nullable T value) {
    if (value == null) {
      throw new ArgumentException(who + ": " + name + " must be given, but is null.");
    }
    return value;
  }

  /// What `change` makes of `options`.
  static <A, B> B chosen(String who, Function<A, B> change, A options) {
    return given(who, "what options return", given(who, "options", change).apply(options));
  }

  static long notNegative(String who, String name, long value) {
    if (value < 0) {
      throw new ArgumentException(
          who + ": " + name + " must be at least 0, but it is " + value + ".");
    }
    return value;
  }

  static long positive(String who, String name, long value) {
    if (value < 1) {
      throw new ArgumentException(
          who + ": " + name + " must be at least 1, but it is " + value + ".");
    }
    return value;
  }
}
