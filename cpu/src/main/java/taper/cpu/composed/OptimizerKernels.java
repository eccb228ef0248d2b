package taper.cpu.composed;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import taper.tensor.DType;
import taper.tensor.OptimizerSteps.Adam;
import taper.tensor.OptimizerSteps.Sgd;
import taper.tensor.Parameters;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Steps of optimizers, each as one pass over parameter, gradient and state.
///
/// The operations, their order and their rounding are those of PyTorch's single-tensor optimizers
/// (`torch/optim/sgd.py`, `adam.py`): `add_` with `alpha` and `addcmul_` round once, everything
/// else after every operation.
final class OptimizerKernels {
  private final Engine engine;
  private final Map<Object, Kernel> variants = new ConcurrentHashMap<>();

  OptimizerKernels(Engine engine) {
    this.engine = engine;
  }

  private Kernel variant(Object key, DType dtype, List<Formula> formulas, int inputs) {
    return variants.computeIfAbsent(
        key,
        _ ->
            engine.pointwise(
                formulas,
                dtype == DType.FLOAT64 ? dtype : DType.FLOAT32,
                Collections.nCopies(inputs, dtype),
                Collections.nCopies(formulas.size(), dtype)));
  }

  private record SgdVariant(
      DType dtype,
      boolean decays,
      boolean momentum,
      boolean nesterov,
      boolean max,
      boolean first) {}

  /// Inputs: parameter, gradient, momentum buffer or null.
  Kernel sgd() {
    return inPlace((attributes, in) -> {
      var o = (Sgd) attributes;
      boolean momentum = o.momentum() != 0 && in.length > 2 && in[2] != null;
      var key =
          new SgdVariant(
              in[0].dtype(), o.weightDecay() != 0, momentum, o.nesterov(), o.maximize(), o.first());
      Kernel kernel = variant(key, key.dtype, sgdFormulas(key), momentum ? 3 : 2);
      Strided[] operands = momentum ? in : new Strided[] {in[0], in[1]};
      Strided[] changed = momentum ? new Strided[] {in[0], in[2]} : new Strided[] {in[0]};
      kernel.run(
          Parameters.of(-o.lr(), o.momentum(), 1 - o.dampening(), o.weightDecay()),
          changed,
          operands);
    });
  }

  private static List<Formula> sgdFormulas(SgdVariant v) {
    Formula param = Formula.input(0);
    Formula grad = v.max ? Formula.input(1).negate() : Formula.input(1);
    Formula momentum = Formula.parameter(1);
    if (v.decays) {
      grad = Formula.parameter(3).times(param).plus(grad);
    }
    if (!v.momentum) {
      return List.of(Formula.parameter(0).times(grad).plus(param));
    }
    Formula buffer =
        v.first ? grad : Formula.parameter(2).times(grad).plus(Formula.input(2).times(momentum));
    Formula direction = v.nesterov ? momentum.times(buffer).plus(grad) : buffer;
    return List.of(Formula.parameter(0).times(direction).plus(param), buffer);
  }

  private record AdamVariant(
      DType dtype, boolean decays, boolean decoupled, boolean max, boolean amsgrad) {}

  /// Inputs: parameter, gradient, means of gradients and of their squares, the largest of the latter or null.
  Kernel adam() {
    return inPlace((attributes, in) -> {
      var o = (Adam) attributes;
      boolean amsgrad = in.length > 4 && in[4] != null;
      var key =
          new AdamVariant(
              in[0].dtype(), o.weightDecay() != 0, o.decoupled(), o.maximize(), amsgrad);
      Kernel kernel = variant(key, key.dtype, adamFormulas(key), amsgrad ? 5 : 4);
      var operands = new ArrayList<>(List.of(in[0], in[1], in[2], in[3]));
      var changed = new ArrayList<>(List.of(in[0], in[2], in[3]));
      if (amsgrad) {
        operands.add(in[4]);
        changed.add(in[4]);
      }
      kernel.run(
          Parameters.of(
              1 - o.beta1(),
              o.beta2(),
              1 - o.beta2(),
              o.eps(),
              o.decoupled() ? 1 - o.lr() * o.weightDecay() : o.weightDecay(),
              -o.stepSize(),
              o.biasCorrection2Sqrt(),
              o.beta1()),
          changed.toArray(Strided[]::new),
          operands.toArray(Strided[]::new));
    });
  }

  private static List<Formula> adamFormulas(AdamVariant v) {
    Formula param = Formula.input(0);
    Formula grad = v.max ? Formula.input(1).negate() : Formula.input(1);
    if (v.decays && v.decoupled) {
      Formula decayed = param.times(Formula.parameter(4));
      param = Formula.maximum(decayed, decayed); // PyTorch stores it: not to be fused with the step
    } else if (v.decays) {
      grad = Formula.parameter(4).times(param).plus(grad);
    }
    Formula before = Formula.input(2);
    Formula mean = Formula.parameter(0).times(grad).plus(before.times(Formula.parameter(7)));
    Formula square =
        Formula.parameter(2)
            .times(grad)
            .times(grad)
            .plus(Formula.input(3).times(Formula.parameter(1)));
    Formula largest = v.amsgrad ? Formula.maximum(Formula.input(4), square) : square;
    Formula denominator =
        Formula.sqrt(largest).dividedBy(Formula.parameter(6)).plus(Formula.parameter(3));
    Formula stepped = param.plus(Formula.parameter(5).times(mean).dividedBy(denominator));
    return v.amsgrad ? List.of(stepped, mean, square, largest) : List.of(stepped, mean, square);
  }

  private interface Body {
    void run(Record attributes, Strided[] in);
  }

  private static Kernel inPlace(Body body) {
    return Kernel.ofAnyStrides((attributes, outputs, inputs) -> {
      body.run(attributes, inputs);
    });
  }
}
