package taper.tensor;

/// A file is truncated, hostile or of another format than it should be.
public final class MalformedFileException extends TaperException {
  private static final long serialVersionUID = 1;

  private final long byteOffset;

  /// An error found at `byteOffset` (in bytes, from the start of the file or of its uncompressed content).
  public MalformedFileException(String message, long byteOffset) {
    super(message);
    this.byteOffset = byteOffset;
  }

  /// An error found at `byteOffset` (in bytes) with its cause.
  public MalformedFileException(String message, long byteOffset, Throwable cause) {
    super(message, cause);
    this.byteOffset = byteOffset;
  }

  /// Where in the file the error was found, in bytes from the start.
  public long byteOffset() {
    return byteOffset;
  }
}
