package taper.testing.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import taper.nn.Module;

/// Finds missing checks, and keeps those found that were missing once.
final class FuzzerTest {
  private static final Map<String, String> FAULTS =
      Map.of(
          "readsBeyond", "IndexOutOfBoundsException: .*",
          "writesBeyond", "the process ends with .*",
          "forgetsAbsent", "NullPointerException: .*",
          "neverReturns", "hangs at .*",
          "spoilsInput", "AssertionError: input 0 was changed.*");

  @Test
  @DisabledIfSystemProperty(
      named = "taper.kernels",
      matches = ".*",
      disabledReason = "once is enough: the operators have reference kernels only")
  void aMissingCheckIsFoundAndShownByASmallCall() throws IOException {
    FuzzReport report =
        new Fuzzer("-Dtaper.fuzz.patience=1")
            .of(FaultyOperators.class)
            .run(1, 300, Duration.ofMinutes(5));

    FAULTS.forEach((operator, fault) ->
        assertThat(report.findings())
            .as(report.toString())
            .anySatisfy(finding -> {
              assertThat(finding.call()).startsWith(operator + " ");
              assertThat(finding.fault()).matches(fault);
            }));
    assertThat(report.findings())
        .extracting(Finding::call)
        .contains("forgetsAbsent {} <f32[1]> <none>", "spoilsInput {} <f32[3]>");
  }

  @Test
  void whatFailedOnceDoesNotFailAgain() throws IOException {
    List<String> calls = calls();

    FuzzReport report = new Fuzzer().andPackage(Module.class).make(calls);

    assertThat(calls).isNotEmpty();
    assertThat(report.calls()).isEqualTo(calls.size());
    assertThat(report.findings()).as(report.toString()).isEmpty();
  }

  /// Methods and layers: what programs call. Operators themselves, which only the catalogue gives away, are for the long run.
  @Test
  void nothingIsFoundToday() throws IOException {
    long seed = LocalDate.now(ZoneOffset.UTC).toEpochDay();

    FuzzReport report =
        new Fuzzer("-Dtaper.fuzz.only=methods", "-Dtaper.fuzz.patience=20")
            .andPackage(Module.class)
            .run(seed, 20_000, Duration.ofSeconds(25));

    System.out.println("fuzzer: " + report.summary());
    assertThat(report.calls()).isPositive();
    assertThat(report.findings()).as(report.toString()).isEmpty();
  }

  @Test
  @Tag("slow")
  void nothingIsFoundInAnHour() throws IOException {
    long seed = System.nanoTime();

    FuzzReport report =
        new Fuzzer().andPackage(Module.class).run(seed, Long.MAX_VALUE, Duration.ofHours(1));

    System.out.println("fuzzer: " + report.summary());
    assertThat(report.findings()).as(report.toString()).isEmpty();
  }

  private static List<String> calls() throws IOException {
    try (InputStream in = FuzzerTest.class.getResourceAsStream("calls.txt")) {
      assertThat(in).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    }
  }
}
