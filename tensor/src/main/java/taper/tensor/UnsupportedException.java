package taper.tensor;

/// Something that Taper does not do (yet). The message names the alternative.
public final class UnsupportedException extends TaperException {
  private static final long serialVersionUID = 1;

  /// An error with the given message, see [TaperException] for its form.
  public UnsupportedException(String message) {
    super(message);
  }
}
