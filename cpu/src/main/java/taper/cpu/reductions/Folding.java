package taper.cpu.reductions;

import taper.tensor.spi.Strided;

/// The engine under the reductions: x86 code or plain Java.
public interface Folding {

  /// Gathers every line of the contiguous `x`, in double precision.
  ///
  /// @param y the second operand, contiguous, of the sizes and type of `x`; ignored if the fold takes none
  /// @param centers one number per line, empty if the fold takes none
  /// @return one number per line
  double[] fold(Fold fold, Lines lines, Strided x, Strided y, double[] centers);

  /// Gathers every line of the contiguous `x`, for folds of one operand.
  default double[] fold(Fold fold, Lines lines, Strided x, double[] centers) {
    return fold(fold, lines, x, x, centers);
  }
}
