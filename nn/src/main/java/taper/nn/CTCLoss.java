package taper.nn;

import java.util.List;
import java.util.function.UnaryOperator;
import taper.tensor.Losses.CtcOptions;
import taper.tensor.Tensor;

/// The negative log likelihood of sequences of labels, over all alignments with the input.
///
/// - Shape: `[t n c], targets[n s], inputLengths[n], targetLengths[n] -> []`
/// - Source: Graves et al. 2006, Connectionist temporal classification
public final class CTCLoss extends Module {
  private final transient CtcOptions options;

  /// With default options.
  public CTCLoss() {
    this(o -> o);
  }

  /// @param options as in `o -> o.zeroInfinity(true)`
  public CTCLoss(UnaryOperator<CtcOptions> options) {
    this.options = Sizes.chosen("CTCLoss", options, CtcOptions.DEFAULT);
  }

  /// Computes the loss of log-probabilities.
  public Tensor call(Tensor logProbs, Tensor targets, Tensor inputLengths, Tensor targetLengths) {
    return invoke(
        List.of(logProbs, targets, inputLengths, targetLengths),
        in -> in.get(0).ctcLoss(in.get(1), in.get(2), in.get(3), _ -> options));
  }
}
