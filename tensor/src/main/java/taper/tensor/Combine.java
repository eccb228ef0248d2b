package taper.tensor;

import java.util.Locale;

/// How values that meet at one place become one. Immutable.
public enum Combine {
  /// Their sum.
  SUM,
  /// Their product.
  PROD,
  /// Their mean; of whole numbers rounded down.
  MEAN,
  /// The largest; NaN if one is.
  AMAX,
  /// The smallest; NaN if one is.
  AMIN;

  /// The way that PyTorch calls `name`: `sum`, `prod`, `mean`, `amax` or `amin`.
  ///
  /// @throws ArgumentException if there is none
  public static Combine of(String name) {
    for (Combine way : values()) {
      if (way.toString().equals(name)) {
        return way;
      }
    }
    throw new ArgumentException(
        "Combine: the name must be sum, prod, mean, amax or amin, but is '%s'.".formatted(name));
  }

  /// PyTorch's name.
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
