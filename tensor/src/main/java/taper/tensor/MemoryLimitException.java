package taper.tensor;

import org.jspecify.annotations.Nullable;

/// The memory limit would be exceeded. The message says what was asked, what is held, and what to try.
public final class MemoryLimitException extends TaperException {
  private static final long serialVersionUID = 1;
  private static final String NOBODY = "memory: ";

  private @Nullable String operator;

  /// An error with the given message, see [TaperException] for its form.
  public MemoryLimitException(String message) {
    super(message);
  }

  /// Says for whom the memory was; the outermost operator is the one that its user called.
  MemoryLimitException of(String name) {
    operator = name;
    return this;
  }

  @Override
  String text() {
    String message = super.text();
    return operator != null && message.startsWith(NOBODY)
        ? operator + ": " + message.substring(NOBODY.length())
        : message;
  }
}
