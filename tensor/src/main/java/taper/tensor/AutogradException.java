package taper.tensor;

/// A gradient was asked for where there is none, or a saved tensor has been changed or freed.
public final class AutogradException extends TaperException {
  private static final long serialVersionUID = 1;

  /// An error with the given message, see [TaperException] for its form.
  public AutogradException(String message) {
    super(message);
  }
}
