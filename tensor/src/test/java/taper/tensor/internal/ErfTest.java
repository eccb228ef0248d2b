package taper.tensor.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ErfTest {
  @Test
  void erfAgreesWithTabulatedValues() {
    // Abramowitz, Stegun, table 7.1, and 30-digit values for the outer ranges
    assertThat(Erf.erf(0.0)).isZero();
    assertThat(Erf.erf(1e-10)).isCloseTo(1.1283791670955126e-10, within(1e-25));
    assertThat(Erf.erf(0.5)).isCloseTo(0.5204998778130465, within(1e-16));
    assertThat(Erf.erf(1.0)).isCloseTo(0.8427007929497149, within(1.2e-16));
    assertThat(Erf.erf(2.0)).isCloseTo(0.9953222650189527, within(1.2e-16));
    assertThat(Erf.erf(3.0)).isCloseTo(0.9999779095030014, within(1.2e-16));
    assertThat(Erf.erf(-2.0)).isEqualTo(-Erf.erf(2.0));
    assertThat(Erf.erf(7.0)).isEqualTo(1.0);
    assertThat(Erf.erf(Double.NEGATIVE_INFINITY)).isEqualTo(-1.0);
    assertThat(Erf.erf(Double.NaN)).isNaN();
  }

  @Test
  void inverseOfErfGivesBackTheArgument() {
    for (double x = -3; x <= 3; x += 0.0371) {
      double y = Erf.erf(x);

      // what a last-place error of y does to x
      double conditioning = Math.exp(x * x);
      assertThat(Erf.inverse(y)).isCloseTo(x, within(1e-15 * conditioning + 1e-15));
      assertThat(Erf.inverse((float) y))
          .isCloseTo((float) x, within((float) (2e-7 * conditioning + 1e-6)));
    }
  }

  @Test
  void inverseEndsAtInfinity() {
    assertThat(Erf.inverse(1.0)).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(Erf.inverse(-1f)).isEqualTo(Float.NEGATIVE_INFINITY);
    assertThat(Erf.inverse(1.5)).isNaN();
    assertThat(Erf.inverse(Float.NaN)).isNaN();
  }
}
