package taper.cpu.plain;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.tensor.spi.Formula.Comparison;

/// `x < y ? a : b` over blocks of `float32`, without branches. Belongs to one thread.
///
/// A conditional expression of floats is a jump in the code of C2, which the processor guesses wrong every
/// second time on data like the signs of activations: ten times the cost of the rest. So the bits are
/// compared as whole numbers by arithmetic that C2 turns into vector code; copying them between arrays
/// of floats and of ints costs next to nothing.
final class FloatChoice {
  private static final int INFINITY = 0x7f800000;

  private final int[] x = new int[Registers.BLOCK];
  private final int[] y = new int[Registers.BLOCK];
  private final int[] a = new int[Registers.BLOCK];
  private final int[] b = new int[Registers.BLOCK];
  private final int[] chosen = new int[Registers.BLOCK];

  /// Sets the first `count` elements of `to`, which may be one of the other arrays.
  void choose(
      float[] to,
      float[] left,
      Comparison comparison,
      float[] right,
      float[] then,
      float[] otherwise,
      int count) {
    copy(left, x, count);
    copy(right, y, count);
    copy(then, a, count);
    copy(otherwise, b, count);
    switch (comparison) {
      case LESS -> ordered(x, y, 0, a, b, chosen, count);
      case LESS_EQUAL -> ordered(y, x, -1, a, b, chosen, count);
      case GREATER -> ordered(y, x, 0, a, b, chosen, count);
      case GREATER_EQUAL -> ordered(x, y, -1, a, b, chosen, count);
      case EQUAL -> equal(x, y, a, b, chosen, count);
      case NOT_EQUAL -> equal(x, y, b, a, chosen, count);
    }
    MemorySegment.copy(chosen, 0, MemorySegment.ofArray(to), JAVA_INT_UNALIGNED, 0, count);
  }

  private static void copy(float[] from, int[] to, int count) {
    MemorySegment.copy(MemorySegment.ofArray(from), JAVA_INT_UNALIGNED, 0, to, 0, count);
  }

  /// A whole number that is ordered as the float with these bits is; 0 for both zeros.
  static int key(int bits) {
    int sign = bits >> 31;
    return (bits ^ sign) - sign + (sign & Integer.MIN_VALUE);
  }

  /// All ones for a NaN, else 0.
  static int unordered(int bits) {
    return (INFINITY - (bits & Integer.MAX_VALUE)) >> 31;
  }

  /// Takes `then` where neither is NaN and `x < y`, or with `flip = -1` where `x >= y`.
  private static void ordered(
      int[] x, int[] y, int flip, int[] then, int[] otherwise, int[] to, int count) {
    for (int i = 0; i < count; i++) {
      int k = key(x[i]);
      int l = key(y[i]);
      // the sign of k - l, had that room: k < 0 <= l, or equal signs and a negative difference
      int less = ((k & ~l) | (~(k ^ l) & (k - l))) >> 31;
      int mask = (less ^ flip) & ~(unordered(x[i]) | unordered(y[i]));
      to[i] = (then[i] & mask) | (otherwise[i] & ~mask);
    }
  }

  /// Takes `then` where neither is NaN and `x == y`.
  private static void equal(int[] x, int[] y, int[] then, int[] otherwise, int[] to, int count) {
    for (int i = 0; i < count; i++) {
      int difference = key(x[i]) ^ key(y[i]);
      int differs = (difference | -difference) >> 31;
      int mask = ~(differs | unordered(x[i]) | unordered(y[i]));
      to[i] = (then[i] & mask) | (otherwise[i] & ~mask);
    }
  }
}
