package taper.golden.bindings;

import taper.golden.Bindings;

/// Reductions.
public final class ReductionBindings {
  private ReductionBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {}
}
