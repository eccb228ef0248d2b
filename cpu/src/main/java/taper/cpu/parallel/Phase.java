package taper.cpu.parallel;

/// What is done in each phase of a loop whose parts wait for each other.
@FunctionalInterface
public interface Phase {

  /// Does phase `phase` of part `part`.
  void run(int part, int phase);
}
