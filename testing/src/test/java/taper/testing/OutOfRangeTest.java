package taper.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import taper.tensor.ArgumentException;
import taper.tensor.Catalogue;
import taper.tensor.DType;
import taper.tensor.DTypeException;
import taper.tensor.Index;
import taper.tensor.Pointwise.Rounding;
import taper.tensor.Tensor;

/// Numbers that a type cannot hold. What is expected was computed by PyTorch 1.13 on x86.
final class OutOfRangeTest {
  private static final double[] VALUES = {
    Double.NaN,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    1e30,
    300.7,
    -300.7,
    3e9,
    5e9,
    70000.5,
    9.3e18,
    -1.5,
    3000000001.0,
    4294967297.0,
    -3000000001.0,
    -2147483649.0,
    65537
  };
  private static final long MIN = Long.MIN_VALUE;
  private static final long LEAST = Integer.MIN_VALUE;

  private static Tensor bytes() {
    return Tensor.of(new double[] {0, 5, 200, 255}).to(DType.UINT8);
  }

  private static long[] converted(Tensor x, DType dtype) {
    Tensor reference = Catalogue.withReferenceKernels(() -> x.to(dtype));
    Tensor columns = Tensor.stack(List.of(x, x, x), 1);
    assertThat(x.to(dtype).toLongArray()).isEqualTo(reference.toLongArray());
    assertThat(columns.select(1, 1).to(dtype).toLongArray()).isEqualTo(reference.toLongArray());
    return reference.toLongArray();
  }

  @Test
  void float64IsConvertedAsByTheProcessor() {
    Tensor x = Tensor.of(VALUES);

    assertThat(converted(x, DType.INT64))
        .containsExactly(
            MIN,
            MIN,
            MIN,
            MIN,
            300,
            -300,
            3000000000L,
            5000000000L,
            70000,
            MIN,
            -1,
            3000000001L,
            4294967297L,
            -3000000001L,
            -2147483649L,
            65537);
    assertThat(converted(x, DType.INT32))
        .containsExactly(
            LEAST, LEAST, LEAST, LEAST, 300, -300, LEAST, LEAST, 70000, LEAST, -1, LEAST, LEAST,
            LEAST, LEAST, 65537);
    assertThat(converted(x, DType.INT16))
        .containsExactly(0, 0, 0, 0, 300, -300, 0, 0, 4464, 0, -1, 0, 0, 0, 0, 1);
    assertThat(converted(x, DType.INT8))
        .containsExactly(0, 0, 0, 0, 44, -44, 0, 0, 112, 0, -1, 0, 0, 0, 0, 1);
    assertThat(converted(x, DType.UINT8))
        .containsExactly(0, 0, 0, 0, 44, 212, 0, 0, 112, 0, 255, 1, 1, 255, 255, 1);
    assertThat(converted(x, DType.BOOL)).containsOnly(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT32", "BFLOAT16", "FLOAT16"})
  void narrowTypesAreConvertedAsTheWideOneThatHoldsTheirValues(DType narrow) {
    Tensor x = Tensor.of(VALUES).to(narrow);

    for (DType dtype : List.of(DType.INT64, DType.INT32, DType.INT16, DType.INT8, DType.UINT8)) {
      assertThat(converted(x, dtype)).isEqualTo(converted(x.to(DType.FLOAT64), dtype));
    }
  }

  @Test
  void integersThatANumberIsComparedAndComputedWithWrapAround() {
    Tensor u = bytes();

    assertThat(u.lt(300).toLongArray()).containsExactly(1, 1, 0, 0);
    assertThat(u.eq(-1).toLongArray()).containsExactly(0, 0, 0, 1);
    assertThat(u.gt(-1).toLongArray()).containsOnly(0);
    assertThat(u.ge(255.5).toLongArray()).containsOnly(0);
    assertThat(u.add(300).toLongArray()).containsExactly(44, 49, 244, 43);
    assertThat(u.mul(-1).toLongArray()).containsExactly(0, 251, 56, 1);
    assertThat(u.remainder(300).toLongArray()).containsExactly(0, 5, 24, 35);
    assertThat(u.floorDivide(300).toLongArray()).containsExactly(0, 0, 4, 5);
    assertThat(Tensor.zeros(DType.INT32, 2).lt(1L << 40).toLongArray()).containsExactly(0, 0);
    assertThat(u.clampMin(-1).toLongArray()).containsOnly(255);
  }

  private static void refused(String operator, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            operator
                + ": the value must be in -255..255 to fit into uint8, but is 300.0. Use a wider"
                + " dtype.");
  }

  @Test
  void aValueThatReplacesElementsMustFit() {
    Tensor u = bytes();
    Tensor mask = u.gt(1);
    Tensor index = Tensor.of(new long[] {0});

    refused("clamp", () -> u.clamp(-5, 300));
    refused("clamp_", () -> u.clone().clamp_(-5, 300));
    refused("clampMin", () -> u.clampMin(300));
    refused("clampMax", () -> u.clampMax(300));
    refused("maskedFill", () -> u.maskedFill(mask, 300));
    refused("maskedFill_", () -> u.clone().maskedFill_(mask, 300));
    refused("where", () -> u.where(mask, 300));
    refused("indexFill", () -> u.indexFill(0, index, 300));
    refused("indexFill_", () -> u.clone().indexFill_(0, index, 300));
    refused("scatter", () -> u.scatter(0, index, 300));
    refused("scatter_", () -> u.clone().scatter_(0, index, 300));
    refused("fill_", () -> u.clone().fill_(300));
    refused("full", () -> Tensor.full(DType.UINT8, 300, 2));
    refused("pad", () -> u.pad(new long[] {1, 1}, 300));
    refused("threshold", () -> u.threshold(3, 300));
  }

  @Test
  void aFloatingValueMustFitUnlessItIsInfinite() {
    Tensor x = Tensor.zeros(2);

    assertThatThrownBy(() -> x.clone().fill_(1e40))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "fill_: the value must be in -3.4028235E38..3.4028235E38 to fit into float32, but is"
                + " 1.0E40. Use a wider dtype, or an infinity.");
    assertThatThrownBy(() -> x.to(DType.FLOAT16).clampMax(1e6))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "clampMax: the value must be in -65504.0..65504.0 to fit into float16, but is"
                + " 1000000.0. Use a wider dtype, or an infinity.");
    assertThat(x.clone().fill_(Double.NEGATIVE_INFINITY).toDoubleArray())
        .containsOnly(Double.NEGATIVE_INFINITY);
  }

  @Test
  void int64EndsBefore2To63() {
    assertThatThrownBy(() -> Tensor.full(DType.INT64, 0x1p63, 2))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "full: the value must be in -9223372036854775808..9223372036854775807 to fit into"
                + " int64, but is 9.223372036854776E18. Use a wider dtype.");
    assertThat(Tensor.full(DType.INT64, Long.MAX_VALUE, 2).toLongArray())
        .containsOnly(Long.MAX_VALUE);
  }

  @Test
  void reluRefusesTruthValues() {
    assertThatThrownBy(() -> bytes().to(DType.BOOL).relu())
        .isInstanceOf(DTypeException.class)
        .hasMessage(
            "relu: the inputs must hold numbers, but self is bool. Use logicalNot() or logicalXor,"
                + " or convert it with .to(DType.INT64).");
  }

  @Test
  void aUint8TensorIsAMask() {
    Tensor mask = Tensor.of(new double[] {1, 0, 2, 0}).to(DType.UINT8);

    assertThat(bytes().get(Index.of(mask)).toLongArray()).containsExactly(0, 200);
  }

  @Test
  void integersMustNotBeDividedByZero() {
    Tensor x = Tensor.of(new long[] {1, 2, 3});
    Tensor zeros = Tensor.zeros(DType.INT64, 3);

    for (Rounding rounding : Rounding.values()) {
      assertThatThrownBy(() -> x.div(zeros, rounding))
          .isInstanceOf(ArgumentException.class)
          .hasMessageContaining("whole numbers must not be divided by 0, but a divisor is 0.");
    }
  }

  @Test
  void theLeastIntegerDividedByMinusOneWrapsAround() {
    Tensor x = Tensor.full(DType.INT64, Long.MIN_VALUE, 40);

    assertThat(x.floorDivide(-1).toLongArray()).containsOnly(Long.MIN_VALUE);
    assertThat(x.div(-1, Rounding.TRUNC).toLongArray()).containsOnly(Long.MIN_VALUE);
    assertThat(x.remainder(-1).toLongArray()).containsOnly(0);
    assertThat(x.fmod(-1).toLongArray()).containsOnly(0);
  }

  @Test
  void fullOfNanIsTrue() {
    assertThat(Tensor.full(DType.BOOL, Double.NaN, 3).toLongArray()).containsOnly(1);
  }

  @Test
  void oneHotTakesNoNegativeNumberOfClasses() {
    assertThatThrownBy(() -> Tensor.zeros(DType.INT64, 2).oneHot(-2))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "oneHot: numClasses must not be negative, but is -2. Use -1 for as many as there are.");
  }
}
