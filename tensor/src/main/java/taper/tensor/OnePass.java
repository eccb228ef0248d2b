package taper.tensor;

import static taper.tensor.Operator.None.NONE;

import org.jspecify.annotations.Nullable;
import taper.tensor.Convolutions.Conv2dNormalized;

/// What several operators in a row compute, in one pass over the elements. Layers call these by themselves where one follows
/// the other; a program has no need to.
public final class OnePass {
  private OnePass() {}

  /// What a batch normalization needs besides its input; see
  /// [Normalization#batchNorm(Tensor, Tensor, Tensor, Tensor, boolean, double, double)].
  ///
  /// @param runningMean the mean, or what moves towards it in training
  /// @param runningVar the variance, likewise
  /// @param weight may be null: 1
  /// @param bias may be null: 0
  /// @param training whether statistics are those of the input
  /// @param momentum how far the running statistics move
  /// @param eps is added to the variance
  public record Norm(
      @Nullable Tensor runningMean,
      @Nullable Tensor runningVar,
      @Nullable Tensor weight,
      @Nullable Tensor bias,
      boolean training,
      double momentum,
      double eps) {

    private boolean hasOnly(DType dtype) {
      return is(runningMean, dtype)
          && is(runningVar, dtype)
          && is(weight, dtype)
          && is(bias, dtype);
    }

    private static boolean is(@Nullable Tensor x, DType dtype) {
      return x == null || x.dtype() == dtype;
    }
  }

  /// The gradient of what a rectifier saw whose result is the first output of a call: once for all inputs of the call.
  static <A extends Record> Tensor reluGradient(Backward<A> b) {
    return b.shared(call -> reluGradient(call.grad(0), call.output(0)));
  }

  static Tensor reluGradient(Tensor grad, Tensor result) {
    return Activations.Operators.RELU.derivedGradient(0).apply(grad, result);
  }

  /// Whether the types and the bias are right. What is not goes to the operator whose error the user understands.
  private static boolean fit(Tensor x, Tensor weight, @Nullable Tensor bias) {
    DType dtype = x.dtype();
    return dtype.isFloatingPoint()
        && x.dim() > 0
        && weight.dtype() == dtype
        && weight.dim() > 0
        && Norm.is(bias, dtype)
        && (bias == null || bias.dim() == 1 && bias.size(0) == weight.size(0));
  }

  /// Returns `relu(linear(x))`.
  ///
  /// @param bias may be null: nothing is added
  public static Tensor linear(Tensor x, Tensor weight, @Nullable Tensor bias) {
    return fit(x, weight, bias) && weight.dim() == 2 && x.size(-1) == weight.size(1)
        ? LinearAlgebra.Operators.LINEAR_RELU.on(NONE, x, weight, bias)
        : x.linear(weight, bias).relu();
  }

  /// Returns `relu(conv2d(x))`.
  ///
  /// @param bias may be null: nothing is added
  public static Tensor conv2d(
      Tensor x, Tensor weight, @Nullable Tensor bias, ConvolutionOptions options) {
    if (!fit(x, weight, bias) || x.dim() != 4 || weight.dim() != 4 || options.same()) {
      return x.conv2d(weight, bias, _ -> options).relu();
    }
    return Convolutions.Operators.CONV2D_RELU.on(
        Windows.window("conv2d", options), x, weight, bias);
  }

  /// Returns `relu(batchNorm(x) + addend)`, in one pass where statistics are those of `x`.
  ///
  /// @param addend has the shape of `x`; may be null: nothing is added
  public static Tensor batchNorm(Tensor x, Norm norm, @Nullable Tensor addend) {
    DType dtype = x.dtype();
    Tensor mean = norm.runningMean;
    Tensor variance = norm.runningVar;
    boolean training = norm.training || mean == null || variance == null;
    boolean suits =
        training
            && (dtype == DType.FLOAT32 || dtype == DType.FLOAT64)
            && norm.hasOnly(dtype)
            && Norm.is(addend, dtype)
            && x.numel() > 0;
    if (!suits) {
      Tensor y =
          x.batchNorm(mean, variance, norm.weight, norm.bias, training, norm.momentum, norm.eps);
      return (addend == null ? y : y.add_(addend)).relu_();
    }
    var attributes = new Normalization.BatchNorm(norm.momentum, norm.eps);
    return Normalization.Operators.BATCH_NORM_RELU.on(
        attributes, x, norm.weight, norm.bias, mean, variance, addend);
  }

  /// Returns `relu(norm(conv2d(x)) + addend)`, with the running statistics, or null if that is not done in one pass: while
  /// gradients are recorded, in training, and for types, paddings and shapes that this has no kernel for.
  ///
  /// @param addend may be null: nothing is added
  /// @param relu whether negative results become zero; there must be one after an addend
  public static @Nullable Tensor conv2d(
      Tensor x,
      Tensor weight,
      @Nullable Tensor bias,
      ConvolutionOptions options,
      Norm norm,
      @Nullable Tensor addend,
      boolean relu) {
    Tensor mean = norm.runningMean;
    Tensor variance = norm.runningVar;
    DType dtype = x.dtype();
    boolean suits =
        !Autograd.isGradEnabled()
            && !norm.training
            && mean != null
            && variance != null
            && (dtype == DType.FLOAT32 || dtype == DType.FLOAT64)
            && fit(x, weight, bias)
            && Norm.is(addend, dtype)
            && norm.hasOnly(dtype)
            && x.dim() == 4
            && weight.dim() == 4
            && mean.numel() == weight.size(0)
            && !options.same()
            && (relu || addend == null);
    if (!suits || mean == null || variance == null) {
      return null;
    }
    var attributes = new Conv2dNormalized(Windows.window("conv2d", options), norm.eps, relu);
    return Convolutions.Operators.CONV2D_NORMALIZED.on(
        attributes, x, weight, bias, norm.weight, norm.bias, mean, variance, addend);
  }
}
