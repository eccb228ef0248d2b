package taper.data;

import org.jspecify.annotations.Nullable;
import taper.tensor.Generator;

/// The generator that is in force where none was given.
final class Generators {
  private Generators() {}

  static Generator orGlobal(@Nullable Generator generator) {
    return generator != null ? generator : Generator.global();
  }
}
