package taper.golden.bindings;

import taper.golden.Bindings;

/// Complex numbers.
public final class ComplexBindings {
  private ComplexBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {}
}
