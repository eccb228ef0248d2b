package taper.tensor;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.math.BigInteger;
import taper.tensor.internal.Elements;
import taper.tensor.internal.Workers;
import taper.tensor.spi.Strided;
import taper.tensor.spi.Truncation;

/// Fills new tensors with evenly spaced numbers, each computed as PyTorch does.
final class Sequences {
  private static final long PART = 1 << 15;

  private Sequences() {}

  static Tensor arange(DType dtype, long start, long end, long step) {
    check(start, end, step);
    Tensor result = Tensor.empty(dtype, count(start, end, step));
    if (dtype == DType.INT64) {
      var out = new Chunks(result);
      Workers.run(out.count, PART, (first, last) -> out.rising(first, last, start, step));
      Reference.reachabilityFence(result);
      return result;
    }
    var elements = new Elements(result.data());
    for (long i = 0, n = result.numel(); i < n; i++) {
      elements.set(i, start + i * step);
    }
    Reference.reachabilityFence(result);
    return result;
  }

  private static long count(long start, long end, long step) {
    BigInteger span = BigInteger.valueOf(end).subtract(BigInteger.valueOf(start));
    if (span.bitLength() < Long.SIZE) {
      return Math.ceilDiv(span.longValueExact(), step);
    }
    BigInteger[] steps = span.divideAndRemainder(BigInteger.valueOf(step));
    BigInteger count = steps[0].add(BigInteger.valueOf(steps[1].signum() == 0 ? 0 : 1));
    return count.min(BigInteger.valueOf(Long.MAX_VALUE)).longValueExact();
  }

  static Tensor arange(DType dtype, double start, double end, double step) {
    check(start, end, step);
    boolean whole = !dtype.isFloatingPoint();
    long count = (long) Math.ceil((end - start) / step);
    Tensor result = Tensor.empty(dtype, count);
    if (dtype == DType.FLOAT32 || dtype == DType.FLOAT64) {
      spaced(result, start, step, 0, count);
      return result;
    }
    var elements = new Elements(result.data());
    for (long i = 0, n = result.numel(); i < n; i++) {
      if (whole) {
        elements.set(i, (long) start + i * (long) step);
      } else {
        elements.set(i, start + i * step);
      }
    }
    Reference.reachabilityFence(result);
    return result;
  }

  private static void check(double start, double end, double step) {
    if (!Double.isFinite(start) || !Double.isFinite(end)) {
      throw new ArgumentException(
          "arange: start and end must be finite, but are %s and %s.".formatted(start, end));
    }
    if (step == 0 || !((end - start) / step >= 0)) {
      throw new ArgumentException(
          "arange: step must lead from start to end, but start is %s, end %s and step %s."
              .formatted(start, end, step));
    }
  }

  private static void checkSteps(String op, long steps) {
    if (steps < 0) {
      throw new ArgumentException(
          "%s: steps must not be negative, but is %d.".formatted(op, steps));
    }
  }

  static Tensor linspace(DType dtype, double start, double end, long steps) {
    checkSteps("linspace", steps);
    Tensor result = Tensor.empty(dtype, steps);
    var elements = new Elements(result.data());
    boolean single = dtype.compute() == DType.FLOAT32;
    double step = steps < 2 ? 0 : (end - start) / (steps - 1);
    if (single) {
      step = steps < 2 ? 0 : ((float) end - (float) start) / (steps - 1);
    }
    if (dtype.isIntegral()) {
      double from =
          Truncation.toInt64(start); // whole numbers are spaced from the bounds as they are stored
      double to = Truncation.toInt64(end);
      step = steps < 2 ? 0 : (to - from) / (steps - 1);
      for (long i = 0; i < steps; i++) {
        boolean lower = i < steps / 2 || steps == 1;
        elements.set(i, lower ? from + (float) step * i : to - (float) step * (steps - 1 - i));
      }
      Reference.reachabilityFence(result);
      return result;
    }
    if (dtype == DType.FLOAT32 || dtype == DType.FLOAT64) {
      long half = steps == 1 ? 1 : steps / 2; // from both ends, so that the last element is exact
      spaced(result, start, step, 0, half);
      spaced(result, end, -step, steps - 1, steps - half);
      return result;
    }
    for (long i = 0; i < steps; i++) {
      boolean lower = i < steps / 2 || steps == 1;
      double value = lower ? start + step * i : end - step * (steps - 1 - i);
      elements.set(i, value);
    }
    Reference.reachabilityFence(result);
    return result;
  }

  /// Writes `count` elements `start + step · k`, rising from element 0, or falling from element `from`, in `k`.
  private static void spaced(Tensor result, double start, double step, long from, long count) {
    var out = new Chunks(result);
    Workers.run(count, PART, (first, last) -> out.spaced(first, last, start, step, from));
    Reference.reachabilityFence(result);
  }

  /// Writes a contiguous tensor by way of arrays.
  private static final class Chunks {
    final long count;
    private final int size;
    private final Strided x;

    Chunks(Tensor result) {
      x = result.data();
      count = x.numel();
      size = (int) Math.min(1024, count);
    }

    /// Writes the elements `first` to `last` of `start + step · k`.
    void rising(long first, long last, long start, long step) {
      long[] chunk = new long[size];
      for (long i = first; i < last; i += size) {
        int n = (int) Math.min(size, last - i);
        for (int j = 0; j < n; j++) {
          chunk[j] = start + (i + j) * step;
        }
        MemorySegment.copy(chunk, 0, x.memory(), JAVA_LONG_UNALIGNED, x.byteOffset() + 8 * i, n);
      }
    }

    /// Writes `start + step · k` for `first` to `last`, to element `k`, or `from - k` if `from` is not 0.
    void spaced(long first, long last, double start, double step, long from) {
      if (x.dtype() == DType.FLOAT32) {
        spacedFloats(first, last, start, step, from);
      } else {
        spacedDoubles(first, last, start, step, from);
      }
    }

    private void spacedFloats(long first, long last, double start, double step, long from) {
      float[] chunk = new float[size];
      for (long k = first; k < last; k += size) {
        int n = (int) Math.min(size, last - k);
        long to = from > 0 ? from - k - n + 1 : k;
        double begin = from > 0 ? k + n - 1 : k;
        int by = from > 0 ? -1 : 1;
        for (int j = 0; j < n; j++) {
          chunk[j] = (float) (start + step * (begin + by * j));
        }
        MemorySegment.copy(chunk, 0, x.memory(), JAVA_FLOAT_UNALIGNED, x.byteOffset() + 4 * to, n);
      }
    }

    private void spacedDoubles(long first, long last, double start, double step, long from) {
      double[] chunk = new double[size];
      for (long k = first; k < last; k += size) {
        int n = (int) Math.min(size, last - k);
        long to = from > 0 ? from - k - n + 1 : k;
        double begin = from > 0 ? k + n - 1 : k;
        int by = from > 0 ? -1 : 1;
        for (int j = 0; j < n; j++) {
          chunk[j] = start + step * (begin + by * j);
        }
        MemorySegment.copy(chunk, 0, x.memory(), JAVA_DOUBLE_UNALIGNED, x.byteOffset() + 8 * to, n);
      }
    }
  }

  static Tensor logspace(DType dtype, double start, double end, long steps, double base) {
    checkSteps("logspace", steps);
    Tensor result = Tensor.empty(dtype, steps);
    var elements = new Elements(result.data());
    // as with linspace, whole numbers are spaced from the bounds as they would be stored
    double first = dtype.isIntegral() ? Truncation.toInt64(start) : start;
    double last = dtype.isIntegral() ? Truncation.toInt64(end) : end;
    double step = steps < 2 ? 0 : (last - first) / (steps - 1);
    for (long i = 0; i < steps; i++) {
      boolean lower = i < steps / 2 || steps == 1;
      double exponent = lower ? first + step * i : last - step * (steps - 1 - i);
      double value = Math.pow(base, exponent);
      elements.set(i, value);
    }
    Reference.reachabilityFence(result);
    return result;
  }
}
