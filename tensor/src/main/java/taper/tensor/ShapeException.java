package taper.tensor;

/// Shapes do not fit the operator or each other.
public final class ShapeException extends TaperException {
  private static final long serialVersionUID = 1;

  /// An error with the given message, see [TaperException] for its form.
  public ShapeException(String message) {
    super(Called.by(message));
  }
}
