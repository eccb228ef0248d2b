package taper.optim;

import java.util.List;
import java.util.function.UnaryOperator;
import taper.tensor.Tensor;

/// Steps of a size that adapts to each element: the mean gradient over the root of the mean squared gradient. Weight decay
/// is added to the gradient; [AdamW] takes it off the parameter instead.
///
/// - Source: Kingma, Ba 2014, Adam: a method for stochastic optimization, arXiv:1412.6980; `amsgrad` from Reddi, Kale,
///   Kumar 2018, On the convergence of Adam and beyond.
public final class Adam extends AdamFamily {

  /// Learning rate 0.001, betas 0.9 and 0.999, no weight decay.
  public static final AdamOptions DEFAULT =
      new AdamOptions(1e-3, 0.9, 0.999, 1e-8, 0, false, false);

  /// For `parameters`, with default options.
  public Adam(List<? extends Tensor> parameters) {
    this(parameters, o -> o);
  }

  /// For `parameters`.
  ///
  /// @throws taper.tensor.ArgumentException if the options make no sense
  public Adam(List<? extends Tensor> parameters, UnaryOperator<AdamOptions> options) {
    this(options);
    addParamGroup(parameters);
  }

  /// For groups that are added afterwards.
  ///
  /// @throws taper.tensor.ArgumentException if the options make no sense
  public Adam(UnaryOperator<AdamOptions> options) {
    super("Adam", false, Ranges.chosen("Adam", options, DEFAULT));
  }
}
