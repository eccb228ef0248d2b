package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.Losses;
import taper.tensor.Tensor;

/// The divergence of the input, log-probabilities, from the target, probabilities.
public final class KLDivLoss extends Loss {
  private final Losses.KlOptions options;

  /// The mean over all elements.
  public KLDivLoss() {
    this(o -> o);
  }

  /// @param options as in `o -> o.batchMean()`
  public KLDivLoss(UnaryOperator<Losses.KlOptions> options) {
    this.options = Sizes.chosen("KLDivLoss", options, Losses.KlOptions.DEFAULT);
  }

  @Override
  protected Tensor forward(Tensor input, Tensor target) {
    return input.klDiv(target, _ -> options);
  }
}
