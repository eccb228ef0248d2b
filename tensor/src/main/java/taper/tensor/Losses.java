package taper.tensor;

import static taper.tensor.spi.Formula.constant;
import static taper.tensor.spi.Formula.input;
import static taper.tensor.spi.Formula.parameter;

import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Activations.Along;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceCtc;
import taper.tensor.internal.ReferenceLosses;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Comparison;

/// Losses: how far predictions are from targets. This tensor holds the predictions.
///
/// Without options the result is the mean. Losses over classes have the classes along dimension 1 (0 if there is no other).
public sealed interface Losses permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the cross entropy between predictions, which are logits, and the classes that `target` names.
  ///
  /// - Shape: `[n c *], target[n *] -> []`; `[c], target[] -> []`; probabilities as target: `[n c *], target[n c *] -> []`
  /// - Types: floating; class indices are `int64`, probabilities are of the type of the predictions
  /// - Gradient: to the predictions, and to probabilities
  ///
  /// @throws ShapeException if the shapes do not fit
  /// @throws DTypeException if class indices are not `int64`
  /// @throws ArgumentException if a class index is outside the classes
  default Tensor crossEntropy(Tensor target) {
    return crossEntropy(target, o -> o);
  }

  /// Returns the cross entropy, with options: `o -> o.labelSmoothing(0.1).ignoreIndex(0)`.
  default Tensor crossEntropy(Tensor target, UnaryOperator<CrossEntropyOptions> options) {
    CrossEntropyOptions o = options.apply(CrossEntropyOptions.DEFAULT);
    boolean probabilities = target.dtype().isFloatingPoint() && target.dim() == self().dim();
    return (probabilities ? Operators.CROSS_ENTROPY_PROBABILITIES : Operators.CROSS_ENTROPY)
        .on(
            new ClassLoss(o.ignoreIndex(), o.reduction(), o.labelSmoothing()),
            self(),
            target,
            o.weight());
  }

  /// Returns the negative log likelihood of the classes that `target` names; this tensor holds log-probabilities.
  ///
  /// - Shape: `[n c *], target[n *] -> []`; `[c], target[] -> []`
  /// - Types: floating; class indices are `int64`
  ///
  /// @throws ShapeException if the shapes do not fit
  /// @throws DTypeException if class indices are not `int64`
  /// @throws ArgumentException if a class index is outside the classes
  default Tensor nllLoss(Tensor target) {
    return nllLoss(target, o -> o);
  }

  /// Returns the negative log likelihood, with options.
  default Tensor nllLoss(Tensor target, UnaryOperator<NllOptions> options) {
    NllOptions o = options.apply(NllOptions.DEFAULT);
    return Operators.NLL_LOSS.on(
        new ClassLoss(o.ignoreIndex(), o.reduction(), 0), self(), target, o.weight());
  }

  /// Returns the mean of the squared differences.
  ///
  /// - Shape: `[*b], [*b] -> []`
  default Tensor mseLoss(Tensor target) {
    return mseLoss(target, Reduction.MEAN);
  }

  /// Returns the squared differences, reduced.
  default Tensor mseLoss(Tensor target, Reduction reduction) {
    return Operators.MSE_LOSS.on(new Elementwise(reduction), self(), target);
  }

  /// Returns the mean of the absolute differences.
  ///
  /// - Shape: `[*b], [*b] -> []`
  /// - Gradient: 0 where there is no difference
  default Tensor l1Loss(Tensor target) {
    return l1Loss(target, Reduction.MEAN);
  }

  /// Returns the absolute differences, reduced.
  default Tensor l1Loss(Tensor target, Reduction reduction) {
    if (self().isComplex() || target.isComplex()) {
      return reduction.of(self().sub(target).abs());
    }
    return Operators.L1_LOSS.on(new Elementwise(reduction), self(), target);
  }

  /// Returns the mean of `d² / (2 beta)` where the absolute difference `d` is below `beta`, of `d - beta / 2` elsewhere,
  /// with a `beta` of 1.
  ///
  /// - Shape: `[*b], [*b] -> []`
  /// - Source: Girshick 2015, arXiv:1504.08083
  default Tensor smoothL1Loss(Tensor target) {
    return smoothL1Loss(target, 1, Reduction.MEAN);
  }

  /// Returns the smooth absolute differences, reduced.
  ///
  /// @param beta where the parabola ends; 0 gives [#l1Loss(Tensor)]
  /// @throws ArgumentException if `beta` is negative
  default Tensor smoothL1Loss(Tensor target, double beta, Reduction reduction) {
    if (beta < 0) {
      throw new ArgumentException(
          "smoothL1Loss: beta must not be negative, but is %s.".formatted(beta));
    }
    return Operators.SMOOTH_L1_LOSS.on(new Bounded(beta, reduction), self(), target);
  }

  /// Returns the mean of `d² / 2` where the absolute difference `d` is at most `delta`, of `delta (d - delta / 2)`
  /// elsewhere, with a `delta` of 1.
  ///
  /// - Shape: `[*b], [*b] -> []`
  /// - Source: Huber 1964, Robust estimation of a location parameter
  default Tensor huberLoss(Tensor target) {
    return huberLoss(target, 1, Reduction.MEAN);
  }

  /// Returns Huber's loss, reduced.
  ///
  /// @throws ArgumentException if `delta` is not positive
  default Tensor huberLoss(Tensor target, double delta, Reduction reduction) {
    if (!(delta > 0)) {
      throw new ArgumentException("huberLoss: delta must be positive, but is %s.".formatted(delta));
    }
    return Operators.HUBER_LOSS.on(new Bounded(delta, reduction), self(), target);
  }

  /// Returns the mean of `-(t log p + (1 - t) log(1 - p))`, where this tensor holds the probabilities `p`. Logarithms are
  /// cut off at -100. See [#binaryCrossEntropyWithLogits(Tensor)] for predictions that are no probabilities.
  ///
  /// - Shape: `[*], target[*], weight[*b] -> []`
  ///
  /// @throws ShapeException if the target has another shape
  /// @throws ArgumentException if a prediction is outside `0..1`
  default Tensor binaryCrossEntropy(Tensor target) {
    return binaryCrossEntropy(target, o -> o);
  }

  /// Returns the binary cross entropy, with options. `posWeight` is not one of them.
  default Tensor binaryCrossEntropy(Tensor target, UnaryOperator<BinaryOptions> options) {
    BinaryOptions o = options.apply(BinaryOptions.DEFAULT);
    if (o.posWeight() != null) {
      throw new ArgumentException(
          "binaryCrossEntropy: posWeight must be left out, but is given. Use"
              + " binaryCrossEntropyWithLogits.");
    }
    checkSameShape("binaryCrossEntropy", self(), target);
    return Operators.BINARY_CROSS_ENTROPY.on(
        new Elementwise(o.reduction()), self(), target, o.weight());
  }

  /// Returns the mean of the binary cross entropy between `sigmoid(self)` and `target`, without overflow.
  ///
  /// - Shape: `[*], target[*], weight[*b], posWeight[*b] -> []`
  ///
  /// @throws ShapeException if the target has another shape
  default Tensor binaryCrossEntropyWithLogits(Tensor target) {
    return binaryCrossEntropyWithLogits(target, o -> o);
  }

  /// Returns the binary cross entropy of logits, with options.
  default Tensor binaryCrossEntropyWithLogits(Tensor target, UnaryOperator<BinaryOptions> options) {
    BinaryOptions o = options.apply(BinaryOptions.DEFAULT);
    checkSameShape("binaryCrossEntropyWithLogits", self(), target);
    return Operators.BINARY_CROSS_ENTROPY_WITH_LOGITS.on(
        new Elementwise(o.reduction()), self(), target, o.weight(), o.posWeight());
  }

  private static void checkSameShape(String op, Tensor self, Tensor target) {
    if (!self.shape().equals(target.shape())) {
      throw new ShapeException(
          "%s: self and target must have one shape, but self is %s and target %s. See view, squeeze and unsqueeze."
              .formatted(op, self.shape(), target.shape()));
    }
  }

  /// Returns the mean over all elements of `t (log t - self)`, the Kullback-Leibler divergence of predictions, which are
  /// log-probabilities, from the probabilities `target`. The mean over samples is `klDiv(target, o ->
  /// o.batchMean())`.
  ///
  /// - Shape: `[*b], [*b] -> []`
  default Tensor klDiv(Tensor target) {
    return klDiv(target, o -> o);
  }

  /// Returns the Kullback-Leibler divergence, with options.
  default Tensor klDiv(Tensor target, UnaryOperator<KlOptions> options) {
    KlOptions o = options.apply(KlOptions.DEFAULT);
    Tensor result =
        (o.logTarget() ? Operators.KL_DIV_LOG : Operators.KL_DIV)
            .on(new Elementwise(o.isBatchMean() ? Reduction.SUM : o.reduction()), self(), target);
    return o.isBatchMean() ? result.div(self().dim() == 0 ? 1 : self().size(0)) : result;
  }

  /// Returns the mean negative log likelihood of counts with Poisson distributions, whose rates have the logarithms that this
  /// tensor holds: `exp(self) - target · self`.
  ///
  /// - Shape: `[*b], [*b] -> []`
  /// - Types: whole numbers become `float32`
  default Tensor poissonNllLoss(Tensor target) {
    return poissonNllLoss(target, o -> o);
  }

  /// Returns the negative log likelihood of counts, with options: `o -> o.full(true)`.
  default Tensor poissonNllLoss(Tensor target, UnaryOperator<PoissonOptions> options) {
    PoissonOptions o = options.apply(PoissonOptions.DEFAULT);
    return (o.logInput() ? Operators.POISSON_NLL_LOG_LOSS : Operators.POISSON_NLL_LOSS)
        .on(new Poisson(o.full(), o.eps(), o.reduction()), self(), target);
  }

  /// Returns the mean negative log likelihood of targets with normal distributions, whose means this tensor holds and whose
  /// variances are `var`: `(log var + (self - target)² / var) / 2`.
  ///
  /// - Shape: `[*b], [*b], [*b] -> []`; `var` may lack the last dimension
  /// - Source: Nix, Weigend 1994, Estimating the mean and variance of the target probability distribution
  ///
  /// @throws ArgumentException if a variance is negative
  /// @throws ShapeException if the shapes do not fit
  default Tensor gaussianNllLoss(Tensor target, Tensor var) {
    return gaussianNllLoss(target, var, false, 1e-6, Reduction.MEAN);
  }

  /// Returns the negative log likelihood of targets with normal distributions, reduced.
  ///
  /// @param full whether `log(2π) / 2` is added
  /// @param eps stands in for smaller variances, with the gradient of the variance
  default Tensor gaussianNllLoss(
      Tensor target, Tensor var, boolean full, double eps, Reduction reduction) {
    return Operators.GAUSSIAN_NLL_LOSS.on(
        new Gaussian(full, eps, reduction), self(), target, Gaussian.variances(self(), var));
  }

  /// Returns the mean over samples of the negative log likelihood of sequences of labels, divided by their lengths, where
  /// this tensor holds the log-probabilities of the classes at every time.
  ///
  /// The probability of a sequence is the sum over all alignments, in which labels last and blanks lie between them.
  ///
  /// - Shape: `[t n c], targets[n s], [n], [n] -> []`; targets one behind the other: `[sum]`; without samples `[t c],
  ///   targets[s]`
  /// - Types: floating; labels and lengths are `int64`
  /// - Gradient: as PyTorch's, right for log-probabilities that come out of [Activations#logSoftmax(int)]
  /// - Source: Graves et al. 2006, Connectionist temporal classification
  ///
  /// @param inputLengths how many times of each sample count
  /// @param targetLengths how many labels of each sample there are
  /// @throws ArgumentException if lengths or labels are out of range
  /// @throws ShapeException if the shapes do not fit
  default Tensor ctcLoss(Tensor targets, Tensor inputLengths, Tensor targetLengths) {
    return ctcLoss(targets, inputLengths, targetLengths, o -> o);
  }

  /// Returns the negative log likelihood of sequences of labels, with options: `o -> o.zeroInfinity(true)`.
  default Tensor ctcLoss(
      Tensor targets,
      Tensor inputLengths,
      Tensor targetLengths,
      UnaryOperator<CtcOptions> options) {
    return Ctc.loss(
        self(), targets, inputLengths, targetLengths, options.apply(CtcOptions.DEFAULT));
  }

  /// Options of [#crossEntropy(Tensor, UnaryOperator)]. Immutable.
  ///
  /// @param weight one factor per class, or null
  /// @param ignoreIndex the label of predictions that do not count
  /// @param reduction what to return
  /// @param labelSmoothing how much of the target is spread over all classes, from 0 to 1
  record CrossEntropyOptions(
      @Nullable Tensor weight, long ignoreIndex, Reduction reduction, double labelSmoothing) {
    /// PyTorch's defaults.
    public static final CrossEntropyOptions DEFAULT =
        new CrossEntropyOptions(null, -100, Reduction.MEAN, 0);

    /// These options with a factor per class.
    public CrossEntropyOptions weight(@Nullable Tensor factors) {
      return new CrossEntropyOptions(factors, ignoreIndex, reduction, labelSmoothing);
    }

    /// These options with another label of predictions that do not count.
    public CrossEntropyOptions ignoreIndex(long label) {
      return new CrossEntropyOptions(weight, label, reduction, labelSmoothing);
    }

    /// These options with another reduction.
    public CrossEntropyOptions reduction(Reduction what) {
      return new CrossEntropyOptions(weight, ignoreIndex, what, labelSmoothing);
    }

    /// These options with label smoothing.
    ///
    /// @throws ArgumentException if it is outside `0..1`
    public CrossEntropyOptions labelSmoothing(double share) {
      if (!(share >= 0 && share <= 1)) {
        throw new ArgumentException(
            "crossEntropy: labelSmoothing must be in 0..1, but is %s.".formatted(share));
      }
      return new CrossEntropyOptions(weight, ignoreIndex, reduction, share);
    }
  }

  /// Options of [#nllLoss(Tensor, UnaryOperator)]. Immutable.
  ///
  /// @param weight one factor per class, or null
  /// @param ignoreIndex the label of predictions that do not count
  /// @param reduction what to return
  record NllOptions(@Nullable Tensor weight, long ignoreIndex, Reduction reduction) {
    /// PyTorch's defaults.
    public static final NllOptions DEFAULT = new NllOptions(null, -100, Reduction.MEAN);

    /// These options with a factor per class.
    public NllOptions weight(@Nullable Tensor factors) {
      return new NllOptions(factors, ignoreIndex, reduction);
    }

    /// These options with another label of predictions that do not count.
    public NllOptions ignoreIndex(long label) {
      return new NllOptions(weight, label, reduction);
    }

    /// These options with another reduction.
    public NllOptions reduction(Reduction what) {
      return new NllOptions(weight, ignoreIndex, what);
    }
  }

  /// Options of the binary cross entropies. Immutable.
  ///
  /// @param weight a factor per element, which broadcasts, or null
  /// @param posWeight a factor of the part of positive targets, which broadcasts, or null
  /// @param reduction what to return
  record BinaryOptions(@Nullable Tensor weight, @Nullable Tensor posWeight, Reduction reduction) {
    /// PyTorch's defaults.
    public static final BinaryOptions DEFAULT = new BinaryOptions(null, null, Reduction.MEAN);

    /// These options with a factor per element.
    public BinaryOptions weight(@Nullable Tensor factors) {
      return new BinaryOptions(factors, posWeight, reduction);
    }

    /// These options with a factor of the part of positive targets.
    public BinaryOptions posWeight(@Nullable Tensor factors) {
      return new BinaryOptions(weight, factors, reduction);
    }

    /// These options with another reduction.
    public BinaryOptions reduction(Reduction what) {
      return new BinaryOptions(weight, posWeight, what);
    }
  }

  /// Options of [#klDiv(Tensor, UnaryOperator)]. Immutable.
  ///
  /// @param reduction what to return
  /// @param isBatchMean whether to return the sum, divided by the size of dimension 0
  /// @param logTarget whether the targets are log-probabilities
  record KlOptions(Reduction reduction, boolean isBatchMean, boolean logTarget) {
    /// PyTorch's defaults.
    public static final KlOptions DEFAULT = new KlOptions(Reduction.MEAN, false, false);

    /// These options with another reduction.
    public KlOptions reduction(Reduction what) {
      return new KlOptions(what, false, logTarget);
    }

    /// These options with the mean over samples, which is what the divergence is defined as.
    public KlOptions batchMean() {
      return new KlOptions(Reduction.SUM, true, logTarget);
    }

    /// These options with targets that are log-probabilities, or not.
    public KlOptions logTarget(boolean log) {
      return new KlOptions(reduction, isBatchMean, log);
    }
  }

  /// Options of [#poissonNllLoss(Tensor, UnaryOperator)]. Immutable.
  ///
  /// @param logInput whether the predictions are logarithms of rates
  /// @param full whether Stirling's formula for the logarithm of the factorial is added
  /// @param eps is added to rates before their logarithm
  /// @param reduction what to return
  record PoissonOptions(boolean logInput, boolean full, double eps, Reduction reduction) {
    /// PyTorch's defaults.
    public static final PoissonOptions DEFAULT =
        new PoissonOptions(true, false, 1e-8, Reduction.MEAN);

    /// These options with predictions that are logarithms of rates, or rates.
    public PoissonOptions logInput(boolean log) {
      return new PoissonOptions(log, full, eps, reduction);
    }

    /// These options with the logarithm of the factorial, or without.
    public PoissonOptions full(boolean all) {
      return new PoissonOptions(logInput, all, eps, reduction);
    }

    /// These options with another number that is added to rates.
    public PoissonOptions eps(double small) {
      return new PoissonOptions(logInput, full, small, reduction);
    }

    /// These options with another reduction.
    public PoissonOptions reduction(Reduction what) {
      return new PoissonOptions(logInput, full, eps, what);
    }
  }

  /// Options of [#ctcLoss(Tensor, Tensor, Tensor, UnaryOperator)]. Immutable.
  ///
  /// @param blank the class between labels
  /// @param zeroInfinity whether the loss of a sequence that is impossible is 0
  /// @param reduction what to return
  record CtcOptions(long blank, boolean zeroInfinity, Reduction reduction) {
    /// PyTorch's defaults.
    public static final CtcOptions DEFAULT = new CtcOptions(0, false, Reduction.MEAN);

    /// These options with another class between labels.
    public CtcOptions blank(long label) {
      return new CtcOptions(label, zeroInfinity, reduction);
    }

    /// These options with a loss of 0 for impossible sequences, or an infinite one.
    public CtcOptions zeroInfinity(boolean zero) {
      return new CtcOptions(blank, zero, reduction);
    }

    /// These options with another reduction.
    public CtcOptions reduction(Reduction what) {
      return new CtcOptions(blank, zeroInfinity, what);
    }
  }

  /// What loss over classes to compute.
  ///
  /// @param ignoreIndex the label of predictions that do not count
  /// @param reduction what to return
  /// @param labelSmoothing how much of the target is spread over all classes
  record ClassLoss(long ignoreIndex, Reduction reduction, double labelSmoothing) {}

  /// What loss over elements to compute.
  ///
  /// @param reduction what to return
  record Elementwise(Reduction reduction) implements ElementwiseLoss.Reduced {}

  /// What loss over elements to compute, with one number.
  ///
  /// @param bound where the parabola ends
  /// @param reduction what to return
  record Bounded(double bound, Reduction reduction) implements ElementwiseLoss.Reduced {
    @Override
    public Parameters parameters() {
      return Parameters.of(bound);
    }
  }

  /// What loss over counts to compute.
  ///
  /// @param full whether the logarithm of the factorial is added
  /// @param eps is added to rates
  /// @param reduction what to return
  record Poisson(boolean full, double eps, Reduction reduction) implements ElementwiseLoss.Reduced {
    @Override
    public Parameters parameters() {
      return Parameters.of(eps, full ? 1 : 0);
    }
  }

  /// What loss over normal distributions to compute.
  ///
  /// @param full whether the constant is added
  /// @param eps stands in for smaller variances
  /// @param reduction what to return
  record Gaussian(boolean full, double eps, Reduction reduction)
      implements ElementwiseLoss.Reduced {
    @Override
    public Parameters parameters() {
      return Parameters.of(eps, full ? Math.log(2 * Math.PI) / 2 : 0);
    }

    /// The variances in a shape that broadcasts against the means.
    static Tensor variances(Tensor mean, Tensor var) {
      Tensor result = var;
      if (!var.shape().equals(mean.shape())) {
        long[] sizes = mean.sizes();
        long[] given = var.sizes();
        int rank = sizes.length;
        if (rank > 0 && Arrays.equals(given, Arrays.copyOf(sizes, rank - 1))) {
          result = var.unsqueeze(-1);
        } else if (rank == 0
            || given.length != rank
            || given[rank - 1] != 1
            || !Arrays.equals(given, 0, rank - 1, sizes, 0, rank - 1)) {
          throw new ShapeException(
              "gaussianNllLoss: var must have the shape of self, %s, or lack the last dimension, but has %s."
                  .formatted(mean.shape(), var.shape()));
        }
      }
      if (Autograd.noGrad(() -> var.lt(0).any().itemBoolean())) {
        throw new ArgumentException(
            "gaussianNllLoss: variances must not be negative, but at least one is.");
      }
      return result;
    }
  }

  /// What loss over sequences to compute.
  ///
  /// @param blank the class between labels
  /// @param inputLengths how many times of each sample count
  /// @param targetLengths how many labels of each sample there are
  /// @param zeroInfinity whether impossible sequences get no gradient
  record Alignment(long blank, long[] inputLengths, long[] targetLengths, boolean zeroInfinity) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("losses");

    private static final ClassLoss MEAN = new ClassLoss(-100, Reduction.MEAN, 0);
    private static final ClassLoss NONE = new ClassLoss(-100, Reduction.NONE, 0);
    private static final ClassLoss SUM = new ClassLoss(2, Reduction.SUM, 0);
    private static final ClassLoss SMOOTH = new ClassLoss(-100, Reduction.MEAN, 0.1);

    // The logarithms of the softmax come out too: gradients need nothing else.
    static final Operator<ClassLoss> CROSS_ENTROPY =
        FAMILY
            .<ClassLoss>structured(
                "crossEntropy",
                "self[*], target[*], weight?[*] -> loss[*], logProbabilities[*], totalWeight[]",
                ReferenceLosses.CROSS_ENTROPY)
            .shape((a, in) -> {
              long[] loss = Labels.checked("crossEntropy", in, a.reduction());
              long[] self = in.getFirst();
              assert self != null;
              return List.of(loss, self.clone(), new long[0]);
            })
            .dtypes(DTypes.SAME_FLOATING.fixed("target", DType.INT64))
            .check((a, in) -> checkLabels("crossEntropy", a, in))
            .constant("weight")
            .gradient(
                "self",
                Keeps.inputs("target", "weight").andOutputs(1, 2),
                Operators::crossEntropyGradient)
            .gradientName("NllLossBackward0")
            .torch(
                "aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int"
                    + " reduction=Mean, SymInt ignore_index=-100, float label_smoothing=0.0) ->"
                    + " Tensor")
            .sample(MEAN, "f32[4 5], i64[4] in 0..5, none")
            .sample(NONE, "f32[4 5], i64[4] in 0..5, f32[5] in 0.5..2")
            .sample(SUM, "f32[6 5], i64[6] in 0..5, f32[5] in 0.5..2")
            .sample(SMOOTH, "f32[4 5], i64[4] in 0..5, f32[5] in 0.5..2")
            .sample(MEAN, "f32[2 5 3 2], i64[2 3 2] in 0..5, f32[5] in 0.5..2")
            .sample(MEAN, "f32[5], i64[] in 0..5, none")
            .sample(MEAN, "f32[4 5] in -800..800, i64[4] in 0..5, none")
            .rejects(
                MEAN,
                "f32[4 10], i64[4] in 10..10, none",
                "crossEntropy: labels must be in 0..9, one of 10 classes, or the ignoreIndex -100,"
                    + " but target[0] is 10. Classes are counted from 0.")
            .rejects(
                MEAN,
                "f32[2 3 4], i64[2 4] in -1..-1, none",
                "crossEntropy: labels must be in 0..2, one of 3 classes, or the ignoreIndex -100,"
                    + " but target[0, 0] is -1. Classes are counted from 0.")
            .rejects(
                MEAN,
                "f32[4 10], f32[4], none",
                "crossEntropy: target must be int64, but is float32. Convert it with"
                    + " .to(DType.INT64).")
            .rejects(
                MEAN,
                "f32[4 10], i64[5] in 0..9, none",
                "crossEntropy: target must have shape [4], one label for each prediction of self"
                    + " [4, 10], but has shape [5]. Dimension 1 of self is that of the classes.")
            .rejects(
                MEAN,
                "f32[4 10], i64[4] in 0..9, f32[3]",
                "crossEntropy: weight must have shape [10], one element for each class of self [4,"
                    + " 10], but has shape [3].")
            .declare();

    static final Operator<ClassLoss> CROSS_ENTROPY_PROBABILITIES =
        FAMILY
            .<ClassLoss>composite(
                "crossEntropyProbabilities",
                "self[*], target[*], weight?[*] -> [*]",
                (a, in) ->
                    crossEntropyOfProbabilities(
                        a, in.get("self"), in.get("target"), in.find("weight")))
            .dtypes(DTypes.SAME_FLOATING)
            .torch(
                "aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int"
                    + " reduction=Mean, SymInt ignore_index=-100, float label_smoothing=0.0) ->"
                    + " Tensor")
            .sample(MEAN, "f32[4 5], f32[4 5] in 0..1, none")
            .sample(NONE, "f32[4 5], f32[4 5] in 0..1, f32[5] in 0.5..2")
            .sample(SMOOTH, "f32[2 5 3], f32[2 5 3] in 0..1, f32[5] in 0.5..2")
            .sample(MEAN, "f32[5], f32[5] in 0..1, none")
            .sample(MEAN, "f32[4 5] in -800..800, f32[4 5] in 0..1, none")
            .rejects(
                MEAN,
                "f32[4 10], f32[4 9], none",
                "crossEntropy: probabilities must have the shape of the predictions,"
                    + " [4, 10], but have shape [4, 9]. For class indices use int64.")
            .declare();

    static final Operator<ClassLoss> NLL_LOSS =
        FAMILY
            .<ClassLoss>structured(
                "nllLoss",
                "self[*], target[*], weight?[*] -> loss[*], totalWeight[]",
                ReferenceLosses.NLL)
            .shape((a, in) -> List.of(Labels.checked("nllLoss", in, a.reduction()), new long[0]))
            .dtypes(DTypes.SAME_FLOATING.fixed("target", DType.INT64))
            .check((a, in) -> checkLabels("nllLoss", a, in))
            .constant("weight")
            .gradient(
                "self",
                Keeps.inputs("self", "target", "weight").andOutputs(1),
                Operators::nllGradient)
            .torch(
                "aten::nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int"
                    + " reduction=Mean, SymInt ignore_index=-100) -> Tensor")
            .torch(
                "aten::nll_loss(Tensor self, Tensor target, Tensor? weight=None, int"
                    + " reduction=Mean, SymInt ignore_index=-100) -> Tensor")
            .torch(
                "aten::nll_loss2d(Tensor self, Tensor target, Tensor? weight=None, int"
                    + " reduction=Mean, SymInt ignore_index=-100) -> Tensor")
            .sample(MEAN, "f32[4 5] in -4..0, i64[4] in 0..5, none")
            .sample(NONE, "f32[4 5] in -4..0, i64[4] in 0..5, f32[5] in 0.5..2")
            .sample(SUM, "f32[2 5 3] in -4..0, i64[2 3] in 0..5, f32[5] in 0.5..2")
            .sample(MEAN, "f32[5] in -4..0, i64[] in 0..5, none")
            .rejects(
                MEAN,
                "f32[4 10], i64[4] in 10..10, none",
                "nllLoss: labels must be in 0..9, one of 10 classes, or the ignoreIndex -100, but"
                    + " target[0] is 10. Classes are counted from 0.")
            .rejects(
                MEAN,
                "f32[4 10], f32[4], none",
                "nllLoss: target must be int64, but is float32. Convert it with .to(DType.INT64).")
            .declare();

    private static final Elementwise EACH = new Elementwise(Reduction.NONE);
    private static final Elementwise TOTAL = new Elementwise(Reduction.SUM);
    private static final Elementwise AVERAGE = new Elementwise(Reduction.MEAN);
    private static final Formula DISTANCE = Formula.abs(input(0).minus(input(1)));

    static final Operator<Elementwise> MSE_LOSS =
        Operators.<Elementwise>elementwise(
                "mseLoss", List.of("self", "target"), _ -> input(0).minus(input(1)).squared())
            .in(FAMILY, 0)
            .torch("aten::mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor")
            .sample(AVERAGE, "f32[3 4], f32[3 4]")
            .sample(TOTAL, "f32[3 4], f32[4]")
            .sample(EACH, "f32[3 4], f32[3 4]")
            .sample(AVERAGE, "f32[5] in -800..800, f32[5] in -800..800")
            .rejects(
                AVERAGE,
                "f32[4 2], f32[4 3]",
                "mseLoss: shapes must broadcast, but dimension -1 is 2 in self [4, 2] and 3 in"
                    + " target [4, 3]. Sizes must be equal or 1; see unsqueeze and expand.")
            .declare();

    static final Operator<Elementwise> L1_LOSS =
        Operators.<Elementwise>elementwise("l1Loss", List.of("self", "target"), _ -> DISTANCE)
            .in(FAMILY, 0)
            .torch("aten::l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor")
            .sample(AVERAGE, "f32[3 4], f32[3 4]")
            .sample(TOTAL, "f32[3 4], f32[4]")
            .sample(EACH, "f32[5] in -800..800, f32[5] in -800..800")
            .declare();

    static final Operator<Bounded> SMOOTH_L1_LOSS =
        Operators.<Bounded>elementwise(
                "smoothL1Loss",
                List.of("self", "target"),
                _ ->
                    Formula.select(
                        DISTANCE,
                        Comparison.LESS,
                        parameter(0),
                        DISTANCE.squared().times(0.5).dividedBy(parameter(0)),
                        DISTANCE.minus(parameter(0).times(0.5))))
            .in(FAMILY, 0)
            .torch(
                "aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float"
                    + " beta=1.0) -> Tensor")
            .sample(new Bounded(1, Reduction.MEAN), "f32[3 4], f32[3 4]")
            .sample(new Bounded(0.3, Reduction.NONE), "f32[3 4], f32[4]")
            .sample(new Bounded(0, Reduction.SUM), "f32[3 4], f32[3 4]")
            .sample(new Bounded(1, Reduction.MEAN), "f32[5] in -800..800, f32[5] in -800..800")
            .source("Girshick 2015, arXiv:1504.08083")
            .declare();

    static final Operator<Bounded> HUBER_LOSS =
        Operators.<Bounded>elementwise(
                "huberLoss",
                List.of("self", "target"),
                _ ->
                    Formula.select(
                        DISTANCE,
                        Comparison.LESS_EQUAL,
                        parameter(0),
                        DISTANCE.squared().times(0.5),
                        parameter(0).times(DISTANCE.minus(parameter(0).times(0.5)))))
            .in(FAMILY, 0)
            .torch(
                "aten::huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0)"
                    + " -> Tensor")
            .sample(new Bounded(1, Reduction.MEAN), "f32[3 4], f32[3 4]")
            .sample(new Bounded(0.3, Reduction.NONE), "f32[3 4], f32[4]")
            .sample(new Bounded(1, Reduction.MEAN), "f32[5] in -800..800, f32[5] in -800..800")
            .source("Huber 1964, Robust estimation of a location parameter")
            .declare();

    static final Operator<Elementwise> BINARY_CROSS_ENTROPY =
        new ElementwiseLoss<Elementwise>(
                "binaryCrossEntropy",
                List.of("self", "target", "weight"),
                present -> weighted(present, 2, binaryCrossEntropy()),
                Operators::binaryCrossEntropyGradient)
            .in(FAMILY, 1)
            .check((a, in) -> checkProbabilities(in[0]))
            .torch(
                "aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int"
                    + " reduction=Mean) -> Tensor")
            .sample(AVERAGE, "f32[3 4] in 0.1..0.9, f32[3 4] in 0..1, none")
            .sample(TOTAL, "f32[3 4] in 0.1..0.9, f32[3 4] in 0..1, f32[4] in 0.5..2")
            .sample(EACH, "f32[3 4] in 0.1..0.9, f32[3 4] in 0..1, f32[3 1] in 0.5..2")
            .rejects(
                AVERAGE,
                "f32[3] in 1.5..1.5, f32[3] in 0..1, none",
                "binaryCrossEntropy: predictions must be probabilities in 0..1, but the range is"
                    + " 1.5..1.5. Use binaryCrossEntropyWithLogits, or apply sigmoid first.")
            .declare();

    static final Operator<Elementwise> BINARY_CROSS_ENTROPY_WITH_LOGITS =
        Operators.<Elementwise>elementwise(
                "binaryCrossEntropyWithLogits",
                List.of("self", "target", "weight", "posWeight"),
                present -> weighted(present, 2, logitCrossEntropy(present[3])))
            .in(FAMILY, 2)
            .torch(
                "aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor?"
                    + " weight=None, Tensor? pos_weight=None, int reduction=Mean) -> Tensor")
            .sample(AVERAGE, "f32[3 4], f32[3 4] in 0..1, none, none")
            .sample(TOTAL, "f32[3 4], f32[3 4] in 0..1, f32[4] in 0.5..2, f32[4] in 0.5..3")
            .sample(EACH, "f32[3 4], f32[3 4] in 0..1, none, f32[4] in 0.5..3")
            .sample(AVERAGE, "f32[5] in -800..800, f32[5] in 0..1, none, none")
            .declare();

    static final Operator<Elementwise> KL_DIV =
        Operators.<Elementwise>elementwise(
                "klDiv",
                List.of("self", "target"),
                _ ->
                    Formula.select(
                        input(1),
                        Comparison.EQUAL,
                        constant(0),
                        constant(0),
                        input(1).times(Formula.log(input(1)).minus(input(0)))))
            .in(FAMILY, 0)
            .torch(
                "aten::kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool"
                    + " log_target=False) -> Tensor")
            .sample(AVERAGE, "f32[3 4] in -4..0, f32[3 4] in 0.1..1")
            .sample(TOTAL, "f32[3 4] in -4..0, f32[3 4] in 0.1..1")
            .sample(EACH, "f32[3 4] in -4..0, f32[3 4] in 0.1..1")
            .declare();

    static final Operator<Elementwise> KL_DIV_LOG =
        Operators.<Elementwise>elementwise(
                "klDivLog",
                List.of("self", "target"),
                _ -> Formula.exp(input(1)).times(input(1).minus(input(0))))
            .in(FAMILY, 0)
            .gradientName("KlDivBackward0")
            .torch(
                "aten::kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool"
                    + " log_target=False) -> Tensor")
            .sample(AVERAGE, "f32[3 4] in -4..0, f32[3 4] in -4..0")
            .sample(EACH, "f32[3 4] in -4..0, f32[3 4] in -4..0")
            .declare();

    private static final Formula STIRLING =
        Formula.select(
            input(1),
            Comparison.LESS_EQUAL,
            constant(1),
            constant(0),
            parameter(1)
                .times(
                    input(1)
                        .times(Formula.log(input(1)).minus(1))
                        .plus(Formula.log(input(1).times(2 * Math.PI)).times(0.5))));

    static final Operator<Poisson> POISSON_NLL_LOG_LOSS =
        Operators.<Poisson>elementwise(
                "poissonNllLogLoss",
                List.of("self", "target"),
                _ -> Formula.exp(input(0)).minus(input(1).times(input(0))).plus(STIRLING))
            .in(FAMILY, 0)
            .torch(
                "aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full,"
                    + " float eps, int reduction) -> Tensor")
            .sample(new Poisson(false, 1e-8, Reduction.MEAN), "f32[3 4], f32[3 4] in 0..5")
            .sample(new Poisson(true, 1e-8, Reduction.NONE), "f32[3 4], f32[4] in 2..5")
            .declare();

    static final Operator<Poisson> POISSON_NLL_LOSS =
        Operators.<Poisson>elementwise(
                "poissonNllLoss",
                List.of("self", "target"),
                _ ->
                    input(0)
                        .minus(input(1).times(Formula.log(input(0).plus(parameter(0)))))
                        .plus(STIRLING))
            .in(FAMILY, 0)
            .torch(
                "aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full,"
                    + " float eps, int reduction) -> Tensor")
            .sample(
                new Poisson(false, 1e-8, Reduction.MEAN), "f32[3 4] in 0.5..3, f32[3 4] in 0..5")
            .sample(new Poisson(true, 1e-8, Reduction.SUM), "f32[3 4] in 0.5..3, f32[4] in 2..5")
            .declare();

    static final Operator<Gaussian> GAUSSIAN_NLL_LOSS =
        new ElementwiseLoss<Gaussian>(
                "gaussianNllLoss",
                List.of("self", "target", "var"),
                _ -> gaussian(),
                (position, _) -> position == 2 ? gaussianByVariance() : null)
            .in(FAMILY, 0)
            .own()
            .sample(
                new Gaussian(false, 1e-6, Reduction.MEAN), "f32[3 4], f32[3 4], f32[3 4] in 0.5..2")
            .sample(
                new Gaussian(true, 1e-6, Reduction.NONE), "f32[3 4], f32[4], f32[3 1] in 0.5..2")
            .source(
                "Nix, Weigend 1994, Estimating the mean and variance of the target probability"
                    + " distribution")
            .declare();

    // The losses, and the logarithms of the probabilities of all beginnings of alignments
    static final Operator<Alignment> CTC_ALIGNMENT =
        FAMILY
            .<Alignment>structured(
                "ctcAlignment",
                "logProbs[t n c], targets[*] -> losses[n], alpha[*]",
                ReferenceCtc.ALIGNMENT)
            .shape((a, in) -> Ctc.shapes(a, in))
            .check(Ctc::check)
            .dtypes(DTypes.SAME_FLOATING.fixed("targets", DType.INT64))
            .notDifferentiable()
            .torch(
                "aten::_ctc_loss(Tensor log_probs, Tensor targets, int[] input_lengths, int[]"
                    + " target_lengths, int blank=0, bool zero_infinity=False) -> (Tensor, Tensor)")
            .sample(
                new Alignment(0, new long[] {5, 4}, new long[] {2, 1}, false),
                "f32[5 2 3] in -3..-0.5, i64[2 2] in 1..2")
            .sample(
                new Alignment(2, new long[] {5, 4}, new long[] {2, 0}, true),
                "f32[5 2 3] in -3..-0.5, i64[2] in 0..1")
            .source("Graves et al. 2006, Connectionist temporal classification")
            .declare();

    // Gradients as kernels

    static final Operator<Alignment> CTC_GRADIENT =
        FAMILY
            .<Alignment>structured(
                "ctcGradient",
                "grad[n], logProbs[t n c], targets[*], losses[n], alpha[*] -> [t n c]",
                ReferenceCtc.GRADIENT)
            .shape((a, in) -> {
              List<long[]> forward = Ctc.shapes(a, in.subList(1, 3));
              Checks.shape("ctcGradient", "alpha", in.get(4), forward.get(1));
              return List.of(in.get(1).clone());
            })
            .check((a, in) -> Ctc.check(a, Arrays.copyOfRange(in, 1, 3)))
            .dtypes(DTypes.SAME_FLOATING.fixed("targets", DType.INT64))
            .notDifferentiable()
            .torch(
                "aten::_ctc_loss_backward(Tensor grad, Tensor log_probs, Tensor targets, int[]"
                    + " input_lengths, int[] target_lengths, Tensor neg_log_likelihood, Tensor"
                    + " log_alpha, int blank, bool zero_infinity=False) -> Tensor")
            .sample(
                new Alignment(0, new long[] {4}, new long[] {2}, false),
                "f32[1], f32[4 1 3] in -3..-0.5, i64[1 2] in 1..2, f32[1] in 2..3, f32[1 4 5] in"
                    + " -5..-1")
            .declare();

    static final Operator<ClassLoss> CROSS_ENTROPY_GRADIENT =
        FAMILY
            .<ClassLoss>structured(
                "crossEntropyGradient",
                "grad[*], logProbabilities[*], target[*], weight?[*], totalWeight[] -> [*]",
                ReferenceLosses.CROSS_ENTROPY_GRADIENT)
            .shape((a, in) -> likePrediction("crossEntropyGradient", a, in))
            .check((a, in) -> checkLabels("crossEntropyGradient", a, in[1], in[2]))
            .dtypes(DTypes.SAME_FLOATING.fixed("target", DType.INT64))
            .notDifferentiable()
            .own()
            .sample(MEAN, "f32[], f32[4 5] in -4..0, i64[4] in 0..5, none, f32[] in 4..4")
            .sample(
                new ClassLoss(1, Reduction.NONE, 0.2),
                "f32[2 3], f32[2 5 3] in -4..0, i64[2 3] in 0..5, f32[5] in 0.5..2, f32[] in 4..4")
            .declare();

    static final Operator<ClassLoss> NLL_LOSS_GRADIENT =
        FAMILY
            .<ClassLoss>structured(
                "nllLossGradient",
                "grad[*], self[*], target[*], weight?[*], totalWeight[] -> [*]",
                ReferenceLosses.NLL_GRADIENT)
            .shape((a, in) -> likePrediction("nllLossGradient", a, in))
            .check((a, in) -> checkLabels("nllLossGradient", a, in[1], in[2]))
            .dtypes(DTypes.SAME_FLOATING.fixed("target", DType.INT64))
            .notDifferentiable()
            .torch(
                "aten::nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor?"
                    + " weight, int reduction, SymInt ignore_index, Tensor total_weight) -> Tensor")
            .sample(MEAN, "f32[], f32[4 5], i64[4] in 0..5, none, f32[] in 4..4")
            .sample(NONE, "f32[2 3], f32[2 5 3], i64[2 3] in 0..5, f32[5] in 0.5..2, f32[] in 4..4")
            .declare();

    static final Operator<ClassLoss> COEFFICIENTS =
        FAMILY
            .<ClassLoss>structured(
                "classLossCoefficients",
                "self[*], target[*], weight?[*] -> [*]",
                ReferenceLosses.COEFFICIENTS)
            .shape((a, in) -> {
              long[] self = in.getFirst();
              assert self != null;
              Labels.checked("classLossCoefficients", in, a.reduction());
              return List.of(self.clone());
            })
            .check((a, in) -> checkLabels("classLossCoefficients", a, in))
            .dtypes(DTypes.SAME_FLOATING.fixed("target", DType.INT64))
            .notDifferentiable()
            .own()
            .sample(SMOOTH, "f32[4 5], i64[4] in 0..5, f32[5] in 0.5..2")
            .declare();

    /// The shape of the predictions, which are the second input; the first is the gradient of their loss.
    private static List<long[]> likePrediction(String op, ClassLoss a, List<long @Nullable []> in) {
      Checks.shape(op, "grad", in.get(0), Labels.checked(op, in.subList(1, 4), a.reduction()));
      long[] self = in.get(1);
      assert self != null;
      return List.of(self.clone());
    }

    private static void checkLabels(String op, ClassLoss a, @Nullable Tensor[] in) {
      checkLabels(op, a, in[0], in[1]);
    }

    private static void checkLabels(
        String op, ClassLoss a, @Nullable Tensor self, @Nullable Tensor target) {
      assert self != null && target != null;
      Labels.check(op, self.size(Labels.dim(self.dim())), a.ignoreIndex(), target);
    }

    private static void checkProbabilities(@Nullable Tensor self) {
      assert self != null;
      if (self.numel() == 0) {
        return;
      }
      Autograd.noGrad(() -> {
        double min = self.min().item();
        double max = self.max().item();
        if (min < 0 || max > 1) {
          throw new ArgumentException(
              "binaryCrossEntropy: predictions must be probabilities in 0..1, but the range is %s..%s. Use binaryCrossEntropyWithLogits, or apply sigmoid first."
                  .formatted(min, max));
        }
      });
    }

    /// The gradient of the loss of every prediction, with a dimension for the classes.
    private static Tensor perPrediction(Backward<ClassLoss> b, Tensor self, int totalWeight) {
      Tensor grad = b.grad(0);
      return switch (b.attributes().reduction()) {
        case NONE -> grad.unsqueeze(Labels.dim(self.dim()));
        case MEAN -> grad.div(b.output(totalWeight));
        case SUM -> grad;
      };
    }

    private static Tensor nllGradient(Backward<ClassLoss> b) {
      Tensor self = b.input("self");
      Tensor target = b.input("target");
      Tensor weight = b.find("weight");
      if (!Autograd.isGradEnabled()) {
        return NLL_LOSS_GRADIENT.on(b.attributes(), b.grad(0), self, target, weight, b.output(1));
      }
      Tensor factors = COEFFICIENTS.on(b.attributes(), self, target, weight);
      return factors.mul(perPrediction(b, self, 1)).neg();
    }

    private static @Nullable Tensor crossEntropyGradient(Backward<ClassLoss> b) {
      Tensor logs = b.output(1);
      var along = new Along(Labels.dim(logs.dim()));
      Tensor byLogs =
          b.hasGrad(1) ? Activations.Operators.logSoftmaxGradient(along, b.grad(1), logs) : null;
      if (!b.hasGrad(0)) {
        return byLogs;
      }
      Tensor byLoss;
      if (Autograd.isGradEnabled()) {
        Tensor factors = COEFFICIENTS.on(b.attributes(), logs, b.input("target"), b.find("weight"));
        Tensor ofLogs = factors.mul(perPrediction(b, logs, 2)).neg();
        byLoss = Activations.Operators.logSoftmaxGradient(along, ofLogs, logs);
      } else {
        byLoss =
            CROSS_ENTROPY_GRADIENT.on(
                b.attributes(), b.grad(0), logs, b.input("target"), b.find("weight"), b.output(2));
      }
      return byLogs == null ? byLoss : byLoss.add(byLogs);
    }

    private static Tensor crossEntropyOfProbabilities(
        ClassLoss a, Tensor self, Tensor target, @Nullable Tensor weight) {
      if (!self.shape().equals(target.shape())) {
        throw new ShapeException(
            "crossEntropy: probabilities must have the shape of the predictions, %s, but have shape %s. For class indices use int64."
                .formatted(self.shape(), target.shape()));
      }
      int dim = Labels.dim(self.dim());
      long classes = self.size(dim);
      Tensor probabilities = target;
      if (a.labelSmoothing() > 0) {
        probabilities = target.mul(1 - a.labelSmoothing()).add(a.labelSmoothing() / classes);
      }
      Tensor losses = self.logSoftmax(dim).mul(probabilities);
      if (weight != null) {
        losses =
            losses.mul(
                self.dim() == 1 ? weight : Channels.along("crossEntropy", "weight", weight, self));
      }
      return switch (a.reduction()) {
        case NONE -> losses.sum(dim).neg();
        case SUM -> losses.sum().neg();
        case MEAN -> losses.sum().neg().div((double) self.numel() / classes);
      };
    }

    private static Formula gaussian() {
      Formula variance = Formula.maximum(input(2), parameter(0));
      Formula square = input(0).minus(input(1)).squared();
      return Formula.log(variance).plus(square.dividedBy(variance)).times(0.5).plus(parameter(1));
    }

    /// As if the variance had not been limited.
    private static Formula gaussianByVariance() {
      Formula variance = Formula.maximum(input(2), parameter(0));
      Formula square = input(0).minus(input(1)).squared();
      return constant(1).minus(square.dividedBy(variance)).dividedBy(variance).times(0.5);
    }

    private static <A extends Record & ElementwiseLoss.Reduced> ElementwiseLoss<A> elementwise(
        String name, List<String> inputs, ElementwiseLoss.Form form) {
      return new ElementwiseLoss<>(name, inputs, form, (_, _) -> null);
    }

    private static Formula weighted(boolean[] present, int weight, Formula loss) {
      return present[weight] ? loss.times(input(weight)) : loss;
    }

    private static Formula binaryCrossEntropy() {
      Formula log = Formula.maximum(Formula.log(input(0)), constant(-100));
      Formula logOfRest = Formula.maximum(Formula.log1p(input(0).negate()), constant(-100));
      return input(1).minus(1).times(logOfRest).minus(input(1).times(log));
    }

    /// Where the logarithms are cut off the slope of the formula would be 0 or NaN; PyTorch's stays finite.
    private static @Nullable Formula binaryCrossEntropyGradient(int position, boolean[] present) {
      Formula p = input(0);
      return switch (position) {
        case 0 ->
            weighted(
                present,
                2,
                p.minus(input(1))
                    .dividedBy(Formula.maximum(constant(1).minus(p).times(p), constant(1e-12))));
        case 1 -> weighted(present, 2, Formula.log1p(p.negate()).minus(Formula.log(p)));
        default -> null;
      };
    }

    private static Formula logitCrossEntropy(boolean posWeight) {
      Formula log = Formula.softplus(input(0).negate());
      Formula factor = posWeight ? input(3).minus(1).times(input(1)).plus(1) : constant(1);
      return constant(1).minus(input(1)).times(input(0)).plus(factor.times(log));
    }

    private Operators() {}
  }
}
