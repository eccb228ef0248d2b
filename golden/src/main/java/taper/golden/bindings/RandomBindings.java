package taper.golden.bindings;

import taper.golden.Bindings;

/// Random tensors.
public final class RandomBindings {
  private RandomBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {}
}
