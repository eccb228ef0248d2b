package taper.tensor;

/// A value is outside what an operator, module or option accepts: a label beyond the classes, a batch size of 0.
public final class ArgumentException extends TaperException {
  private static final long serialVersionUID = 1;

  /// An error with the given message, see [TaperException] for its form.
  public ArgumentException(String message) {
    super(Called.by(message));
  }
}
