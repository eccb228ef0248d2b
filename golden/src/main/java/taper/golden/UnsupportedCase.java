package taper.golden;

/// Thrown by a binding for a form of a function that Taper does not have.
final class UnsupportedCase extends RuntimeException {
  private static final long serialVersionUID = 1;

  UnsupportedCase(String reason) {
    super(reason);
  }
}
