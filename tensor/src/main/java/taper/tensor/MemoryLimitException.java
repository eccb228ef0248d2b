package taper.tensor;

/// The memory limit would be exceeded. The message says what was asked, what is held, and what to try.
public final class MemoryLimitException extends TaperException {
  private static final long serialVersionUID = 1;

  /// An error with the given message, see [TaperException] for its form.
  public MemoryLimitException(String message) {
    super(message);
  }
}
