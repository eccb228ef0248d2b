package taper.nn;

import java.util.List;

/// What loading a state dict left aside when it was not strict. Immutable.
///
/// @param missing keys that the module has and the state dict has not; these stayed as they were
/// @param unexpected keys that only the state dict has
public record IncompatibleKeys(List<String> missing, List<String> unexpected) {

  /// Copies the lists.
  public IncompatibleKeys {
    missing = List.copyOf(missing);
    unexpected = List.copyOf(unexpected);
  }
}
