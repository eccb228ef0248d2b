package taper.tensor;

/// Where the memory of a tensor lives. Immutable.
///
/// @param type the kind of device, such as `cpu`
/// @param index which one of several of a kind, from 0
public record Device(String type, int index) {

  /// The memory of the machine, used by the processor itself.
  public static final Device CPU = new Device("cpu", 0);

  /// Parses PyTorch's notation: `cpu`, `cuda:1`.
  ///
  /// @throws DeviceException if the text has another form
  public static Device of(String text) {
    int colon = text.indexOf(':');
    try {
      return colon < 0
          ? new Device(text, 0)
          : new Device(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
    } catch (NumberFormatException e) {
      throw new DeviceException(
          "device: the text must be a type or type:index, such as cpu or cuda:1, but is '"
              + text
              + "'.");
    }
  }

  @Override
  public String toString() {
    return type.equals("cpu") ? type : type + ":" + index;
  }
}
