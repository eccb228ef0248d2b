package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Buffer;
import taper.tensor.Losses;
import taper.tensor.Tensor;

/// The negative log likelihood of classes, from log-probabilities; see [LogSoftmax].
///
/// - Shape: input `[n c *]`, target `[n *]` of `int64`
public final class NLLLoss extends Loss {
  private final Losses.NllOptions options;
  private final @Nullable Buffer weight;

  /// The mean over all targets.
  public NLLLoss() {
    this(o -> o);
  }

  /// @param options as in `o -> o.ignoreIndex(0)`
  public NLLLoss(UnaryOperator<Losses.NllOptions> options) {
    this.options = Sizes.chosen("NLLLoss", options, Losses.NllOptions.DEFAULT);
    Tensor factors = this.options.weight();
    this.weight = factors == null ? null : new Buffer(factors);
  }

  @Override
  protected Tensor forward(Tensor input, Tensor target) {
    return input.nllLoss(target, _ -> options.weight(weight));
  }
}
