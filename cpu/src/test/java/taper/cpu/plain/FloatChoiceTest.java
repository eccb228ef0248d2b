package taper.cpu.plain;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import taper.tensor.spi.Formula.Comparison;

/// Choices by comparisons of all kinds of floats, against Java's own.
class FloatChoiceTest {
  private static final float[] VALUES = {
    0f,
    -0f,
    1f,
    -1f,
    Math.nextUp(1f),
    Float.MIN_VALUE,
    -Float.MIN_VALUE,
    Float.MAX_VALUE,
    -Float.MAX_VALUE,
    Float.POSITIVE_INFINITY,
    Float.NEGATIVE_INFINITY,
    Float.NaN,
    Float.intBitsToFloat(0xffc00001),
    Float.intBitsToFloat(0x7f800001),
    Float.intBitsToFloat(0xffffffff)
  };

  @ParameterizedTest
  @EnumSource(Comparison.class)
  void everyPairIsComparedAsJavaComparesIt(Comparison comparison) {
    int n = VALUES.length;
    float[] x = new float[n * n];
    float[] y = new float[n * n];
    float[] then = new float[n * n];
    float[] otherwise = new float[n * n];
    for (int i = 0; i < n * n; i++) {
      x[i] = VALUES[i / n];
      y[i] = VALUES[i % n];
      then[i] = i;
      otherwise[i] = -1 - i;
    }
    float[] to = new float[n * n];

    new FloatChoice().choose(to, x, comparison, y, then, otherwise, n * n);

    for (int i = 0; i < n * n; i++) {
      assertThat(to[i])
          .as("%s %s %s", x[i], comparison, y[i])
          .isEqualTo(comparison.holds(x[i], y[i]) ? then[i] : otherwise[i]);
    }
  }

  @ParameterizedTest
  @EnumSource(Comparison.class)
  void theResultMayReplaceAnOperand(Comparison comparison) {
    float[] x = {1, 2, 3};
    float[] y = {2, 2, 2};

    new FloatChoice().choose(x, x, comparison, y, x, y, 3);

    for (int i = 0; i < 3; i++) {
      assertThat(x[i]).isEqualTo(comparison.holds(i + 1, 2) ? i + 1f : 2f);
    }
  }
}
