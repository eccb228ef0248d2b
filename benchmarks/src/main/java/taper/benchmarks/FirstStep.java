package taper.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// Times a cold start: from starting the JVM to the end of the first training step.
///
/// ```
/// FirstStep [RUNS] [JVM FLAG ...]        such as: FirstStep 5 -XX:AOTCache=taper.aot
/// ```
///
/// The clock runs in the parent process, so everything counts: the JVM, loading classes, assembling
/// kernels, building the network, the step.
public final class FirstStep {
  private FirstStep() {}

  /// Measures and prints the seconds of each run and their median.
  ///
  /// @throws IOException if the JVM cannot be started
  public static void main(String... arguments) throws IOException, InterruptedException {
    int runs = arguments.length == 0 ? 5 : Integer.parseInt(arguments[0]);
    List<String> flags =
        arguments.length == 0 ? List.of() : Arrays.asList(arguments).subList(1, arguments.length);
    List<Double> seconds = new ArrayList<>();
    for (int run = 0; run < runs; run++) {
      seconds.add(once(flags));
      System.out.printf(Locale.ROOT, "run %d: %.3f s%n", run + 1, seconds.getLast());
    }
    List<Double> sorted = seconds.stream().sorted().toList();
    System.out.printf(
        Locale.ROOT,
        "first training step done after %.3f s (median of %d), %.3f s (best)%n",
        sorted.get(sorted.size() / 2),
        runs,
        sorted.getFirst());
  }

  private static double once(List<String> flags) throws IOException, InterruptedException {
    List<String> command =
        Contestant.TAPER.command(flags, List.of("--warm-up", "0", "--steps", "1"));
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader lines = process.inputReader()) {
      String line = lines.readLine();
      long end = System.nanoTime();
      if (line == null || process.waitFor() != 0) {
        throw new IOException("a first step must end well, but this did not: " + command);
      }
      return (end - start) / 1e9;
    }
  }
}
