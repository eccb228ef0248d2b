package taper.cpu.x86;

import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.LazyCode;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.reductions.Fold;
import taper.cpu.reductions.Lines;
import taper.tensor.DType;
import taper.tensor.Operator;
import taper.tensor.Reductions.Reduce;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Sums, means and extremes of `float32` numbers by the loops of [FloatFoldCode].
///
/// How the work is cut depends on the sizes alone. Where rows are reduced they are shared out, long ones in pieces; where
/// columns are, blocks of columns are, and of rows where there are many: what comes of these is joined afterwards.
public final class FloatFolds {
  private static final long GRAIN = 1 << 15;
  private static final long PIECE = 1 << 14;
  private static final long ROWS = 256;
  private static final long LEAST_COLUMNS = 256;
  private static final long MOST_COLUMNS = 1024;

  private FloatFolds() {}

  /// The kernel of `operator`, which leaves what it does not cover to `otherwise`; null if there is none here.
  public static @Nullable Kernel kernel(
      Isa isa, Operator<?> operator, DType compute, @Nullable Kernel otherwise) {
    if (isa != Isa.AVX512 || compute != DType.FLOAT32 || otherwise == null) {
      return null;
    }
    return switch (operator.name()) {
      case "sum" -> new Folds(Fold.SUM, false, otherwise);
      case "mean" -> new Folds(Fold.SUM, true, otherwise);
      case "max", "amax" -> new Folds(Fold.MAXIMUM, false, otherwise);
      case "min", "amin" -> new Folds(Fold.MINIMUM, false, otherwise);
      default -> null;
    };
  }

  /// The kernel of means of `float32` numbers, which leaves what it does not cover to `otherwise`.
  public static Kernel mean(Isa isa, Kernel otherwise) {
    return isa == Isa.AVX512 ? new Folds(Fold.SUM, true, otherwise) : otherwise;
  }

  private static final LazyCode TOTALS = new LazyCode(FloatFoldCode::totals);
  private static final LazyCode DIVISION = new LazyCode(FloatFoldCode::division);

  private static final class Folds implements Kernel {
    private final Fold fold;
    private final boolean divides;
    private final Kernel otherwise;
    private final Code down;
    private final Code along;
    private final Code pieces;
    private final boolean wide;

    Folds(Fold fold, boolean divides, Kernel otherwise) {
      this.fold = fold;
      this.divides = divides;
      this.otherwise = otherwise;
      this.wide = fold == Fold.SUM;
      this.down = FloatFoldCode.down(fold);
      this.along = FloatFoldCode.along(fold, false);
      this.pieces = wide ? FloatFoldCode.along(fold, true) : along;
    }

    @Override
    public void run(Record attributes, Strided[] out, Strided[] in) {
      Strided x = in[0];
      Strided y = out[0];
      Lines lines = Lines.of(x, (Reduce) attributes);
      int last = lines.groups() - 1;
      boolean rows = lines.isReduced(last);
      if (x.numel() == 0
          || x.dtype() != DType.FLOAT32
          || y.dtype() != DType.FLOAT32
          || (rows ? last > 1 : last < 1 || last > 2)) {
        otherwise.run(attributes, out, in);
        return;
      }
      if (!rows) {
        columns(lines, y.address(), x.address(), x.numel());
      } else if (lines.length() <= 2 * PIECE) {
        rows(lines.count(), lines.length(), y.address(), x.address());
      } else {
        longRows(lines.count(), lines.length(), y.address(), x.address());
      }
      Reference.reachabilityFence(x); // the code sees addresses only
      Reference.reachabilityFence(y);
    }

    private void divide(long to, long count, long length) {
      if (divides) {
        DIVISION.get().run(to, count, Float.floatToRawIntBits((float) length));
      }
    }

    private void rows(long rows, long length, long to, long from) {
      Parallel.run(
          rows,
          Math.max(1, GRAIN / length),
          (first, end) -> {
            long at = to + 4 * first;
            along.run(at, from + 4 * first * length, 4 * length, end - first, length);
            divide(at, end - first, length);
          });
    }

    private void longRows(long rows, long length, long to, long from) {
      long count = (length + PIECE - 1) / PIECE;
      int bytes = wide ? 8 : 4;
      long partial = Scratch.ofThread().address(Scratch.Use.PARTIAL, rows * count * bytes);
      Parallel.run(
          rows * count,
          GRAIN / PIECE,
          (first, end) -> {
            for (long p = first; p < end; p++) {
              long column = p % count * PIECE;
              long at = from + 4 * (p / count * length + column);
              pieces.run(partial + p * bytes, at, 0, 1, Math.min(PIECE, length - column));
            }
          });
      if (!wide) {
        along.run(to, partial, 4 * count, rows, count);
        return;
      }
      for (long r = 0; r < rows; r++) {
        double sum = 0;
        for (long p = r * count; p < (r + 1) * count; p++) {
          sum += Raw.doubleAt(partial + 8 * p);
        }
        Raw.put(to + 4 * r, (float) (divides ? sum / length : sum));
      }
    }

    private void columns(Lines lines, long to, long from, long numel) {
      long width = lines.size(lines.groups() - 1);
      long depth = lines.size(lines.groups() - 2);
      long planes = numel / (depth * width);
      long atOnce = Math.min(depth, ROWS);
      long blocks = (depth + atOnce - 1) / atOnce;
      long partial =
          blocks == 1
              ? to
              : Scratch.ofThread().address(Scratch.Use.PARTIAL, planes * blocks * width * 4);
      ColumnCut.of(planes * blocks, atOnce, width, GRAIN, LEAST_COLUMNS, MOST_COLUMNS)
          .run(
              GRAIN,
              (block, column, span) -> {
                long row = block / blocks * depth + block % blocks * atOnce;
                long count = Math.min(atOnce, depth - block % blocks * atOnce);
                long at = partial + 4 * (block * width + column);
                down.run(at, from + 4 * (row * width + column), 4 * width, count, span);
                if (blocks == 1) {
                  divide(at, span, depth);
                }
              });
      if (blocks > 1) {
        join(planes, blocks, width, to, partial, depth);
      }
    }

    private void join(long planes, long blocks, long width, long to, long partial, long depth) {
      Code code = fold == Fold.SUM ? TOTALS.get() : down;
      new ColumnCut(planes, blocks, width, LEAST_COLUMNS)
          .run(
              GRAIN,
              (plane, column, span) -> {
                long at = to + 4 * (plane * width + column);
                long part = partial + 4 * (plane * blocks * width + column);
                code.run(at, part, 4 * width, blocks, span);
                divide(at, span, depth);
              });
    }
  }
}
