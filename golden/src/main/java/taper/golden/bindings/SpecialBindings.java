package taper.golden.bindings;

import taper.golden.Bindings;

/// Special functions.
public final class SpecialBindings {
  private SpecialBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {}
}
