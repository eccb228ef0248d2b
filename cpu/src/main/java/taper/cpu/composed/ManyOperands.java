package taper.cpu.composed;

import java.util.Arrays;
import taper.cpu.loops.DenseKernel;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Range;
import taper.tensor.Parameters;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// One kernel over the operands of many calls, such as all parameters of a network, in one parallel loop.
///
/// The calls are thought to lie one behind the other on a line, each from a multiple of 64 elements on, and the line is cut
/// into pieces of one size. So small calls share a piece, large ones are spread over the threads, and the cut depends on the
/// sizes alone. What is not contiguous has a loop of its own, and calls whose first outputs share memory follow each other.
/// Belongs to one call of [#run].
final class ManyOperands implements Range {
  private static final long APART = 64;

  /// Large enough for the processor to fetch ahead most of the time: with a quarter of it a step of Adam took a tenth longer.
  private static final long PIECE = 1 << 14;

  private final DenseKernel kernel;
  private final Parameters parameters;
  private final Strided[][] operands;
  private final long[] starts; // on the line; one more for its end

  private ManyOperands(
      DenseKernel kernel, Parameters parameters, Strided[][] operands, long[] starts) {
    this.kernel = kernel;
    this.parameters = parameters;
    this.operands = operands;
    this.starts = starts;
  }

  /// Runs `kernel` on each of `calls`.
  ///
  /// @param calls for each call its outputs, then its inputs
  /// @param outputs how many of them are outputs
  static void run(Kernel kernel, Parameters parameters, Strided[][] calls, int outputs) {
    if (!(kernel instanceof DenseKernel dense) || calls.length == 1 || overlap(calls)) {
      for (Strided[] call : calls) {
        runAlone(kernel, parameters, call, outputs);
      }
      return;
    }
    var together = new Strided[calls.length][];
    var starts = new long[calls.length + 1];
    int count = 0;
    for (Strided[] call : calls) {
      if (isDense(call)) {
        together[count++] = call;
        starts[count] = (starts[count - 1] + call[0].numel() + APART - 1) / APART * APART;
      } else {
        runAlone(kernel, parameters, call, outputs);
      }
    }
    var all = new ManyOperands(dense, parameters, together, Arrays.copyOf(starts, count + 1));
    if (Parallel.threads() == 1) {
      all.run(0, starts[count]);
    } else {
      Parallel.run(starts[count], PIECE, all);
    }
  }

  private static void runAlone(Kernel kernel, Parameters parameters, Strided[] call, int outputs) {
    kernel.run(
        parameters, Arrays.copyOf(call, outputs), Arrays.copyOfRange(call, outputs, call.length));
  }

  /// Whether the first outputs of two calls share memory. Spans lie apart if, sorted, each ends before the next begins.
  private static boolean overlap(Strided[][] calls) {
    long[] from = new long[calls.length];
    long[] to = new long[calls.length];
    for (int i = 0; i < calls.length; i++) {
      Strided x = calls[i][0];
      long last = 0;
      for (int d = 0; d < x.rank(); d++) {
        last += (x.size(d) - 1) * x.stride(d);
      }
      from[i] = x.address();
      to[i] = x.numel() == 0 ? from[i] : from[i] + (last + 1) * x.dtype().byteSize();
    }
    Arrays.sort(from);
    Arrays.sort(to);
    for (int i = 1; i < calls.length; i++) {
      if (from[i] < to[i - 1]) {
        return true;
      }
    }
    return false;
  }

  private static boolean isDense(Strided[] call) {
    for (Strided operand : call) {
      if (!operand.isContiguous()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void run(long from, long to) {
    int found = Arrays.binarySearch(starts, from);
    for (int i = found < 0 ? -found - 2 : found; i + 1 < starts.length && starts[i] < to; i++) {
      long first = Math.max(0, from - starts[i]);
      long end = Math.min(to - starts[i], operands[i][0].numel());
      if (first < end) {
        kernel.range(operands[i], parameters, first, end);
      }
    }
  }
}
