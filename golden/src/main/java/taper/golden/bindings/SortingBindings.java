package taper.golden.bindings;

import taper.golden.Bindings;

/// Sorting, scans and statistics.
public final class SortingBindings {
  private SortingBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {}
}
