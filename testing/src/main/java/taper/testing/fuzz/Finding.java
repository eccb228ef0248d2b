package taper.testing.fuzz;

/// A call that did what no program may see.
///
/// @param call the call, as small as it could be made
/// @param drawn the call that was drawn
/// @param fault what happened
/// @param seed the seed of the run
/// @param index the number of the call in it
public record Finding(String call, String drawn, String fault, long seed, long index) {
  @Override
  public String toString() {
    return "%s%n    %s%n    (drawn as %s; seed %d, call %d)"
        .formatted(call, fault, drawn, seed, index);
  }
}
