package taper.tensor;

/// Tensors have element types that do not fit the operator or each other.
public final class DTypeException extends TaperException {
  private static final long serialVersionUID = 1;

  /// An error with the given message, see [TaperException] for its form.
  public DTypeException(String message) {
    super(Called.by(message));
  }
}
