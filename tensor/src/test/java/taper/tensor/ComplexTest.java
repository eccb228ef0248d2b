package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ComplexTest {
  private static Tensor tensor(DType dtype, double... parts) {
    Complex[] values = new Complex[parts.length / 2];
    for (int i = 0; i < values.length; i++) {
      values[i] = Complex.of(parts[2 * i], parts[2 * i + 1]);
    }
    return Tensor.of(values).to(dtype);
  }

  @Test
  void typesMeetInTheLeastThatHoldsBoth() {
    assertThat(DType.COMPLEX64.promote(DType.FLOAT64)).isEqualTo(DType.COMPLEX128);
    assertThat(DType.FLOAT16.promote(DType.COMPLEX64)).isEqualTo(DType.COMPLEX64);
    assertThat(DType.INT64.promote(DType.COMPLEX64)).isEqualTo(DType.COMPLEX64);
    assertThat(DType.COMPLEX64.promote(DType.COMPLEX128)).isEqualTo(DType.COMPLEX128);
  }

  @Test
  void complexNumberMakesAFloatingTensorComplexOfItsOwnWidth() {
    assertThat(Tensor.ones(DType.FLOAT32, 2).mul(Complex.I).dtype()).isEqualTo(DType.COMPLEX64);
    assertThat(Tensor.ones(DType.FLOAT64, 2).mul(Complex.I).dtype()).isEqualTo(DType.COMPLEX128);
    assertThat(Tensor.ones(DType.INT64, 2).add(Complex.I).dtype()).isEqualTo(DType.COMPLEX64);
  }

  @Test
  void complexTensorWithoutDimensionsDoesNotWiden() {
    Tensor scalar = Tensor.full(DType.COMPLEX128, Complex.I);

    assertThat(Tensor.ones(DType.FLOAT32, 2).mul(scalar).dtype()).isEqualTo(DType.COMPLEX64);
    assertThat(Tensor.ones(DType.COMPLEX64, 2).mul(scalar).dtype()).isEqualTo(DType.COMPLEX64);
  }

  @Test
  void printsAsPyTorch() {
    assertThat(tensor(DType.COMPLEX64, 1, 2, 3, -4)).hasToString("tensor([1.+2.j, 3.-4.j])");
    assertThat(tensor(DType.COMPLEX128, 1.5, 2, -3, -0.25))
        .hasToString("tensor([ 1.5000+2.0000j, -3.0000-0.2500j], dtype=torch.complex128)");
    assertThat(Tensor.scalar(Complex.of(1, -2))).hasToString("tensor(1.-2.j)");
  }

  @Test
  void conversionToARealTypeKeepsTheRealPart() {
    Tensor x = tensor(DType.COMPLEX64, 1.5, 2, 0, 3);

    assertThat(x.to(DType.FLOAT64).toDoubleArray()).containsExactly(1.5, 0);
    assertThat(x.to(DType.INT32).toLongArray()).containsExactly(1, 0);
    assertThat(x.to(DType.BOOL).toLongArray()).containsExactly(1, 1);
  }

  @Test
  void partsAreViews() {
    Tensor x = tensor(DType.COMPLEX64, 1, 2, 3, 4);

    x.imag().mul_(10);
    x.real().fill_(7);

    assertThat(x.toComplexArray()).containsExactly(Complex.of(7, 20), Complex.of(7, 40));
    assertThat(x.imag().storageOffset()).isEqualTo(1);
    assertThat(x.viewAsReal().viewAsComplex().sharesStorageWith(x)).isTrue();
  }

  @Test
  void writingIntoAPartOfAComplexTensorIsDifferentiated() {
    Tensor x = tensor(DType.COMPLEX128, 1, 2, 3, 4).requiresGrad_();
    Tensor y = x.mul(1.0);
    y.imag().mul_(10);

    y.viewAsReal().sum().backward();

    assertThat(x.grad().toComplexArray()).containsExactly(Complex.of(1, 10), Complex.of(1, 10));
  }

  @Test
  void gradientOfARealInputIsReal() {
    Tensor x = Tensor.of(new double[] {1, 2}).requiresGrad_();

    x.mul(Complex.of(3, 4)).real().sum().backward();

    assertThat(x.grad().dtype()).isEqualTo(DType.FLOAT64);
    assertThat(x.grad().toDoubleArray()).containsExactly(3, 3);
  }

  @Test
  void gradientOfTheSquaredSizePointsAwayFromTheOrigin() {
    Tensor z = tensor(DType.COMPLEX128, 3, -4).requiresGrad_();

    z.mul(z.conj()).real().sum().backward();

    assertThat(z.grad().toComplexArray()).containsExactly(Complex.of(6, -8));
  }

  @Test
  void backwardOfAComplexScalarAsksForAGradient() {
    Tensor z = tensor(DType.COMPLEX64, 3, -4).requiresGrad_();

    assertThatThrownBy(() -> z.sum().backward())
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "backward: without a gradient argument the tensor must be real, but is complex64. Take"
                + " real() or abs() of it, or pass the gradient.");
  }

  @Test
  void operatorsOfRealNumbersRefuseComplexOnes() {
    Tensor z = tensor(DType.COMPLEX64, 3, -4);

    assertThatThrownBy(() -> z.floor())
        .isInstanceOf(DTypeException.class)
        .hasMessage(
            "floor: self must be real, but is complex64. Use real(), imag(), abs() or"
                + " viewAsReal().");
    assertThatThrownBy(() -> z.lt(z)).isInstanceOf(DTypeException.class);
    assertThatThrownBy(() -> z.item()).isInstanceOf(DTypeException.class);
  }

  @Test
  void inPlaceOperatorsDoNotMakeARealTensorComplex() {
    Tensor x = Tensor.ones(2);

    assertThatThrownBy(() -> x.mul_(Complex.I))
        .isInstanceOf(DTypeException.class)
        .hasMessageContaining("the result is complex64, which cannot be written into a float32");
  }

  @Test
  void goesToJavaAndBack() {
    Tensor x =
        Tensor.of(new Complex[][] {{Complex.of(1), Complex.I}, {Complex.of(2, 3), Complex.I}});

    assertThat(x.dtype()).isEqualTo(DType.COMPLEX128);
    assertThat(((Complex[][]) x.toArray())[1]).containsExactly(Complex.of(2, 3), Complex.I);
    assertThat(x.select(0, 1).select(0, 0).complexItem()).isEqualTo(Complex.of(2, 3));
  }

  @Test
  void halfTensorAndComplexNumberMakeComplexHalves() {
    Tensor x = Tensor.ones(DType.FLOAT16, 2);

    Tensor y = x.mul(Complex.of(2, -3));

    assertThat(y.dtype()).isEqualTo(DType.COMPLEX32);
    assertThat(y.toComplexArray()).containsExactly(Complex.of(2, -3), Complex.of(2, -3));
    assertThat(y.add(y).to(DType.COMPLEX64).toComplexArray()[1]).isEqualTo(Complex.of(4, -6));
    assertThat(DType.BFLOAT16.promote(DType.COMPLEX32)).isEqualTo(DType.COMPLEX64);
  }

  @Test
  void fewOperatorsTakeComplexHalves() {
    Tensor x = Tensor.ones(DType.COMPLEX32, 2);

    assertThatThrownBy(() -> x.exp())
        .isInstanceOf(DTypeException.class)
        .hasMessage(
            "exp: the inputs must not be complex32 together, but are. Convert one of them with"
                + " .to(DType.COMPLEX64).");
    assertThatThrownBy(() -> Tensor.ones(DType.FLOAT16, 2).div(Complex.I))
        .isInstanceOf(DTypeException.class);
  }
}
