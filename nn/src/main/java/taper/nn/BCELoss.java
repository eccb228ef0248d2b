package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Buffer;
import taper.tensor.Losses;
import taper.tensor.Tensor;

/// The cross entropy between probabilities and targets from 0 to 1, element by element.
public final class BCELoss extends Loss {
  private final Losses.BinaryOptions options;
  private final @Nullable Buffer weight;

  /// The mean over all elements.
  public BCELoss() {
    this(o -> o);
  }

  /// @param options as in `o -> o.reduction(Reduction.SUM)`
  public BCELoss(UnaryOperator<Losses.BinaryOptions> options) {
    this.options = Sizes.chosen("BCELoss", options, Losses.BinaryOptions.DEFAULT);
    Tensor factors = this.options.weight();
    this.weight = factors == null ? null : new Buffer(factors);
  }

  @Override
  protected Tensor forward(Tensor input, Tensor target) {
    return input.binaryCrossEntropy(target, _ -> options.weight(weight));
  }
}
