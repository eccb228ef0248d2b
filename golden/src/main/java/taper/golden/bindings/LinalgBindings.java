package taper.golden.bindings;

import taper.golden.Bindings;

/// Decompositions and solutions.
public final class LinalgBindings {
  private LinalgBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {}
}
