package taper.cpu.composed;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import taper.tensor.DType;
import taper.tensor.OptimizerSteps.Adam;
import taper.tensor.OptimizerSteps.Sgd;
import taper.tensor.Parameters;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Steps of optimizers, each as one pass over all parameters, gradients and states.
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

  private Kernel variant(Object key, DType dtype, Supplier<List<Formula>> formulas, int inputs) {
    Kernel known = variants.get(key);
    return known != null
        ? known
        : variants.computeIfAbsent(key, _ -> assemble(formulas.get(), dtype, inputs));
  }

  private Kernel assemble(List<Formula> formulas, DType dtype, int inputs) {
    return engine.pointwise(
        formulas,
        dtype == DType.FLOAT64 ? dtype : DType.FLOAT32,
        Collections.nCopies(inputs, dtype),
        Collections.nCopies(formulas.size(), dtype));
  }

  private record SgdVariant(
      DType dtype,
      boolean decays,
      boolean momentum,
      boolean nesterov,
      boolean max,
      boolean first) {}

  /// Inputs: parameters, then as many gradients, then momentum buffers or null.
  Kernel sgd() {
    return inPlace((attributes, in) -> {
      var o = (Sgd) attributes;
      int count = in.length / 3;
      boolean momentum = o.momentum() != 0 && in[2 * count] != null;
      var key =
          new SgdVariant(
              in[0].dtype(), o.weightDecay() != 0, momentum, o.nesterov(), o.maximize(), o.first());
      Kernel kernel = variant(key, key.dtype, () -> sgdFormulas(key), momentum ? 3 : 2);
      Parameters numbers = Parameters.of(-o.lr(), o.momentum(), 1 - o.dampening(), o.weightDecay());
      int[] lists = momentum ? new int[] {0, 2, 0, 1, 2} : new int[] {0, 0, 1};
      ManyOperands.run(kernel, numbers, byParameter(in, count, lists), momentum ? 2 : 1);
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

  /// Inputs: parameters, as many gradients, means of gradients and of their squares, the largest of the latter or null.
  Kernel adam() {
    return inPlace((attributes, in) -> {
      var o = (Adam) attributes;
      int count = in.length / 5;
      boolean amsgrad = in[4 * count] != null;
      var key =
          new AdamVariant(
              in[0].dtype(), o.weightDecay() != 0, o.decoupled(), o.maximize(), amsgrad);
      Kernel kernel = variant(key, key.dtype, () -> adamFormulas(key), amsgrad ? 5 : 4);
      Parameters numbers =
          Parameters.of(
              1 - o.beta1(),
              o.beta2(),
              1 - o.beta2(),
              o.eps(),
              o.decoupled() ? 1 - o.lr() * o.weightDecay() : o.weightDecay(),
              -o.stepSize(),
              o.biasCorrection2Sqrt(),
              o.beta1());
      int[] lists =
          amsgrad ? new int[] {0, 2, 3, 4, 0, 1, 2, 3, 4} : new int[] {0, 2, 3, 0, 1, 2, 3};
      ManyOperands.run(kernel, numbers, byParameter(in, count, lists), amsgrad ? 4 : 3);
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

  /// For each of `count` parameters its place in each of `lists`, which count from 0.
  private static Strided[][] byParameter(Strided[] in, int count, int[] lists) {
    var result = new Strided[count][lists.length];
    for (int p = 0; p < count; p++) {
      for (int i = 0; i < lists.length; i++) {
        result[p][i] = in[lists[i] * count + p];
      }
    }
    return result;
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
