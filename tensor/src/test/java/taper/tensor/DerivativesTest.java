package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.UnaryOperator;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/// Jacobians, Hessians and their products.
final class DerivativesTest {
  private static final Tensor X = Tensor.of(new double[] {1, 2, 3});

  @Test
  void jacobianOfAFunctionOfOneInput() {
    Tensor jacobian = Autograd.jacobian(x -> x.mul(x).unsqueeze(0), X);

    assertThat(jacobian.shape()).isEqualTo(Shape.of(1, 3, 3));
    assertThat(jacobian.toDoubleArray()).containsExactly(2, 0, 0, 0, 4, 0, 0, 0, 6);
    assertThat(jacobian.requiresGrad()).isFalse();
  }

  @Test
  void jacobianOfSeveralInputsAndOutputs() {
    Tensor y = Tensor.of(new double[] {10, 20, 30});

    List<List<Tensor>> all =
        Autograd.jacobian(
            in -> List.of(in.get(0).mul(in.get(1)), in.get(0).sum()), List.of(X, y), o -> o);

    assertThat(all.get(0).get(0).diagonal().toDoubleArray()).containsExactly(10, 20, 30);
    assertThat(all.get(0).get(1).diagonal().toDoubleArray()).containsExactly(1, 2, 3);
    assertThat(all.get(1).get(0).toDoubleArray()).containsExactly(1, 1, 1);
    assertThat(all.get(1).get(1).toDoubleArray()).containsExactly(0, 0, 0);
  }

  @Test
  void strictSaysWhereThereIsNoInfluence() {
    assertThatThrownBy(() ->
            Autograd.jacobian(
                in -> List.of(in.getFirst().sum()), List.of(X, X), o -> o.strict(true)))
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "jacobian: with strict output 0 must depend on every input, but does not on input 1.");
    assertThatThrownBy(() -> Autograd.jacobian(_ -> Tensor.ones(2), X, o -> o.strict(true)))
        .isInstanceOf(AutogradException.class)
        .hasMessage(
            "jacobian: with strict every output must depend on the inputs, but output 0 does not.");
    assertThat(Autograd.jacobian(_ -> Tensor.ones(2), X).toDoubleArray()).containsOnly(0);
  }

  @Test
  void aRecordedJacobianCanBeDifferentiated() {
    Tensor x = X.clone().requiresGrad_();

    Tensor jacobian = Autograd.jacobian(t -> t.pow(3), x, o -> o.createGraph(true));
    jacobian.sum().backward();

    assertThat(x.grad().toDoubleArray()).containsExactly(6, 12, 18);
  }

  @Test
  void hessians() {
    Tensor hessian = Autograd.hessian(x -> x.pow(3).sum(), X);
    List<List<Tensor>> all =
        Autograd.hessian(in -> in.get(0).mul(in.get(1)).sum(), List.of(X, X), o -> o);

    assertThat(hessian.toDoubleArray()).containsExactly(6, 0, 0, 0, 12, 0, 0, 0, 18);
    assertThat(all.get(0).get(0).toDoubleArray()).containsOnly(0);
    assertThat(all.get(0).get(1).toDoubleArray()).containsExactly(1, 0, 0, 0, 1, 0, 0, 0, 1);
    assertThatThrownBy(() -> Autograd.hessian(x -> x.mul(2), X))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "hessian: the function must return one tensor with one element, but returned [[3]].");
  }

  @Test
  void productsAreThoseWithTheWholeMatrix() {
    Tensor a = Tensor.of(new double[] {1, 2, 3, 4, 5, 6}, 2, 3);
    Tensor left = Tensor.of(new double[] {0.5, -1});
    Tensor right = Tensor.of(new double[] {1, -2, 0.25});

    Autograd.Product vjp = Autograd.vjp(x -> a.matmul(x).sin(), X, left);
    Autograd.Product jvp = Autograd.jvp(x -> a.matmul(x).sin(), X, right);

    Tensor jacobian = Autograd.jacobian(x -> a.matmul(x).sin(), X);
    assertClose(vjp.product(), left.matmul(jacobian));
    assertClose(jvp.product(), jacobian.matmul(right));
    assertClose(jvp.output(), a.matmul(X).sin());
  }

  @Test
  void productsWithTheHessian() {
    Tensor v = Tensor.of(new double[] {1, -2, 0.25});

    Tensor vhp = Autograd.vhp(x -> x.sin().prod(), X, v).product();
    Tensor hvp = Autograd.hvp(x -> x.sin().prod(), X, v).product();

    Tensor expected = Autograd.hessian(x -> x.sin().prod(), X).matmul(v);
    assertClose(vhp, expected);
    assertClose(hvp, expected);
  }

  @Test
  void theVectorMustFit() {
    assertThatThrownBy(() -> Autograd.jvp(x -> x.mul(2), X, Tensor.ones(2)))
        .isInstanceOf(ShapeException.class)
        .hasMessage("jvp: v must have the shapes of the inputs, [[3]], but has [[2]].");
  }

  private static void assertClose(Tensor actual, Tensor expected) {
    double[] wanted = expected.toDoubleArray();
    double[] values = actual.toDoubleArray();
    assertThat(values).hasSameSizeAs(wanted);
    for (int i = 0; i < values.length; i++) {
      assertThat(values[i]).isCloseTo(wanted[i], Offset.offset(1e-12));
    }
  }

  @Test
  void theGradientOfAPoolHasAGradientOfZeros() {
    List<UnaryOperator<Tensor>> pools =
        List.of(
            x -> x.select(0, 0).maxPool1d(2),
            x -> x.maxPool2d(2),
            x -> x.maxPool2d(3),
            x -> x.maxPool3d(2),
            x -> x.select(0, 0).avgPool1d(2),
            x -> x.avgPool2d(2),
            x -> x.avgPool3d(2),
            x -> x.adaptiveMaxPool2d(2, 2),
            x -> x.adaptiveAvgPool2d(2, 2),
            x -> x.fractionalMaxPool2d(2, 2, o -> o.outputSize(2, 2)));
    for (UnaryOperator<Tensor> pool : pools) {
      Tensor x = Tensor.rand(1, 6, 6, 6).requiresGrad_();

      Tensor grad = Autograd.grad(pool.apply(x).sum(), List.of(x), o -> o.createGraph(true)).get(0);
      Tensor second = Autograd.grad(grad.sum(), x).get(0);

      assertThat(second.toDoubleArray()).hasSize(216).containsOnly(0);
    }
  }
}
