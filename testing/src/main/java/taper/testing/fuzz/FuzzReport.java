package taper.testing.fuzz;

import java.util.List;

/// What a run of the fuzzer found. Immutable.
///
/// @param seed its seed
/// @param calls how many calls were made
/// @param refused how many of them were refused with a message
/// @param slow how many were given up, since they had much to do
/// @param findings what is wrong, each kind once
public record FuzzReport(long seed, long calls, long refused, long slow, List<Finding> findings) {
  /// Copies the list.
  public FuzzReport {
    findings = List.copyOf(findings);
  }

  /// The figures on one line.
  public String summary() {
    return "seed %d: %d calls, %d of them refused, %d given up, %d findings"
        .formatted(seed, calls, refused, slow, findings.size());
  }

  @Override
  public String toString() {
    var text = new StringBuilder(summary());
    findings.forEach(finding -> text.append(System.lineSeparator()).append(finding));
    return text.toString();
  }
}
