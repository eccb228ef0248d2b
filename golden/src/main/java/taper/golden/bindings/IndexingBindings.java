package taper.golden.bindings;

import taper.golden.Bindings;

/// Reading and writing by index.
public final class IndexingBindings {
  private IndexingBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {}
}
