package taper.cpu.reductions;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import taper.cpu.parallel.Parallel;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Reductions in plain Java, cut and joined in an order that depends on the sizes alone.
///
/// A run of elements is summed in four interleaved sums, which the compiler keeps in registers and whose
/// additions overlap; columns are summed side by side.
public final class JavaFolding implements Folding {
  private static final long BLOCK = 16384;

  /// Foldings without state.
  public JavaFolding() {}

  @Override
  public double[] fold(Fold fold, Lines lines, Strided x, Strided y, double[] centers) {
    double[] result = new double[Math.toIntExact(lines.count())];
    Arrays.fill(result, fold.identity());
    if (x.numel() == 0) {
      return result;
    }
    int last = lines.groups() - 1;
    if (lines.isReduced(last)) {
      alongRows(fold, lines, x, y, centers, result);
    } else {
      downColumns(fold, lines, x, y, centers, result);
    }
    return result;
  }

  private static void alongRows(
      Fold fold, Lines lines, Strided x, Strided y, double[] centers, double[] result) {
    int last = lines.groups() - 1;
    long length = lines.size(last);
    long piece = length <= 2 * BLOCK ? length : BLOCK;
    long pieces = (length + piece - 1) / piece;
    long rows = x.numel() / length;
    double[] partial = new double[Math.toIntExact(rows * pieces)];
    Parallel.run(
        partial.length,
        Math.max(1, BLOCK / piece),
        (from, to) -> {
          for (long p = from; p < to; p++) {
            long row = p / pieces;
            long start = row * length + p % pieces * piece;
            long end = Math.min(start + piece, (row + 1) * length);
            double center = fold.isCentered() ? centers[(int) lines.line(row, last)] : 0;
            partial[(int) p] =
                fold == Fold.PRODUCTS
                    ? products(x, y, start, end, center)
                    : x.dtype() == DType.FLOAT32
                        ? ofFloats(fold, x, start, end, center)
                        : ofDoubles(fold, x, start, end, center);
          }
        });
    for (int p = 0; p < partial.length; p++) {
      int line = (int) lines.line(p / pieces, last);
      result[line] = fold.join(result[line], partial[p]);
    }
  }

  private static double mapped(Fold fold, double x, double center) {
    return switch (fold) {
      case SUM, FACTORS, MAXIMUM, MINIMUM -> x;
      case SQUARES -> (x - center) * (x - center);
      case MAGNITUDES, LARGEST -> Math.abs(x);
      case EXPONENTIALS -> Math.exp(x - center);
      case PRODUCTS -> throw new AssertionError("products take two elements");
    };
  }

  private static double ofFloats(Fold fold, Strided x, long start, long end, double center) {
    MemorySegment memory = x.memory();
    long at = x.byteOffset() + start * 4;
    int n = (int) (end - start);
    if (fold == Fold.SUM) {
      double a = 0;
      double b = 0;
      double c = 0;
      double d = 0;
      int i = 0;
      for (; i + 3 < n; i += 4) {
        a += memory.get(JAVA_FLOAT_UNALIGNED, at + 4L * i);
        b += memory.get(JAVA_FLOAT_UNALIGNED, at + 4L * i + 4);
        c += memory.get(JAVA_FLOAT_UNALIGNED, at + 4L * i + 8);
        d += memory.get(JAVA_FLOAT_UNALIGNED, at + 4L * i + 12);
      }
      for (; i < n; i++) {
        a += memory.get(JAVA_FLOAT_UNALIGNED, at + 4L * i);
      }
      return a + b + (c + d);
    }
    double sum = fold.identity();
    for (int i = 0; i < n; i++) {
      sum = fold.join(sum, mapped(fold, memory.get(JAVA_FLOAT_UNALIGNED, at + 4L * i), center));
    }
    return sum;
  }

  private static double ofDoubles(Fold fold, Strided x, long start, long end, double center) {
    MemorySegment memory = x.memory();
    long at = x.byteOffset() + start * 8;
    int n = (int) (end - start);
    double sum = fold.identity();
    for (int i = 0; i < n; i++) {
      sum = fold.join(sum, mapped(fold, memory.get(JAVA_DOUBLE_UNALIGNED, at + 8L * i), center));
    }
    return sum;
  }

  private static double at(Strided x, long element) {
    return x.dtype() == DType.FLOAT32
        ? x.memory().get(JAVA_FLOAT_UNALIGNED, x.byteOffset() + 4 * element)
        : x.memory().get(JAVA_DOUBLE_UNALIGNED, x.byteOffset() + 8 * element);
  }

  private static double products(Strided x, Strided y, long start, long end, double center) {
    double sum = 0;
    for (long i = start; i < end; i++) {
      sum += at(y, i) * (at(x, i) - center);
    }
    return sum;
  }

  private static void downColumns(
      Fold fold, Lines lines, Strided x, Strided y, double[] centers, double[] result) {
    int last = lines.groups() - 1;
    long width = lines.size(last);
    long depth = last == 0 ? 1 : lines.size(last - 1);
    int outer = Math.max(0, last - 1);
    long planes = x.numel() / (depth * width);
    // Planes of one line follow each other; only lines of different planes may be done at once.
    long columnsPerBlock = Math.min(width, 1024);
    long columnBlocks = (width + columnsPerBlock - 1) / columnsPerBlock;
    Parallel.run(
        columnBlocks,
        Math.max(1, BLOCK / (planes * depth * columnsPerBlock)),
        (from, to) -> {
          for (long b = from; b < to; b++) {
            int first = (int) (b * columnsPerBlock);
            int end = (int) Math.min(width, first + columnsPerBlock);
            for (long plane = 0; plane < planes; plane++) {
              int line = (int) lines.line(plane, outer);
              for (long row = 0; row < depth; row++) {
                addRow(
                    fold, x, y, (plane * depth + row) * width, first, end, centers, result, line);
              }
            }
          }
        });
  }

  private static void addRow(
      Fold fold,
      Strided x,
      Strided y,
      long start,
      int first,
      int end,
      double[] centers,
      double[] result,
      int line) {
    MemorySegment memory = x.memory();
    boolean single = x.dtype() == DType.FLOAT32;
    long at = x.byteOffset() + start * x.dtype().byteSize();
    if (fold == Fold.SUM && single) {
      for (int c = first; c < end; c++) {
        result[line + c] += memory.get(JAVA_FLOAT_UNALIGNED, at + 4L * c);
      }
      return;
    }
    if (fold == Fold.PRODUCTS) {
      for (int c = first; c < end; c++) {
        result[line + c] += at(y, start + c) * (at(x, start + c) - centers[line + c]);
      }
      return;
    }
    for (int c = first; c < end; c++) {
      double value =
          single
              ? memory.get(JAVA_FLOAT_UNALIGNED, at + 4L * c)
              : memory.get(JAVA_DOUBLE_UNALIGNED, at + 8L * c);
      double center = fold.isCentered() ? centers[line + c] : 0;
      result[line + c] = fold.join(result[line + c], mapped(fold, value, center));
    }
  }
}
