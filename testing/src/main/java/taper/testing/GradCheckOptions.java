package taper.testing;

/// The options of [GradCheck#gradcheck], with PyTorch's names and defaults. Immutable.
///
/// @param eps the step of the difference quotient
/// @param atol the part of the tolerance that does not grow with the derivative
/// @param rtol the part that does
/// @param checkUndefinedGrad whether gradients that have not arrived are checked to count as zeros
/// @param nondetTol by how much two backward passes over the same graph may differ
/// @param raiseException whether a wrong derivative is an error, instead of the answer false
public record GradCheckOptions(
    double eps,
    double atol,
    double rtol,
    boolean checkUndefinedGrad,
    double nondetTol,
    boolean raiseException) {

  /// A step of 1e-6 and tolerances of 1e-5 and 1e-3, for `float64`.
  public static final GradCheckOptions DEFAULT =
      new GradCheckOptions(1e-6, 1e-5, 1e-3, true, 0, true);

  /// With another step.
  public GradCheckOptions eps(double step) {
    return new GradCheckOptions(step, atol, rtol, checkUndefinedGrad, nondetTol, raiseException);
  }

  /// With another absolute tolerance.
  public GradCheckOptions atol(double tolerance) {
    return new GradCheckOptions(
        eps, tolerance, rtol, checkUndefinedGrad, nondetTol, raiseException);
  }

  /// With another relative tolerance.
  public GradCheckOptions rtol(double tolerance) {
    return new GradCheckOptions(
        eps, atol, tolerance, checkUndefinedGrad, nondetTol, raiseException);
  }

  /// With or without the check of gradients that have not arrived.
  public GradCheckOptions checkUndefinedGrad(boolean on) {
    return new GradCheckOptions(eps, atol, rtol, on, nondetTol, raiseException);
  }

  /// With backward passes that may differ.
  public GradCheckOptions nondetTol(double tolerance) {
    return new GradCheckOptions(eps, atol, rtol, checkUndefinedGrad, tolerance, raiseException);
  }

  /// With an error or an answer.
  public GradCheckOptions raiseException(boolean on) {
    return new GradCheckOptions(eps, atol, rtol, checkUndefinedGrad, nondetTol, on);
  }
}
