package taper.cpu.reductions;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Scratch;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.Parameters;
import taper.tensor.Reductions.Norm;
import taper.tensor.Reductions.Reduce;
import taper.tensor.Reductions.Variance;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// The reductions of floating-point numbers, by the names of their operators. Immutable.
///
/// Everything is gathered in double precision, means before squares (the two-pass algorithm), and rounded
/// once at the end.
public final class ReductionKernels {
  private static final double[] NO_CENTERS = {};

  private static final int BLOCK = 16384;

  private final Folding folding;
  private final Kernel exponential;

  /// Reductions on the given engine.
  ///
  /// @param exponential a kernel of `exp(x - c)` for `float32` operands of any strides
  public ReductionKernels(Folding folding, Kernel exponential) {
    this.folding = folding;
    this.exponential = exponential;
  }

  /// The kernel of `operator`, or null if it is not a reduction of floating-point numbers.
  public @Nullable Kernel kernel(Operator<?> operator, DType compute) {
    if (compute != DType.FLOAT32 && compute != DType.FLOAT64) {
      return null;
    }
    return switch (operator.name()) {
      case "sum" -> simple(Fold.SUM);
      case "prod" -> simple(Fold.FACTORS);
      case "max", "amax" -> simple(Fold.MAXIMUM);
      case "min", "amin" -> simple(Fold.MINIMUM);
      case "mean" -> mean();
      case "var" -> (attributes, out, in) -> write(out[0], variance(attributes, in[0])[0]);
      case "std" ->
          (attributes, out, in) -> {
            double[] variance = variance(attributes, in[0])[0];
            for (int i = 0; i < variance.length; i++) {
              variance[i] = Math.sqrt(variance[i]);
            }
            write(out[0], variance);
          };
      case "varMean" ->
          (attributes, out, in) -> {
            double[][] both = variance(attributes, in[0]);
            write(out[0], both[0]);
            write(out[1], both[1]);
          };
      case "logsumexp" ->
          (attributes, out, in) -> write(out[0], logSumExp((Reduce) attributes, in[0]));
      case "norm" -> norm(operator);
      default -> null;
    };
  }

  /// The kernel of means along dimensions.
  public Kernel mean() {
    return (attributes, out, in) ->
        write(out[0], mean(Lines.of(in[0], (Reduce) attributes), in[0]));
  }

  private Kernel simple(Fold fold) {
    return (attributes, out, in) -> {
      Lines lines = Lines.of(in[0], (Reduce) attributes);
      write(out[0], folding.fold(fold, lines, in[0], NO_CENTERS));
    };
  }

  private double[] mean(Lines lines, Strided x) {
    double[] sums = folding.fold(Fold.SUM, lines, x, NO_CENTERS);
    for (int i = 0; i < sums.length; i++) {
      sums[i] /= lines.length();
    }
    return sums;
  }

  private double[][] variance(Record attributes, Strided x) {
    var a = (Variance) attributes;
    Lines lines = Lines.of(x, a.over());
    double[] mean = mean(lines, x);
    double[] squares = folding.fold(Fold.SQUARES, lines, x, mean);
    double divisor = Math.max(0, lines.length() - a.correction());
    for (int i = 0; i < squares.length; i++) {
      squares[i] /= divisor;
    }
    return new double[][] {squares, mean};
  }

  private double[] logSumExp(Reduce reduce, Strided x) {
    Lines lines = Lines.of(x, reduce);
    double[] shift = folding.fold(Fold.MAXIMUM, lines, x, NO_CENTERS);
    for (int i = 0; i < shift.length; i++) {
      shift[i] = Double.isInfinite(shift[i]) ? 0 : shift[i];
    }
    boolean rows = lines.groups() <= 2 && lines.isReduced(lines.groups() - 1);
    double[] sums =
        rows && x.dtype() == DType.FLOAT32 && x.numel() > 0
            ? exponentials(lines, x, shift)
            : folding.fold(Fold.EXPONENTIALS, lines, x, shift);
    for (int i = 0; i < sums.length; i++) {
      sums[i] = Math.log(sums[i]) + shift[i];
    }
    return sums;
  }

  /// Sums of the exponentials of rows, which are computed in `float32`, block by block.
  private double[] exponentials(Lines lines, Strided x, double[] shift) {
    long length = lines.length();
    long rows = lines.count();
    MemorySegment centers = Arena.ofAuto().allocate(rows * 4, 64);
    for (int i = 0; i < rows; i++) {
      centers.setAtIndex(JAVA_FLOAT_UNALIGNED, i, (float) shift[i]);
    }
    long columns = Math.min(length, BLOCK);
    long pieces = (length + columns - 1) / columns;
    long together = Math.max(1, BLOCK / columns);
    double[] partial = new double[Math.toIntExact(rows * pieces)];
    Parallel.run(
        pieces == 1 ? rows : rows * pieces,
        pieces == 1 ? together : 1,
        (from, to) -> {
          long row = from / pieces;
          long count = pieces == 1 ? to - from : 1;
          long column = from % pieces * columns;
          long width = Math.min(columns, length - column);
          long[] sizes = {count, width};
          MemorySegment memory = Scratch.ofThread().memory(Scratch.Use.WEIGHTED, count * width * 4);
          Strided block =
              Strided.of(memory, 0, DType.FLOAT32, sizes, Strided.contiguousStrides(sizes));
          Strided part = x.view(row * length + column, sizes, new long[] {length, 1});
          Strided center = Strided.of(centers, row * 4, DType.FLOAT32, sizes, new long[] {1, 0});
          exponential.run(Parameters.NONE, new Strided[] {block}, new Strided[] {part, center});
          double[] sums =
              folding.fold(
                  Fold.SUM, Lines.of(block, new boolean[] {false, true}), block, NO_CENTERS);
          System.arraycopy(sums, 0, partial, (int) from, sums.length);
        });
    if (pieces == 1) {
      return partial;
    }
    double[] sums = new double[(int) rows];
    for (int i = 0; i < partial.length; i++) {
      sums[(int) (i / pieces)] += partial[i];
    }
    return sums;
  }

  private @Nullable Kernel norm(Operator<?> operator) {
    if (!(operator.definition() instanceof Definition.Structured<?> structured)) {
      return null;
    }
    return (attributes, out, in) -> {
      var norm = (Norm) attributes;
      Lines lines = Lines.of(in[0], norm.over());
      if (norm.p() == 2) {
        double[] squares =
            folding.fold(Fold.SQUARES, lines, in[0], new double[Math.toIntExact(lines.count())]);
        for (int i = 0; i < squares.length; i++) {
          squares[i] = Math.sqrt(squares[i]);
        }
        write(out[0], squares);
      } else if (norm.p() == 1) {
        write(out[0], folding.fold(Fold.MAGNITUDES, lines, in[0], NO_CENTERS));
      } else if (norm.p() == Double.POSITIVE_INFINITY) {
        write(out[0], folding.fold(Fold.LARGEST, lines, in[0], NO_CENTERS));
      } else {
        structured.reference().run(attributes, out, in);
      }
    };
  }

  private static void write(Strided out, double[] values) {
    MemorySegment memory = out.memory();
    long at = out.byteOffset();
    if (out.dtype() == DType.FLOAT32) {
      for (double value : values) {
        memory.set(JAVA_FLOAT_UNALIGNED, at, (float) value);
        at += 4;
      }
    } else {
      for (double value : values) {
        memory.set(JAVA_DOUBLE_UNALIGNED, at, value);
        at += 8;
      }
    }
  }
}
