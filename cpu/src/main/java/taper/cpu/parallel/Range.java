package taper.cpu.parallel;

/// A part of a loop.
@FunctionalInterface
public interface Range {

  /// Does the steps from `from` (included) to `to` (excluded).
  void run(long from, long to);
}
