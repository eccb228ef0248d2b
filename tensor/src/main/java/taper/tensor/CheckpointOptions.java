package taper.tensor;

/// The options of [Checkpoint#run], with PyTorch's names and defaults. Immutable.
///
/// @param preserveRngState whether the second run draws the same random numbers as the first
/// @param determinismCheck whether the second run is checked to compute tensors of the same shapes and types
/// @param earlyStop whether the second run stops as soon as it has computed what the backward pass needs
public record CheckpointOptions(
    boolean preserveRngState, boolean determinismCheck, boolean earlyStop) {

  /// All of it.
  public static final CheckpointOptions DEFAULT = new CheckpointOptions(true, true, true);

  /// With random numbers that are drawn again; without, segments that draw none run a little faster.
  public CheckpointOptions preserveRngState(boolean on) {
    return new CheckpointOptions(on, determinismCheck, earlyStop);
  }

  /// With a check of the second run.
  public CheckpointOptions determinismCheck(boolean on) {
    return new CheckpointOptions(preserveRngState, on, earlyStop);
  }

  /// With a second run that goes no further than it must.
  public CheckpointOptions earlyStop(boolean on) {
    return new CheckpointOptions(preserveRngState, determinismCheck, on);
  }
}
