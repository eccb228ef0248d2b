package taper.golden.bindings;

import taper.golden.Bindings;

/// Shapes and views.
public final class ShapeBindings {
  private ShapeBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {}
}
