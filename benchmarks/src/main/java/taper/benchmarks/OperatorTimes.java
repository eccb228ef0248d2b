package taper.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Compares the times of about a hundred operators on a million elements, one thread, with libtorch 2.10.
///
/// ```
/// OperatorTimes [--rounds 3] [--only REGEX]
/// ```
///
/// Both sides run in JVMs of their own, in turns. The figure to quote is the ratio of the least processor times, ours over
/// libtorch's: below 1 we are faster. The worst come first.
public final class OperatorTimes {
  private OperatorTimes() {}

  private record Times(double best, double median, double cpu) {
    Times and(Times other) {
      return new Times(
          Math.min(best, other.best), Math.min(median, other.median), Math.min(cpu, other.cpu));
    }
  }

  private record Row(String name, Times ours, Times peer) {
    double ratio() {
      return ours.cpu / peer.cpu;
    }
  }

  /// Measures and prints a table.
  ///
  /// @throws IOException if a side cannot be started, or fails
  public static void main(String... arguments) throws IOException, InterruptedException {
    int rounds = 3;
    String only = ".*";
    for (int i = 0; i + 1 < arguments.length; i += 2) {
      switch (arguments[i]) {
        case "--rounds" -> rounds = Integer.parseInt(arguments[i + 1]);
        case "--only" -> only = arguments[i + 1];
        default -> throw new IllegalArgumentException("There is no option " + arguments[i] + ".");
      }
    }
    Map<String, Times> ours = new LinkedHashMap<>();
    Map<String, Times> peer = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      measure(Contestant.LIBTORCH, "taper.benchmarks.peers.LibtorchOperators", only, peer);
      measure(Contestant.TAPER, "taper.benchmarks.TaperOperators", only, ours);
    }
    print(ours, peer);
  }

  private static void measure(Contestant side, String main, String only, Map<String, Times> into)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(side.command(main, List.of("-Dtaper.threads=1"), List.of(only)));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("both sides must end well, but this did not: " + command);
    }
    out.lines()
        .map(line -> line.split(" "))
        .filter(words -> words.length == 4)
        .forEach(words ->
            into.merge(
                words[0],
                new Times(
                    Double.parseDouble(words[1]),
                    Double.parseDouble(words[2]),
                    Double.parseDouble(words[3])),
                Times::and));
  }

  private static void print(Map<String, Times> ours, Map<String, Times> peer) {
    List<Row> rows = new ArrayList<>();
    ours.forEach((name, times) -> {
      Times theirs = peer.get(name);
      if (theirs != null) {
        rows.add(new Row(name, times, theirs));
      }
    });
    rows.sort(Comparator.comparingDouble(Row::ratio).reversed());
    System.out.printf(
        "%-24s %10s %10s %10s %10s %8s%n", "", "ours CPU", "best", "peer CPU", "best", "ratio");
    rows.forEach(row ->
        System.out.printf(
            Locale.ROOT,
            "%-24s %10.4f %10.4f %10.4f %10.4f %8.2f%n",
            row.name,
            row.ours.cpu,
            row.ours.best,
            row.peer.cpu,
            row.peer.best,
            row.ratio()));
    double logs = rows.stream().mapToDouble(row -> Math.log(row.ratio())).sum();
    System.out.printf(
        Locale.ROOT,
        "%d operators, geometric mean of the ratios %.2f, %d above 1.5%n",
        rows.size(),
        Math.exp(logs / rows.size()),
        rows.stream().filter(row -> row.ratio() > 1.5).count());
  }
}
