package taper.golden;

/// What became of a case.
public sealed interface Outcome {

  /// Taper's results agree.
  record Passed() implements Outcome {}

  /// They do not.
  ///
  /// @param difference the first difference
  record Failed(String difference) implements Outcome {}

  /// Taper has no such function, or not this form of it.
  ///
  /// @param reason why
  record Unsupported(String reason) implements Outcome {}
}
