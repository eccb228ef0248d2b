package taper.cpu.reductions;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Parallel;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.Reductions.Reduce;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Reductions that look for an element, and those of whole numbers, in plain Java: one line of contiguous
/// operands after the other. Where several groups of dimensions are reduced, the reference is used.
public final class LineKernels {
  private static final long BLOCK = 8192;

  private LineKernels() {}

  /// The kernel of `operator`, or null if it is not of this kind.
  public static @Nullable Kernel kernel(Operator<?> operator, DType compute) {
    if (!(operator.definition() instanceof Definition.Structured<?> structured)) {
      return null;
    }
    boolean whole = !compute.isFloatingPoint();
    LineBody body =
        switch (operator.name()) {
          case "argmax" -> new Choice(true, whole, false);
          case "argmin" -> new Choice(false, whole, false);
          case "maxDim" -> new Choice(true, whole, true);
          case "minDim" -> new Choice(false, whole, true);
          case "max", "amax" -> new Extreme(true, whole);
          case "min", "amin" -> new Extreme(false, whole);
          case "any" -> new Quantifier(true);
          case "all" -> new Quantifier(false);
          case "sum" -> whole ? new WholeSum() : null;
          default -> null;
        };
    return body == null ? null : new LineKernel(body, structured.reference());
  }

  /// One line: `length` elements from `start` on, `step` apart.
  private sealed interface LineBody {
    void reduce(Strided[] out, long line, Strided x, long start, long step, int length);
  }

  private record LineKernel(LineBody body, Kernel reference) implements Kernel {
    @Override
    public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
      Strided x = inputs[0];
      Lines lines = Lines.of(x, (Reduce) attributes);
      int last = lines.groups() - 1;
      int reducedGroup = lines.isReduced(last) ? last : last - 1;
      boolean single = reducedGroup >= 0 && reducedGroup < 2 && lines.length() < Integer.MAX_VALUE;
      if (x.numel() == 0 || !single) {
        reference.run(attributes, outputs, inputs);
        return;
      }
      int length = (int) lines.size(reducedGroup);
      long step = reducedGroup == last ? 1 : lines.size(last);
      Parallel.run(
          lines.count(),
          Math.max(1, BLOCK / length),
          (from, to) -> {
            for (long line = from; line < to; line++) {
              long start = line / step * length * step + line % step;
              body.reduce(outputs, line, x, start, step, length);
            }
          });
    }
  }

  private static double at(Strided x, long element) {
    MemorySegment memory = x.memory();
    long o = x.byteOffset();
    return switch (x.dtype()) {
      case FLOAT32 -> memory.get(JAVA_FLOAT_UNALIGNED, o + 4 * element);
      case FLOAT64 -> memory.get(JAVA_DOUBLE_UNALIGNED, o + 8 * element);
      case BFLOAT16 ->
          Float.intBitsToFloat(memory.get(JAVA_SHORT_UNALIGNED, o + 2 * element) << 16);
      case FLOAT16 -> Float.float16ToFloat(memory.get(JAVA_SHORT_UNALIGNED, o + 2 * element));
      case INT64, INT32, INT16, INT8, UINT8, BOOL -> wholeAt(x, element);
      case COMPLEX64, COMPLEX128 -> throw new AssertionError(x.dtype());
    };
  }

  private static long wholeAt(Strided x, long element) {
    MemorySegment memory = x.memory();
    long o = x.byteOffset();
    return switch (x.dtype()) {
      case INT64 -> memory.get(JAVA_LONG_UNALIGNED, o + 8 * element);
      case INT32 -> memory.get(JAVA_INT_UNALIGNED, o + 4 * element);
      case INT16 -> memory.get(JAVA_SHORT_UNALIGNED, o + 2 * element);
      case INT8, BOOL -> memory.get(JAVA_BYTE, o + element);
      case UINT8 -> memory.get(JAVA_BYTE, o + element) & 255;
      case FLOAT32, FLOAT64, BFLOAT16, FLOAT16 -> (long) at(x, element);
      case COMPLEX64, COMPLEX128 -> throw new AssertionError(x.dtype());
    };
  }

  private static void setWhole(Strided out, long element, long value) {
    MemorySegment memory = out.memory();
    long o = out.byteOffset();
    switch (out.dtype()) {
      case INT64 -> memory.set(JAVA_LONG_UNALIGNED, o + 8 * element, value);
      case INT32 -> memory.set(JAVA_INT_UNALIGNED, o + 4 * element, (int) value);
      case INT16 -> memory.set(JAVA_SHORT_UNALIGNED, o + 2 * element, (short) value);
      case INT8, UINT8, BOOL -> memory.set(JAVA_BYTE, o + element, (byte) value);
      case FLOAT32, FLOAT64, BFLOAT16, FLOAT16, COMPLEX64, COMPLEX128 ->
          throw new AssertionError("whole numbers go to whole numbers");
    }
  }

  /// Copies an element to an output of the same type.
  private static void copy(Strided out, long to, Strided x, long from) {
    int bytes = x.dtype().byteSize();
    MemorySegment.copy(
        x.memory(),
        x.byteOffset() + from * bytes,
        out.memory(),
        out.byteOffset() + to * bytes,
        bytes);
  }

  /// Where the first of the largest or smallest elements is; NaN comes before all.
  private static int best(
      boolean largest, boolean whole, Strided x, long start, long step, int length) {
    int best = 0;
    if (whole) {
      long extreme = wholeAt(x, start);
      for (int i = 1; i < length; i++) {
        long value = wholeAt(x, start + i * step);
        if (largest ? value > extreme : value < extreme) {
          best = i;
          extreme = value;
        }
      }
      return best;
    }
    double extreme = at(x, start);
    for (int i = 1; i < length && !Double.isNaN(extreme); i++) {
      double value = at(x, start + i * step);
      if (Double.isNaN(value) || (largest ? value > extreme : value < extreme)) {
        best = i;
        extreme = value;
      }
    }
    return best;
  }

  private record Choice(boolean largest, boolean whole, boolean values) implements LineBody {
    @Override
    public void reduce(Strided[] out, long line, Strided x, long start, long step, int length) {
      int best = best(largest, whole, x, start, step, length);
      setWhole(out[out.length - 1], line, best);
      if (values) {
        copy(out[0], line, x, start + best * step);
      }
    }
  }

  private record Extreme(boolean largest, boolean whole) implements LineBody {
    @Override
    public void reduce(Strided[] out, long line, Strided x, long start, long step, int length) {
      copy(out[0], line, x, start + best(largest, whole, x, start, step, length) * step);
    }
  }

  private record Quantifier(boolean any) implements LineBody {
    @Override
    public void reduce(Strided[] out, long line, Strided x, long start, long step, int length) {
      boolean found = !any;
      for (int i = 0; i < length && found != any; i++) {
        found = at(x, start + i * step) != 0;
      }
      setWhole(out[0], line, found ? 1 : 0);
    }
  }

  private record WholeSum() implements LineBody {
    @Override
    public void reduce(Strided[] out, long line, Strided x, long start, long step, int length) {
      long sum = 0;
      for (int i = 0; i < length; i++) {
        sum += wholeAt(x, start + i * step);
      }
      setWhole(out[0], line, sum);
    }
  }
}
