package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Buffer;
import taper.tensor.Losses;
import taper.tensor.Tensor;

/// The cross entropy between logits and classes: log-softmax and negative log likelihood in one.
///
/// - Shape: input `[n c *]`, target `[n *]` of `int64`, or `[n c *]` of probabilities
public final class CrossEntropyLoss extends Loss {
  private final Losses.CrossEntropyOptions options;
  private final @Nullable Buffer weight;

  /// The mean over all targets.
  public CrossEntropyLoss() {
    this(o -> o);
  }

  /// @param options as in `o -> o.labelSmoothing(0.1)`
  public CrossEntropyLoss(UnaryOperator<Losses.CrossEntropyOptions> options) {
    this.options = Sizes.chosen("CrossEntropyLoss", options, Losses.CrossEntropyOptions.DEFAULT);
    Tensor factors = this.options.weight();
    this.weight = factors == null ? null : new Buffer(factors);
  }

  @Override
  protected Tensor forward(Tensor input, Tensor target) {
    return input.crossEntropy(target, _ -> options.weight(weight));
  }
}
