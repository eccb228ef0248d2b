package taper.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Tensor;

/// Compares gradients with difference quotients, in double precision.
///
/// ```java
/// GradCheck.check(in -> in.get(0).matmul(in.get(1)), a, b);
/// ```
///
/// [#gradcheck] and [#gradgradcheck] are PyTorch's: they compare every element of the whole Jacobian, of every output by
/// every input that requires grad, and name the one that is wrong.
///
/// ```java
/// GradCheck.gradcheck(in -> List.of(in.get(0).matmul(in.get(1))), List.of(a, b), o -> o.eps(1e-5));
/// ```
///
/// [#check] and [#checkSecond] take one backward pass for all. The outputs are weighted by fixed numbers and summed; the derivative of that sum by every element of every input is
/// compared with `(f(x + h) - f(x - h)) / 2h`. Only the difference quotient really sums: the gradients of `mul` and `sum`
/// take no part in the check of others, nor of themselves. Complex inputs and outputs are pairs of real ones.
public final class GradCheck {
  private static final double STEP = 1e-6;
  private static final Tolerance FIRST = new Tolerance(1e-3, 1e-5);

  private GradCheck() {}

  /// Checks the first derivatives of `function` at `inputs`: those that require grad, which should be `float64` or
  /// `complex128`, are differentiated.
  ///
  /// @return whether all derivatives are right; false only with [GradCheckOptions#raiseException()] switched off
  /// @throws AssertionError if one is wrong, naming output, input, element, and both values
  public static boolean gradcheck(
      Function<List<Tensor>, List<Tensor>> function,
      List<Tensor> inputs,
      UnaryOperator<GradCheckOptions> options) {
    return run("gradcheck", function, inputs, options.apply(GradCheckOptions.DEFAULT));
  }

  /// As the longer form, for a function of one tensor.
  public static boolean gradcheck(UnaryOperator<Tensor> function, Tensor input) {
    return gradcheck(in -> List.of(function.apply(in.getFirst())), List.of(input), o -> o);
  }

  /// Checks the second derivatives of `function` at `inputs`: the first ones of its gradients, by the inputs and by the
  /// gradients of the outputs, which are given fixed numbers.
  ///
  /// @return whether all derivatives are right; false only with [GradCheckOptions#raiseException()] switched off
  /// @throws AssertionError if one is wrong, naming output, input, element, and both values
  public static boolean gradgradcheck(
      Function<List<Tensor>, List<Tensor>> function,
      List<Tensor> inputs,
      UnaryOperator<GradCheckOptions> options) {
    var all = new ArrayList<Tensor>(inputs);
    for (Tensor output : differentiable(function.apply(inputs))) {
      Tensor parts = Tensors.parts(output.detach());
      Tensor weights = weights(parts);
      all.add((output.isComplex() ? weights.viewAsComplex() : weights).detach().requiresGrad_());
    }
    int count = inputs.size();
    List<Integer> varied =
        IntStream.range(0, count).filter(i -> inputs.get(i).requiresGrad()).boxed().toList();
    return run(
        "gradgradcheck",
        in ->
            Autograd.grad(
                    differentiable(function.apply(in.subList(0, count))),
                    varied.stream().map(in::get).toList(),
                    o ->
                        o.gradOutputs(in.subList(count, in.size()))
                            .createGraph(true)
                            .materializeGrads(true))
                .stream()
                .map(Objects::requireNonNull)
                .toList(),
        all,
        options.apply(GradCheckOptions.DEFAULT).checkUndefinedGrad(false));
  }

  /// As the longer form, for a function of one tensor.
  public static boolean gradgradcheck(UnaryOperator<Tensor> function, Tensor input) {
    return gradgradcheck(in -> List.of(function.apply(in.getFirst())), List.of(input), o -> o);
  }

  private static List<Tensor> differentiable(List<Tensor> outputs) {
    return outputs.stream().filter(Tensor::requiresGrad).toList();
  }

  private static boolean run(
      String what,
      Function<List<Tensor>, List<Tensor>> function,
      List<Tensor> inputs,
      GradCheckOptions options) {
    try {
      new JacobianCheck(what, function, inputs, options).run();
      return true;
    } catch (AssertionError e) {
      if (options.raiseException()) {
        throw e;
      }
      return false;
    }
  }

  /// Checks the first derivatives of `function` at `inputs`, which are `float64` or `complex128`; others are not
  /// differentiated.
  ///
  /// @throws AssertionError if a gradient is wrong
  public static void check(Function<List<Tensor>, Tensor> function, Tensor... inputs) {
    checkReal(ofParts(function, inputs), parts(inputs));
  }

  private static Tensor[] parts(Tensor[] inputs) {
    return Arrays.stream(inputs).map(x -> Tensors.parts(x.detach())).toArray(Tensor[]::new);
  }

  /// `function` of real and imaginary parts, where `inputs` are complex.
  private static Function<List<Tensor>, Tensor> ofParts(
      Function<List<Tensor>, Tensor> function, Tensor[] inputs) {
    return parts -> {
      List<Tensor> whole = new ArrayList<>();
      for (int i = 0; i < inputs.length; i++) {
        whole.add(inputs[i].isComplex() ? parts.get(i).viewAsComplex() : parts.get(i));
      }
      return Tensors.parts(function.apply(whole));
    };
  }

  private static void checkReal(Function<List<Tensor>, Tensor> function, Tensor... inputs) {
    List<Tensor> leaves = leaves(inputs);
    Tensor out = function.apply(leaves);
    Tensor weights = weights(out);
    List<Tensor> asked = leaves.stream().filter(Tensor::requiresGrad).toList();
    if (!out.requiresGrad()) {
      throw new AssertionError("the output does not require grad, though an input does");
    }
    List<@Nullable Tensor> grads =
        Autograd.grad(out, asked, o -> o.gradOutputs(weights).allowUnused(true));
    for (int i = 0; i < asked.size(); i++) {
      Tensor expected = numeric(function, leaves, asked.get(i), weights);
      Tensor actual = grads.get(i);
      try {
        TensorAssertions.assertClose(
            actual == null ? Tensor.zeros(DType.FLOAT64, expected.shape().toArray()) : actual,
            expected,
            FIRST);
      } catch (AssertionError e) {
        throw new AssertionError("gradient of input " + i + ": " + e.getMessage(), e);
      }
    }
  }

  /// Checks the second derivatives of `function` at `inputs`: [#check] of its gradients. Formulas that are recorded may be
  /// others than those that are not; their values must agree.
  ///
  /// @throws AssertionError if a gradient is wrong
  public static void checkSecond(Function<List<Tensor>, Tensor> function, Tensor... inputs) {
    checkSecondReal(ofParts(function, inputs), parts(inputs));
  }

  private static void checkSecondReal(Function<List<Tensor>, Tensor> function, Tensor... inputs) {
    int differentiable = 0;
    for (Tensor input : inputs) {
      differentiable += input.dtype().isFloatingPoint() ? 1 : 0;
    }
    for (int which = 0; which < differentiable; which++) {
      int index = which;
      Function<List<Tensor>, @Nullable Tensor> gradient = in -> gradient(function, in, index, true);
      Tensor once = gradient.apply(leaves(inputs));
      Tensor plain = gradient(function, leaves(inputs), index, false);
      if (once != null && plain != null) {
        try {
          TensorAssertions.assertClose(once.detach(), plain, FIRST);
        } catch (AssertionError e) {
          throw new AssertionError(
              "gradient of input " + index + " that is recorded: " + e.getMessage(), e);
        }
      } else if (once != plain) {
        throw new AssertionError(
            "gradient of input " + index + " is " + plain + ", but " + once + " when recorded");
      }
      if (once != null && once.requiresGrad()) {
        checkReal(in -> Objects.requireNonNull(gradient.apply(recorded(in))), inputs);
      } else if (once != null) {
        checkConstant(gradient, index, inputs);
      }
    }
  }

  /// Checks that a gradient that is not recorded does not depend on the inputs: moved all at once, they leave it as it is.
  /// A difference that does not shrink with the step is a jump, which has no derivative.
  private static void checkConstant(
      Function<List<Tensor>, @Nullable Tensor> gradient, int index, Tensor[] inputs) {
    double[] coarse = slopesAlong(gradient, inputs, STEP);
    double[] fine = slopesAlong(gradient, inputs, STEP / 8);
    for (int i = 0; i < coarse.length; i++) {
      boolean smooth = Math.abs(coarse[i] - fine[i]) < 0.1 * Math.abs(coarse[i]);
      if (smooth && !FIRST.accepts(0, coarse[i])) {
        throw new AssertionError(
            "gradient of input %d, element %d, is not recorded, though it depends on the inputs: its derivative in one direction is %s"
                .formatted(index, i, coarse[i]));
      }
    }
  }

  private static double[] slopesAlong(
      Function<List<Tensor>, @Nullable Tensor> gradient, Tensor[] inputs, double step) {
    double[] up = moved(gradient, inputs, step);
    double[] down = moved(gradient, inputs, -step);
    for (int i = 0; i < up.length; i++) {
      up[i] = (up[i] - down[i]) / (2 * step);
    }
    return up;
  }

  private static double[] moved(
      Function<List<Tensor>, @Nullable Tensor> gradient, Tensor[] inputs, double by) {
    var there = new ArrayList<Tensor>();
    for (Tensor input : inputs) {
      there.add(
          input.dtype().isFloatingPoint()
              ? input.detach().add(weights(input).mul(by)).detach().requiresGrad_()
              : input.detach());
    }
    Tensor result = gradient.apply(there);
    return result == null ? new double[0] : result.toDoubleArray();
  }

  private static @Nullable Tensor gradient(
      Function<List<Tensor>, Tensor> function, List<Tensor> in, int index, boolean recorded) {
    Tensor out = function.apply(in);
    List<Tensor> asked = in.stream().filter(t -> t.dtype().isFloatingPoint()).toList();
    return Autograd.grad(
            out,
            List.of(asked.get(index)),
            o ->
                o.gradOutputs(weights(out))
                    .retainGraph(recorded)
                    .createGraph(recorded)
                    .allowUnused(true))
        .getFirst();
  }

  /// The inputs as parts of a graph: in a difference quotient they are plain, but the gradient still needs one.
  private static List<Tensor> recorded(List<Tensor> in) {
    var result = new ArrayList<Tensor>();
    for (Tensor x : in) {
      result.add(x.dtype().isFloatingPoint() && !x.requiresGrad() ? x.detach().requiresGrad_() : x);
    }
    return result;
  }

  private static List<Tensor> leaves(Tensor[] inputs) {
    var leaves = new ArrayList<Tensor>();
    for (Tensor input : inputs) {
      Tensor leaf = input.detach();
      leaves.add(leaf.dtype().isFloatingPoint() ? leaf.requiresGrad_() : leaf);
    }
    return leaves;
  }

  private static Tensor numeric(
      Function<List<Tensor>, Tensor> function, List<Tensor> leaves, Tensor leaf, Tensor weights) {
    int n = Math.toIntExact(leaf.numel());
    double[] values = leaf.toDoubleArray();
    double[] slopes = new double[n];
    for (int i = 0; i < n; i++) {
      // the difference first, element by element: a sum would lose the small ones beside the large
      Tensor up = shifted(function, leaves, leaf, values, i, STEP);
      Tensor down = shifted(function, leaves, leaf, values, i, -STEP);
      slopes[i] = up.sub(down).mul(weights).sum().item() / (2 * STEP);
    }
    return Tensors.of(DType.FLOAT64, slopes, leaf.shape().toArray());
  }

  private static Tensor shifted(
      Function<List<Tensor>, Tensor> function,
      List<Tensor> leaves,
      Tensor leaf,
      double[] values,
      int position,
      double by) {
    double[] moved = values.clone();
    moved[position] += by;
    Tensor there = Tensors.of(DType.FLOAT64, moved, leaf.shape().toArray());
    List<Tensor> in = new ArrayList<>();
    for (Tensor each : leaves) {
      in.add(each == leaf ? there : each.detach());
    }
    return function.apply(in).detach();
  }

  /// Fixed weights between 0.5 and 1.5, so that no two elements count the same.
  static Tensor weights(Tensor out) {
    int n = Math.toIntExact(out.numel());
    double[] w = new double[n];
    for (int i = 0; i < n; i++) {
      w[i] = n == 1 ? 0.5 : 0.5 + (double) i / (n - 1);
    }
    return Tensors.of(DType.FLOAT64, w, out.shape().toArray());
  }
}
