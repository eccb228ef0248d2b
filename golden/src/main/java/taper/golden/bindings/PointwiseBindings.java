package taper.golden.bindings;

import taper.golden.Bindings;
import taper.golden.Bindings.Precision;

/// Element-wise operators.
public final class PointwiseBindings {
  private PointwiseBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.precision(Precision.ELEMENTWISE);
    table.bind(
        "add",
        "add(other, alpha)",
        a -> {
          double alpha = a.number(-1, "alpha", 1);
          return alpha == 1
              ? a.self().add(a.operand(1, "other"))
              : a.self().add(a.operand(1, "other"), alpha);
        });
    table.bind("acos", "acos()", a -> a.self().acos());
  }
}
