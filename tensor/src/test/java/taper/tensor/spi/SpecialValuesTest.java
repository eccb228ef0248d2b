package taper.tensor.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Function;

/// Values of special functions, computed with 40 digits by mpmath 1.3.
class SpecialValuesTest {

  @ParameterizedTest
  @CsvSource({
    "LGAMMA, 0.001, 6.907178885383853",
    "LGAMMA, 0.5, 0.5723649429247001",
    "LGAMMA, 0.95, 0.030968795237972926",
    "LGAMMA, 1.3, -0.10817480950786047",
    "LGAMMA, 1.9, -0.03898427592308336",
    "LGAMMA, 2.7, 0.4348205536551047",
    "LGAMMA, 6.5, 5.662562059857142",
    "LGAMMA, 20.0, 39.339884187199495",
    "LGAMMA, 100000.0, 1051287.7089736569",
    "LGAMMA, -0.5, 1.2655121234846454",
    "LGAMMA, -7.25, -7.54188344347575",
    "DIGAMMA, 0.1, -10.423754940411076",
    "DIGAMMA, 1.0, -0.5772156649015329",
    "DIGAMMA, 2.5, 0.7031566406452432",
    "DIGAMMA, 10.0, 2.251752589066721",
    "DIGAMMA, 11.5, 2.3982391295357814",
    "DIGAMMA, 1000.0, 6.907255195648812",
    "DIGAMMA, -0.3, 2.113309779635399",
    "DIGAMMA, -2.7, -1.1153471291406896",
    "TRIGAMMA, 0.1, 101.43329915079275",
    "TRIGAMMA, 1.0, 1.6449340668482264",
    "TRIGAMMA, 2.5, 0.49035775610023485",
    "TRIGAMMA, 10.0, 0.10516633568168575",
    "TRIGAMMA, 1000.0, 0.0010005001666666333",
    "TRIGAMMA, -0.3, 13.945160267805722",
    "ERFINV, 0.001, 0.0008862271574665521",
    "ERFINV, 0.3, 0.2724627147267543",
    "ERFINV, 0.69, 0.7178703840977548",
    "ERFINV, 0.71, 0.7482049711849852",
    "ERFINV, 0.95, 1.3859038243496777",
    "ERFINV, -0.999, -2.3267537655135246",
    "ERFCX, -5.0, 144009798674.66104",
    "ERFCX, -0.3, 1.4537492328427655",
    "ERFCX, 0.0, 1.0",
    "ERFCX, 0.5, 0.6156903441929259",
    "ERFCX, 1.1, 0.4017304606364951",
    "ERFCX, 3.0, 0.17900115118138996",
    "ERFCX, 10.0, 0.05614099274382259",
    "ERFCX, 27.0, 0.02088160799042094",
    "ERFCX, 500.0, 0.0011283769103507188",
    "NDTRI, 0.001, -3.0902323061678136",
    "NDTRI, 0.1, -1.2815515655446004",
    "NDTRI, 0.4, -0.2533471031357997",
    "NDTRI, 0.5, 0.0",
    "NDTRI, 0.75, 0.6744897501960817",
    "NDTRI, 0.99, 2.3263478740408408",
    "BESSEL_J0, 0.1, 0.99750156206604",
    "BESSEL_J0, 0.5, 0.9384698072408129",
    "BESSEL_J0, 1.0, 0.7651976865579666",
    "BESSEL_J1, 0.1, 0.049937526036242",
    "BESSEL_J1, 0.5, 0.2422684576748739",
    "BESSEL_J1, -1.0, -0.4400505857449335",
    "BESSEL_Y0, 0.1, -1.5342386513503667",
    "BESSEL_Y0, 0.5, -0.44451873350670656",
    "BESSEL_Y0, 1.0, 0.08825696421567696",
    "BESSEL_Y1, 0.1, -6.4589510947020266",
    "BESSEL_Y1, 0.5, -1.471472392670243",
    "BESSEL_Y1, 1.0, -0.7812128213002887",
    "BESSEL_I0, 0.1, 1.0025015629340956",
    "BESSEL_I0, 2.0, 2.2795853023360673",
    "BESSEL_I0, 8.0, 427.5641157218048",
    "BESSEL_I0, 20.0, 43558282.559553534",
    "BESSEL_I0, -3.0, 4.8807925858650245",
    "BESSEL_I0E, 0.1, 0.9071009257823011",
    "BESSEL_I0E, 8.0, 0.14343178185685032",
    "BESSEL_I0E, 20.0, 0.08978031188482602",
    "BESSEL_I0E, 900.0, 0.013299924124068151",
    "BESSEL_I1, 0.1, 0.050062526047092694",
    "BESSEL_I1, 2.0, 1.590636854637329",
    "BESSEL_I1, 8.0, 399.8731367825601",
    "BESSEL_I1, 20.0, 42454973.38512777",
    "BESSEL_I1, -3.0, -3.9533702174026093",
    "BESSEL_I1E, 0.1, 0.045298446808809324",
    "BESSEL_I1E, 8.0, 0.13414249329269817",
    "BESSEL_I1E, 20.0, 0.08750622218328867",
    "BESSEL_I1E, -900.0, -0.013292533222590655",
    "BESSEL_K0, 0.1, 2.4270690247020164",
    "BESSEL_K0, 1.0, 0.42102443824070834",
    "BESSEL_K0, 2.0, 0.11389387274953344",
    "BESSEL_K0, 5.0, 0.0036910983340425942",
    "BESSEL_K0, 50.0, 3.4101677497894956e-23",
    "BESSEL_K0E, 0.1, 2.6823261022628944",
    "BESSEL_K0E, 2.0, 0.8415682150707714",
    "BESSEL_K0E, 5.0, 0.547807564313519",
    "BESSEL_K0E, 900.0, 0.04177133915254879",
    "BESSEL_K1, 0.1, 9.853844780870606",
    "BESSEL_K1, 1.0, 0.6019072301972346",
    "BESSEL_K1, 2.0, 0.13986588181652243",
    "BESSEL_K1, 5.0, 0.004044613445452165",
    "BESSEL_K1, 50.0, 3.4441022267175555e-23",
    "BESSEL_K1E, 0.1, 10.890182683049696",
    "BESSEL_K1E, 2.0, 1.0334768470686886",
    "BESSEL_K1E, 5.0, 0.6002738587883126",
    "BESSEL_K1E, 900.0, 0.041794539013033705",
    "AIRY, -1.5, 0.4642565777488694",
    "AIRY, 0.0, 0.3550280538878172",
    "AIRY, 0.5, 0.23169360648083348",
    "AIRY, 2.0, 0.03492413042327438",
    "AIRY, 2.5, 0.01572592338047049",
    "AIRY, 8.0, 4.6922076160992316e-08",
    "AIRY_PRIME, -8.0, 0.9355609381983065",
    "AIRY_PRIME, -1.5, 0.3091869672024104",
    "AIRY_PRIME, 0.0, -0.2588194037928068",
    "AIRY_PRIME, 0.5, -0.2249105326646839",
    "AIRY_PRIME, 2.5, -0.026250881035903232",
    "AIRY_PRIME, 8.0, -1.3414392979067865e-07"
  })
  void functionsAreRightToTwelveDigits(Function function, double x, double expected) {
    assertThat(function.at(x)).isCloseTo(expected, within(2e-13 * Math.abs(expected)));
  }

  @ParameterizedTest
  @CsvSource({
    "ZETA, 2.0, 1.0, 1.6449340668482264",
    "ZETA, 3.5, 0.3, 68.1026560524323",
    "ZETA, 5.0, 20.0, 1.7252490719331944e-06",
    "POLYGAMMA, 2.0, 0.7, -6.4349928741909235",
    "POLYGAMMA, 3.0, 4.5, 0.030322508542366587",
    "POLYGAMMA, 4.0, 12.0, -0.0003409100507010894",
    "GAMMA_P, 0.1, 0.05, 0.7755386354510305",
    "GAMMA_P, 0.5, 3.0, 0.9856941215645704",
    "GAMMA_P, 4.0, 3.0, 0.35276811121776874",
    "GAMMA_P, 50.0, 48.0, 0.40540439500476144",
    "GAMMA_P, 300.0, 330.0, 0.955109776129987",
    "GAMMA_P, 20000.0, 19900.0, 0.24011560718543098",
    "GAMMA_Q, 0.1, 0.05, 0.22446136454896942",
    "GAMMA_Q, 0.5, 3.0, 0.01430587843542964",
    "GAMMA_Q, 4.0, 3.0, 0.6472318887822313",
    "GAMMA_Q, 50.0, 48.0, 0.5945956049952386",
    "GAMMA_Q, 300.0, 330.0, 0.044890223870012964",
    "CHEBYSHEV_T, 0.3, 5.0, 0.99888",
    "CHEBYSHEV_T, 0.3, 20.0, 0.9821301310548921",
    "CHEBYSHEV_T, 1.4, 6.0, 90.82835199999995",
    "CHEBYSHEV_U, 0.3, 5.0, 1.01376",
    "CHEBYSHEV_U, 0.3, 20.0, 1.0413172668589776",
    "CHEBYSHEV_U, 1.4, 6.0, 220.6023039999999",
    "HERMITE_H, 0.3, 5.0, 31.757759999999998",
    "HERMITE_H, -2.0, 4.0, 76.0",
    "HERMITE_HE, 0.3, 5.0, 4.23243",
    "HERMITE_HE, -2.0, 4.0, -5.0",
    "LAGUERRE, 0.3, 5.0, -0.09333274999999998",
    "LAGUERRE, 3.0, 7.0, -0.7464285714285714",
    "LEGENDRE, 0.3, 5.0, 0.34538625",
    "LEGENDRE, 1.2, 7.0, 19.69367519999999",
    "CHEBYSHEV_V, 0.3, 5.0, 0.9641599999999999",
    "CHEBYSHEV_V, 0.3, 20.0, 0.8440268141786927",
    "CHEBYSHEV_W, 0.3, 5.0, 1.06336",
    "CHEBYSHEV_W, 0.3, 20.0, 1.2386077195392624"
  })
  void functionsOfTwoArgumentsAreRightToElevenDigits(
      Arithmetic arithmetic, double a, double b, double expected) {
    assertThat(arithmetic.at(a, b)).isCloseTo(expected, within(2e-12 * Math.abs(expected)));
  }

  @ParameterizedTest
  @EnumSource(value = Function.class, mode = Mode.MATCH_NONE, names = "BIT_NOT|SIGN|RELU")
  void functionsOfNanAreNan(Function function) {
    assertThat(function.at(Double.NaN)).isNaN();
  }

  @Test
  void divisorsOfWholeNumbersAreNeverNegative() {
    assertThat(Arithmetic.GCD.at(-12, 18)).isEqualTo(6);
    assertThat(Arithmetic.GCD.at(0, 0)).isZero();
    assertThat(Arithmetic.LCM.at(4, -6)).isEqualTo(12);
    assertThat(Arithmetic.LCM.at(0, 5)).isZero();
  }

  @Test
  void shiftsBeyondTheWidthLeaveNothingButTheSign() {
    assertThat(Arithmetic.SHIFT_LEFT.at(5, 64)).isZero();
    assertThat(Arithmetic.SHIFT_LEFT.at(5, -1)).isZero();
    assertThat(Arithmetic.SHIFT_RIGHT.at(-5, 99)).isEqualTo(-1);
    assertThat(Arithmetic.SHIFT_RIGHT.at(5, -1)).isZero();
  }

  @Test
  void polesAndLimitsArePyTorchs() {
    assertThat(Function.LGAMMA.at(-3.0)).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(Function.DIGAMMA.at(0.0)).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(Function.DIGAMMA.at(-2.0)).isNaN();
    assertThat(Function.NDTRI.at(1.0)).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(Function.BESSEL_Y0.at(-1.0)).isNaN();
    assertThat(Arithmetic.ZETA.at(1.0, 2.0)).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(Arithmetic.GAMMA_P.at(0.0, 0.0)).isNaN();
    assertThat(Arithmetic.GAMMA_P.at(1e30, 1e30)).isCloseTo(0.5, within(1e-12));
    assertThat(Arithmetic.LAGUERRE.at(2.5, -3.0)).isZero();
  }
}
