package taper.tensor;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.ReferenceSteps;

/// Steps of optimizers, each as one kernel that reads the gradients and overwrites the parameters and their state: PyTorch's
/// fused steps.
///
/// The order of operations is PyTorch's, so that the same gradients give the same parameters. Nothing is recorded: call
/// them under [Autograd#noGrad()]. A step is for one parameter, or in one pass for many, which have one floating type; the
/// tensors of one parameter have one shape.
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

  /// Takes the step of [#sgd(Tensor, Tensor, Tensor, Sgd)] for several parameters at once.
  ///
  /// @param momentumBuffers their states; empty without momentum
  /// @throws ArgumentException if the lists have different lengths
  public static void sgd(
      List<Tensor> params, List<Tensor> grads, List<Tensor> momentumBuffers, Sgd options) {
    all(SGD, options, params, grads, momentumBuffers);
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

  /// Takes the step of [#adam(Tensor, Tensor, Tensor, Tensor, Tensor, Adam)] for several parameters at once.
  ///
  /// @param expAvgs the means of their gradients
  /// @param expAvgSqs the means of the squares
  /// @param maxExpAvgSqs the largest of those; empty without AMSGrad
  /// @throws ArgumentException if the lists have different lengths
  public static void adam(
      List<Tensor> params,
      List<Tensor> grads,
      List<Tensor> expAvgs,
      List<Tensor> expAvgSqs,
      List<Tensor> maxExpAvgSqs,
      Adam options) {
    all(ADAM, options, params, grads, expAvgs, expAvgSqs, maxExpAvgSqs);
  }

  /// Calls `op` with all lists one after the other; an empty last one stands for absent tensors.
  @SafeVarargs
  private static <A extends Record> void all(
      Operator<A> op, A options, List<Tensor> params, List<Tensor>... others) {
    int count = params.size();
    if (count == 0) {
      return;
    }
    var in = new Tensor[count * (1 + others.length)];
    put(in, 0, params);
    for (int i = 0; i < others.length; i++) {
      boolean absent = i == others.length - 1 && others[i].isEmpty();
      if (!absent && others[i].size() != count) {
        throw new ArgumentException(
            "%s: %s must be as many as params, %d, but are %d."
                .formatted(
                    op.name(), op.signature().inputs().get(i + 1).name(), count, others[i].size()));
      }
      put(in, (i + 1) * count, others[i]);
    }
    op.all(options, in);
  }

  private static void put(@Nullable Tensor[] in, int from, List<Tensor> tensors) {
    for (int i = 0; i < tensors.size(); i++) {
      in[from + i] = tensors.get(i);
    }
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
              "sgdStep", "params...[*], grads...[*], momentumBuffers?...[*] ->", ReferenceSteps.SGD)
          .shape((a, in) -> checked("sgdStep", List.of("params", "grads", "momentumBuffers"), in))
          .dtypes(DTypes.SAME_FLOATING)
          .mutates("params", "momentumBuffers")
          .notDifferentiable()
          .own()
          .sample(new Sgd(0.1, 0, 0, 0, false, false, true), "f32[3 4], f32[3 4], none")
          .sample(new Sgd(0.1, 0.9, 0, 0.01, true, false, false), "f32[37], f32[37], f32[37]")
          .sample(new Sgd(0.1, 0.9, 0.5, 0.01, false, true, false), "f32[37], f32[37], f32[37]")
          .sample(new Sgd(0.1, 0.9, 0.5, 0, false, false, true), "f32[37], f32[37], f32[37]")
          .sample(
              new Sgd(0.1, 0.9, 0, 0.01, false, false, false),
              "f32[3 4], f32[], f32[67], f32[3 4], f32[], f32[67], f32[3 4], f32[], f32[67]")
          .sample(
              new Sgd(0.1, 0, 0, 0, false, false, true),
              "f32[0], f32[67], f32[0], f32[67], none, none")
          .rejects(
              new Sgd(0.1, 0, 0, 0, false, false, true),
              "f32[3 4], f32[4], none",
              "sgdStep: grads[0] must have the shape of params[0], [3, 4], but has shape [4].")
          .rejects(
              new Sgd(0.1, 0.9, 0, 0, false, false, true),
              "f32[3], f32[4], f32[3], f32[4], none, f32[4]",
              "sgdStep: momentumBuffers must be there for all parameters or for none, but"
                  + " momentumBuffers[0] is not.")
          .source("Sutskever et al. 2013")
          .declare();

  static final Operator<Adam> ADAM =
      FAMILY
          .<Adam>structured(
              "adamStep",
              "params...[*], grads...[*], expAvgs...[*], expAvgSqs...[*], maxExpAvgSqs?...[*] ->",
              ReferenceSteps.ADAM)
          .shape((a, in) ->
              checked(
                  "adamStep",
                  List.of("params", "grads", "expAvgs", "expAvgSqs", "maxExpAvgSqs"),
                  in))
          .dtypes(DTypes.SAME_FLOATING)
          .mutates("params", "expAvgs", "expAvgSqs", "maxExpAvgSqs")
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
          .sample(
              new Adam(1e-3, 0.9, 0.999, 1e-8, 0.01, true, false, 2),
              "f32[3 4], f32[67], f32[3 4], f32[67], f32[3 4], f32[67], f32[3 4] in 0..1, f32[67]"
                  + " in 0..1, f32[3 4] in 0..1, f32[67] in 0..1")
          .sample(
              new Adam(1e-3, 0.9, 0.999, 1e-8, 0, false, false, 2),
              "f32[], f32[67], f32[], f32[67], f32[], f32[67], f32[] in 0..1, f32[67] in 0..1,"
                  + " none, none")
          .source("Kingma, Ba 2014, arXiv:1412.6980")
          .declare();

  private static List<long[]> checked(
      String op, List<String> names, List<long @Nullable []> shapes) {
    int count = shapes.size() / names.size();
    for (int i = count; i < shapes.size(); i++) {
      String name = names.get(i / count);
      long[] param = shapes.get(i % count);
      long[] shape = shapes.get(i);
      if ((shape == null) != (shapes.get(i / count * count) == null)) {
        throw new ArgumentException(
            "%s: %s must be there for all parameters or for none, but %2$s[%d] is not."
                .formatted(op, name, shape == null ? i % count : 0));
      }
      if (shape != null && !Arrays.equals(param, shape)) {
        throw new ShapeException(
            "%s: %s[%d] must have the shape of params[%3$d], %s, but has shape %s."
                .formatted(op, name, i % count, Arrays.toString(param), Arrays.toString(shape)));
      }
    }
    return List.of();
  }
}
