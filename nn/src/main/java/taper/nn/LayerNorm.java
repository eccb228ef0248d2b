package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// Brings the last dimensions of each sample to mean 0 and variance 1, and then to a learned scale and shift.
///
/// - Shape: `[*b normalizedShape] -> [*b normalizedShape]`
/// - Initial values: weight 1, bias 0
/// - Source: Ba, Kiros, Hinton 2016, Layer normalization, arXiv:1607.06450
public final class LayerNorm extends Layer {

  /// The options, with PyTorch's names and defaults. Immutable.
  ///
  /// @param eps added to the variance
  /// @param elementwiseAffine whether a scale is learned, and with `bias` a shift
  /// @param bias whether a shift is learned
  public record Options(double eps, boolean elementwiseAffine, boolean bias) {
    /// A hundred-thousandth, learned scale and shift.
    public static final Options DEFAULT = new Options(1e-5, true, true);

    /// With another summand of the variance.
    public Options eps(double eps) {
      return new Options(eps, elementwiseAffine, bias);
    }

    /// With a learned scale, or without.
    public Options elementwiseAffine(boolean elementwiseAffine) {
      return new Options(eps, elementwiseAffine, bias);
    }

    /// With a learned shift, or without.
    public Options bias(boolean bias) {
      return new Options(eps, elementwiseAffine, bias);
    }
  }

  private final long[] normalizedShape;
  private final Options options;
  private final @Nullable Parameter weight;
  private final @Nullable Parameter bias;

  /// Over the last dimensions, whose sizes are given.
  public LayerNorm(long... normalizedShape) {
    this(normalizedShape, o -> o);
  }

  /// Over the last dimension, whose size is given.
  ///
  /// @param options as in `o -> o.eps(1e-6)`
  public LayerNorm(long normalizedShape, UnaryOperator<Options> options) {
    this(new long[] {normalizedShape}, options);
  }

  /// Over the last dimensions, whose sizes are given.
  ///
  /// @param options as in `o -> o.eps(1e-6)`
  /// @throws ArgumentException if there is no size
  public LayerNorm(long[] normalizedShape, UnaryOperator<Options> options) {
    Sizes.given("LayerNorm", "normalizedShape", normalizedShape);
    if (normalizedShape.length == 0) {
      throw new ArgumentException("LayerNorm: normalizedShape must have a size, but is empty.");
    }
    Sizes.notNegative("LayerNorm", "a size of normalizedShape", normalizedShape);
    this.normalizedShape = normalizedShape.clone();
    this.options = Sizes.chosen("LayerNorm", options, Options.DEFAULT);
    boolean affine = this.options.elementwiseAffine();
    weight = affine ? new Parameter(Tensor.ones(normalizedShape)) : null;
    bias = affine && this.options.bias() ? new Parameter(Tensor.zeros(normalizedShape)) : null;
  }

  /// The scale, or null.
  public @Nullable Parameter weight() {
    return weight;
  }

  /// The shift, or null.
  public @Nullable Parameter bias() {
    return bias;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.layerNorm(normalizedShape, weight, bias, options.eps());
  }

  @Override
  protected String extraRepr() {
    return "%s, eps=%s, elementwise_affine=%s"
        .formatted(
            Repr.tuple(normalizedShape),
            Repr.number(options.eps()),
            Repr.truth(options.elementwiseAffine()));
  }
}
