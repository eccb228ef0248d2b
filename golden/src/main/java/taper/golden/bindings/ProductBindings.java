package taper.golden.bindings;

import taper.golden.Bindings;

/// Products of matrices and vectors.
public final class ProductBindings {
  private ProductBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {}
}
