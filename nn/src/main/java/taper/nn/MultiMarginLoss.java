package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Buffer;
import taper.tensor.MarginLosses.MultiMarginOptions;
import taper.tensor.Tensor;

/// What each class lacks to be a margin below the right one, summed and divided by the number of classes.
public final class MultiMarginLoss extends Loss {
  private final MultiMarginOptions options;
  private final @Nullable Buffer weight;

  /// With default options.
  public MultiMarginLoss() {
    this(o -> o);
  }

  /// @param options as in `o -> o.reduction(Reduction.SUM)`
  public MultiMarginLoss(UnaryOperator<MultiMarginOptions> options) {
    this.options = Sizes.chosen("MultiMarginLoss", options, MultiMarginOptions.DEFAULT);
    Tensor factors = this.options.weight();
    this.weight = factors == null ? null : new Buffer(factors);
  }

  @Override
  protected Tensor forward(Tensor input, Tensor target) {
    return input.multiMarginLoss(target, _ -> options.weight(weight));
  }
}
