package taper.golden.bindings;

import taper.golden.Bindings;

/// Gradients.
public final class AutogradBindings {
  private AutogradBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {}
}
