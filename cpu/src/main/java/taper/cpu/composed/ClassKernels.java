package taper.cpu.composed;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import taper.cpu.reductions.Fold;
import taper.cpu.reductions.Lines;
import taper.cpu.x86.SoftmaxGradient;
import taper.tensor.Activations.Along;
import taper.tensor.DType;
import taper.tensor.Losses.ClassLoss;
import taper.tensor.Parameters;
import taper.tensor.Reduction;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Losses over classes, and the gradients of softmax, of contiguous operands.
///
/// A prediction `i` with label `t` loses `Σ a(c) · -logp(c)`, where `a(c) = (1 - ε) w(t) [c = t] + ε / C · w(c)`
/// with the label smoothing `ε`; the gradient by its logits is `g · (p(c) Σ a - a(c))`. What concerns all
/// classes is one formula over the whole operand, what concerns the label alone a loop over predictions.
final class ClassKernels {
  private static final double[] NONE = {};
  private static final Formula X = Formula.input(0);

  private final Engine engine;
  private final Kernel logSoftmaxFloat;
  private final Kernel logSoftmaxDouble;
  private final Map<Object, Kernel> kernels = new ConcurrentHashMap<>();

  ClassKernels(Engine engine) {
    this.engine = engine;
    this.logSoftmaxFloat = engine.softmax(DType.FLOAT32, true);
    this.logSoftmaxDouble = engine.softmax(DType.FLOAT64, true);
  }

  private record Key(String step, DType dtype) {}

  private Kernel kernel(String step, DType dtype, Formula formula, DType... inputs) {
    return kernels.computeIfAbsent(
        new Key(step, dtype),
        _ -> engine.pointwise(List.of(formula), dtype, List.of(inputs), List.of(dtype)));
  }

  private static void run(Kernel kernel, Strided out, Strided... inputs) {
    kernel.run(Parameters.NONE, new Strided[] {out}, inputs);
  }

  /// Inputs: gradient, softmax. `y · (g - Σ g y)`.
  Kernel softmaxGradient(DType compute) {
    SoftmaxGradient rows = engine.softmaxGradient(compute, false);
    return (attributes, out, in) -> {
      if (in[0].numel() == 0) {
        return;
      }
      Columns columns = Columns.along(in[0], ((Along) attributes).dim());
      if (rows != null && columns.inner == 1) {
        rows.run(out[0], in[0], in[1], columns.outer, columns.length);
        return;
      }
      Strided grad = columns.of(in[0]);
      Strided y = columns.of(in[1]);
      double[] zeros = new double[columns.lines()];
      double[] sums = engine.folding().fold(Fold.PRODUCTS, columns.along(y), y, grad, zeros);
      DType dtype = in[0].dtype();
      Formula formula = Formula.input(1).times(X.minus(Formula.input(2)));
      run(
          kernel("softmax", dtype, formula, dtype, dtype, DType.FLOAT64),
          columns.of(out[0]),
          grad,
          y,
          columns.perLine(sums));
    };
  }

  /// Inputs: gradient, logarithm of the softmax. `g - exp(y) · Σ g`.
  Kernel logSoftmaxGradient(DType compute) {
    SoftmaxGradient rows = engine.softmaxGradient(compute, true);
    return (attributes, out, in) -> {
      if (in[0].numel() == 0) {
        return;
      }
      Columns columns = Columns.along(in[0], ((Along) attributes).dim());
      if (rows != null && columns.inner == 1) {
        rows.run(out[0], in[0], in[1], columns.outer, columns.length);
        return;
      }
      Strided grad = columns.of(in[0]);
      double[] sums = engine.folding().fold(Fold.SUM, columns.along(grad), grad, NONE);
      DType dtype = in[0].dtype();
      Formula formula = X.minus(Formula.exp(Formula.input(1)).times(Formula.input(2)));
      run(
          kernel("logSoftmax", dtype, formula, dtype, dtype, DType.FLOAT64),
          columns.of(out[0]),
          grad,
          columns.of(in[1]),
          columns.perLine(sums));
    };
  }

  /// An operand as `[outer, length, inner]`, reduced along the middle.
  private record Columns(long outer, long length, long inner) {
    static Columns along(Strided x, int dim) {
      long outer = 1;
      long inner = 1;
      for (int d = 0; d < x.rank(); d++) {
        outer *= d < dim ? x.size(d) : 1;
        inner *= d > dim ? x.size(d) : 1;
      }
      return new Columns(outer, x.rank() == 0 ? 1 : x.size(dim), inner);
    }

    int lines() {
      return Math.toIntExact(outer * inner);
    }

    long[] sizes() {
      return new long[] {outer, length, inner};
    }

    Strided of(Strided x) {
      return x.view(0, sizes(), new long[] {length * inner, inner, 1});
    }

    Lines along(Strided x) {
      return Lines.of(x, new boolean[] {false, true, false});
    }

    Strided perLine(double[] values) {
      return Statistics.operand(values, sizes(), new long[] {inner, 0, 1});
    }

    Strided perClass(double[] values) {
      return Statistics.operand(values, sizes(), new long[] {0, 1, 0});
    }

    /// Where class `c` of line `i` lies.
    long at(long i, long c) {
      return (i / inner * length + c) * inner + i % inner;
    }
  }

  /// The classes, weights and labels of a loss.
  private static final class Classes {
    final Columns columns;
    final ClassLoss loss;
    final double @Nullable [] weight;
    private final Strided target;

    Classes(ClassLoss loss, Strided predictions, Strided target, @Nullable Strided weight) {
      this.loss = loss;
      this.columns = Columns.along(predictions, predictions.rank() == 1 ? 0 : 1);
      this.target = target;
      this.weight = weight == null ? null : Statistics.read(weight);
    }

    long label(long i) {
      return target.memory().get(JAVA_LONG_UNALIGNED, target.byteOffset() + 8 * i);
    }

    boolean ignored(long i) {
      return label(i) == loss.ignoreIndex();
    }

    double weight(long c) {
      return weight == null ? 1 : weight[(int) c];
    }

    /// `Σ w(c)`.
    double allWeights() {
      if (weight == null) {
        return columns.length;
      }
      double sum = 0;
      for (double w : weight) {
        sum += w;
      }
      return sum;
    }
  }

  /// Inputs: predictions, labels, weight or null. Outputs: losses, logarithms of the softmax, total weight.
  Kernel crossEntropy() {
    return (attributes, out, in) -> {
      var classes = new Classes((ClassLoss) attributes, in[0], in[1], in[2]);
      Columns columns = classes.columns;
      if (in[0].numel() > 0) {
        Kernel softmax = in[0].dtype() == DType.FLOAT64 ? logSoftmaxDouble : logSoftmaxFloat;
        softmax.run(
            new Along(1), new Strided[] {columns.of(out[1])}, new Strided[] {columns.of(in[0])});
      }
      losses(classes, out[1], out[0], out[2]);
    };
  }

  /// Inputs: log-probabilities, labels, weight or null. Outputs: losses, total weight.
  Kernel nllLoss() {
    return (attributes, out, in) ->
        losses(new Classes((ClassLoss) attributes, in[0], in[1], in[2]), in[0], out[0], out[1]);
  }

  /// Inputs: gradient of the losses, log-probabilities (for their shape), labels, weight or null, total weight.
  Kernel nllLossGradient() {
    return (attributes, out, in) -> {
      var loss = (ClassLoss) attributes;
      var classes = new Classes(loss, in[1], in[2], in[3]);
      Strided to = out[0];
      long bytes = to.numel() * to.dtype().byteSize();
      if (bytes == 0) {
        return;
      }
      to.memory().asSlice(to.byteOffset(), bytes).fill((byte) 0);
      double all =
          switch (loss.reduction()) {
            case NONE -> 0;
            case MEAN -> Statistics.at(in[0], 0) / Statistics.at(in[4], 0);
            case SUM -> Statistics.at(in[0], 0);
          };
      for (int i = 0; i < classes.columns.lines(); i++) {
        if (!classes.ignored(i)) {
          long label = classes.label(i);
          double grad = loss.reduction() == Reduction.NONE ? Statistics.at(in[0], i) : all;
          Statistics.set(to, classes.columns.at(i, label), -grad * classes.weight(label));
        }
      }
    };
  }

  private void losses(Classes classes, Strided logs, Strided result, Strided totalWeight) {
    ClassLoss loss = classes.loss;
    Columns columns = classes.columns;
    double smoothing = loss.labelSmoothing();
    double sum = 0;
    double total = 0;
    for (int i = 0; i < columns.lines(); i++) {
      double one = 0;
      if (!classes.ignored(i)) {
        long label = classes.label(i);
        double weight = classes.weight(label);
        total += weight;
        double hard = (1 - smoothing) * weight;
        one = hard == 0 ? 0 : -hard * Statistics.at(logs, columns.at(i, label));
        for (long c = 0; smoothing != 0 && c < columns.length; c++) {
          double a = smoothing / columns.length * classes.weight(c);
          one -= a == 0 ? 0 : a * Statistics.at(logs, columns.at(i, c));
        }
      }
      if (loss.reduction() == Reduction.NONE) {
        Statistics.set(result, i, one);
      }
      sum += one;
    }
    Statistics.set(totalWeight, 0, total);
    switch (loss.reduction()) {
      case NONE -> {}
      case MEAN -> Statistics.set(result, 0, sum / total);
      case SUM -> Statistics.set(result, 0, sum);
    }
  }

  /// Inputs: gradient of the losses, logarithms of the softmax, labels, weight or null, total weight.
  Kernel crossEntropyGradient() {
    return (attributes, out, in) -> {
      var loss = (ClassLoss) attributes;
      var classes = new Classes(loss, in[1], in[2], in[3]);
      Columns columns = classes.columns;
      if (in[1].numel() == 0) {
        return;
      }
      double smoothing = loss.labelSmoothing();
      double soft = smoothing / columns.length;
      double allSoft = soft * classes.allWeights();
      double[] grads = new double[columns.lines()];
      double[] sums = new double[grads.length];
      for (int i = 0; i < grads.length; i++) {
        if (!classes.ignored(i)) {
          grads[i] =
              switch (loss.reduction()) {
                case NONE -> Statistics.at(in[0], i);
                case MEAN -> Statistics.at(in[0], 0) / Statistics.at(in[4], 0);
                case SUM -> Statistics.at(in[0], 0);
              };
          sums[i] = grads[i] * ((1 - smoothing) * classes.weight(classes.label(i)) + allSoft);
        }
      }
      DType dtype = out[0].dtype();
      DType wide = DType.FLOAT64;
      Formula spread = Formula.exp(X).times(Formula.input(1));
      Strided logs = columns.of(in[1]);
      Strided to = columns.of(out[0]);
      if (smoothing == 0) {
        run(kernel("hard", dtype, spread, dtype, wide), to, logs, columns.perLine(sums));
      } else {
        double[] softs = new double[Math.toIntExact(columns.length)];
        for (int c = 0; c < softs.length; c++) {
          softs[c] = soft * classes.weight(c);
        }
        Formula formula = spread.minus(Formula.input(2).times(Formula.input(3)));
        run(
            kernel("smooth", dtype, formula, dtype, wide, wide, wide),
            to,
            logs,
            columns.perLine(sums),
            columns.perLine(grads),
            columns.perClass(softs));
      }
      for (int i = 0; i < grads.length; i++) {
        if (!classes.ignored(i)) {
          long label = classes.label(i);
          long at = columns.at(i, label);
          double hard = grads[i] * (1 - smoothing) * classes.weight(label);
          Statistics.set(out[0], at, Statistics.at(out[0], at) - hard);
        }
      }
    };
  }
}
