package taper.optim;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;

/// Checks of arguments and options.
final class Ranges {
  private Ranges() {}

  /// `value`, which a caller may have left out in spite of its type.
  static <T> T given(String who, String name, @Nullable T value) {
    if (value == null) {
      throw new ArgumentException("%s: %s must be given, but is null.".formatted(who, name));
    }
    return value;
  }

  /// What `change` makes of `options`.
  static <O> O chosen(String who, @Nullable UnaryOperator<O> change, O options) {
    if (change == null) {
      throw new ArgumentException(
          "%s: options must be a function, such as o -> o, but are null.".formatted(who));
    }
    O chosen = change.apply(options);
    if (chosen == null) {
      throw new ArgumentException(
          "%s: options must return options, but return null. Return what they are given to leave them as they are."
              .formatted(who));
    }
    return chosen;
  }

  static void atLeastZero(String optimizer, String option, double value) {
    if (!(value >= 0)) {
      throw new ArgumentException(
          "%s: %s must be at least 0, but is %s.".formatted(optimizer, option, value));
    }
  }

  static void fraction(String optimizer, String option, double value) {
    if (!(value >= 0 && value < 1)) {
      throw new ArgumentException(
          "%s: %s must be at least 0 and below 1, but is %s.".formatted(optimizer, option, value));
    }
  }

  static void positive(String what, String option, double value) {
    if (!(value > 0)) {
      throw new ArgumentException(
          "%s: %s must be positive, but is %s.".formatted(what, option, value));
    }
  }
}
