package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// Divides the last dimensions of each sample by the root of their mean square, and applies a learned scale.
///
/// - Shape: `[*b normalizedShape] -> [*b normalizedShape]`
/// - Initial values: weight 1
/// - Source: Zhang, Sennrich 2019, Root mean square layer normalization, arXiv:1910.07467
public final class RMSNorm extends Layer {

  /// The options, with PyTorch's names and defaults. Immutable.
  ///
  /// @param eps added to the mean square; null for the distance of 1 from the next number
  /// @param elementwiseAffine whether a scale is learned
  public record Options(@Nullable Double eps, boolean elementwiseAffine) {
    /// The distance of 1 from the next number, learned scale.
    public static final Options DEFAULT = new Options(null, true);

    /// With another summand of the mean square.
    public Options eps(@Nullable Double eps) {
      return new Options(eps, elementwiseAffine);
    }

    /// With a learned scale, or without.
    public Options elementwiseAffine(boolean elementwiseAffine) {
      return new Options(eps, elementwiseAffine);
    }
  }

  private final long[] normalizedShape;
  private final Options options;
  private final @Nullable Parameter weight;

  /// Over the last dimensions, whose sizes are given.
  public RMSNorm(long... normalizedShape) {
    this(normalizedShape, o -> o);
  }

  /// Over the last dimensions, whose sizes are given.
  ///
  /// @param options as in `o -> o.eps(1e-6)`
  /// @throws ArgumentException if there is no size
  public RMSNorm(long[] normalizedShape, UnaryOperator<Options> options) {
    Sizes.given("RMSNorm", "normalizedShape", normalizedShape);
    if (normalizedShape.length == 0) {
      throw new ArgumentException("RMSNorm: normalizedShape must have a size, but is empty.");
    }
    Sizes.notNegative("RMSNorm", "a size of normalizedShape", normalizedShape);
    this.normalizedShape = normalizedShape.clone();
    this.options = Sizes.chosen("RMSNorm", options, Options.DEFAULT);
    weight = this.options.elementwiseAffine() ? new Parameter(Tensor.ones(normalizedShape)) : null;
  }

  /// The scale, or null.
  public @Nullable Parameter weight() {
    return weight;
  }

  @Override
  protected Tensor forward(Tensor input) {
    Double given = options.eps();
    double eps =
        given != null ? given : input.dtype() == DType.FLOAT64 ? Math.ulp(1.0) : Math.ulp(1f);
    return input.rmsNorm(normalizedShape, weight, eps);
  }

  @Override
  protected String extraRepr() {
    Double eps = options.eps();
    return "%s, eps=%s, elementwise_affine=%s"
        .formatted(
            Repr.tuple(normalizedShape),
            eps == null ? "None" : Repr.number(eps),
            Repr.truth(options.elementwiseAffine()));
  }
}
