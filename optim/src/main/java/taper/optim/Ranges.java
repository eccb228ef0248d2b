package taper.optim;

import taper.tensor.ArgumentException;

/// Checks of numbers among options.
final class Ranges {
  private Ranges() {}

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
