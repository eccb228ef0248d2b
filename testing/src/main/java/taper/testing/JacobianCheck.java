package taper.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Tensor;

/// Compares Jacobians, element by element: the analytical one, by a backward pass for each element of the outputs, with
/// difference quotients for each element of the inputs. Complex tensors count as their real and imaginary parts, along a
/// last dimension.
final class JacobianCheck {
  private final Function<List<Tensor>, List<Tensor>> function;
  private final List<Tensor> inputs;
  private final GradCheckOptions options;
  private final String what;

  JacobianCheck(
      String what,
      Function<List<Tensor>, List<Tensor>> function,
      List<Tensor> inputs,
      GradCheckOptions options) {
    this.what = what;
    this.function = function;
    this.inputs = inputs;
    this.options = options;
  }

  /// The real parts of what was put in and came out, as one graph.
  private record Call(List<Tensor> varied, List<Tensor> outputs) {}

  private boolean varies(int i) {
    return inputs.get(i).requiresGrad();
  }

  /// Calls the function with parts of its own, of which element `element` of input `moved` is moved by `by`.
  private Call call(int moved, int element, double by) {
    var whole = new ArrayList<Tensor>();
    var varied = new ArrayList<Tensor>();
    for (int i = 0; i < inputs.size(); i++) {
      Tensor input = inputs.get(i);
      if (!varies(i)) {
        whole.add(input.detach());
        continue;
      }
      Tensor parts = Tensors.parts(input.detach()).clone();
      if (i == moved) {
        parts.view(-1).narrow(0, element, 1).add_(by);
      }
      parts.requiresGrad_();
      varied.add(parts);
      whole.add(input.isComplex() ? parts.viewAsComplex() : parts);
    }
    List<Tensor> outputs = function.apply(whole);
    return new Call(varied, outputs.stream().map(Tensors::parts).toList());
  }

  /// @throws AssertionError if a derivative is wrong
  void run() {
    if (IntStream.range(0, inputs.size()).noneMatch(this::varies)) {
      throw new AssertionError(
          what + ": one of the inputs must require grad, but none does. Call requiresGrad_(true).");
    }
    Call call = call(-1, 0, 0);
    int[] differentiable =
        IntStream.range(0, call.outputs.size())
            .filter(o -> call.outputs.get(o).requiresGrad())
            .toArray();
    if (differentiable.length == 0) {
      throw new AssertionError(
          what + ": one of the outputs must require grad, but none does, though an input does.");
    }
    double[][][][] analytical = analytical(call, differentiable);
    int v = 0;
    for (int i = 0; i < inputs.size(); i++) {
      if (varies(i)) {
        compare(call, differentiable, analytical, i, v++);
      }
    }
    if (options.checkUndefinedGrad() && differentiable.length > 1) {
      checkUndefined(call, differentiable);
    }
  }

  private void compare(
      Call call, int[] differentiable, double[][][][] analytical, int input, int v) {
    Tensor varied = call.varied.get(v);
    for (int e = 0; e < varied.numel(); e++) {
      Call up = call(input, e, options.eps());
      Call down = call(input, e, -options.eps());
      for (int d = 0; d < differentiable.length; d++) {
        int o = differentiable[d];
        double[] high = up.outputs.get(o).toDoubleArray();
        double[] low = down.outputs.get(o).toDoubleArray();
        for (int k = 0; k < high.length; k++) {
          double numerical = (high[k] - low[k]) / (2 * options.eps());
          double actual = analytical[d][v][k][e];
          if (!new Tolerance(options.rtol(), options.atol()).accepts(actual, numerical)) {
            throw new AssertionError(
                "%s: the derivative of output %d, element %s, by input %d, element %s, is wrong: analytical %s, numerical %s (tolerance %s + %s relative)"
                    .formatted(
                        what,
                        o,
                        at(k, call.outputs.get(o)),
                        input,
                        at(e, varied),
                        actual,
                        numerical,
                        options.atol(),
                        options.rtol()));
          }
        }
      }
    }
  }

  private static String at(long flat, Tensor tensor) {
    return Arrays.toString(TensorAssertions.index(flat, tensor.shape().toArray()));
  }

  /// `[output][input][element of the output][element of the input]`.
  private double[][][][] analytical(Call call, int[] differentiable) {
    var result = new double[differentiable.length][call.varied.size()][][];
    for (int d = 0; d < differentiable.length; d++) {
      Tensor output = call.outputs.get(differentiable[d]);
      int n = Math.toIntExact(output.numel());
      for (int v = 0; v < call.varied.size(); v++) {
        result[d][v] = new double[n][];
      }
      for (int k = 0; k < n; k++) {
        List<double[]> row = row(call, differentiable[d], k);
        for (int v = 0; v < row.size(); v++) {
          result[d][v][k] = row.get(v);
        }
      }
    }
    return result;
  }

  private List<double[]> row(Call call, int o, int element) {
    Tensor output = call.outputs.get(o);
    double[] unit = new double[Math.toIntExact(output.numel())];
    unit[element] = 1;
    Tensor weights = Tensors.of(output.dtype(), unit, output.shape().toArray());
    List<double[]> once = gradients(call, List.of(output), List.of(weights));
    List<double[]> again = gradients(call, List.of(output), List.of(weights));
    var same = new Tolerance(0, options.nondetTol());
    for (int v = 0; v < once.size(); v++) {
      for (int e = 0; e < once.get(v).length; e++) {
        if (!same.accepts(once.get(v)[e], again.get(v)[e])) {
          throw new AssertionError(
              "%s: two backward passes must give the same gradients, but for output %d, element %s, they gave %s and %s"
                  .formatted(what, o, at(element, output), once.get(v)[e], again.get(v)[e]));
        }
      }
    }
    return once;
  }

  private static List<double[]> gradients(Call call, List<Tensor> outputs, List<Tensor> weights) {
    List<@Nullable Tensor> gradients =
        Autograd.grad(
            outputs,
            call.varied,
            o -> o.gradOutputs(weights).retainGraph(true).materializeGrads(true));
    var result = new ArrayList<double[]>();
    for (int v = 0; v < gradients.size(); v++) {
      Tensor gradient = gradients.get(v);
      assert gradient != null;
      result.add(gradient.toDoubleArray());
    }
    return result;
  }

  /// Without gradients of the other outputs each output must give what it gives with zeros for them.
  private void checkUndefined(Call call, int[] differentiable) {
    List<Tensor> outputs =
        Arrays.stream(differentiable).mapToObj(o -> call.outputs.get(o)).toList();
    for (int d = 0; d < outputs.size(); d++) {
      var weights = new ArrayList<Tensor>();
      for (int k = 0; k < outputs.size(); k++) {
        Tensor output = outputs.get(k);
        weights.add(
            k == d
                ? GradCheck.weights(output).to(output.dtype())
                : Tensor.zeros(output.dtype(), output.shape().toArray()));
      }
      List<double[]> zeros = gradients(call, outputs, weights);
      List<double[]> none = gradients(call, List.of(outputs.get(d)), List.of(weights.get(d)));
      for (int v = 0; v < zeros.size(); v++) {
        Tensor expected = Tensors.of(DType.FLOAT64, zeros.get(v), zeros.get(v).length);
        try {
          TensorAssertions.assertClose(
              Tensors.of(DType.FLOAT64, none.get(v), none.get(v).length), expected);
        } catch (AssertionError e) {
          throw new AssertionError(
              "%s: gradients that have not arrived must count as zeros, but by input %d, with the gradient of output %d alone, %s"
                  .formatted(what, v, differentiable[d], e.getMessage()),
              e);
        }
      }
    }
  }
}
