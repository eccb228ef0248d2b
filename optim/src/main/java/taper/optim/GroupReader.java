package taper.optim;

import java.util.List;
import java.util.Map;
import taper.tensor.StateDictException;
import taper.tensor.Tensor;

/// Reads the options of a group out of a state dict.
///
/// @param optimizer the name for errors
/// @param group the entries
record GroupReader(String optimizer, Map<String, ?> group) {

  double number(String key, double otherwise) {
    return switch (group.get(key)) {
      case Number number -> number.doubleValue();
      case Tensor tensor -> tensor.item();
      case null -> otherwise;
      case Object other -> throw wrong(key, "a number", other);
    };
  }

  boolean truth(String key, boolean otherwise) {
    return switch (group.get(key)) {
      case Boolean truth -> truth;
      case null -> otherwise;
      case Object other -> throw wrong(key, "true or false", other);
    };
  }

  /// The number at `position` of the list under `key`.
  double number(String key, int position, double otherwise) {
    return switch (group.get(key)) {
      case List<?> list when position < list.size() && list.get(position) instanceof Number n ->
          n.doubleValue();
      case null -> otherwise;
      case Object other -> throw wrong(key, "a list of numbers", other);
    };
  }

  private StateDictException wrong(String key, String what, Object value) {
    return new StateDictException(
        "%s: %s of a group of the state dict must be %s, but is %s."
            .formatted(optimizer, key, what, value));
  }
}
