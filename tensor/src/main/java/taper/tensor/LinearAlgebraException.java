package taper.tensor;

/// A matrix does not have what a decomposition or solution needs: it is singular, or not positive-definite. What PyTorch
/// calls `torch.linalg.LinAlgError`.
public final class LinearAlgebraException extends TaperException {
  private static final long serialVersionUID = 1;

  /// An error with the given message, see [TaperException] for its form.
  public LinearAlgebraException(String message) {
    super(message);
  }
}
