package taper.golden;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What became of the cases of some sets, by set and by operator. Belongs to one thread.
public final class Report {

  /// One case and what became of it.
  ///
  /// @param set the file
  /// @param operator PyTorch's name
  /// @param id the case
  /// @param type the type of the elements, empty where a case has none
  /// @param gradient whether gradients were compared
  /// @param outcome what became of it
  public record Entry(
      String set, String operator, String id, String type, boolean gradient, Outcome outcome) {}

  private final List<Entry> entries = new ArrayList<>();

  Report() {}

  void add(Entry entry) {
    entries.add(entry);
  }

  /// All cases, in the order in which they ran.
  public List<Entry> entries() {
    return List.copyOf(entries);
  }

  /// How many cases passed.
  public long passed() {
    return entries.stream().filter(e -> e.outcome() instanceof Outcome.Passed).count();
  }

  /// How many cases failed.
  public long failed() {
    return entries.stream().filter(e -> e.outcome() instanceof Outcome.Failed).count();
  }

  /// How many cases are not supported.
  public long unsupported() {
    return entries.size() - passed() - failed();
  }

  /// The closing line.
  public String summary() {
    return "%d passed, %d failed, %d unsupported".formatted(passed(), failed(), unsupported());
  }

  /// The whole report as text: a paragraph a set, a line an operator that has anything but passes, then the summary.
  ///
  /// @param verbose whether operators whose cases all pass, and every case that does not pass, have a line, too
  public List<String> lines(boolean verbose) {
    var lines = new ArrayList<String>();
    Map<String, Map<String, List<Entry>>> sets = new TreeMap<>();
    for (Entry entry : entries) {
      sets.computeIfAbsent(entry.set(), _ -> new TreeMap<>())
          .computeIfAbsent(entry.operator(), _ -> new ArrayList<>())
          .add(entry);
    }
    sets.forEach((set, operators) -> {
      var all = operators.values().stream().flatMap(List::stream).toList();
      lines.add("%s: %s".formatted(set, counts(all)));
      operators.forEach((operator, cases) -> {
        boolean perfect = cases.stream().allMatch(c -> c.outcome() instanceof Outcome.Passed);
        if (verbose || !perfect) {
          lines.add("  %s: %s%s".formatted(operator, counts(cases), perfect ? "" : reason(cases)));
        }
        if (verbose) {
          cases.stream()
              .filter(c -> !(c.outcome() instanceof Outcome.Passed))
              .forEach(c -> lines.add("    " + c.id() + ": " + words(c.outcome())));
        }
      });
    });
    lines.add(summary());
    return lines;
  }

  private static String counts(List<Entry> cases) {
    long passed = cases.stream().filter(c -> c.outcome() instanceof Outcome.Passed).count();
    long failed = cases.stream().filter(c -> c.outcome() instanceof Outcome.Failed).count();
    return "%d passed, %d failed, %d unsupported"
        .formatted(passed, failed, cases.size() - passed - failed);
  }

  /// The first failure, else the first reason for no support.
  private static String reason(List<Entry> cases) {
    Entry first =
        cases.stream()
            .filter(c -> c.outcome() instanceof Outcome.Failed)
            .findFirst()
            .orElseGet(() ->
                cases.stream()
                    .filter(c -> c.outcome() instanceof Outcome.Unsupported)
                    .findFirst()
                    .orElseThrow());
    return " (" + first.id() + ": " + words(first.outcome()) + ")";
  }

  private static String words(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Passed() -> "passed";
      case Outcome.Failed(String difference) -> "failed, " + difference;
      case Outcome.Unsupported(String reason) -> "unsupported, " + reason;
    };
  }
}
