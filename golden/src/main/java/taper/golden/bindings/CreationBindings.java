package taper.golden.bindings;

import taper.golden.Bindings;

/// New tensors and conversions.
public final class CreationBindings {
  private CreationBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {}
}
