package taper.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Compares every operator with PyTorch on the cases that come with Taper.
final class PackagedSetsTest {
  private static Report report;

  @BeforeAll
  static void run() {
    report = Golden.runPackaged(Golden.everything());
  }

  @Test
  void everyCasePassesOrItsDifferenceIsDocumented() {
    Set<String> documented = Compatibility.differences().keySet();

    var undocumented =
        report.entries().stream()
            .filter(entry -> !(entry.outcome() instanceof Outcome.Passed))
            .filter(entry -> !documented.contains(entry.operator()))
            .map(entry -> entry.id() + ": " + entry.outcome())
            .toList();

    assertThat(undocumented).isEmpty();
  }

  @Test
  void ninetyEightOfAHundredCasesPass() {
    double share = (double) report.passed() / report.entries().size();

    assertThat(share).isGreaterThan(0.98);
  }

  @Test
  void everyDocumentedDifferenceIsOfAnOperatorThatIsBoundOrInTheSets() {
    var known = new TreeSet<String>();
    Bindings.all().list().forEach(binding -> known.add(binding.name()));
    report.entries().forEach(entry -> known.add(entry.operator()));

    assertThat(known).containsAll(Compatibility.differences().keySet());
  }

  @Test
  void everySetHasCases() {
    var sets = report.entries().stream().map(Report.Entry::set).collect(Collectors.toSet());

    assertThat(sets).hasSize(9);
    assertThat(report.entries()).hasSizeGreaterThan(24_000);
  }
}
