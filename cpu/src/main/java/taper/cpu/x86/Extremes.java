package taper.cpu.x86;

import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.LazyCode;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Scratch;
import taper.cpu.reductions.Lines;
import taper.tensor.DType;
import taper.tensor.Operator;
import taper.tensor.Reductions.Reduce;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// The largest and smallest of `float32` numbers along a dimension, and where they lie, by the loops of [ExtremeCode].
public final class Extremes {
  private static final long GRAIN = 1 << 15;
  private static final long LEAST_COLUMNS = 256;
  private static final long MOST_COLUMNS = 1024;

  private Extremes() {}

  /// The kernel of `operator`, which leaves what it does not cover to `otherwise`; null if there is none here.
  public static @Nullable Kernel kernel(
      Isa isa, Operator<?> operator, DType compute, @Nullable Kernel otherwise) {
    if (isa != Isa.AVX512 || compute != DType.FLOAT32 || otherwise == null) {
      return null;
    }
    return switch (operator.name()) {
      case "maxDim" -> new Choice(true, true, otherwise);
      case "minDim" -> new Choice(false, true, otherwise);
      case "argmax" -> new Choice(true, false, otherwise);
      case "argmin" -> new Choice(false, false, otherwise);
      default -> null;
    };
  }

  private static final LazyCode WIDENING = new LazyCode(ExtremeCode::widening);

  private static final class Choice implements Kernel {
    private final boolean values;
    private final Kernel otherwise;
    private final Code down;
    private final Code along;

    Choice(boolean largest, boolean values, Kernel otherwise) {
      this.values = values;
      this.otherwise = otherwise;
      this.down = ExtremeCode.down(largest);
      this.along = ExtremeCode.along(largest, values);
    }

    @Override
    public void run(Record attributes, Strided[] out, Strided[] in) {
      Strided x = in[0];
      Strided places = out[out.length - 1];
      Lines lines = Lines.of(x, (Reduce) attributes);
      int last = lines.groups() - 1;
      boolean rows = lines.isReduced(last);
      if (x.numel() == 0
          || x.dtype() != DType.FLOAT32
          || lines.length() >= Integer.MAX_VALUE
          || (rows ? last > 1 : last < 1 || last > 2)) {
        otherwise.run(attributes, out, in);
        return;
      }
      long numbers = values ? out[0].address() : 0;
      if (rows) {
        rows(lines.count(), lines.length(), numbers, places.address(), x.address());
      } else {
        columns(lines, numbers, places.address(), x.address(), x.numel());
      }
      Reference.reachabilityFence(x); // the code sees addresses only
      Reference.reachabilityFence(out);
    }

    private void rows(long rows, long length, long numbers, long places, long from) {
      Parallel.run(
          rows,
          Math.max(1, GRAIN / length),
          (first, end) -> {
            long at = from + 4 * first * length;
            long to = places + 8 * first;
            along.run(numbers + 4 * first, at, 4 * length, end - first, length, to);
          });
    }

    private void columns(Lines lines, long numbers, long places, long from, long numel) {
      long width = lines.size(lines.groups() - 1);
      long depth = lines.size(lines.groups() - 2);
      long planes = numel / (depth * width);
      ColumnCut.of(planes, depth, width, GRAIN, LEAST_COLUMNS, MOST_COLUMNS)
          .run(
              GRAIN,
              (plane, column, span) -> {
                Scratch scratch = Scratch.ofThread();
                long found = scratch.address(Scratch.Use.ROWS, 4 * MOST_COLUMNS);
                long best = scratch.address(Scratch.Use.WEIGHTED, 4 * MOST_COLUMNS);
                long line = plane * width + column;
                long to = values ? numbers + 4 * line : best;
                long at = from + 4 * (plane * depth * width + column);
                down.run(to, at, 4 * width, depth, span, found);
                WIDENING.get().run(places + 8 * line, found, span);
              });
    }
  }
}
