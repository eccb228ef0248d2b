package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Buffer;
import taper.tensor.Losses;
import taper.tensor.Tensor;

/// The cross entropy between logits and targets from 0 to 1, element by element: sigmoid and [BCELoss] in one.
public final class BCEWithLogitsLoss extends Loss {
  private final Losses.BinaryOptions options;
  private final @Nullable Buffer weight;

  @Key("pos_weight")
  private final @Nullable Buffer posWeight;

  /// The mean over all elements.
  public BCEWithLogitsLoss() {
    this(o -> o);
  }

  /// @param options as in `o -> o.reduction(Reduction.SUM)`
  public BCEWithLogitsLoss(UnaryOperator<Losses.BinaryOptions> options) {
    this.options = Sizes.chosen("BCEWithLogitsLoss", options, Losses.BinaryOptions.DEFAULT);
    Tensor factors = this.options.weight();
    this.weight = factors == null ? null : new Buffer(factors);
    Tensor positive = this.options.posWeight();
    this.posWeight = positive == null ? null : new Buffer(positive);
  }

  @Override
  protected Tensor forward(Tensor input, Tensor target) {
    return input.binaryCrossEntropyWithLogits(
        target, _ -> options.weight(weight).posWeight(posWeight));
  }
}
