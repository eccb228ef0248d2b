package taper.nn;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// The bilinear map `x1ᵀ · weight · x2 + bias` of the last dimensions of two inputs.
///
/// - Shape: `[*b in1], [*b in2] -> [*b out]`
/// - Initial values: uniform within ±1/√in1, weight and bias
public final class Bilinear extends Module {
  private final transient Linear.Options options;
  private final Parameter weight;
  private final @Nullable Parameter bias;

  /// With a bias.
  public Bilinear(long in1Features, long in2Features, long outFeatures) {
    this(in1Features, in2Features, outFeatures, o -> o);
  }

  /// @param options as in `o -> o.bias(false)`
  public Bilinear(
      long in1Features, long in2Features, long outFeatures, UnaryOperator<Linear.Options> options) {
    Sizes.positive("Bilinear", "in1Features", in1Features);
    Sizes.notNegative("Bilinear", "in2Features", in2Features);
    Sizes.notNegative("Bilinear", "outFeatures", outFeatures);
    this.options = Sizes.chosen("Bilinear", options, Linear.Options.DEFAULT);
    this.weight = Sizes.parameter(outFeatures, in1Features, in2Features);
    this.bias = this.options.bias() ? Sizes.parameter(outFeatures) : null;
    resetParameters();
  }

  /// Draws the parameters again.
  public void resetParameters() {
    double bound = 1 / Math.sqrt((double) weight.size(1));
    Init.uniform_(weight, -bound, bound);
    if (bias != null) {
      Init.uniform_(bias, -bound, bound);
    }
  }

  /// The weight, `[out in1 in2]`.
  public Parameter weight() {
    return weight;
  }

  /// The bias, `[out]`, or null.
  public @Nullable Parameter bias() {
    return bias;
  }

  /// Applies the map.
  public Tensor call(Tensor input1, Tensor input2) {
    return invoke(List.of(input1, input2), in -> in.get(0).bilinear(in.get(1), weight, bias));
  }

  @Override
  protected String extraRepr() {
    return "in1_features=%d, in2_features=%d, out_features=%d, bias=%s"
        .formatted(weight.size(1), weight.size(2), weight.size(0), Repr.truth(options.bias()));
  }
}
