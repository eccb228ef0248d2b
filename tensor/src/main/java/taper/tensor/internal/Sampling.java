package taper.tensor.internal;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.Generator;
import taper.tensor.spi.Strided;

/// Fills tensors with random numbers, draw for draw as PyTorch's CPU kernels do.
///
/// Every method holds the generator for as long as it draws, writes every element of `out` once, and
/// takes its draws in the order in which PyTorch visits the elements. An empty tensor draws nothing.
/// Stateless; threads may call at the same time with different outputs.
///
/// Arguments are checked by the operators in front; here they are assumed to be right.
public final class Sampling {
  /*
   * What PyTorch draws for one element (ATen/core/DistributionsHelper.h, TransformationHelper.h,
   * native/cpu/DistributionTemplates.h):
   *
   *   uniform float32            24 bits of one draw of 32 bits (bfloat16: 8 bits, float16: 11 bits)
   *   uniform float64            53 bits of two draws
   *   normal, >= 16, contiguous  one uniform number, then Box–Muller on blocks of 16; the last 16 are
   *                              drawn again if the size is no multiple of 16
   *   normal otherwise           Box–Muller in float64, one cached value that outlives the call
   *   bernoulli(number),         one uniform float64
   *   exponential, geometric, cauchy, logNormal (through normal)
   *   bernoulli(tensor)          one uniform number of the type of the probabilities
   *   whole numbers              32 bits, or 64 if the range is 2^32 or more (64-bit and floating types)
   *
   * log(1 - u) is not log1p(-u): PyTorch up to 1.13 takes the former, and the recorded sequences with
   * it. Where PyTorch's compiler fuses a multiplication and an addition, Math.fma stands here.
   * Draws are taken in bulk into a small array that stays in the first-level cache.
   */
  static final int CHUNK = Normals.CHUNK;
  private static final long MANTISSA = (1L << 53) - 1;
  private static final long BITS_32 = 1L << 32;

  private Sampling() {}

  // ---- uniform

  /// Uniform numbers from `from` (included) to `to` (excluded), for floating types.
  public static void uniform(Strided out, double from, double to, Generator generator) {
    synchronized (generator) {
      DrawSpace scratch = DrawSpace.ofThread();
      Fill fill = new Fill(out);
      DType dtype = out.dtype();
      while (fill.remaining() > 0) {
        int n = fill.block(CHUNK);
        if (dtype == DType.FLOAT64) {
          uniforms(generator, scratch, scratch.doubles, n);
          for (int i = 0; i < n; i++) {
            scratch.doubles[i] = Math.fma(scratch.doubles[i], to - from, from);
          }
          fill.put(scratch.doubles, n);
        } else {
          uniforms(generator, scratch, scratch.floats, n, fractionBits(dtype));
          affine(dtype, scratch.floats, n, (float) from, (float) to);
          fill.put(scratch.floats, n);
        }
      }
    }
  }

  private static void affine(DType dtype, float[] values, int count, float from, float to) {
    if (dtype == DType.FLOAT32) {
      float range = to - from;
      for (int i = 0; i < count; i++) {
        values[i] = Math.fma(values[i], range, from);
      }
      return;
    }
    float low = Fill.rounded(dtype, from);
    float range = Fill.rounded(dtype, Fill.rounded(dtype, to) - low);
    for (int i = 0; i < count; i++) {
      values[i] = Math.fma(values[i], range, low);
    }
  }

  /// How many bits of a draw a uniform number of the type keeps.
  private static int fractionBits(DType dtype) {
    return switch (dtype) {
      case FLOAT32 -> 24;
      case FLOAT16 -> 11;
      case BFLOAT16 -> 8;
      case FLOAT64 -> 53;
      case INT64, INT32, INT16, INT8, UINT8, BOOL, COMPLEX32, COMPLEX64, COMPLEX128 ->
          throw new AssertionError(dtype);
    };
  }

  private static void uniforms(
      Generator generator, DrawSpace scratch, float[] into, int count, int bits) {
    int[] draws = scratch.draws;
    generator.random(draws, 0, count);
    int mask = (1 << bits) - 1;
    float scale = 1f / (1 << bits);
    for (int i = 0; i < count; i++) {
      into[i] = (draws[i] & mask) * scale;
    }
  }

  private static void uniforms(Generator generator, DrawSpace scratch, double[] into, int count) {
    int[] draws = scratch.draws;
    generator.random(draws, 0, 2 * count);
    fractions(draws, into, count);
  }

  static void fractions(int[] draws, double[] into, int count) {
    for (int i = 0; i < count; i++) {
      into[i] = fraction53(draws, i) * 0x1p-53;
    }
  }

  /// The lower 53 bits of pair `i` of draws, the upper half first.
  private static long fraction53(int[] draws, int i) {
    return (long) (draws[2 * i] & 0x1fffff) << 32 | draws[2 * i + 1] & 0xffffffffL;
  }

  // ---- normal

  /// Normal numbers, for floating types.
  public static void normal(Strided out, double mean, double std, Generator generator) {
    synchronized (generator) {
      if (out.numel() < Normals.BLOCK || !out.isContiguous()) {
        scalarNormal(out, value -> Math.fma(value, std, mean), generator);
        return;
      }
      long redrawn = out.numel() % Normals.BLOCK == 0 ? 0 : Normals.BLOCK;
      DrawSpace scratch = DrawSpace.ofThread();
      Fill fill = new Fill(out);
      // what the redrawn block overwrites is drawn, but not written
      long undrawn = out.numel();
      long chunks = (undrawn - redrawn) / CHUNK;
      if (DrawnChunks.pays(chunks)
          && (out.dtype() == DType.FLOAT32 || out.dtype() == DType.FLOAT64)) {
        new NormalChunks(out, mean, std).fill(chunks, generator);
        fill.skip(chunks * CHUNK);
        undrawn -= chunks * CHUNK;
      }
      while (undrawn > 0) {
        int n = (int) Math.min(undrawn, CHUNK);
        int kept = (int) Math.min(fill.remaining() - redrawn, n);
        normalBlocks(out.dtype(), fill, n, kept, mean, std, generator, scratch);
        undrawn -= n;
      }
      if (redrawn > 0) {
        normalBlocks(
            out.dtype(), fill, Normals.BLOCK, Normals.BLOCK, mean, std, generator, scratch);
      }
    }
  }

  private static void normalBlocks(
      DType dtype,
      Fill fill,
      int drawn,
      int kept,
      double mean,
      double std,
      Generator generator,
      DrawSpace scratch) {
    int whole = drawn / Normals.BLOCK * Normals.BLOCK;
    switch (dtype) {
      case FLOAT32 -> {
        generator.random(scratch.draws, 0, drawn);
        Normals.transform(
            scratch.draws, scratch.floats, whole, (float) mean, (float) std, scratch.work);
        fill.put(scratch.floats, kept);
      }
      case FLOAT64 -> {
        uniforms(generator, scratch, scratch.doubles, drawn);
        Normals.transform(scratch.doubles, whole, mean, std);
        fill.put(scratch.doubles, kept);
      }
      case BFLOAT16, FLOAT16 -> {
        uniforms(generator, scratch, scratch.floats, drawn, fractionBits(dtype));
        Normals.transform(
            dtype,
            scratch.floats,
            whole,
            Fill.rounded(dtype, (float) mean),
            Fill.rounded(dtype, (float) std));
        fill.put(scratch.floats, kept);
      }
      case INT64, INT32, INT16, INT8, UINT8, BOOL, COMPLEX32, COMPLEX64, COMPLEX128 ->
          throw new AssertionError(dtype);
    }
  }

  private static void scalarNormal(
      Strided out, DoubleUnaryOperator transformation, Generator generator) {
    DrawSpace scratch = DrawSpace.ofThread();
    Fill fill = new Fill(out);
    while (fill.remaining() > 0) {
      int n = fill.block(CHUNK);
      for (int i = 0; i < n; i++) {
        scratch.doubles[i] = transformation.applyAsDouble(generator.normal());
      }
      fill.put(scratch.doubles, n);
    }
  }

  /// `exp` of normal numbers, for floating types. Uses the cached normal value for every size.
  public static void logNormal(Strided out, double mean, double std, Generator generator) {
    synchronized (generator) {
      scalarNormal(out, value -> Math.exp(Math.fma(value, std, mean)), generator);
    }
  }

  // ---- distributions that are functions of one uniform float64

  private static void ofUniform(
      Strided out, DoubleUnaryOperator transformation, Generator generator) {
    synchronized (generator) {
      DrawSpace scratch = DrawSpace.ofThread();
      Fill fill = new Fill(out);
      while (fill.remaining() > 0) {
        int n = fill.block(CHUNK);
        uniforms(generator, scratch, scratch.doubles, n);
        for (int i = 0; i < n; i++) {
          scratch.doubles[i] = transformation.applyAsDouble(scratch.doubles[i]);
        }
        fill.put(scratch.doubles, n);
      }
    }
  }

  /// Exponential numbers with rate `lambda`, for floating types.
  public static void exponential(Strided out, double lambda, Generator generator) {
    ofUniform(out, u -> -1.0 / lambda * Math.log(1 - u), generator);
  }

  /// The number of trials up to the first success of probability `p`, for all types but bool.
  public static void geometric(Strided out, double p, Generator generator) {
    double logFailure = Math.log(1 - p);
    ofUniform(out, u -> Math.ceil(Math.log(u) / logFailure), generator);
  }

  /// Numbers of the Cauchy distribution, for floating types.
  public static void cauchy(Strided out, double median, double sigma, Generator generator) {
    ofUniform(out, u -> Math.fma(sigma, Math.tan(Math.PI * (u - 0.5)), median), generator);
  }

  // ---- bernoulli and dropout

  /// 1 with probability `p`, otherwise 0; for all types.
  public static void bernoulli(Strided out, double p, Generator generator) {
    mask(out, p, 1.0, generator);
  }

  /// What dropout multiplies its input with: `1 / (1 - p)` with probability `1 - p`, otherwise 0, for
  /// floating types. For `p` of 0 or 1 PyTorch's dropout draws nothing, and so must the caller.
  public static void dropout(Strided out, double p, Generator generator) {
    double kept =
        switch (out.dtype()) {
          case FLOAT64 -> 1.0 / (1.0 - p);
          default -> 1f / (float) (1.0 - p);
        };
    mask(out, 1.0 - p, kept, generator);
  }

  private static void mask(Strided out, double p, double one, Generator generator) {
    // u < p for u = k / 2^53 is the same as k < ceil(p 2^53): no floating point in the loop
    long limit = (long) Math.ceil(p * 0x1p53);
    DType dtype = out.dtype();
    synchronized (generator) {
      DrawSpace scratch = DrawSpace.ofThread();
      Fill fill = new Fill(out);
      long chunks = fill.remaining() / CHUNK;
      if (DrawnChunks.pays(chunks)
          && fill.dense()
          && (dtype == DType.FLOAT32 || dtype == DType.BOOL)) {
        new MaskChunks(out, limit, (float) one).fill(chunks, generator);
        fill.skip(chunks * CHUNK);
      }
      while (fill.remaining() > 0) {
        int n = fill.block(CHUNK);
        int[] draws = scratch.draws;
        generator.random(draws, 0, 2 * n);
        compare(draws, 2 * n, limit);
        switch (dtype) {
          case FLOAT32, INT32 -> {
            int value = dtype == DType.FLOAT32 ? Float.floatToRawIntBits((float) one) : (int) one;
            numbers(draws, scratch.bits, n, value);
            fill.putBits(scratch.bits, n);
          }
          case BOOL, UINT8, INT8 -> {
            truths(draws, scratch.bytes, n);
            fill.putBits(scratch.bytes, n);
          }
          case FLOAT64, BFLOAT16, FLOAT16, INT64, INT16 -> {
            double[] doubles = scratch.doubles;
            for (int i = 0; i < n; i++) {
              doubles[i] = one * (draws[2 * i] & 1);
            }
            fill.put(doubles, n);
          }
          case COMPLEX32, COMPLEX64, COMPLEX128 -> throw new AssertionError(dtype);
        }
      }
    }
  }

  static void numbers(int[] draws, int[] into, int count, int value) {
    for (int i = 0; i < count; i++) {
      into[i] = draws[2 * i] & value;
    }
  }

  static void truths(int[] draws, byte[] into, int count) {
    for (int i = 0; i < count; i++) {
      into[i] = (byte) (draws[2 * i] & 1);
    }
  }

  /// Replaces draw `i` by -1 (all bits) if the lower 53 bits of draws `i` and `i + 1` together are less
  /// than `limit`, otherwise by 0.
  ///
  /// Only the even places count. The odd ones are computed as well, because C2 turns a loop over
  /// neighbours into vector code, but not one over every second element.
  static void compare(int[] draws, int count, long limit) {
    int high = (int) (limit >>> 32);
    int low = (int) limit;
    for (int i = 0; i < count - 1; i++) {
      int next = draws[i + 1];
      int borrow = (~next & low | (~next | low) & next - low) >>> 31; // next < low, unsigned
      draws[i] = (draws[i] & 0x1fffff) - high - borrow >> 31;
    }
  }

  /// 1 with the probability in the same place of `probabilities` (of a floating type and the same
  /// sizes), otherwise 0.
  public static void bernoulli(Strided out, Strided probabilities, Generator generator) {
    assert out.sameSizes(probabilities);
    DType dtype = probabilities.dtype();
    synchronized (generator) {
      DrawSpace scratch = DrawSpace.ofThread();
      Fill fill = new Fill(out);
      Fill read = new Fill(out, probabilities);
      while (fill.remaining() > 0) {
        int n = fill.block(CHUNK);
        if (dtype == DType.FLOAT64) {
          uniforms(generator, scratch, scratch.doubles, n);
          for (int i = 0; i < n; i++) {
            scratch.longs[i] = scratch.doubles[i] < read.next() ? 1 : 0;
          }
        } else {
          uniforms(generator, scratch, scratch.floats, n, 24);
          for (int i = 0; i < n; i++) {
            scratch.longs[i] = scratch.floats[i] < (float) read.next() ? 1 : 0;
          }
        }
        fill.put(scratch.longs, n);
      }
    }
  }

  // ---- whole numbers

  /// Whole numbers from `from` (included) to `to` (excluded), for all types; floating types get whole
  /// values. The range may be as wide as `2^64 - 1`.
  public static void random(Strided out, long from, long to, Generator generator) {
    DType dtype = out.dtype();
    if (dtype.isFloatingPoint()) {
      from = inside(dtype, from);
      to = below(dtype, to);
      if (from >= to) {
        throw new ArgumentException(
            "random_: there must be a whole number from from to to that is a %s, but the next ones are %d and %d."
                .formatted(dtype, from, to));
      }
    }
    long range = to - from; // unsigned
    boolean wide = range < 0 || range >= BITS_32;
    boolean draws64 =
        wide
            && switch (out.dtype()) {
              case INT64, FLOAT64, FLOAT32, BFLOAT16 -> true;
              case FLOAT16, INT32, INT16, INT8, UINT8, BOOL, COMPLEX32, COMPLEX64, COMPLEX128 ->
                  false;
            };
    synchronized (generator) {
      DrawSpace scratch = DrawSpace.ofThread();
      Fill fill = new Fill(out);
      long chunks = fill.remaining() / CHUNK;
      if (!wide && out.dtype() == DType.INT64 && fill.dense() && DrawnChunks.pays(chunks)) {
        new RangeChunks(out, from, range).fill(chunks, generator);
        fill.skip(chunks * CHUNK);
      }
      while (fill.remaining() > 0) {
        int n = fill.block(CHUNK);
        long[] longs = scratch.longs;
        if (draws64) {
          longs(generator, scratch, n);
          for (int i = 0; i < n; i++) {
            longs[i] = Long.remainderUnsigned(longs[i], range) + from;
          }
        } else {
          generator.random(scratch.draws, 0, n);
          for (int i = 0; i < n; i++) {
            long draw = Integer.toUnsignedLong(scratch.draws[i]);
            longs[i] = (wide ? Long.remainderUnsigned(draw, range) : draw % range) + from;
          }
        }
        fill.put(longs, n);
      }
    }
  }

  /// The first number at or above `from` that rounding to the type does not carry below `from`, as
  /// PyTorch moves a bound that the type cannot hold.
  private static long inside(DType dtype, long from) {
    long next = (long) rounded(dtype, (double) (from + 1));
    return next < from ? next + spacing(dtype, from + 1) : from;
  }

  /// The same for the upper bound, which is excluded.
  private static long below(DType dtype, long to) {
    double last = rounded(dtype, (double) (to - 1));
    // 2^63 is no long; the conversion that PyTorch relies on leaves the bound alone there
    return last < 0x1p63 && (long) last >= to ? (long) last - spacing(dtype, to - 1) : to;
  }

  /// The distance between neighbouring numbers of the type at `value`.
  private static long spacing(DType dtype, long value) {
    int exponent = 63 - Long.numberOfLeadingZeros(Math.abs(value));
    return 1L << exponent - fractionBits(dtype) + 1;
  }

  private static void longs(Generator generator, DrawSpace scratch, int count) {
    int[] draws = scratch.draws;
    generator.random(draws, 0, 2 * count);
    for (int i = 0; i < count; i++) {
      scratch.longs[i] = (long) draws[2 * i] << 32 | Integer.toUnsignedLong(draws[2 * i + 1]);
    }
  }

  /// Whole numbers from 0 up to the largest value of the type; for floating types up to `2^24`
  /// (`2^53`, `2^11`, `2^8`), the largest for which all smaller ones are exact.
  public static void random(Strided out, Generator generator) {
    DType dtype = out.dtype();
    long range =
        switch (dtype) {
          case BOOL -> 2;
          case UINT8 -> 1L << 8;
          case INT8 -> 1L << 7;
          case INT16 -> 1L << 15;
          case INT32 -> 1L << 31;
          case INT64 -> Long.MIN_VALUE; // 2^63, unsigned
          case FLOAT32, FLOAT64, BFLOAT16, FLOAT16 -> (1L << fractionBits(dtype)) + 1;
          case COMPLEX32, COMPLEX64, COMPLEX128 -> throw new AssertionError(dtype);
        };
    if (dtype == DType.INT64 || dtype == DType.FLOAT64) {
      synchronized (generator) {
        DrawSpace scratch = DrawSpace.ofThread();
        Fill fill = new Fill(out);
        while (fill.remaining() > 0) {
          int n = fill.block(CHUNK);
          longs(generator, scratch, n);
          for (int i = 0; i < n; i++) {
            scratch.longs[i] = Long.remainderUnsigned(scratch.longs[i], range);
          }
          fill.put(scratch.longs, n);
        }
      }
    } else {
      random(out, 0, range, generator);
    }
  }

  /// All 64 bits at random: PyTorch's `random_(-2**63, None)`, for int64 and floating types.
  public static void randomFullRange(Strided out, Generator generator) {
    synchronized (generator) {
      DrawSpace scratch = DrawSpace.ofThread();
      Fill fill = new Fill(out);
      while (fill.remaining() > 0) {
        int n = fill.block(CHUNK);
        longs(generator, scratch, n);
        fill.put(scratch.longs, n);
      }
    }
  }

  // ---- permutations

  /// A random order of the numbers from 0 to `n - 1`.
  ///
  /// @throws ArgumentException if `n` is negative or no array can hold the order
  public static long[] permutation(long n, Generator generator) {
    if (n < 0 || n > Integer.MAX_VALUE - 8) {
      throw new ArgumentException(
          "randperm: n must be from 0 to " + (Integer.MAX_VALUE - 8) + ", but it is " + n + ".");
    }
    long[] order = new long[(int) n];
    permutation(MemorySegment.ofArray(order), 0, n, generator);
    return order;
  }

  /// A random order of the numbers from 0 to `numel - 1`, for all types but bool. One of int64 that lies densely is made
  /// where it lies.
  public static void permutation(Strided out, Generator generator) {
    if (out.isContiguous() && out.dtype() == DType.INT64) {
      permutation(out.memory(), out.byteOffset(), out.numel(), generator);
      return;
    }
    long[] order = permutation(out.numel(), generator);
    Fill fill = new Fill(out);
    for (int at = 0; at < order.length; at += CHUNK) {
      int n = Math.min(CHUNK, order.length - at);
      fill.put(Arrays.copyOfRange(order, at, at + n), n);
    }
  }

  private static void permutation(MemorySegment order, long offset, long n, Generator generator) {
    for (long i = 0; i < n; i++) {
      order.set(JAVA_LONG_UNALIGNED, offset + 8 * i, i);
    }
    // below this size PyTorch takes 32 bits modulo the rest, above it that would be visibly uneven
    boolean small = n < (BITS_32 - 1) / 20;
    synchronized (generator) {
      int[] draws = DrawSpace.ofThread().draws;
      for (long start = 0; start < n - 1; start += CHUNK) {
        int count = (int) Math.min(CHUNK, n - 1 - start);
        generator.random(draws, 0, small ? count : 2 * count);
        for (int at = 0; at < count; at++) {
          long i = start + at;
          long rest = n - i;
          long step;
          if (small) {
            step = Integer.toUnsignedLong(draws[at]) % rest;
          } else {
            long draw = (long) draws[2 * at] << 32 | Integer.toUnsignedLong(draws[2 * at + 1]);
            step = Long.remainderUnsigned(draw, rest);
          }
          long here = offset + 8 * i;
          long there = here + 8 * step;
          long saved = order.get(JAVA_LONG_UNALIGNED, here);
          order.set(JAVA_LONG_UNALIGNED, here, order.get(JAVA_LONG_UNALIGNED, there));
          order.set(JAVA_LONG_UNALIGNED, there, saved);
        }
      }
    }
  }

  // ---- multinomial

  /// Indices drawn by weight: row `i` of `out` (int64, `[rows, draws]` or `[draws]`) from row `i` of
  /// `weights` (floating, `[rows, categories]` or `[categories]`).
  ///
  /// @throws ArgumentException if a weight is negative or not finite, or a row has only zeros
  public static void multinomial(
      Strided out, Strided weights, boolean replacement, Generator generator) {
    int rank = weights.rank();
    long rows = rank > 1 ? weights.size(0) : 1;
    int draws = Math.toIntExact(out.size(out.rank() - 1));
    double[] row = new double[Math.toIntExact(weights.size(rank - 1))];
    for (long r = 0; r < rows; r++) {
      check(row(weights, r, row), draws, replacement);
    }
    Fill fill = new Fill(out);
    synchronized (generator) {
      for (long r = 0; r < rows; r++) {
        draw(row(weights, r, row), weights.dtype(), draws, replacement, generator, fill::put);
      }
    }
  }

  private static double[] row(Strided weights, long r, double[] into) {
    int last = weights.rank() - 1;
    long first = last > 0 ? r * weights.stride(0) : 0;
    for (int c = 0; c < into.length; c++) {
      into[c] = read(weights, first + c * weights.stride(last));
    }
    return into;
  }

  /// Takes the first `count` of some indices.
  private interface Drawn {
    void put(long[] indices, int count);
  }

  private static void check(double[] weights, int draws, boolean replacement) {
    double sum = 0;
    int positive = 0;
    for (double weight : weights) {
      if (!(weight >= 0) || Double.isInfinite(weight)) {
        throw new ArgumentException(
            "multinomial: weights must be finite and at least 0, but one is " + weight + ".");
      }
      sum += weight;
      positive += weight > 0 ? 1 : 0;
    }
    if (positive == 0) {
      throw new ArgumentException(
          "multinomial: the weights of a row must not all be 0, but their sum is " + sum + ".");
    }
    if (!replacement && draws > weights.length) {
      throw new ArgumentException(
          "multinomial: without replacement there must be at least as many weights as draws, but"
              + " there are "
              + weights.length
              + " weights for "
              + draws
              + " draws. Draw fewer, or with replacement.");
    }
  }

  /// One row of plain `float64` weights.
  ///
  /// @throws ArgumentException as the method for tensors
  public static long[] multinomial(
      double[] weights, int draws, boolean replacement, Generator generator) {
    check(weights, draws, replacement);
    long[] result = new long[draws];
    int[] done = new int[1];
    synchronized (generator) {
      draw(
          weights,
          DType.FLOAT64,
          draws,
          replacement,
          generator,
          (indices, count) -> {
            System.arraycopy(indices, 0, result, done[0], count);
            done[0] += count;
          });
    }
    return result;
  }

  /// Computed in the type `dtype`.
  private static void draw(
      double[] weights,
      DType dtype,
      int draws,
      boolean replacement,
      Generator generator,
      Drawn into) {
    if (replacement) {
      withReplacement(weights, dtype, draws, generator, into);
      return;
    }
    // the largest of weight / exponential: the order in which Poisson processes first fire
    double[] keys = new double[weights.length];
    for (int c = 0; c < keys.length; c++) {
      double wait = rounded(dtype, -Math.log(1 - generator.uniform()));
      keys[c] = rounded(dtype, weights[c] / wait);
    }
    long[] chosen = largest(keys, draws);
    for (int at = 0; at < chosen.length; at += CHUNK) {
      int n = Math.min(CHUNK, chosen.length - at);
      into.put(Arrays.copyOfRange(chosen, at, at + n), n);
    }
  }

  private static long[] largest(double[] keys, int count) {
    Integer[] order = new Integer[keys.length];
    Arrays.setAll(order, i -> i);
    Arrays.sort(order, (a, b) -> Double.compare(keys[b], keys[a]));
    long[] result = new long[count];
    Arrays.setAll(result, i -> order[i]);
    return result;
  }

  private static void withReplacement(
      double[] weights, DType dtype, int draws, Generator generator, Drawn into) {
    double[] cumulative = new double[weights.length];
    double sum = 0;
    for (int c = 0; c < weights.length; c++) {
      sum = rounded(dtype, sum + weights[c]);
      cumulative[c] = sum;
    }
    for (int c = 0; c < weights.length; c++) {
      cumulative[c] = rounded(dtype, cumulative[c] / sum);
    }
    cumulative[weights.length - 1] = 1;
    long[] result = new long[Math.min(draws, CHUNK)];
    int filled = 0;
    for (int i = 0; i < draws; i++) {
      double sample = generator.uniform();
      int low = 0;
      int high = weights.length;
      while (low < high) {
        int middle = low + (high - low) / 2;
        if (cumulative[middle] < sample) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      result[filled++] = low;
      if (filled == result.length || i == draws - 1) {
        into.put(result, filled);
        filled = 0;
      }
    }
  }

  private static double rounded(DType dtype, double value) {
    return switch (dtype) {
      case FLOAT64 -> value;
      case BFLOAT16, FLOAT16 -> Fill.rounded(dtype, (float) value);
      default -> (float) value;
    };
  }

  // ---- others

  /// Slopes of the randomised leaky ReLU: where `input` is positive 1, without a draw, elsewhere a
  /// uniform number from `lower` to `upper`. Both are contiguous and of the same type.
  public static void rreluSlopes(
      Strided out, Strided input, double lower, double upper, Generator generator) {
    synchronized (generator) {
      DrawSpace scratch = DrawSpace.ofThread();
      Fill fill = new Fill(out);
      Rows read = new Rows(input);
      long done = 0;
      while (fill.remaining() > 0) {
        int n = fill.block(CHUNK);
        double[] slopes = scratch.doubles;
        read.read(done, slopes, n);
        done += n;
        int drawn = 0;
        for (int i = 0; i < n; i++) {
          int draws = slopes[i] <= 0 ? 1 : 0;
          slopes[i] = 1 - draws;
          drawn += draws;
        }
        int[] words = scratch.draws;
        generator.random(words, 0, 2 * drawn);
        for (int i = 0, k = 0; i < n; i++) {
          if (slopes[i] == 0) {
            long bits = ((long) words[k] << 32 | Integer.toUnsignedLong(words[k + 1])) & MANTISSA;
            slopes[i] = Math.fma(bits * 0x1p-53, upper - lower, lower);
            k += 2;
          }
        }
        fill.put(slopes, n);
      }
    }
  }

  /// Numbers of the Poisson distribution with the rate in the same place of `rates`.
  public static void poisson(Strided out, Strided rates, Generator generator) {
    synchronized (generator) {
      DrawSpace scratch = DrawSpace.ofThread();
      Fill fill = new Fill(out);
      Fill read = new Fill(out, rates);
      while (fill.remaining() > 0) {
        int n = fill.block(CHUNK);
        for (int i = 0; i < n; i++) {
          scratch.longs[i] = Poisson.sample(read.next(), generator);
        }
        fill.put(scratch.longs, n);
      }
    }
  }

  /// Numbers of the binomial distribution with the number of trials and the probability in the same place of `counts` and
  /// `probabilities`.
  public static void binomial(
      Strided out, Strided counts, Strided probabilities, Generator generator) {
    synchronized (generator) {
      DrawSpace scratch = DrawSpace.ofThread();
      Fill fill = new Fill(out);
      Fill count = new Fill(out, counts);
      Fill probability = new Fill(out, probabilities);
      while (fill.remaining() > 0) {
        int n = fill.block(CHUNK);
        for (int i = 0; i < n; i++) {
          scratch.doubles[i] = Binomial.sample(count.next(), probability.next(), generator);
        }
        fill.put(scratch.doubles, n);
      }
    }
  }

  private static double read(Strided from, long element) {
    long at = from.byteOffset() + element * from.dtype().byteSize();
    return Fill.read(from.memory(), from.dtype(), at);
  }
}
