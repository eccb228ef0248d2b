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
   * there. Two things differ in form, not in value, so that C2 can turn the loops into vector code.
   * The numbers under the logarithm are m / 2^24 with a whole m, so exponent and fraction come from m
   * by shifts instead of from the bits of a float. And selections are sums of products with 0 and 1.
   *
   * [1] Moshier, Cephes mathematical library, single/logf.c, sinf.c.
   * [2] Pommier, Garberoglio, sse_mathfun / avx_mathfun, the same polynomials for vectors.
   */
  static final int BLOCK = 16;
  private static final int HALF = 8;

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

  /// Turns the draws of 32 bits in the first `count` elements of `draws`, a multiple of 16, into as
  /// many normal numbers in `out`. `radius` and `angle` are work space of half that size.
  static void transform(
      int[] draws, float[] out, int count, float mean, float std, float[] radius, float[] angle) {
    int half = count / 2;
    split(draws, count, angle);
    radii(draws, radius, half);
    sineAndCosine(angle, radius, half);
    for (int i = 0, from = 0; i < count; i += BLOCK, from += HALF) {
      for (int j = 0; j < HALF; j++) {
        out[i + j] = Math.fma(angle[from + j], std, mean);
        out[i + HALF + j] = Math.fma(radius[from + j], std, mean);
      }
    }
  }

  /// Turns the draws `k` for radii into `2^24 - k`, at the front of `draws`, and those for angles into
  /// `2π k / 2^24`, in `angle`. In place: a block of 16 leaves 8 behind, so writing never overtakes
  /// reading.
  private static void split(int[] draws, int count, float[] angle) {
    for (int i = 0, to = 0; i < count; i += BLOCK, to += HALF) {
      for (int j = 0; j < HALF; j++) {
        angle[to + j] = TWO_PI * ((draws[i + HALF + j] & 0xffffff) * 0x1p-24f);
        draws[to + j] = (1 << 24) - (draws[i + j] & 0xffffff);
      }
    }
  }

  /// `sqrt(-2 log(m / 2^24))`.
  private static void radii(int[] fractions, float[] radius, int count) {
    for (int i = 0; i < count; i++) {
      int m = fractions[i];
      int zeros = Integer.numberOfLeadingZeros(m);
      int fraction = m << zeros >>> 8; // in [2^23, 2^24): the value is fraction / 2^24 * 2^(8 - zeros)
      int below = fraction - SQRT_HALF_24 >> 31;
      float x = fraction * 0x1p-24f - 1f + (fraction & below) * 0x1p-24f;
      float e = 8 - zeros + below;
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
      y = Math.fma(y, z, e * LOG_Q1);
      y = Math.fma(z, -0.5f, y);
      float log = Math.fma(e, LOG_Q2, x + y);
      radius[i] = (float) Math.sqrt(-2f * log);
    }
  }

  /// Replaces `angle` by `radius * cos(angle)` and `radius` by `radius * sin(angle)`.
  private static void sineAndCosine(float[] angle, float[] radius, int count) {
    for (int i = 0; i < count; i++) {
      float theta = angle[i];
      int octant = (int) (theta * FOUR_OVER_PI) + 1 & ~1;
      float y = octant;
      float x = Math.fma(y, MINUS_DP1, theta);
      x = Math.fma(y, MINUS_DP2, x);
      x = Math.fma(y, MINUS_DP3, x);
      float z = x * x;

      float cosine = Math.fma(COS_P0, z, COS_P1);
      cosine = Math.fma(cosine, z, COS_P2);
      cosine = Math.fma(cosine * z, z, -(z * 0.5f)) + 1f;

      float sine = Math.fma(SIN_P0, z, SIN_P1);
      sine = Math.fma(sine, z, SIN_P2);
      sine = Math.fma(sine * z, x, x);

      float swap = octant >> 1 & 1;
      float keep = 1f - swap;
      float sineSign = 1 - ((octant & 4) >> 1);
      float cosineSign = 1 - ((~(octant - 2) & 4) >> 1);
      float r = radius[i];
      angle[i] = r * ((cosine * keep + sine * swap) * cosineSign);
      radius[i] = r * ((sine * keep + cosine * swap) * sineSign);
    }
  }

  /// Turns the first `count` elements of `values`, a multiple of 16, from uniform into normal numbers.
  static void transform(double[] values, int count, double mean, double std) {
    for (int i = 0; i < count; i += BLOCK) {
      for (int j = i; j < i + HALF; j++) {
        double u1 = 1 - values[j];
        double radius = Math.sqrt(-2 * Math.log(u1));
        double theta = 2.0 * Math.PI * values[j + HALF];
        values[j] = Math.fma(radius * Math.cos(theta), std, mean);
        values[j + HALF] = Math.fma(radius * Math.sin(theta), std, mean);
      }
    }
  }

  /// The same for a half type. PyTorch's arithmetic on bfloat16 rounds every step to bfloat16; that on
  /// float16 goes through float32 and rounds what is stored in a variable.
  static void transform(DType half, float[] values, int count, float mean, float std) {
    boolean everyStep = half == DType.BFLOAT16;
    for (int i = 0; i < count; i += BLOCK) {
      for (int j = i; j < i + HALF; j++) {
        float u1 = Fill.rounded(half, 1 - values[j]);
        float log = (float) Math.log(u1);
        float square = -2 * (everyStep ? Fill.rounded(half, log) : log);
        float root = (float) Math.sqrt(everyStep ? Fill.rounded(half, square) : square);
        float radius = Fill.rounded(half, root);
        float theta = Fill.rounded(half, (float) (2.0 * Math.PI * values[j + HALF]));
        float cos = (float) Math.cos(theta);
        float sin = (float) Math.sin(theta);
        if (everyStep) {
          values[j] = scaled(half, radius, Fill.rounded(half, cos), mean, std);
          values[j + HALF] = scaled(half, radius, Fill.rounded(half, sin), mean, std);
        } else {
          values[j] = Math.fma(radius * cos, std, mean);
          values[j + HALF] = Math.fma(radius * sin, std, mean);
        }
      }
    }
  }

  private static float scaled(DType half, float radius, float factor, float mean, float std) {
    float product = Fill.rounded(half, radius * factor);
    return Fill.rounded(half, Fill.rounded(half, product * std) + mean);
  }
}
