package taper.nn;

import java.util.List;
import taper.tensor.ArgumentException;
import taper.tensor.Autograd;
import taper.tensor.Memory;
import taper.tensor.Tensor;

/// What is done to the gradients of several parameters together.
///
/// ```java
/// loss.backward();
/// Gradients.clipGradNorm_(model.parameters(), 1.0);
/// optimizer.step();
/// ```
public final class Gradients {
  private Gradients() {}

  /// Shrinks the gradients, all by the same factor, so that their common 2-norm is at most `maxNorm`.
  ///
  /// @return the norm before
  public static double clipGradNorm_(List<? extends Tensor> parameters, double maxNorm) {
    return clipGradNorm_(parameters, maxNorm, 2, false);
  }

  /// Shrinks the gradients, all by the same factor, so that their common norm is at most `maxNorm`.
  ///
  /// @param normType the order of the norm; infinity for the largest absolute value
  /// @param errorIfNonfinite whether a norm that is NaN or infinite is an error; otherwise gradients are scaled by it
  /// @return the norm before
  /// @throws ArgumentException if the norm is not finite and `errorIfNonfinite`; gradients are unchanged then
  public static double clipGradNorm_(
      List<? extends Tensor> parameters,
      double maxNorm,
      double normType,
      boolean errorIfNonfinite) {
    if (!(normType > 0)) {
      throw new ArgumentException(
          "clipGradNorm_: normType must be positive, but is " + normType + ".");
    }
    List<Tensor> grads = grads(parameters);
    double total = norm(grads, normType);
    if (errorIfNonfinite && !Double.isFinite(total)) {
      throw new ArgumentException(
          "clipGradNorm_: the norm of order %s of the gradients must be finite, but is %s. Find the operator that makes it so with Autograd.anomalyDetection(), or pass errorIfNonfinite = false to scale by it."
              .formatted(normType, total));
    }
    double factor = maxNorm / (total + 1e-6);
    if (!(factor >= 1)) {
      Autograd.noGrad(() -> grads.forEach(grad -> grad.mul_(factor)));
    }
    return total;
  }

  /// The common 2-norm of the gradients.
  public static double norm(List<? extends Tensor> parameters) {
    return norm(grads(parameters), 2);
  }

  private static double norm(List<Tensor> grads, double order) {
    double total = 0;
    for (Tensor grad : grads) {
      double norm = Autograd.noGrad(() -> Memory.tidy(() -> grad.detach().norm(order))).item();
      if (order == Double.POSITIVE_INFINITY) {
        total = Double.isNaN(norm) ? norm : Math.max(total, norm);
      } else {
        total += order == 2 ? norm * norm : Math.pow(norm, order);
      }
    }
    if (order == Double.POSITIVE_INFINITY) {
      return total;
    }
    return order == 2 ? Math.sqrt(total) : Math.pow(total, 1 / order);
  }

  /// Limits every element of the gradients to `-clipValue..clipValue`.
  public static void clipGradValue_(List<? extends Tensor> parameters, double clipValue) {
    Autograd.noGrad(() -> grads(parameters).forEach(grad -> grad.clamp_(-clipValue, clipValue)));
  }

  private static List<Tensor> grads(List<? extends Tensor> parameters) {
    return parameters.stream()
        .<Tensor>mapMulti((parameter, found) -> {
          Tensor grad = parameter.grad();
          if (grad != null) {
            found.accept(grad);
          }
        })
        .toList();
  }
}
