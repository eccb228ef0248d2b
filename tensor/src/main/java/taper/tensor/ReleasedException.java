package taper.tensor;

/// A tensor was touched after its memory had been released, by a scope or by hand.
public final class ReleasedException extends TaperException {
  private static final long serialVersionUID = 1;

  /// An error with the given message, see [TaperException] for its form.
  public ReleasedException(String message) {
    super(message);
  }
}
