package taper.optim;

/// The options of [Adam] and [AdamW], with PyTorch's names. Immutable.
///
/// @param lr the learning rate
/// @param beta1 how much of the mean gradient stays in a step
/// @param beta2 how much of the mean squared gradient stays in a step
/// @param eps added to the root of the mean square, so that nothing is divided by 0
/// @param weightDecay of [Adam], how much of a parameter is added to its gradient; of [AdamW], what part of a parameter,
///     times the learning rate, is taken away in a step
/// @param amsgrad whether the largest mean square so far is used instead of the present one
/// @param maximize whether to go up instead of down
public record AdamOptions(
    double lr,
    double beta1,
    double beta2,
    double eps,
    double weightDecay,
    boolean amsgrad,
    boolean maximize)
    implements OptimizerOptions<AdamOptions> {

  @Override
  public AdamOptions lr(double lr) {
    return new AdamOptions(lr, beta1, beta2, eps, weightDecay, amsgrad, maximize);
  }

  /// With other decays of the means.
  public AdamOptions betas(double beta1, double beta2) {
    return new AdamOptions(lr, beta1, beta2, eps, weightDecay, amsgrad, maximize);
  }

  /// With another summand of the denominator.
  public AdamOptions eps(double eps) {
    return new AdamOptions(lr, beta1, beta2, eps, weightDecay, amsgrad, maximize);
  }

  /// With another weight decay.
  public AdamOptions weightDecay(double weightDecay) {
    return new AdamOptions(lr, beta1, beta2, eps, weightDecay, amsgrad, maximize);
  }

  /// With the largest mean square so far, or the present one.
  public AdamOptions amsgrad(boolean amsgrad) {
    return new AdamOptions(lr, beta1, beta2, eps, weightDecay, amsgrad, maximize);
  }

  /// Going up, or down.
  public AdamOptions maximize(boolean maximize) {
    return new AdamOptions(lr, beta1, beta2, eps, weightDecay, amsgrad, maximize);
  }

  /// The first beta.
  @Override
  public double momentum() {
    return beta1;
  }

  /// With another first beta.
  @Override
  public AdamOptions momentum(double momentum) {
    return betas(momentum, beta2);
  }
}
