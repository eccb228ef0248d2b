package taper.tensor;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.ReferenceSteps;

/// Steps of optimizers, each as one kernel that reads the gradient and overwrites the parameter and its state.
///
/// The order of operations is PyTorch's, so that the same gradients give the same parameters. Nothing is recorded: call
/// them under [Autograd#noGrad()]. All tensors of a step have one shape and one floating type.
public final class OptimizerSteps {
  static final Family FAMILY = new Family("optimizer steps");

  private OptimizerSteps() {}

  /// Takes a step of stochastic gradient descent: `param -= lr · direction`.
  ///
  /// The gradient, negated for `maximize`, grows by `weightDecay · param`. With momentum, `buffer = momentum · buffer + (1
  /// - dampening) · grad`, or the gradient itself at the first step; the direction is the buffer, or for Nesterov's
  /// variant `grad + momentum · buffer`.
  ///
  /// - Source: Sutskever et al. 2013, On the importance of initialization and momentum in deep learning
  ///
  /// @param momentumBuffer the state; null without momentum
  public static void sgd(Tensor param, Tensor grad, @Nullable Tensor momentumBuffer, Sgd options) {
    SGD.all(options, param, grad, momentumBuffer);
  }

  /// Takes a step of Adam or AdamW.
  ///
  /// The gradient, negated for `maximize`, grows by `weightDecay · param`, or with decoupled decay the parameter shrinks by
  /// `lr · weightDecay`. Then `m = β₁ m + (1 - β₁) grad`, `v = β₂ v + (1 - β₂) grad²`, and `param -= lr / (1 - β₁ᵗ) · m
  /// / (√v / √(1 - β₂ᵗ) + eps)`; with AMSGrad the largest `v` so far takes the place of `v`.
  ///
  /// - Source: Kingma, Ba 2014, arXiv:1412.6980; Loshchilov, Hutter 2017, arXiv:1711.05101; Reddi, Kale, Kumar 2018,
  ///   arXiv:1904.09237
  ///
  /// @param expAvg the mean `m` of gradients
  /// @param expAvgSq the mean `v` of their squares
  /// @param maxExpAvgSq the largest `v`; null without AMSGrad
  public static void adam(
      Tensor param,
      Tensor grad,
      Tensor expAvg,
      Tensor expAvgSq,
      @Nullable Tensor maxExpAvgSq,
      Adam options) {
    ADAM.all(options, param, grad, expAvg, expAvgSq, maxExpAvgSq);
  }

  /// How [#sgd] steps.
  ///
  /// @param lr the learning rate
  /// @param momentum how much of the buffer is kept
  /// @param dampening how much of the gradient is kept out of the buffer
  /// @param weightDecay the factor of the parameter in the gradient
  /// @param nesterov whether to look ahead
  /// @param maximize whether to ascend
  /// @param first whether this is the first step: the buffer holds nothing yet
  public record Sgd(
      double lr,
      double momentum,
      double dampening,
      double weightDecay,
      boolean nesterov,
      boolean maximize,
      boolean first) {}

  /// How [#adam] steps.
  ///
  /// @param lr the learning rate
  /// @param beta1 how much of the mean of gradients is kept
  /// @param beta2 how much of the mean of squares is kept
  /// @param eps is added to the root
  /// @param weightDecay the factor of the parameter in the gradient, or of its decay
  /// @param decoupled whether the decay is apart from the gradient, as in AdamW
  /// @param maximize whether to ascend
  /// @param step the number of this step, counted from 1
  public record Adam(
      double lr,
      double beta1,
      double beta2,
      double eps,
      double weightDecay,
      boolean decoupled,
      boolean maximize,
      long step) {

    /// `lr / (1 - β₁ᵗ)`.
    public double stepSize() {
      return lr / (1 - Math.pow(beta1, step));
    }

    /// `√(1 - β₂ᵗ)`.
    public double biasCorrection2Sqrt() {
      return Math.sqrt(1 - Math.pow(beta2, step));
    }
  }

  static final Operator<Sgd> SGD =
      FAMILY
          .<Sgd>structured(
              "sgdStep", "param[*b], grad[*b], momentumBuffer?[*b] ->", ReferenceSteps.SGD)
          .shape(
              (a, in) -> checked("sgdStep", new String[] {"param", "grad", "momentumBuffer"}, in))
          .dtypes(DTypes.SAME_FLOATING)
          .mutates("param", "momentumBuffer")
          .notDifferentiable()
          .own()
          .sample(new Sgd(0.1, 0, 0, 0, false, false, true), "f32[3 4], f32[3 4], none")
          .sample(new Sgd(0.1, 0.9, 0, 0.01, true, false, false), "f32[37], f32[37], f32[37]")
          .sample(new Sgd(0.1, 0.9, 0.5, 0.01, false, true, false), "f32[37], f32[37], f32[37]")
          .sample(new Sgd(0.1, 0.9, 0.5, 0, false, false, true), "f32[37], f32[37], f32[37]")
          .rejects(
              new Sgd(0.1, 0, 0, 0, false, false, true),
              "f32[3 4], f32[4], none",
              "sgdStep: grad must have the shape of param, [3, 4], but has shape [4].")
          .source("Sutskever et al. 2013")
          .declare();

  static final Operator<Adam> ADAM =
      FAMILY
          .<Adam>structured(
              "adamStep",
              "param[*b], grad[*b], expAvg[*b], expAvgSq[*b], maxExpAvgSq?[*b] ->",
              ReferenceSteps.ADAM)
          .shape((a, in) ->
              checked(
                  "adamStep",
                  new String[] {"param", "grad", "expAvg", "expAvgSq", "maxExpAvgSq"},
                  in))
          .dtypes(DTypes.SAME_FLOATING)
          .mutates("param", "expAvg", "expAvgSq", "maxExpAvgSq")
          .notDifferentiable()
          .own()
          .sample(
              new Adam(1e-3, 0.9, 0.999, 1e-8, 0, false, false, 1),
              "f32[37], f32[37], f32[37] in 0..0, f32[37] in 0..0, none")
          .sample(
              new Adam(1e-3, 0.9, 0.999, 1e-8, 0.01, true, false, 5),
              "f32[3 4], f32[3 4], f32[3 4], f32[3 4] in 0..1, f32[3 4] in 0..1")
          .sample(
              new Adam(1e-3, 0.9, 0.999, 1e-8, 0.01, false, true, 3),
              "f32[37], f32[37], f32[37], f32[37] in 0..1, none")
          .source("Kingma, Ba 2014, arXiv:1412.6980")
          .declare();

  private static List<long[]> checked(String op, String[] names, List<long @Nullable []> shapes) {
    long[] param = shapes.getFirst();
    for (int i = 1; i < shapes.size(); i++) {
      long[] shape = shapes.get(i);
      if (shape != null && !Arrays.equals(param, shape)) {
        throw new ShapeException(
            "%s: %s must have the shape of param, %s, but has shape %s."
                .formatted(op, names[i], Arrays.toString(param), Arrays.toString(shape)));
      }
    }
    return List.of();
  }
}
