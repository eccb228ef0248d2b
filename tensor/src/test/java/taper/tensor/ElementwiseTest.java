package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ElementwiseTest {

  @Test
  void bitsOfTruthValuesAreLogical() {
    Tensor a = Tensor.of(new boolean[] {true, true, false});
    Tensor b = Tensor.of(new boolean[] {true, false, false});

    assertThat(a.bitwiseAnd(b).equal(a.logicalAnd(b))).isTrue();
    assertThat(a.bitwiseXor(b).equal(a.logicalXor(b))).isTrue();
    assertThat(a.bitwiseNot().equal(a.logicalNot())).isTrue();
    assertThat(a.bitwiseOr(b).dtype()).isEqualTo(DType.BOOL);
  }

  @Test
  void floatingNumbersHaveNoBits() {
    Tensor x = Tensor.of(new float[] {1, 2});

    assertThatThrownBy(() -> x.bitwiseAnd(3))
        .isInstanceOf(DTypeException.class)
        .hasMessage(
            "bitwiseAnd: the inputs must hold whole numbers or truth values, but their promoted"
                + " dtype is float32. Convert them with .to(DType.INT64).");
  }

  @Test
  void numbersMayComeFirst() {
    Tensor x = Tensor.of(new long[] {2, 3});

    assertThat(Tensor.pow(2L, x).toLongArray()).containsExactly(4, 8);
    assertThat(Tensor.remainder(7L, x).toLongArray()).containsExactly(1, 1);
    assertThat(Tensor.floorDivide(7L, x).toLongArray()).containsExactly(3, 2);
    assertThat(Tensor.div(6.0, x).toFloatArray()).containsExactly(3, 2);
    assertThat(Tensor.bitwiseLeftShift(1, x).toLongArray()).containsExactly(4, 8);
  }

  @Test
  void mantissasAndExponentsMakeUpTheNumbers() {
    Tensor x = Tensor.of(new float[] {0, -6.5f, 1e-40f, 1e38f, Float.POSITIVE_INFINITY});

    Pointwise.Frexp parts = x.frexp();

    assertThat(parts.exponent().dtype()).isEqualTo(DType.INT32);
    assertThat(parts.mantissa().select(0, 1).item()).isEqualTo(-0.8125);
    assertThat(parts.exponent().select(0, 1).itemLong()).isEqualTo(3);
    assertThat(
            parts
                .mantissa()
                .to(DType.FLOAT64)
                .ldexp(parts.exponent().to(DType.FLOAT64))
                .to(DType.FLOAT32)
                .equal(x))
        .isTrue();
  }

  @Test
  void neighboursDependOnTheType() {
    Tensor one = Tensor.of(new float[] {1});
    Tensor two = Tensor.of(new float[] {2});

    assertThat(one.nextafter(two).item()).isEqualTo(1 + 0x1p-23);
    assertThat(one.to(DType.FLOAT64).nextafter(two.to(DType.FLOAT64)).item())
        .isEqualTo(1 + 0x1p-52);
    assertThat(one.to(DType.BFLOAT16).nextafter(two.to(DType.BFLOAT16)).item())
        .isEqualTo(1 + 0x1p-7);
    assertThat(one.to(DType.FLOAT16).nextafter(two.to(DType.FLOAT16)).item())
        .isEqualTo(1 + 0x1p-10);
  }

  @Test
  void infinitiesBecomeTheLargestNumbersOfTheType() {
    Tensor x = Tensor.of(new float[] {Float.POSITIVE_INFINITY, Float.NaN});

    assertThat(x.nanToNum().toFloatArray()).containsExactly(Float.MAX_VALUE, 0);
    assertThat(x.to(DType.FLOAT16).nanToNum().select(0, 0).item()).isEqualTo(65504);
    assertThat(x.nanToNum(7, 1.0, null).toFloatArray()).containsExactly(1, 7);
  }

  @Test
  void wholeNumbersHaveNoNegativePowers() {
    Tensor x = Tensor.of(new long[] {2});

    assertThatThrownBy(() -> x.pow_(-1L))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "pow: whole numbers must have an exponent of at least 0, but it is -1. Convert the base"
                + " with .to(DType.FLOAT32).");
  }

  @Test
  void powersInDoublePrecisionAreWrittenIntoDoublePrecisionOnly() {
    Tensor x = Tensor.of(new float[] {2});

    assertThat(x.floatPower(0.5).item()).isEqualTo(Math.sqrt(2));
    assertThatThrownBy(() -> x.floatPower_(2))
        .isInstanceOf(DTypeException.class)
        .hasMessage(
            "floatPower_: self must be float64, the dtype of the result, but is float32. Use"
                + " floatPower instead.");
  }

  @Test
  void decimalsMayBeBeforeThePoint() {
    Tensor x = Tensor.of(new float[] {1234.5678f});

    assertThat(x.round(2).item()).isEqualTo(1234.57f);
    assertThat(x.round(-2).item()).isEqualTo(1200);
  }

  @Test
  void oneOfTwoNumbersIsNotNan() {
    Tensor x = Tensor.of(new float[] {Float.NaN, 1});
    Tensor y = Tensor.of(new float[] {3, Float.NaN});

    assertThat(x.fmax(y).toFloatArray()).containsExactly(3, 1);
    assertThat(x.fmin(y).toFloatArray()).containsExactly(3, 1);
  }

  @Test
  void typesArePromotedByRank() {
    Tensor bytes = Tensor.of(new long[] {1}).to(DType.INT8);

    assertThat(Tensor.resultType(bytes, 3L)).isEqualTo(DType.INT8);
    assertThat(Tensor.resultType(bytes, 2.5)).isEqualTo(DType.FLOAT32);
    assertThat(Tensor.resultType(bytes, bytes.to(DType.UINT8))).isEqualTo(DType.INT16);
    assertThat(DType.INT64.canCast(DType.FLOAT16)).isTrue();
    assertThat(DType.FLOAT16.canCast(DType.INT64)).isFalse();
  }

  @Test
  void secondNamesDoTheSame() {
    Tensor x = Tensor.of(new float[] {0.25f, 0.5f});

    assertThat(x.arcsin().equal(x.asin())).isTrue();
    assertThat(x.trueDivide(3L).equal(x.div(3L))).isTrue();
    assertThat(x.greaterEqual(0.5).equal(x.ge(0.5))).isTrue();
    assertThat(x.clip(0.3, 0.4).equal(x.clamp(0.3, 0.4))).isTrue();
  }
}
