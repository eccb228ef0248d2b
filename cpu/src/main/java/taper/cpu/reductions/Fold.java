package taper.cpu.reductions;

import taper.tensor.spi.Formula;

/// What is gathered of the elements `x` of a line, given a number `c` for each line, and of the elements `y` of a
/// second operand of the same sizes.
public enum Fold {
  /// `Σ x`.
  SUM(Formula.input(0), false),
  /// `Σ (x - c)²`.
  SQUARES(Formula.input(0).minus(Formula.input(1)).squared(), true),
  /// `Σ y (x - c)`.
  PRODUCTS(Formula.input(2).times(Formula.input(0).minus(Formula.input(1))), true),
  /// `Σ |x|`.
  MAGNITUDES(Formula.abs(Formula.input(0)), false),
  /// `Σ exp(x - c)`.
  EXPONENTIALS(Formula.exp(Formula.input(0).minus(Formula.input(1))), true),
  /// `Π x`.
  FACTORS(Formula.input(0), false),
  /// The largest `x`; NaN if there is one.
  MAXIMUM(Formula.input(0), false),
  /// The smallest `x`; NaN if there is one.
  MINIMUM(Formula.input(0), false),
  /// The largest `|x|`; NaN if there is one.
  LARGEST(Formula.abs(Formula.input(0)), false);

  private final Formula formula;
  private final boolean centered;

  Fold(Formula formula, boolean centered) {
    this.formula = formula;
    this.centered = centered;
  }

  /// The function of an element (input 0), the line's number (1) and the element of the second operand (2)
  /// that is gathered.
  public Formula formula() {
    return formula;
  }

  /// Whether there is a number for each line.
  public boolean isCentered() {
    return centered;
  }

  /// Whether there is a second operand.
  public boolean isPaired() {
    return this == PRODUCTS;
  }

  /// Whether the elements are summed or multiplied, not compared.
  public boolean sums() {
    return this != MAXIMUM && this != MINIMUM && this != LARGEST;
  }

  /// The result for no elements.
  public double identity() {
    return switch (this) {
      case SUM, SQUARES, PRODUCTS, MAGNITUDES, EXPONENTIALS -> 0;
      case FACTORS -> 1;
      case MAXIMUM -> Double.NEGATIVE_INFINITY;
      case LARGEST -> 0;
      case MINIMUM -> Double.POSITIVE_INFINITY;
    };
  }

  /// The result for two parts.
  public double join(double a, double b) {
    return switch (this) {
      case SUM, SQUARES, PRODUCTS, MAGNITUDES, EXPONENTIALS -> a + b;
      case FACTORS -> a * b;
      case MAXIMUM, LARGEST -> Math.max(a, b);
      case MINIMUM -> Math.min(a, b);
    };
  }

  /// Joins `part` with the `n` numbers of `whole` from `start` on.
  public void join(double[] whole, int start, double[] part, int n) {
    switch (this) {
      case SUM, SQUARES, PRODUCTS, MAGNITUDES, EXPONENTIALS -> {
        for (int i = 0; i < n; i++) {
          whole[start + i] += part[i];
        }
      }
      case FACTORS -> {
        for (int i = 0; i < n; i++) {
          whole[start + i] *= part[i];
        }
      }
      case MAXIMUM, LARGEST -> {
        for (int i = 0; i < n; i++) {
          whole[start + i] = Math.max(whole[start + i], part[i]);
        }
      }
      case MINIMUM -> {
        for (int i = 0; i < n; i++) {
          whole[start + i] = Math.min(whole[start + i], part[i]);
        }
      }
    }
  }
}
