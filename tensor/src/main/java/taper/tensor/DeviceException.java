package taper.tensor;

/// Tensors live on different devices, or a device does not exist.
public final class DeviceException extends TaperException {
  private static final long serialVersionUID = 1;

  /// An error with the given message, see [TaperException] for its form.
  public DeviceException(String message) {
    super(message);
  }
}
