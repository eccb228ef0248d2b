package taper.golden.bindings;

import taper.golden.Bindings;

/// Convolutions, pools, padding and resizing.
public final class WindowBindings {
  private WindowBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {}
}
