package taper.tensor;

/// What Taper throws when it is used wrongly or cannot go on.
///
/// A message reads `<operator or module path>: <what must hold>, but <what is>.`, followed by the usual
/// remedy. Exceptions that pass through modules are told the path on their way, see [#within(String)].
public sealed class TaperException extends RuntimeException
    permits ArgumentException,
        AutogradException,
        DTypeException,
        DeviceException,
        LinearAlgebraException,
        MalformedFileException,
        MemoryLimitException,
        ReleasedException,
        ShapeException,
        StateDictException,
        UnsupportedException {
  private static final long serialVersionUID = 1;

  private String path = "";

  TaperException(String message) {
    super(message);
  }

  TaperException(String message, Throwable cause) {
    super(message, cause);
  }

  /// Says in front of the message where it happened, such as `classifier.1 (Linear)`. The innermost place
  /// wins: a path that is already known stays.
  public final void within(String place) {
    if (path.isEmpty()) {
      path = place;
    }
  }

  /// Whether a module has already said where this happened.
  public final boolean hasPlace() {
    return !path.isEmpty();
  }

  /// The message without the path.
  String text() {
    String message = super.getMessage();
    assert message != null;
    return message;
  }

  @Override
  public final String getMessage() {
    String message = text();
    return path.isEmpty() ? message : path + ": " + message;
  }
}
