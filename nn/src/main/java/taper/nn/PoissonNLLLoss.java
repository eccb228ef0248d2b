package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.Losses.PoissonOptions;
import taper.tensor.Tensor;

/// The negative log likelihood of counts with Poisson distributions.
public final class PoissonNLLLoss extends Loss {
  private final PoissonOptions options;

  /// With default options.
  public PoissonNLLLoss() {
    this(o -> o);
  }

  /// @param options as in `o -> o.reduction(Reduction.SUM)`
  public PoissonNLLLoss(UnaryOperator<PoissonOptions> options) {
    this.options = Sizes.chosen("PoissonNLLLoss", options, PoissonOptions.DEFAULT);
  }

  @Override
  protected Tensor forward(Tensor input, Tensor target) {
    return input.poissonNllLoss(target, _ -> options);
  }
}
