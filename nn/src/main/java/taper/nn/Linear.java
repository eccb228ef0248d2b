package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.OnePass;
import taper.tensor.Parameter;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// The affine map `x · weightᵀ + bias` of the last dimension.
///
/// - Shape: `[*b in] -> [*b out]`
/// - Initial values: uniform within ±1/√in, weight and bias
public sealed class Linear extends Layer permits NonDynamicallyQuantizableLinear {

  /// The options, with PyTorch's defaults. Immutable.
  ///
  /// @param bias whether there is a bias
  public record Options(boolean bias) {
    /// With a bias.
    public static final Options DEFAULT = new Options(true);

    /// With a bias, or without.
    public Options bias(boolean bias) {
      return new Options(bias);
    }
  }

  private final long inFeatures;
  private final long outFeatures;
  private Parameter weight;
  private final @Nullable Parameter bias;

  /// From `inFeatures` to `outFeatures`, with a bias.
  public Linear(long inFeatures, long outFeatures) {
    this(inFeatures, outFeatures, o -> o);
  }

  /// From `inFeatures` to `outFeatures`.
  ///
  /// @param options as in `o -> o.bias(false)`
  public Linear(long inFeatures, long outFeatures, UnaryOperator<Options> options) {
    Sizes.notNegative("Linear", "inFeatures", inFeatures);
    Sizes.notNegative("Linear", "outFeatures", outFeatures);
    this.inFeatures = inFeatures;
    this.outFeatures = outFeatures;
    this.weight = Sizes.parameter(outFeatures, inFeatures);
    this.bias =
        Sizes.chosen("Linear", options, Options.DEFAULT).bias()
            ? Sizes.parameter(outFeatures)
            : null;
    resetParameters();
  }

  /// Draws the parameters again.
  public final void resetParameters() {
    Sizes.resetWeightAndBias(weight, bias);
  }

  /// The weight, `[out in]`.
  public final Parameter weight() {
    return weight;
  }

  /// Uses `shared` as the weight from now on, as language models do with the table of their tokens.
  ///
  /// @return this layer
  /// @throws ShapeException if its shape is not that of the weight
  public final Linear tieWeight(Parameter shared) {
    if (!shared.shape().equals(weight.shape())) {
      throw new ShapeException(
          "tieWeight: the shared weight must have shape %s, but has %s."
              .formatted(weight.shape(), shared.shape()));
    }
    weight = shared;
    return this;
  }

  /// The bias, `[out]`, or null.
  public final @Nullable Parameter bias() {
    return bias;
  }

  @Override
  protected final Tensor forward(Tensor input) {
    return input.linear(weight, bias);
  }

  /// What a rectifier makes of what [#forward(Tensor)] gives.
  final Tensor rectified(Tensor input) {
    return OnePass.linear(input, weight, bias);
  }

  @Override
  protected final String extraRepr() {
    return "in_features=%d, out_features=%d, bias=%s"
        .formatted(inFeatures, outFeatures, Repr.truth(bias != null));
  }
}
