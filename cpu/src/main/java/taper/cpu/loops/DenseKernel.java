package taper.cpu.loops;

import taper.tensor.Parameters;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// A kernel of element-wise work that can be asked for a part of it. Threads may share it.
public interface DenseKernel extends Kernel {

  /// Computes elements `from` (included) to `to` (excluded) on the thread that calls.
  ///
  /// @param operands the outputs, then the inputs: contiguous, and of one size
  void range(Strided[] operands, Parameters parameters, long from, long to);
}
