package taper.data;

import taper.tensor.ArgumentException;

/// The checks that samplers and loaders share.
final class Checks {
  private Checks() {}

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
