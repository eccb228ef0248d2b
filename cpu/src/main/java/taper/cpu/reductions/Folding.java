package taper.cpu.reductions;

import taper.tensor.spi.Strided;

/// The engine under the reductions: x86 code or plain Java.
public interface Folding {

  /// Gathers every line of the contiguous `x`, in double precision.
  ///
  /// @param centers one number per line, empty if the fold takes none
  /// @return one number per line
  double[] fold(Fold fold, Lines lines, Strided x, double[] centers);
}
