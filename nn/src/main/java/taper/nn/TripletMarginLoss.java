package taper.nn;

import java.util.List;
import java.util.function.UnaryOperator;
import taper.tensor.MarginLosses.TripletOptions;
import taper.tensor.Tensor;

/// `max(0, |anchor - positive| - |anchor - negative| + margin)`.
public final class TripletMarginLoss extends Module {
  private final transient TripletOptions options;

  /// With default options.
  public TripletMarginLoss() {
    this(o -> o);
  }

  /// @param options as in `o -> o.margin(0.5)`
  public TripletMarginLoss(UnaryOperator<TripletOptions> options) {
    this.options = Sizes.chosen("TripletMarginLoss", options, TripletOptions.DEFAULT);
  }

  /// Computes the loss.
  public Tensor call(Tensor anchor, Tensor positive, Tensor negative) {
    return invoke(
        List.of(anchor, positive, negative),
        in -> in.get(0).tripletMarginLoss(in.get(1), in.get(2), _ -> options));
  }
}
