package taper.tensor;

/// A state dict has other keys or shapes than the module that loads it.
public final class StateDictException extends TaperException {
  private static final long serialVersionUID = 1;

  /// An error with the given message, see [TaperException] for its form.
  public StateDictException(String message) {
    super(message);
  }
}
