package taper.tensor;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.spi.Formula;

/// The gradient of a pointwise operator by one input, derived from its formula.
///
/// The derivative `d` of the formula by the input gives the formula `grad · d`, which is a pointwise operator like any
/// other: it has kernels, and derivatives in turn. Where `d` contains the whole formula of the operator (`sigmoid`:
/// `y · (1 - y)`), the output is kept in the place of inputs. A derivative of 1 passes the gradient on.
///
/// Of complex numbers the gradient is `grad · conj(d)`, PyTorch's convention for functions that have a complex derivative.
/// Formulas have real coefficients, so `conj(d(x))` is `d(conj(x))`: the inputs are conjugated.
final class PointwiseGradient<A extends Record> {
  private static final int OUTPUT = 1 << 20;

  private final @Nullable Operator<Parameterized>
      operator; // null: the gradient passes on unchanged
  private final List<Integer> kept; // positions of inputs, OUTPUT for the output

  /// The attributes of a derived operator: the numbers that the formula takes.
  record Parameterized(Parameters parameters) {}

  private PointwiseGradient(@Nullable Operator<Parameterized> operator, List<Integer> kept) {
    this.operator = operator;
    this.kept = kept;
  }

  static <A extends Record> PointwiseGradient<A> derive(Operator<A> of, int position) {
    Formula formula = ((Definition.Pointwise<A>) of.definition()).formula();
    Formula derivative = of.derivative(position);
    if (derivative.equals(new Formula.Constant(1))) {
      return new PointwiseGradient<>(null, List.of());
    }
    if (!(formula instanceof Formula.Input)) {
      derivative = derivative.replace(formula, new Formula.Input(OUTPUT));
    }
    var kept = new ArrayList<Integer>(derivative.inputs().stream().sorted().toList());
    var names = new ArrayList<String>(List.of("grad"));
    Formula renumbered = derivative;
    for (int k = 0; k < kept.size(); k++) {
      int input = kept.get(k);
      renumbered = Formulas.replaceInput(renumbered, input, Formulas.marked(k + 1));
      names.add(input == OUTPUT ? "result" : of.signature().inputs().get(input).name());
    }
    Formula gradient = scaled(Formulas.unmark(renumbered));
    var operator =
        new Family(of.family())
            .pointwise(of.name() + "Gradient", names, gradient, Parameterized::parameters)
            .dtypes(DTypes.PROMOTE.complexWithHalf())
            .undeclared();
    return new PointwiseGradient<>(operator, List.copyOf(kept));
  }

  /// The gradient times `derivative`. Where a choice gives 0 the result is 0, even if the gradient is infinite or NaN,
  /// as where PyTorch masks.
  static Formula scaled(Formula derivative) {
    return switch (derivative) {
      case Formula.Select(var a, var comparison, var b, var then, var otherwise) ->
          Formula.select(a, comparison, b, chosen(then), chosen(otherwise));
      default -> new Formula.Input(0).times(derivative);
    };
  }

  private static Formula chosen(Formula derivative) {
    return derivative.equals(new Formula.Constant(0)) ? derivative : scaled(derivative);
  }

  boolean keepsInput(int i) {
    return kept.contains(i);
  }

  boolean keepsOutput() {
    return kept.contains(OUTPUT);
  }

  Tensor apply(OperatorNode<A> node, Backward<A> backward) {
    Tensor grad = backward.grad();
    if (operator == null) {
      return grad;
    }
    var in = new Tensor[kept.size() + 1];
    in[0] = grad;
    for (int k = 0; k < kept.size(); k++) {
      int input = kept.get(k);
      in[k + 1] = (input == OUTPUT ? node.savedOutput(0) : node.savedInput(input)).conj();
    }
    var attributes = new Parameterized(node.parameters().conjugate());
    // A gradient that only the engine knows, and that no other input needs, is overwritten with the
    // next.
    boolean reuse =
        !Autograd.isGradEnabled() && grad.isExclusive() && node.hasOneEdge() && fits(grad, in);
    return reuse ? operator.inPlace(attributes, in) : operator.on(attributes, in);
  }

  /// The gradient of an operator that keeps its output only, as part of the gradient of another operator. Overwrites `grad` if
  /// only the engine knows it.
  Tensor apply(Tensor grad, Tensor output) {
    assert operator != null && kept.equals(List.of(OUTPUT));
    var attributes = new Parameterized(Parameters.NONE);
    Tensor[] in = {grad, output};
    boolean reuse = !Autograd.isGradEnabled() && grad.isExclusive() && fits(grad, in);
    return reuse ? operator.inPlace(attributes, in) : operator.on(attributes, in);
  }

  /// Whether the result has the shape and type of the gradient.
  private static boolean fits(Tensor grad, Tensor[] in) {
    if (!grad.isContiguous()) {
      return false;
    }
    for (Tensor x : in) {
      if (x.dtype() != grad.dtype() || !x.data().sameSizes(grad.data())) {
        return false;
      }
    }
    return true;
  }
}
