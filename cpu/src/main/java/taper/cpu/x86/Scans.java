package taper.cpu.x86;

import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.reductions.ParallelLines;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.Reductions.Cumulative;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.LinesKernel;
import taper.tensor.spi.Strided;

/// Running sums and products by the loops of [ScanCode], and extremes by those of [RunningExtremeCode]; what those do not
/// cover goes to the reference kernel, on several cores.
public final class Scans {
  private static final long GRAIN = 1 << 14;
  private static final long LEAST_COLUMNS = 128;
  private static final long MOST_COLUMNS = 512;

  private Scans() {}

  /// The kernel of `operator`, or null if there is none here.
  public static @Nullable Kernel kernel(Isa isa, Operator<?> operator, DType compute) {
    if (isa != Isa.AVX512
        || compute != DType.FLOAT32 && compute != DType.FLOAT64
        || !(operator.definition() instanceof Definition.Structured<?> structured)
        || !(structured.reference() instanceof LinesKernel reference)) {
      return null;
    }
    return switch (operator.name()) {
      case "cumsum" -> new Scan(compute, true, reference);
      case "cumprod" -> new Scan(compute, false, reference);
      case "cummax" -> compute == DType.FLOAT32 ? new RunningExtreme(true, reference) : null;
      case "cummin" -> compute == DType.FLOAT32 ? new RunningExtreme(false, reference) : null;
      case "logcumsumexp" -> LogSums.of(isa, compute, reference);
      default -> null;
    };
  }

  private static ColumnCut blocks(Strided x, long depth, long width) {
    return ColumnCut.of(
        x.numel() / (depth * width), depth, width, 2 * GRAIN, LEAST_COLUMNS, MOST_COLUMNS);
  }

  private static final class Scan implements Kernel {
    private final DType dtype;
    private final boolean sums;
    private final LinesKernel reference;
    private final Code along;
    private final Code down;

    Scan(DType dtype, boolean sums, LinesKernel reference) {
      boolean wide = dtype == DType.FLOAT64;
      this.dtype = dtype;
      this.sums = sums;
      this.reference = reference;
      this.along = ScanCode.along(wide, sums);
      this.down = ScanCode.down(wide, sums);
    }

    @Override
    public void run(Record attributes, Strided[] out, Strided[] in) {
      var a = (Cumulative) attributes;
      Strided x = in[0];
      Strided y = out[0];
      boolean rows = x.rank() > 0 && a.dim() == x.rank() - 1;
      // A product of eight numbers in another order may be infinite in float64, but is not of
      // float32 ones.
      boolean safe = sums || dtype == DType.FLOAT32;
      if (x.rank() == 0
          || x.numel() == 0
          || x.dtype() != dtype
          || y.dtype() != dtype
          || rows && (a.reverse() || !safe)) {
        ParallelLines.run(reference, attributes, out, in);
        return;
      }
      if (rows) {
        rows(x.numel(), x.size(a.dim()), y.address(), x.address());
      } else {
        columns(x, a, y.address(), x.address());
      }
      Reference.reachabilityFence(x); // the code sees addresses only
      Reference.reachabilityFence(y);
    }

    private void rows(long numel, long n, long to, long from) {
      long bytes = n * dtype.byteSize();
      Parallel.run(
          numel / n,
          Math.max(1, GRAIN / n),
          (first, last) -> along.run(to + first * bytes, from + first * bytes, n, last - first));
    }

    private void columns(Strided x, Cumulative a, long to, long from) {
      int bytes = dtype.byteSize();
      long depth = x.size(a.dim());
      long width = x.stride(a.dim());
      long plane = depth * width;
      // Backwards, the last row is the first.
      long start = a.reverse() ? (depth - 1) * width : 0;
      long step = a.reverse() ? -width * bytes : width * bytes;
      blocks(x, depth, width)
          .run(
              GRAIN,
              (number, column, span) -> {
                long state = Scratch.ofThread().address(Scratch.Use.ROWS, 8 * MOST_COLUMNS);
                long at = (number * plane + start + column) * bytes;
                down.run(to + at, from + at, step, depth, span, state);
              });
    }
  }

  private static final class RunningExtreme implements Kernel {
    private final LinesKernel reference;
    private final Code along;
    private final Code down;

    RunningExtreme(boolean largest, LinesKernel reference) {
      this.reference = reference;
      this.along = RunningExtremeCode.along(largest);
      this.down = RunningExtremeCode.down(largest);
    }

    @Override
    public void run(Record attributes, Strided[] out, Strided[] in) {
      int dim = ((Cumulative) attributes).dim();
      Strided x = in[0];
      if (x.rank() == 0
          || x.numel() == 0
          || x.dtype() != DType.FLOAT32
          || x.size(dim) >= Integer.MAX_VALUE) {
        ParallelLines.run(reference, attributes, out, in);
        return;
      }
      if (dim == x.rank() - 1) {
        rows(attributes, x.size(dim), out, in);
      } else {
        columns(x, dim, out[0].address(), out[1].address());
      }
      Reference.reachabilityFence(x); // the code sees addresses only
      Reference.reachabilityFence(out);
    }

    private void rows(Record attributes, long n, Strided[] out, Strided[] in) {
      long to = out[0].address();
      long places = out[1].address();
      long from = in[0].address();
      Parallel.run(
          in[0].numel() / n,
          Math.max(1, GRAIN / n),
          (first, last) -> {
            long nan = Raw.arguments();
            for (long line = first; line < last; line++) {
              long at = line * n;
              along.run(to + 4 * at, from + 4 * at, n, nan, places + 8 * at);
              if (Raw.longAt(nan) != 0) {
                reference.run(attributes, out, in, line, line + 1);
              }
            }
          });
    }

    private void columns(Strided x, int dim, long to, long places) {
      long from = x.address();
      long depth = x.size(dim);
      long width = x.stride(dim);
      blocks(x, depth, width)
          .run(
              GRAIN,
              (number, column, span) -> {
                long state =
                    Scratch.ofThread()
                        .address(Scratch.Use.ROWS, RunningExtremeCode.STATE_BYTES * MOST_COLUMNS);
                long at = number * depth * width + column;
                Raw.put(state, places - 2 * to);
                down.run(to + 4 * at, from + 4 * at, 4 * width, depth, span, state);
              });
    }
  }
}
