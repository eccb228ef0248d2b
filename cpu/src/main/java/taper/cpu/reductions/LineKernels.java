package taper.cpu.reductions;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
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
///
/// The elements of a line are read in runs into arrays, of `double` or `long`: loops over arrays become vector
/// code. To find the place of an extreme the extreme of each run is found first, and its place only if it is
/// better than what there was. Where lines lie side by side (the reduced dimension is not the last), whole rows
/// of them are gone through at once.
public final class LineKernels {
  private static final long BLOCK = 8192;
  private static final int RUN = Runs.LENGTH;

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
    return body == null || compute.isComplex()
        ? null
        : new LineKernel(body, structured.reference());
  }

  /// One line, or several side by side.
  private sealed interface LineBody {
    /// Reduces `length` elements from `start` on, `step` apart.
    void reduce(Strided[] out, long line, Strided x, long start, long step, int length);

    /// Reduces `width` lines side by side, of `length` elements `step` apart; the first begins at `start`.
    void reduceRows(
        Strided[] out, long line, Strided x, long start, long step, int length, int width);
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
      if (reducedGroup == last) {
        Parallel.run(
            lines.count(),
            Math.max(1, BLOCK / length),
            (from, to) -> {
              for (long line = from; line < to; line++) {
                body.reduce(outputs, line, x, line * length, 1, length);
              }
            });
        return;
      }
      long step = lines.size(last);
      long blocks = (step + RUN - 1) / RUN;
      Parallel.run(
          lines.count() / step * blocks,
          Math.max(1, BLOCK / length / Math.min(step, RUN)),
          (from, to) -> {
            for (long b = from; b < to; b++) {
              long plane = b / blocks;
              long column = b % blocks * RUN;
              int width = (int) Math.min(RUN, step - column);
              body.reduceRows(
                  outputs,
                  plane * step + column,
                  x,
                  plane * step * length + column,
                  step,
                  length,
                  width);
            }
          });
    }
  }

  // Runs

  private static void read(Strided x, long start, int n, double[] to) {
    MemorySegment m = x.memory();
    long at = x.byteOffset() + start * x.dtype().byteSize();
    switch (x.dtype()) {
      case FLOAT32 -> {
        for (int i = 0; i < n; i++) {
          to[i] = m.get(JAVA_FLOAT_UNALIGNED, at + 4L * i);
        }
      }
      case FLOAT64 -> MemorySegment.copy(m, JAVA_DOUBLE_UNALIGNED, at, to, 0, n);
      case BFLOAT16 -> {
        for (int i = 0; i < n; i++) {
          to[i] = Float.intBitsToFloat(m.get(JAVA_SHORT_UNALIGNED, at + 2L * i) << 16);
        }
      }
      case FLOAT16 -> {
        for (int i = 0; i < n; i++) {
          to[i] = Float.float16ToFloat(m.get(JAVA_SHORT_UNALIGNED, at + 2L * i));
        }
      }
      case INT64, INT32, INT16, INT8, UINT8, BOOL, COMPLEX32, COMPLEX64, COMPLEX128 ->
          throw new AssertionError(x.dtype());
    }
  }

  private static void read(Strided x, long start, int n, long[] to) {
    MemorySegment m = x.memory();
    long at = x.byteOffset() + start * x.dtype().byteSize();
    switch (x.dtype()) {
      case INT64 -> MemorySegment.copy(m, JAVA_LONG_UNALIGNED, at, to, 0, n);
      case INT32 -> {
        for (int i = 0; i < n; i++) {
          to[i] = m.get(JAVA_INT_UNALIGNED, at + 4L * i);
        }
      }
      case INT16 -> {
        for (int i = 0; i < n; i++) {
          to[i] = m.get(JAVA_SHORT_UNALIGNED, at + 2L * i);
        }
      }
      case INT8, BOOL -> {
        for (int i = 0; i < n; i++) {
          to[i] = m.get(JAVA_BYTE, at + i);
        }
      }
      case UINT8 -> {
        for (int i = 0; i < n; i++) {
          to[i] = m.get(JAVA_BYTE, at + i) & 255;
        }
      }
      case FLOAT32, FLOAT64, BFLOAT16, FLOAT16, COMPLEX32, COMPLEX64, COMPLEX128 ->
          throw new AssertionError(x.dtype());
    }
  }

  private static void setWhole(Strided out, long element, long value) {
    MemorySegment memory = out.memory();
    long o = out.byteOffset();
    switch (out.dtype()) {
      case INT64 -> memory.set(JAVA_LONG_UNALIGNED, o + 8 * element, value);
      case INT32 -> memory.set(JAVA_INT_UNALIGNED, o + 4 * element, (int) value);
      case INT16 -> memory.set(JAVA_SHORT_UNALIGNED, o + 2 * element, (short) value);
      case INT8, UINT8, BOOL -> memory.set(JAVA_BYTE, o + element, (byte) value);
      case FLOAT32, FLOAT64, BFLOAT16, FLOAT16, COMPLEX32, COMPLEX64, COMPLEX128 ->
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

  /// Where the first of the largest or smallest elements of a dense line is; NaN comes before all.
  private static int best(boolean largest, boolean whole, Strided x, long start, int length) {
    return whole
        ? bestWhole(largest, x, start, length)
        : x.dtype() == DType.FLOAT32
            ? bestFloat(largest, x, start, length)
            : bestReal(largest, x, start, length);
  }

  private static int bestWhole(boolean largest, Strided x, long start, int length) {
    long[] run = Runs.ofThread().longs;
    long sign = largest ? 0 : -1; // x ^ -1 turns the order around
    long extreme = 0;
    int best = -1;
    for (int from = 0; from < length; from += RUN) {
      int n = Math.min(RUN, length - from);
      read(x, start + from, n, run);
      long most = Long.MIN_VALUE;
      for (int i = 0; i < n; i++) {
        most = Math.max(most, run[i] ^ sign);
      }
      if (best < 0 || most > extreme) {
        extreme = most;
        int at = 0;
        while ((run[at] ^ sign) != most) {
          at++;
        }
        best = from + at;
      }
    }
    return best;
  }

  private static int bestReal(boolean largest, Strided x, long start, int length) {
    double[] run = Runs.ofThread().doubles;
    double extreme = 0;
    int best = -1;
    for (int from = 0; from < length; from += RUN) {
      int n = Math.min(RUN, length - from);
      read(x, start + from, n, run);
      double most = run[0];
      for (int i = 1; i < n; i++) {
        most = largest ? Math.max(most, run[i]) : Math.min(most, run[i]);
      }
      if (best < 0 || Double.isNaN(most) || (largest ? most > extreme : most < extreme)) {
        extreme = most;
        int at = 0;
        while (run[at] != most && !Double.isNaN(run[at])) {
          at++;
        }
        best = from + at;
        if (Double.isNaN(most)) {
          return best;
        }
      }
    }
    return best;
  }

  /// As for other numbers, but compares bits: those of numbers are in order once all but the sign of negative ones are
  /// inverted, and NaN has larger ones than infinity.
  private static int bestFloat(boolean largest, Strided x, long start, int length) {
    int[] run = Runs.ofThread().bits;
    MemorySegment m = x.memory();
    float extreme = 0;
    int best = -1;
    int turn = largest ? 0 : Integer.MIN_VALUE; // turns the sign, and so the order, around
    for (int from = 0; from < length; from += RUN) {
      int n = Math.min(RUN, length - from);
      MemorySegment.copy(m, JAVA_INT_UNALIGNED, x.byteOffset() + 4 * (start + from), run, 0, n);
      int most = Integer.MIN_VALUE;
      int size = 0;
      for (int i = 0; i < n; i++) {
        int bits = run[i] ^ turn;
        most = Math.max(most, bits ^ (bits >> 31 >>> 1));
        size = Math.max(size, bits & 0x7fffffff);
      }
      if (size > 0x7f800000) {
        int at = 0;
        while ((run[at] & 0x7fffffff) <= 0x7f800000) {
          at++;
        }
        return from + at;
      }
      float value = Float.intBitsToFloat(most ^ (most >> 31 >>> 1) ^ turn);
      if (best < 0 || (largest ? value > extreme : value < extreme)) {
        extreme = value;
        int at = 0;
        while (Float.intBitsToFloat(run[at]) != value) {
          at++;
        }
        best = from + at;
      }
    }
    return best;
  }

  /// Where the first of the largest or smallest elements of lines side by side are, in [Runs#places].
  private static int[] bestOfRows(
      boolean largest, boolean whole, Strided x, long start, long step, int length, int width) {
    Runs runs = Runs.ofThread();
    int[] best = runs.places;
    Arrays.fill(best, 0, width, 0);
    if (whole) {
      long[] run = runs.longs;
      long[] extreme = runs.longResults;
      read(x, start, width, extreme);
      for (int row = 1; row < length; row++) {
        read(x, start + row * step, width, run);
        for (int c = 0; c < width; c++) {
          if (largest ? run[c] > extreme[c] : run[c] < extreme[c]) {
            extreme[c] = run[c];
            best[c] = row;
          }
        }
      }
      return best;
    }
    if (x.dtype() == DType.FLOAT32) {
      bestOfFloatRows(largest, x, start, step, length, width, runs);
      return best;
    }
    double[] run = runs.doubles;
    double[] extreme = runs.doubleResults;
    read(x, start, width, extreme);
    for (int row = 1; row < length; row++) {
      read(x, start + row * step, width, run);
      for (int c = 0; c < width; c++) {
        // False for most elements; true, too, if either is NaN.
        if (!(largest ? run[c] <= extreme[c] : run[c] >= extreme[c]) && !Double.isNaN(extreme[c])) {
          extreme[c] = run[c];
          best[c] = row;
        }
      }
    }
    return best;
  }

  private static void bestOfFloatRows(
      boolean largest, Strided x, long start, long step, int length, int width, Runs runs) {
    MemorySegment m = x.memory();
    int[] best = runs.places;
    float[] run = runs.floats;
    float[] extreme = runs.floatResults;
    float sign = largest ? 1 : -1; // turns the order around
    Arrays.fill(extreme, 0, width, Float.NEGATIVE_INFINITY);
    for (int row = 0; row < length; row++) {
      long at = x.byteOffset() + 4 * (start + row * step);
      MemorySegment.copy(m, JAVA_FLOAT_UNALIGNED, at, run, 0, width);
      for (int c = 0; c < width; c++) {
        float value = run[c] * sign;
        if (!(value <= extreme[c]) && !Float.isNaN(extreme[c])) {
          extreme[c] = value;
          best[c] = row;
        }
      }
    }
  }

  private record Choice(boolean largest, boolean whole, boolean values) implements LineBody {
    @Override
    public void reduce(Strided[] out, long line, Strided x, long start, long step, int length) {
      write(out, line, x, start, step, best(largest, whole, x, start, length));
    }

    @Override
    public void reduceRows(
        Strided[] out, long line, Strided x, long start, long step, int length, int width) {
      int[] best = bestOfRows(largest, whole, x, start, step, length, width);
      for (int c = 0; c < width; c++) {
        write(out, line + c, x, start + c, step, best[c]);
      }
    }

    private void write(Strided[] out, long line, Strided x, long start, long step, int best) {
      setWhole(out[out.length - 1], line, best);
      if (values) {
        copy(out[0], line, x, start + best * step);
      }
    }
  }

  private record Extreme(boolean largest, boolean whole) implements LineBody {
    @Override
    public void reduce(Strided[] out, long line, Strided x, long start, long step, int length) {
      copy(out[0], line, x, start + best(largest, whole, x, start, length));
    }

    @Override
    public void reduceRows(
        Strided[] out, long line, Strided x, long start, long step, int length, int width) {
      int[] best = bestOfRows(largest, whole, x, start, step, length, width);
      for (int c = 0; c < width; c++) {
        copy(out[0], line + c, x, start + c + best[c] * step);
      }
    }
  }

  private record Quantifier(boolean any) implements LineBody {
    @Override
    public void reduce(Strided[] out, long line, Strided x, long start, long step, int length) {
      boolean[] run = Runs.ofThread().truths;
      boolean found = !any;
      for (int from = 0; from < length && found != any; from += RUN) {
        int n = Math.min(RUN, length - from);
        if (any && isZero(x, start + from, n)) {
          continue;
        }
        truths(x, start + from, n, run);
        for (int i = 0; i < n && found != any; i++) {
          found = run[i];
        }
      }
      setWhole(out[0], line, found ? 1 : 0);
    }

    @Override
    public void reduceRows(
        Strided[] out, long line, Strided x, long start, long step, int length, int width) {
      boolean[] run = Runs.ofThread().truths;
      boolean[] found = Runs.ofThread().truthResults;
      truths(x, start, width, found);
      for (int row = 1; row < length; row++) {
        truths(x, start + row * step, width, run);
        for (int c = 0; c < width; c++) {
          if (any) {
            found[c] |= run[c];
          } else {
            found[c] &= run[c];
          }
        }
      }
      for (int c = 0; c < width; c++) {
        setWhole(out[0], line + c, found[c] ? 1 : 0);
      }
    }

    /// Whether `n` elements have no bit set; those of -0 have.
    private static boolean isZero(Strided x, long start, int n) {
      MemorySegment m = x.memory();
      long at = x.byteOffset() + start * x.dtype().byteSize();
      int bytes = n * x.dtype().byteSize();
      long bits = 0;
      int i = 0;
      for (; i + 8 <= bytes; i += 8) {
        bits |= m.get(JAVA_LONG_UNALIGNED, at + i);
      }
      for (; i < bytes; i++) {
        bits |= m.get(JAVA_BYTE, at + i);
      }
      return bits == 0;
    }

    private static void truths(Strided x, long start, int n, boolean[] to) {
      MemorySegment m = x.memory();
      long at = x.byteOffset() + start * x.dtype().byteSize();
      switch (x.dtype()) {
        case FLOAT32 -> {
          for (int i = 0; i < n; i++) {
            to[i] = m.get(JAVA_FLOAT_UNALIGNED, at + 4L * i) != 0;
          }
        }
        case FLOAT64 -> {
          for (int i = 0; i < n; i++) {
            to[i] = m.get(JAVA_DOUBLE_UNALIGNED, at + 8L * i) != 0;
          }
        }
        case BFLOAT16, FLOAT16 -> {
          for (int i = 0; i < n; i++) {
            to[i] = (m.get(JAVA_SHORT_UNALIGNED, at + 2L * i) & 0x7fff) != 0;
          }
        }
        case INT64 -> {
          for (int i = 0; i < n; i++) {
            to[i] = m.get(JAVA_LONG_UNALIGNED, at + 8L * i) != 0;
          }
        }
        case INT32 -> {
          for (int i = 0; i < n; i++) {
            to[i] = m.get(JAVA_INT_UNALIGNED, at + 4L * i) != 0;
          }
        }
        case INT16 -> {
          for (int i = 0; i < n; i++) {
            to[i] = m.get(JAVA_SHORT_UNALIGNED, at + 2L * i) != 0;
          }
        }
        case INT8, UINT8, BOOL -> {
          for (int i = 0; i < n; i++) {
            to[i] = m.get(JAVA_BYTE, at + i) != 0;
          }
        }
        case COMPLEX32, COMPLEX64, COMPLEX128 -> throw new AssertionError(x.dtype());
      }
    }
  }

  private record WholeSum() implements LineBody {
    @Override
    public void reduce(Strided[] out, long line, Strided x, long start, long step, int length) {
      long sum = 0;
      if (x.dtype().byteSize() == 1) {
        sum = ofBytes(x, start, length);
      } else {
        long[] run = Runs.ofThread().longs;
        for (int from = 0; from < length; from += RUN) {
          int n = Math.min(RUN, length - from);
          read(x, start + from, n, run);
          for (int i = 0; i < n; i++) {
            sum += run[i];
          }
        }
      }
      setWhole(out[0], line, sum);
    }

    /// The bytes of a `long` at once, in four sums of 16 bits each, twice; 256 of them do not overflow.
    private static long ofBytes(Strided x, long start, int length) {
      MemorySegment m = x.memory();
      long at = x.byteOffset() + start;
      long low = 0x00ff00ff00ff00ffL;
      long sign = x.dtype() == DType.INT8 ? 0x8080808080808080L : 0; // makes -128 … 127 0 … 255
      long sum = 0;
      int i = 0;
      while (i + 8 <= length) {
        int end = Math.min(length - 7, i + 8 * 256);
        long even = 0;
        long odd = 0;
        for (; i < end; i += 8) {
          long word = m.get(JAVA_LONG_UNALIGNED, at + i) ^ sign;
          even += word & low;
          odd += word >>> 8 & low;
        }
        for (int shift = 0; shift < 64; shift += 16) {
          sum += (even >>> shift & 0xffff) + (odd >>> shift & 0xffff);
        }
      }
      sum -= sign == 0 ? 0 : 128L * i;
      for (; i < length; i++) {
        byte value = m.get(JAVA_BYTE, at + i);
        sum += sign == 0 ? value & 255 : value;
      }
      return sum;
    }

    @Override
    public void reduceRows(
        Strided[] out, long line, Strided x, long start, long step, int length, int width) {
      long[] run = Runs.ofThread().longs;
      long[] sum = Runs.ofThread().longResults;
      Arrays.fill(sum, 0, width, 0);
      for (int row = 0; row < length; row++) {
        read(x, start + row * step, width, run);
        for (int c = 0; c < width; c++) {
          sum[c] += run[c];
        }
      }
      for (int c = 0; c < width; c++) {
        setWhole(out[0], line + c, sum[c]);
      }
    }
  }
}
