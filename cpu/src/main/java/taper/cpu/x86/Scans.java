package taper.cpu.x86;

import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.ParallelLines;
import taper.cpu.parallel.Scratch;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.Reductions.Cumulative;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.LinesKernel;
import taper.tensor.spi.Strided;

/// Running sums and products by the loops of [ScanCode]; what those do not cover goes to the reference kernel, on several
/// cores.
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
      default -> null;
    };
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
      long together = Math.clamp(2 * GRAIN / depth, LEAST_COLUMNS, MOST_COLUMNS);
      long columns = (width + together - 1) / together;
      long plane = depth * width;
      // Backwards, the last row is the first.
      long start = a.reverse() ? (depth - 1) * width : 0;
      long step = a.reverse() ? -width * bytes : width * bytes;
      Parallel.run(
          x.numel() / plane * columns,
          Math.max(1, GRAIN / (depth * Math.min(width, together))),
          (first, last) -> {
            long state = Scratch.bytes(Scratch.Use.ROWS, 8 * MOST_COLUMNS).address();
            for (long n = first; n < last; n++) {
              long column = n % columns * together;
              long at = (n / columns * plane + start + column) * bytes;
              long span = Math.min(together, width - column);
              down.run(to + at, from + at, step, depth, span, state);
            }
          });
    }
  }
}
