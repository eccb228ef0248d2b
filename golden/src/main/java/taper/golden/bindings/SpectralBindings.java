package taper.golden.bindings;

import taper.golden.Bindings;

/// Fourier transforms.
public final class SpectralBindings {
  private SpectralBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {}
}
