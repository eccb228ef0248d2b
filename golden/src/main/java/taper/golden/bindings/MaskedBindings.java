package taper.golden.bindings;

import taper.golden.Bindings;

/// Reductions under a mask.
public final class MaskedBindings {
  private MaskedBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {}
}
