package taper.tensor.internal;

import taper.tensor.DType;

/// The Box–Muller transformation on blocks of 16 uniform numbers, as PyTorch's CPU kernels do it: the
/// first 8 give the radii, the last 8 the angles, and the results are 8 cosines and 8 sines.
///
/// Stateless.
final class Normals {
  /*
   * float32 follows PyTorch's AVX2 kernel to the last bit: the logarithm and the sine and cosine of
   * avx_mathfun.h [1, 2], with the multiplications and additions fused as the compiler fuses them
   * there. Some things differ in form, not in value, so that C2 can turn the loops into vector code
   * (2 ns a number instead of 6): short loops one after the other instead of a long one. The numbers under the logarithm are m / 2^24 with a whole m, so exponent and fraction come from m
   * by shifts instead of from the bits of a float. And selections are sums of products with 0 and 1.
   *
   * [1] Moshier, Cephes mathematical library, single/logf.c, sinf.c.
   * [2] Pommier, Garberoglio, sse_mathfun / avx_mathfun, the same polynomials for vectors.
   */
  static final int BLOCK = 16;

  /// The largest number of values that one call transforms.
  static final int CHUNK = 1024;

  private static final int LANES = 8;
  // Places in the work space. One array with constant places in it, since C2 cannot prove that two
  // arrays do not overlap.
  private static final int COSINES = 0;
  private static final int SINES = CHUNK / 2;
  private static final int RADII = CHUNK;
  static final int WORK = 3 * CHUNK / 2;
  // places behind the draws
  private static final int FRACTIONS = CHUNK;
  private static final int OCTANTS = 3 * CHUNK / 2;

  private static final float TWO_PI = (float) (2.0 * Math.PI);

  private static final float LOG_P0 = 7.0376836292E-2f;
  private static final float LOG_P1 = -1.1514610310E-1f;
  private static final float LOG_P2 = 1.1676998740E-1f;
  private static final float LOG_P3 = -1.2420140846E-1f;
  private static final float LOG_P4 = 1.4249322787E-1f;
  private static final float LOG_P5 = -1.6668057665E-1f;
  private static final float LOG_P6 = 2.0000714765E-1f;
  private static final float LOG_P7 = -2.4999993993E-1f;
  private static final float LOG_P8 = 3.3333331174E-1f;
  private static final float LOG_Q1 = -2.12194440e-4f;
  private static final float LOG_Q2 = 0.693359375f;
  // the square root of one half, as a fraction of 24 bits
  private static final int SQRT_HALF_24 = (int) (0.707106781186547524f * 0x1p24f);

  private static final float FOUR_OVER_PI = 1.27323954473516f;
  private static final float MINUS_DP1 = -0.78515625f;
  private static final float MINUS_DP2 = -2.4187564849853515625e-4f;
  private static final float MINUS_DP3 = -3.77489497744594108e-8f;
  private static final float SIN_P0 = -1.9515295891E-4f;
  private static final float SIN_P1 = 8.3321608736E-3f;
  private static final float SIN_P2 = -1.6666654611E-1f;
  private static final float COS_P0 = 2.443315711809948E-005f;
  private static final float COS_P1 = -1.388731625493765E-003f;
  private static final float COS_P2 = 4.166664568298827E-002f;

  private Normals() {}

  /// Turns the draws of 32 bits in the first `count` elements of `draws`, a multiple of 16 and at most
  /// [#CHUNK], into as many normal numbers in `out`. `draws` has the size `2 *` [#CHUNK], `work` the
  /// size [#WORK]; both are overwritten.
  static void transform(int[] draws, float[] out, int count, float mean, float std, float[] work) {
    int half = count / 2;
    for (int i = 0, to = 0; i < count; i += BLOCK, to += LANES) {
      System.arraycopy(draws, i, draws, FRACTIONS + to, LANES);
      System.arraycopy(draws, i + LANES, draws, OCTANTS + to, LANES);
    }
    radii(draws, work, half);
    sinesAndCosines(draws, work, half);
    scale(draws, work, half, mean, std);
    for (int i = 0, from = 0; i < count; i += BLOCK, from += LANES) {
      System.arraycopy(work, COSINES + from, out, i, LANES);
      System.arraycopy(work, SINES + from, out, i + LANES, LANES);
    }
  }

  /// Radii are `sqrt(-2 log(1 - k / 2^24))` of the draws `k`.
  private static void radii(int[] draws, float[] work, int count) {
    for (int i = 0; i < count; i++) {
      int m = (1 << 24) - (draws[FRACTIONS + i] & 0xffffff);
      int zeros = Integer.numberOfLeadingZeros(m);
      int fraction = m << zeros >>> 8; // of 24 bits: m / 2^24 is fraction / 2^24 * 2^(8 - zeros)
      int below = fraction - SQRT_HALF_24 >> 31;
      work[RADII + i] = fraction * 0x1p-24f - 1f + (fraction & below) * 0x1p-24f;
      draws[FRACTIONS + i] = 8 - zeros + below;
    }
    for (int i = 0; i < count; i++) {
      float x = work[RADII + i];
      float exponent = draws[FRACTIONS + i];
      float z = x * x;
      float y = Math.fma(LOG_P0, x, LOG_P1);
      y = Math.fma(y, x, LOG_P2);
      y = Math.fma(y, x, LOG_P3);
      y = Math.fma(y, x, LOG_P4);
      y = Math.fma(y, x, LOG_P5);
      y = Math.fma(y, x, LOG_P6);
      y = Math.fma(y, x, LOG_P7);
      y = Math.fma(y, x, LOG_P8);
      y = y * x;
      y = Math.fma(y, z, exponent * LOG_Q1);
      y = Math.fma(z, -0.5f, y);
      work[RADII + i] = Math.fma(exponent, LOG_Q2, x + y);
    }
    for (int i = 0; i < count; i++) {
      work[RADII + i] = (float) Math.sqrt(-2f * work[RADII + i]);
    }
  }

  /// Sines and cosines of `2π k / 2^24`, up to sign and exchange, which the octant decides.
  private static void sinesAndCosines(int[] draws, float[] work, int count) {
    for (int i = 0; i < count; i++) {
      float theta = TWO_PI * ((draws[OCTANTS + i] & 0xffffff) * 0x1p-24f);
      work[COSINES + i] = theta;
      draws[OCTANTS + i] = (int) (theta * FOUR_OVER_PI) + 1 & ~1;
    }
    for (int i = 0; i < count; i++) {
      float y = draws[OCTANTS + i];
      float x = Math.fma(y, MINUS_DP1, work[COSINES + i]);
      x = Math.fma(y, MINUS_DP2, x);
      work[COSINES + i] = Math.fma(y, MINUS_DP3, x);
    }
    for (int i = 0; i < count; i++) {
      float x = work[COSINES + i];
      float z = x * x;
      float cosine = Math.fma(COS_P0, z, COS_P1);
      cosine = Math.fma(cosine, z, COS_P2);
      float sine = Math.fma(SIN_P0, z, SIN_P1);
      sine = Math.fma(sine, z, SIN_P2);
      work[COSINES + i] = Math.fma(cosine * z, z, -(z * 0.5f)) + 1f;
      work[SINES + i] = Math.fma(sine * z, x, x);
    }
  }

  private static void scale(int[] draws, float[] work, int count, float mean, float std) {
    for (int i = 0; i < count; i++) {
      int octant = draws[OCTANTS + i];
      float swap = octant >> 1 & 1;
      float keep = 1f - swap;
      float cosineSign = 1 - ((~(octant - 2) & 4) >> 1);
      float sineSign = 1 - ((octant & 4) >> 1);
      float cosine = work[COSINES + i];
      float sine = work[SINES + i];
      work[COSINES + i] = (cosine * keep + sine * swap) * cosineSign;
      work[SINES + i] = (sine * keep + cosine * swap) * sineSign;
    }
    for (int i = 0; i < count; i++) {
      float radius = work[RADII + i];
      work[COSINES + i] = Math.fma(radius * work[COSINES + i], std, mean);
      work[SINES + i] = Math.fma(radius * work[SINES + i], std, mean);
    }
  }

  /// Turns the first `count` elements of `values`, a multiple of 16, from uniform into normal numbers.
  static void transform(double[] values, int count, double mean, double std) {
    for (int i = 0; i < count; i += BLOCK) {
      for (int j = i; j < i + LANES; j++) {
        double u1 = 1 - values[j];
        double radius = Math.sqrt(-2 * Math.log(u1));
        double theta = 2.0 * Math.PI * values[j + LANES];
        values[j] = Math.fma(radius * Math.cos(theta), std, mean);
        values[j + LANES] = Math.fma(radius * Math.sin(theta), std, mean);
      }
    }
  }

  /// The same for a half type. PyTorch's arithmetic on bfloat16 rounds every step to bfloat16; that on
  /// float16 goes through float32 and rounds what is stored in a variable.
  static void transform(DType half, float[] values, int count, float mean, float std) {
    boolean everyStep = half == DType.BFLOAT16;
    for (int i = 0; i < count; i += BLOCK) {
      for (int j = i; j < i + LANES; j++) {
        float u1 = Fill.rounded(half, 1 - values[j]);
        float log = (float) Math.log(u1);
        float square = -2 * (everyStep ? Fill.rounded(half, log) : log);
        float root = (float) Math.sqrt(everyStep ? Fill.rounded(half, square) : square);
        float radius = Fill.rounded(half, root);
        float theta = Fill.rounded(half, (float) (2.0 * Math.PI * values[j + LANES]));
        float cos = (float) Math.cos(theta);
        float sin = (float) Math.sin(theta);
        if (everyStep) {
          values[j] = scaled(half, radius, Fill.rounded(half, cos), mean, std);
          values[j + LANES] = scaled(half, radius, Fill.rounded(half, sin), mean, std);
        } else {
          values[j] = Math.fma(radius * cos, std, mean);
          values[j + LANES] = Math.fma(radius * sin, std, mean);
        }
      }
    }
  }

  private static float scaled(DType half, float radius, float factor, float mean, float std) {
    float product = Fill.rounded(half, radius * factor);
    return Fill.rounded(half, Fill.rounded(half, product * std) + mean);
  }
}
