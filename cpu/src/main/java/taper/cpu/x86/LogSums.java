package taper.cpu.x86;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.reductions.ParallelLines;
import taper.tensor.DType;
import taper.tensor.Parameters;
import taper.tensor.Reductions.Cumulative;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.LinesKernel;
import taper.tensor.spi.Strided;

/// Logarithms of running sums of exponentials, `log Σ exp x`, along dense lines, in double precision, block by block: exponentials
/// of distances from the largest element so far, their running sums, logarithms.
///
/// That is exact only while what a block begins with is not lost beside its largest element, and for finite numbers: other
/// lines go to the reference kernel, which adds one element after the other.
final class LogSums implements Kernel {
  private static final int BLOCK = 1024;
  private static final long GRAIN = 1 << 12;

  /// Exponentials of larger distances come near the smallest normal number.
  private static final double MOST_DISTANCE = 600;

  private final DType dtype;
  private final LinesKernel reference;
  private final Code sums;
  private final Kernel exponential;
  private final Kernel logarithm;

  private LogSums(DType dtype, LinesKernel reference, Kernel exponential, Kernel logarithm) {
    this.dtype = dtype;
    this.reference = reference;
    this.sums = ScanCode.along(true, true);
    this.exponential = exponential;
    this.logarithm = logarithm;
  }

  /// The kernel for numbers of type `dtype`, or null if there is none.
  static @Nullable Kernel of(Isa isa, DType dtype, LinesKernel reference) {
    Formula shift = Formula.parameter(0);
    Formula x = Formula.input(0);
    Kernel exponential =
        PointwiseKernel.of(isa, Formula.exp(x.minus(shift)), true, List.of(dtype), DType.FLOAT64);
    Kernel logarithm =
        PointwiseKernel.of(isa, Formula.log(x).plus(shift), true, List.of(DType.FLOAT64), dtype);
    return exponential == null || logarithm == null
        ? null
        : new LogSums(dtype, reference, exponential, logarithm);
  }

  @Override
  public void run(Record attributes, Strided[] out, Strided[] in) {
    var a = (Cumulative) attributes;
    Strided x = in[0];
    if (x.rank() == 0
        || x.numel() == 0
        || x.dtype() != dtype
        || out[0].dtype() != dtype
        || a.dim() != x.rank() - 1
        || a.reverse()) {
      ParallelLines.run(reference, attributes, out, in);
      return;
    }
    long n = x.size(a.dim());
    Parallel.run(
        x.numel() / n,
        Math.max(1, GRAIN / n),
        (first, last) -> {
          for (long line = first; line < last; line++) {
            if (!line(out[0], x, line * n, n)) {
              reference.run(attributes, out, in, line, line + 1);
            }
          }
        });
  }

  /// One line; whether that was possible.
  private boolean line(Strided out, Strided x, long start, long n) {
    MemorySegment memory = Scratch.ofThread().memory(Scratch.Use.WEIGHTED, 8 * BLOCK);
    boolean wide = dtype == DType.FLOAT64;
    double largest = Double.NEGATIVE_INFINITY;
    double before = 0; // the sum of what came before, in units of exp(largest)
    for (long done = 0; done < n; done += BLOCK) {
      int count = (int) Math.min(BLOCK, n - done);
      long[] sizes = {count};
      long[] dense = {1};
      Strided from = x.view(start + done, sizes, dense);
      Strided to = out.view(start + done, sizes, dense);
      double top = Math.max(largest, largest(from, count));
      double least = Math.max(largest, Raw.element(from.address(), wide));
      if (!(top - least <= MOST_DISTANCE)) { // or one is NaN, or both are infinite
        return false;
      }
      Strided block = Strided.of(memory, 0, DType.FLOAT64, sizes, dense);
      var shift = Parameters.of(top);
      exponential.run(shift, new Strided[] {block}, new Strided[] {from});
      long at = block.address();
      Raw.put(at, Raw.doubleAt(at) + before * Math.exp(largest - top));
      sums.run(at, at, count, 1);
      before = Raw.doubleAt(at + 8L * (count - 1));
      largest = top;
      logarithm.run(shift, new Strided[] {to}, new Strided[] {block});
    }
    return true;
  }

  private double largest(Strided x, int count) {
    return dtype == DType.FLOAT64
        ? Raw.largestDouble(x.address(), count)
        : Raw.largestFloat(x.address(), count);
  }
}
