package taper.optim;

import java.util.List;
import java.util.function.UnaryOperator;
import taper.tensor.Tensor;

/// As [Adam], but weight decay shrinks the parameters by themselves instead of going through the means.
///
/// - Source: Loshchilov, Hutter 2017, Decoupled weight decay regularization, arXiv:1711.05101.
public final class AdamW extends AdamFamily {

  /// Learning rate 0.001, betas 0.9 and 0.999, weight decay 0.01.
  public static final AdamOptions DEFAULT =
      new AdamOptions(1e-3, 0.9, 0.999, 1e-8, 1e-2, false, false);

  /// For `parameters`, with default options.
  public AdamW(List<? extends Tensor> parameters) {
    this(parameters, o -> o);
  }

  /// For `parameters`.
  ///
  /// @throws taper.tensor.ArgumentException if the options make no sense
  public AdamW(List<? extends Tensor> parameters, UnaryOperator<AdamOptions> options) {
    this(options);
    addParamGroup(parameters);
  }

  /// For groups that are added afterwards.
  ///
  /// @throws taper.tensor.ArgumentException if the options make no sense
  public AdamW(UnaryOperator<AdamOptions> options) {
    super("AdamW", true, Ranges.chosen("AdamW", options, DEFAULT));
  }
}
