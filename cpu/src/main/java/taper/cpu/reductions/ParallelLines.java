package taper.cpu.reductions;

import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Parallel;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.LinesKernel;
import taper.tensor.spi.Strided;

/// Kernels over independent lines on several cores: sorting, running sums and the like.
///
/// Lines may lie side by side in memory: so many neighbours that they fill whole cache lines stay together.
public final class ParallelLines {
  private static final long GRAIN = 1 << 14;
  private static final long NEIGHBOURS = 16;

  private ParallelLines() {}

  /// The reference kernel of `operator` on several cores, or null if it does not work line by line.
  public static @Nullable Kernel kernel(Operator<?> operator) {
    return operator.definition() instanceof Definition.Structured<?> structured
            && structured.reference() instanceof LinesKernel lines
        ? (attributes, out, in) -> run(lines, attributes, out, in)
        : null;
  }

  /// Runs `kernel` on several cores.
  public static void run(LinesKernel kernel, Record attributes, Strided[] out, Strided[] in) {
    long lines = kernel.lines(attributes, out, in);
    if (lines == 0) {
      return;
    }
    long together = GRAIN * lines / in[0].numel();
    long grain = lines <= NEIGHBOURS ? Math.max(1, together) : roundUp(together);
    Parallel.run(lines, grain, (first, last) -> kernel.run(attributes, out, in, first, last));
  }

  private static long roundUp(long lines) {
    return Math.max(NEIGHBOURS, (lines + NEIGHBOURS - 1) / NEIGHBOURS * NEIGHBOURS);
  }
}
