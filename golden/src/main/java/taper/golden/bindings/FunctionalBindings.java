package taper.golden.bindings;

import taper.golden.Bindings;

/// Activations, losses, norms, embeddings and attention.
public final class FunctionalBindings {
  private FunctionalBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {}
}
