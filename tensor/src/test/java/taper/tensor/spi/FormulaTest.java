package taper.tensor.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static taper.tensor.spi.Formula.constant;
import static taper.tensor.spi.Formula.input;
import static taper.tensor.spi.Formula.parameter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Comparison;
import taper.tensor.spi.Formula.Function;

class FormulaTest {
  private static final double[] NONE = {};
  private static final Formula X = input(0);
  private static final Formula Y = input(1);

  private static double at(Formula f, double... x) {
    return f.at(x, NONE);
  }

  @ParameterizedTest
  @EnumSource(value = Function.class, mode = Mode.MATCH_NONE, names = "BIT_NOT")
  void derivativeOfEveryFunctionAgreesWithDifferences(Function function) {
    Formula f = Formula.apply(function, X.plus(0));

    for (double x : new double[] {-2.3, -0.7, -0.3, 0.2, 0.6, 0.9, 1.4, 3.3}) {
      double slope = (at(f, x + 1e-6) - at(f, x - 1e-6)) / 2e-6;
      if (Double.isFinite(slope)) {
        assertThat(at(f.derivative(0), x)).isCloseTo(slope, within(1e-5 * (1 + Math.abs(slope))));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Arithmetic.class,
      mode = Mode.MATCH_NONE,
      names =
          "BIT_.*|SHIFT_.*|GCD|LCM|POLYGAMMA|ZETA|GAMMA_.|CHEBYSHEV_.|HERMITE_.*|LAGUERRE|LEGENDRE")
  void derivativesOfEveryArithmeticAgreeWithDifferences(Arithmetic arithmetic) {
    Formula f = Formula.apply(arithmetic, X, Y);

    for (double x : new double[] {0.3, 1.7, 4.1}) {
      for (double y : new double[] {-1.3, 0.45, 2.2}) {
        double byX = (at(f, x + 1e-6, y) - at(f, x - 1e-6, y)) / 2e-6;
        double byY = (at(f, x, y + 1e-6) - at(f, x, y - 1e-6)) / 2e-6;
        assertThat(at(f.derivative(0), x, y)).isCloseTo(byX, within(1e-5 * (1 + Math.abs(byX))));
        assertThat(at(f.derivative(1), x, y)).isCloseTo(byY, within(1e-5 * (1 + Math.abs(byY))));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Arithmetic.class,
      names = {"POLYGAMMA", "ZETA", "GAMMA_P", "GAMMA_Q"})
  void derivativesByTheSecondArgumentAgreeWithDifferences(Arithmetic arithmetic) {
    Formula f = Formula.apply(arithmetic, constant(3), X);

    for (double x : new double[] {0.45, 2.2, 7.3}) {
      double slope = (at(f, x + 1e-6) - at(f, x - 1e-6)) / 2e-6;
      assertThat(at(f.derivative(0), x)).isCloseTo(slope, within(1e-5 * (1 + Math.abs(slope))));
    }
  }

  @Test
  void derivativesAreFiniteAtExtremeInputs() {
    Formula silu = X.times(Formula.sigmoid(X));
    Formula gelu = X.times(0.5).times(Formula.erf(X.times(Math.sqrt(0.5))).plus(1));

    for (double x : new double[] {-1e30, -800, -90, 0, 90, 800, 1e30}) {
      for (Formula f :
          new Formula[] {silu, gelu, Formula.tanh(X), Formula.sigmoid(X), Formula.softplus(X)}) {
        assertThat(at(f.derivative(0), x)).as("%s at %s", f, x).isFinite();
      }
    }
  }

  @Test
  void gradientsThatFollowFromTheOutputCanBeRecognised() {
    for (Function function :
        new Function[] {
          Function.TANH,
          Function.SIGMOID,
          Function.EXP,
          Function.SQRT,
          Function.RSQRT,
          Function.RELU,
          Function.RECIPROCAL,
          Function.TAN,
          Function.EXPM1
        }) {
      Formula f = Formula.apply(function, X);

      Formula fromOutput = f.derivative(0).replace(f, Y);

      assertThat(fromOutput.inputs()).as("%s", function).doesNotContain(0);
    }
  }

  @Test
  void derivativesSimplify() {
    assertThat(X.times(3).plus(Y).derivative(0)).isEqualTo(constant(3));
    assertThat(X.minus(Y).derivative(1)).isEqualTo(constant(-1));
    assertThat(Formula.pow(X, constant(2)).derivative(0)).isEqualTo(X.times(2));
    assertThat(X.times(Y).derivative(0)).isEqualTo(Y);
    assertThat(Formula.sin(Y).derivative(0)).isEqualTo(constant(0));
  }

  @Test
  void conventionsAtKinksArePyTorchs() {
    Formula maximum = Formula.maximum(X, Y);

    assertThat(at(Formula.abs(X).derivative(0), 0)).isZero();
    assertThat(at(Formula.relu(X).derivative(0), 0)).isZero();
    assertThat(at(maximum.derivative(0), 2, 2)).isEqualTo(0.5);
    assertThat(at(maximum.derivative(1), 2, 2)).isEqualTo(0.5);
    assertThat(at(maximum.derivative(0), 1, 2)).isZero();
    assertThat(at(Formula.pow(X, constant(0)).derivative(0), 0)).isZero();
    assertThat(at(Formula.pow(X, Y).derivative(0), 0, 0)).isZero();
    assertThat(at(Formula.pow(X, Y).derivative(1), 0, 2)).isZero();
    assertThat(Formula.pow(X, parameter(0)).derivative(0).at(new double[] {0}, new double[] {0}))
        .isZero();
  }

  @Test
  void nanGoesThrough() {
    assertThat(at(Formula.relu(X), Double.NaN)).isNaN();
    assertThat(at(Formula.maximum(X, Y), 1, Double.NaN)).isNaN();
    assertThat(at(Formula.minimum(X, Y), Double.NaN, 1)).isNaN();
    assertThat(at(Formula.sign(X), Double.NaN)).isZero();
    assertThat(at(Formula.erf(X), Double.NaN)).isNaN();
  }

  @Test
  void aProductWithZeroIsNotSimplified() {
    assertThat(at(X.times(0), Double.POSITIVE_INFINITY)).isNaN();
  }

  @Test
  void remainderAndFloorDivisionArePythons() {
    Formula remainder = Formula.apply(Arithmetic.REMAINDER, X, Y);
    Formula quotient = Formula.apply(Arithmetic.FLOOR_DIVIDE, X, Y);

    assertThat(at(remainder, -7, 3)).isEqualTo(2);
    assertThat(at(remainder, 7, -3)).isEqualTo(-2);
    assertThat(at(quotient, -7, 3)).isEqualTo(-3);
    assertThat(at(quotient, 1, 0.1)).isEqualTo(9);
    assertThat(at(quotient, 1, 0)).isInfinite();
    assertThat(remainder.at(new long[] {-7, 3}, new long[0])).isEqualTo(2);
    assertThat(quotient.at(new long[] {-7, 3}, new long[0])).isEqualTo(-3);
    assertThat(at(Formula.apply(Arithmetic.FMOD, X, Y), -7, 3)).isEqualTo(-1);
  }

  @Test
  void wholeNumbersWrapAround() {
    assertThat(X.plus(1).at(new long[] {Long.MAX_VALUE}, new long[0])).isEqualTo(Long.MIN_VALUE);
    assertThat(Formula.pow(X, Y).at(new long[] {3, 40}, new long[0]))
        .isEqualTo(-6289078614652622815L);
    assertThat(Formula.pow(X, Y).at(new long[] {-1, -3}, new long[0])).isEqualTo(-1);
    assertThatThrownBy(() -> Formula.exp(X).at(new long[] {1}, new long[0]))
        .hasMessage("EXP of a whole number must be computed in floating point");
  }

  @Test
  void comparisonsWithNanDoNotHold() {
    for (Comparison comparison : Comparison.values()) {
      assertThat(at(Formula.compare(X, comparison, Y), Double.NaN, 1))
          .isEqualTo(comparison == Comparison.NOT_EQUAL ? 1 : 0);
    }
  }

  @Test
  void specialFunctionsAreAccurate() {
    assertThat(Function.ERF.at(0.5)).isEqualTo(0.5204998778130465, within(2e-16));
    assertThat(Function.ERF.at(1.0)).isEqualTo(0.8427007929497149, within(2e-16));
    assertThat(Function.ERF.at(-2.0)).isEqualTo(-0.9953222650189527, within(2e-16));
    assertThat(Function.ERFC.at(3.0)).isEqualTo(2.209049699858544e-05, within(1e-20));
    assertThat(Function.ERFC.at(10.0)).isEqualTo(2.088487583762545e-45, within(1e-59));
    assertThat(Function.LOG2.at(0x1p-1060)).isEqualTo(-1060);
    assertThat(Function.LOG2.at(0x1p29)).isEqualTo(29);
    assertThat(Function.SOFTPLUS.at(-40.0)).isEqualTo(Math.exp(-40), within(1e-30));
    assertThat(Function.ASINH.at(1e300)).isEqualTo(Math.log(1e300) + Math.log(2), within(1e-12));
    assertThat(Function.ROUND.at(2.5)).isEqualTo(2);
    assertThat(Arithmetic.POWER.at(1, Double.NaN)).isEqualTo(1);
  }

  @Test
  void partsCanBeFoundAndReplaced() {
    Formula f = Formula.select(X, Comparison.LESS, Y, Formula.exp(X), parameter(0));

    assertThat(f.inputs()).containsExactly(0, 1);
    assertThat(f.parameters()).containsExactly(0);
    assertThat(f.contains(Formula.exp(X))).isTrue();
    assertThat(f.replace(Y, constant(3)).inputs()).containsExactly(0);
    assertThat(f.toString()).isEqualTo("(x0 < x1 ? exp(x0) : p0)");
  }
}
